//! Crash anywhere, with a real process over the wire: SIGKILL right before or right after any
//! write that a registry, a git server or GitHub sees.

use std::os::unix::process::ExitStatusExt as _;

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{AT_ONCE, beside};
use crate::support::git_server::{GitServer, Reaction};
use crate::support::registry_server::RegistryServer;
use crate::support::world::hosted::TOKEN;
use crate::support::world::{Case, Shipped, World, WorldSnapshot, shipped};

/// A world behind its servers. The registry's directory is only what it was filled from.
struct Remote {
    world: World,
    registry: RegistryServer,
    git: GitServer,
    machines: Mutex<usize>,
}

/// Where a process is killed: at the nth write of a server's.
#[derive(Clone, Copy, Debug)]
enum Kill {
    Registry(usize, bool),
    Git(usize, bool),
    GitHub(usize, bool),
}

/// Writes that the registry, the git server and GitHub saw.
type Seen = [usize; 3];

type Process = Arc<Mutex<Option<Child>>>;

impl Remote {
    fn new(world: World, registry: RegistryServer) -> Self {
        let git = GitServer::start(&world.sandbox.path(""));
        git.require("x-access-token", TOKEN);
        Self { world, registry, git, machines: Mutex::new(0) }
    }

    async fn fill(world: World) -> Self {
        let registry = RegistryServer::start();
        world.push_to(&registry.url()).await;
        Self::new(world, registry)
    }

    fn copy(&self) -> Self {
        Self::new(self.world.copy(), self.registry.copy())
    }

    /// The real binary, on a machine of its own.
    fn command(&self) -> Command {
        let mut machines = self.machines.lock().unwrap();
        *machines += 1;
        let cache = self.world.sandbox.path(&format!("machine-{machines}"));
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
    fn run(&self, code: i32, when: &str) {
        let output = self.command().output().unwrap();
        let text = || String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{when}: {}", text());
    }

    /// Runs until the write comes, and then no further.
    fn killed(&self, at: Kill) -> ExitStatus {
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
        let mut started = process.lock().unwrap();
        let mut command = self.command();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        *started = Some(child);
        drop(started);
        loop {
            if let Some(status) = process.lock().unwrap().as_mut().unwrap().try_wait().unwrap() {
                self.git.intercept(|_| Reaction::Pass);
                return status;
            }
            // The lock is let go for the server's thread, which needs the process to kill it.
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn snapshot(&self) -> WorldSnapshot {
        let mut seen = self.world.snapshot().0;
        seen.retain(|name, _| !name.starts_with("tag ") && !name.starts_with("blob "));
        seen.extend(self.registry.tags().into_iter().map(|(name, digest)| (format!("tag {name}"), digest.to_string())));
        WorldSnapshot(seen)
    }

    fn writes(&self) -> Seen {
        let pushes = self.git.requests().iter().filter(|request| request.is_push()).count();
        [self.registry.writes(), pushes, self.world.forge_writes()]
    }
}

struct Undisturbed {
    fresh: Remote,
    merged: Remote,
    last: WorldSnapshot,
    before: Seen,
    after: Seen,
}

impl Undisturbed {
    async fn of(shipped: &Shipped) -> Self {
        let fresh = Remote::fill(World::build(&Case::of(shipped)).await).await;
        let remote = fresh.copy();
        remote.run(4, "undisturbed");
        let before = remote.writes();
        remote.world.merge();
        let merged = remote.copy();
        remote.run(0, "undisturbed, merged");
        let all = remote.writes();
        let after = std::array::from_fn(|of| all[of] - before[of]);
        Self { fresh, merged, last: remote.snapshot(), before, after }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_changes_nothing_in_the_end() {
    for shipped in shipped() {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let mut cases = Vec::new();
        for (early, seen) in [(true, undisturbed.before), (false, undisturbed.after)] {
            let [registry, git, github] = seen;
            assert!(registry > 0 && git > 0, "{}: {seen:?} writes", shipped.name);
            assert_eq!(github > 0, shipped.forge() == "github", "{}: {seen:?} writes", shipped.name);
            // To the dead, right after a write is right before the next: only the last is left.
            cases.extend((1..=registry).map(|nth| (early, Kill::Registry(nth, false))));
            cases.extend((1..=git).map(|nth| (early, Kill::Git(nth, false))));
            cases.extend((1..=github).map(|nth| (early, Kill::GitHub(nth, false))));
            cases.extend([Kill::Registry(registry, true), Kill::Git(git, true)].map(|last| (early, last)));
            cases.extend((github > 0).then_some((early, Kill::GitHub(github, true))));
        }
        println!("{}, {}: {} kills", shipped.name, shipped.forge(), cases.len());
        // GitHub wants its writes a second apart: most of those processes only wait.
        let at_once = if shipped.forge() == "github" { 3 * AT_ONCE } else { AT_ONCE };
        beside(
            at_once,
            cases.into_iter().map(|(early, at)| {
                let undisturbed = undisturbed.clone();
                move || async move { killed(&undisturbed, early, at) }
            }),
        )
        .await;
    }
}

fn killed(undisturbed: &Undisturbed, early: bool, at: Kill) {
    let remote = if early { undisturbed.fresh.copy() } else { undisturbed.merged.copy() };
    let status = remote.killed(at);
    assert_eq!(status.signal(), Some(9), "{at:?} never came: {status:?}");
    let when = format!("killed at {at:?}, {}", if early { "before the merge" } else { "after the merge" });
    if early {
        remote.run(4, &when);
        remote.world.merge();
    }
    remote.run(0, &when);
    undisturbed.last.assert_same(&remote.snapshot(), &when);
}
