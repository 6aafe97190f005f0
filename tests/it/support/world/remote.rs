//! A world behind its servers: a registry and a git server on loopback, the pipeline's GitHub, and the
//! real binary on one machine after another.

use std::io::{Read as _, Seek as _};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::hosted::TOKEN;
use super::{World, WorldSnapshot};
use crate::support::git_server::{GitServer, Reaction};
use crate::support::github::FakeGitHub;
use crate::support::registry_server::RegistryServer;

/// A world behind its servers. The registry's directory is only what it was filled from.
pub struct Remote {
    pub world: World,
    pub registry: RegistryServer,
    pub git: GitServer,
    machines: Mutex<usize>,
}

/// Where a process is killed: at the nth write of a server's.
#[derive(Clone, Copy, Debug)]
pub enum Kill {
    Registry(usize, bool),
    Git(usize, bool),
    GitHub(usize, bool),
}

/// Writes that the registry, the git server and GitHub saw.
pub type Seen = [usize; 3];

type Process = Arc<Mutex<Option<Child>>>;

impl Remote {
    fn new(world: World, registry: RegistryServer) -> Self {
        let git = GitServer::start(&world.sandbox.path(""));
        git.require("x-access-token", TOKEN);
        Self { world, registry, git, machines: Mutex::new(0) }
    }

    pub async fn fill(world: World) -> Self {
        let registry = RegistryServer::start();
        world.push_to(&registry.url()).await;
        Self::new(world, registry)
    }

    pub fn copy(&self) -> Self {
        Self::new(self.world.copy(), self.registry.copy())
    }

    /// The real binary, on a machine that nothing of sealift's was on before.
    pub fn command(&self) -> Command {
        let mut machines = self.machines.lock().unwrap();
        *machines += 1;
        self.command_on(&format!("machine-{machines}"))
    }

    /// The real binary, on a machine of that name.
    pub fn command_on(&self, machine: &str) -> Command {
        let cache = self.world.sandbox.path(machine);
        let mut sealift = self.world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &self.world.sandbox.path(""));
        sealift.args(["run", &format!("v{}", self.world.rc), "--pipeline"]).arg(&self.world.shipped.file);
        sealift.args(["--format", "json", "--repo", &self.git.url("origin.git"), "--cache"]).arg(cache);
        sealift.arg("--git-token-file").arg(self.world.token_file(TOKEN));
        sealift.args(self.world.forge_arguments()).args(self.world.input_arguments());
        for host in self.world.hosts() {
            sealift.args(["--registry", &format!("{host}={}", self.registry.url())]);
        }
        sealift
    }

    #[track_caller]
    pub fn run(&self, code: i32, when: &str) {
        let output = self.command().output().unwrap();
        let text = || String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{when}: {}", text());
    }

    /// Runs until the write comes, and then no further. Whether it came is in the status.
    pub fn killed(&self, at: Kill) -> ExitStatus {
        self.command_killed(self.command(), at).status
    }

    /// The same for a command that was made before, with what it showed until then.
    pub fn command_killed(&self, mut command: Command, at: Kill) -> Output {
        let process: Process = Arc::default();
        let kills = {
            let process = process.clone();
            move || process.lock().unwrap().as_mut().unwrap().kill().unwrap()
        };
        match at {
            Kill::Registry(nth, after) => self.registry.cut_write(nth, after, kills),
            Kill::GitHub(nth, after) => self.world.github().cut_write(nth, after, kills),
            Kill::Git(nth, after) => {
                let mut pushes = 0;
                self.git.intercept(move |request| {
                    pushes += usize::from(request.is_push());
                    match (request.is_push() && pushes == nth, after) {
                        (false, _) => Reaction::Pass,
                        (true, true) => Reaction::Then(Box::new(kills.clone())),
                        (true, false) => {
                            kills();
                            Reaction::CutBefore
                        }
                    }
                });
            }
        }
        // Into files: a pipe that nobody reads would hold the process.
        let files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
        let [out, err] = files.each_ref().map(|file| Stdio::from(file.try_clone().unwrap()));
        let mut started = process.lock().unwrap();
        *started = Some(command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().unwrap());
        drop(started);
        let status = loop {
            if let Some(status) = process.lock().unwrap().as_mut().unwrap().try_wait().unwrap() {
                break status;
            }
            // The lock is let go for the server's thread, which needs the process to kill it.
            std::thread::sleep(Duration::from_millis(2));
        };
        self.heal();
        let [stdout, stderr] = files.map(|mut file| {
            let mut text = Vec::new();
            file.rewind().unwrap();
            file.read_to_end(&mut text).unwrap();
            text
        });
        Output { status, stdout, stderr }
    }

    /// Nothing goes wrong at any server any more.
    pub fn heal(&self) {
        self.git.intercept(|_| Reaction::Pass);
        self.registry.heal();
        self.world.hosted().into_iter().for_each(FakeGitHub::heal);
    }

    pub fn snapshot(&self) -> WorldSnapshot {
        let mut seen = self.world.snapshot().0;
        seen.retain(|name, _| !name.starts_with("tag ") && !name.starts_with("blob "));
        seen.extend(self.registry.tags().into_iter().map(|(name, digest)| (format!("tag {name}"), digest.to_string())));
        WorldSnapshot(seen)
    }

    pub fn writes(&self) -> Seen {
        let pushes = self.git.requests().iter().filter(|request| request.is_push()).count();
        [self.registry.writes(), pushes, self.world.forge_writes()]
    }
}
