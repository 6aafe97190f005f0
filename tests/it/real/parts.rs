//! A world of real parts: docker-registry as a process, git behind file:// or smart HTTP, and the
//! program itself as a process, on one machine after another. GitHub alone is a stand-in.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use sealift::model::Manifest;
use sealift::port::registry::{Config, Location, Registries, RegistryWrite};

use super::proxy::Proxy;
use super::tree;
use crate::support::docker_registry::DockerRegistry;
use crate::support::git_server::GitServer;
use crate::support::images;
pub use crate::support::judge::{Showed, check_world};
use crate::support::say;
use crate::support::world::{Case, World, shipped};

/// The host whose images are the pipeline's own.
const HOST: &str = "ghcr.io";
/// How long a run may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(300);

/// How the origin is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Git {
    File,
    Http,
}

/// What is promoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// The pipeline's own fixture tree.
    Fixture,
    /// The tree of a real candidate, or the fixture tree where that can't be had.
    Golden,
    /// The fixture tree among as many files as a whole repository has.
    Large,
}

pub struct Parts {
    pub world: World,
    pub registry: DockerRegistry,
    pub proxy: Proxy,
    pub git: GitServer,
    /// Every ref and tag before the promotion, as check-world.sh lists them.
    pub before: PathBuf,
    origin: String,
}

/// A machine that nothing of sealift's was on before.
pub struct Machine {
    home: tempfile::TempDir,
}

impl Parts {
    /// `None`, visibly, where there is no docker-registry.
    pub async fn assemble(git: Git, on_a_line: bool, tree: Tree) -> Option<Self> {
        let registry = DockerRegistry::start()?;
        let shipped = shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap();
        let case = if on_a_line { Case::of(&shipped).on_a_line() } else { Case::of(&shipped) };
        let (tree, version, named) = match (tree, tree::golden()) {
            (Tree::Golden, Some(golden)) => (Some(golden), "1.6.2-rc.1", "cozystack 1.6.2-rc.1"),
            (Tree::Large, _) => (Some(tree::large()), "0.0.0-rc.0", "4000 files and the fixtures"),
            (Tree::Golden, None) => (None, "", "fixtures/world/cozystack, as there is no reference data"),
            (Tree::Fixture, _) => (None, "", "fixtures/world/cozystack"),
        };
        say(format_args!("the tree: {named}"));
        let world = match &tree {
            Some(tree) => World::from_tree(&case, tree.path(), version).await,
            None => World::build(&case).await,
        };
        mirror(&world.registry().join(HOST), &registry.url()).await;
        let proxy = Proxy::start(registry.host());
        let server = GitServer::start(world.origin().parent().unwrap());
        let origin = match git {
            Git::File => format!("file://{}", world.origin().display()),
            Git::Http => server.url("origin.git"),
        };
        let before = world.sandbox.path("before.txt");
        let parts = Self { world, registry, proxy, git: server, before, origin };
        let listed = parts.check_world(&["--list"], &[]);
        assert_eq!(listed.code, Some(0), "{}", listed.err);
        std::fs::write(&parts.before, listed.out).unwrap();
        Some(parts)
    }

    fn check_world(&self, first: &[&str], last: &[&str]) -> Showed {
        check_world(first, &self.world.origin(), &self.registry.url(), last)
    }

    /// The judgement over the world as it is now.
    pub fn judge(&self) -> Showed {
        self.check_world(&[], &[&format!("v{}", self.world.rc), &self.before.display().to_string()])
    }

    /// A command of the program on a machine, about this world's candidate.
    pub fn command(&self, machine: &Machine, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealift"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", machine.home.path()).current_dir(machine.home.path());
        command.args(words).arg(format!("v{}", self.world.rc)).arg("--pipeline").arg(&self.world.shipped.file);
        command.args(["--repo", &self.origin, "--registry", &format!("{HOST}={}", self.proxy.url())]);
        command.args(self.world.forge_arguments()).args(self.world.input_arguments());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, machine: &Machine, words: &[&str]) -> Showed {
        let output = self.command(machine, words).output().unwrap();
        Showed::new(output.status, &output.stdout, &output.stderr)
    }

    /// Runs until the world is held, and kills the process there (SIGKILL).
    pub fn kill(&self, machine: &Machine, held: &Receiver<()>) {
        // A few at a time, so that some names are there and others are not.
        let mut command = self.command(machine, &["run", "--parallel", "2"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until_held(&mut child, held);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "it was killed");
    }
}

fn wait_until_held(child: &mut Child, held: &Receiver<()>) {
    let started = Instant::now();
    loop {
        match held.recv_timeout(Duration::from_millis(50)) {
            Ok(()) => return,
            Err(RecvTimeoutError::Disconnected) => panic!("nobody can hold the world any more"),
            Err(RecvTimeoutError::Timeout) => {
                assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be killed");
                assert!(started.elapsed() < PATIENCE, "the run hangs");
            }
        }
    }
}

impl Machine {
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }
}

/// Pushes everything in layouts below a directory to a registry, byte for byte.
async fn mirror(dir: &Path, url: &str) {
    let locations = [(HOST.to_owned(), Location::Url(url.to_owned()))].into();
    let to = Registries::new(Config { locations, ..Config::default() }).unwrap();
    for layout in layouts(dir) {
        let below = layout.strip_prefix(dir).unwrap().display().to_string();
        let repository = format!("{HOST}/{below}").parse().unwrap();
        let mut manifests = Vec::new();
        for blob in std::fs::read_dir(layout.join("blobs/sha256")).unwrap() {
            let bytes = std::fs::read(blob.unwrap().path()).unwrap();
            let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
            if value.get("layers").is_some() || value.get("manifests").is_some() {
                manifests.push((value.get("manifests").is_some(), Manifest::new(bytes, None).unwrap()));
            } else {
                to.put_blob(&repository, &images::blob("application/octet-stream", bytes)).await.unwrap();
            }
        }
        // What an index names comes first.
        manifests.sort_by_key(|(is_index, _)| *is_index);
        for (_, manifest) in &manifests {
            to.put_manifest_by_digest(&repository, manifest).await.unwrap();
        }
        let index: serde_json::Value =
            serde_json::from_slice(&std::fs::read(layout.join("index.json")).unwrap()).unwrap();
        for entry in index["manifests"].as_array().unwrap() {
            let Some(tag) = entry["annotations"]["org.opencontainers.image.ref.name"].as_str() else { continue };
            let named = |(_, manifest): &&(bool, Manifest)| {
                Some(manifest.digest().to_string().as_str()) == entry["digest"].as_str()
            };
            let (_, manifest) = manifests.iter().find(named).unwrap();
            to.put_manifest(&repository, &tag.parse().unwrap(), manifest).await.unwrap();
        }
    }
}

fn layouts(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if dir.join("index.json").is_file() {
        found.push(dir.to_owned());
    }
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() && entry.file_name() != "blobs" {
            found.extend(layouts(&entry.path()));
        }
    }
    found
}
