//! A complete world to promote in, for any shipped pipeline: an origin made by git itself, a
//! registry of OCI layouts with real multi-arch indexes, and a candidate that was built in it.

mod candidate;
pub mod hosted;
mod people;
mod pushed;
pub mod remote;
mod session;
mod snapshot;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use sealift::model::{Digest, Rc, RefName};
use sealift::pipeline::{self, Pipeline};
use sealift::promotion::Names;
use sealift::promotion::locate::Request;

pub use session::{Ran, Session, Told};
pub use snapshot::WorldSnapshot;
pub use source::Source;

use super::github::FakeGitHub;
use super::sandbox::Sandbox;

/// A pipeline file of the repository.
#[derive(Clone)]
pub struct Shipped {
    pub name: String,
    pub file: PathBuf,
    pub pipeline: Pipeline,
}

/// Every pipeline that is shipped: read from the folder, so that a new one joins every test.
pub fn shipped() -> Vec<Shipped> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "yaml") {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let pipeline = pipeline::load(&file).unwrap();
            all.push(Shipped { name, file, pipeline });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!all.is_empty(), "no pipeline is shipped");
    all
}

/// What a world is made for.
#[derive(Clone)]
pub struct Case {
    pub shipped: Shipped,
    pub rc: Rc,
    /// Whether the maintenance line exists from the start, so that it is the base.
    pub line: bool,
}

impl Case {
    /// The first candidate of 1.6.2, on the default branch.
    pub fn of(shipped: &Shipped) -> Self {
        Self { shipped: shipped.clone(), rc: "1.6.2-rc.1".parse().unwrap(), line: false }
    }

    pub fn rc(self, rc: &str) -> Self {
        Self { rc: rc.parse().unwrap(), ..self }
    }

    pub fn on_a_line(self) -> Self {
        Self { line: true, ..self }
    }
}

/// The default branch of every world.
pub const MAIN: &str = "main";

pub struct World {
    pub sandbox: Sandbox,
    pub shipped: Shipped,
    /// The candidate that was cut last.
    pub rc: Rc,
    /// The stable name of every image of that candidate, and what it must name.
    pub images: BTreeMap<String, Digest>,
    source: Arc<Source>,
    /// Hosts that anything in the tree names: all of them are served from the directory.
    hosts: BTreeSet<String>,
    /// How many clones and stores were made so far.
    made: AtomicUsize,
    /// `None` on plain git.
    github: Option<FakeGitHub>,
}

impl World {
    /// A world of the pipeline's own fixture tree with one candidate, nothing promoted yet.
    pub async fn build(case: &Case) -> Self {
        Self::from_source(case, Source::fixture(&case.shipped)).await
    }

    /// A world of another tree, whose references carry `version` (`1.6.2-rc.1`).
    pub async fn from_tree(case: &Case, dir: &Path, version: &str) -> Self {
        Self::from_source(case, Source::read(dir, version)).await
    }

    async fn from_source(case: &Case, source: Source) -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.init("origin.git", true);
        sandbox.git(&origin, &["symbolic-ref", "HEAD", &format!("refs/heads/{MAIN}")]);
        std::fs::create_dir(sandbox.path("registry")).unwrap();
        let world = Self {
            sandbox,
            shipped: case.shipped.clone(),
            rc: case.rc,
            images: BTreeMap::new(),
            source: Arc::new(source),
            hosts: BTreeSet::new(),
            made: AtomicUsize::new(0),
            github: hosted::start(&case.shipped.pipeline, &origin),
        };
        let work = world.sandbox.init("work", false);
        world.sandbox.git(&work, &["checkout", "--quiet", "-B", MAIN]);
        let source = Source { files: world.with_copies(world.source.files.clone()), ..Source::clone(&world.source) };
        source.write(&work);
        world.sandbox.commit_all(&work, "packages: before any candidate");
        world.push(&work, &[MAIN]);
        if case.line {
            let line = world.names().line.short().to_owned();
            world.push(&work, &[&format!("{MAIN}:refs/heads/{line}")]);
        }
        world.cut(case.rc, MAIN).await
    }

    /// The same world once more, in a place of its own.
    pub fn copy(&self) -> Self {
        let sandbox = Sandbox::new();
        for name in ["origin.git", "registry"] {
            let (from, to) = (self.sandbox.path(name), sandbox.path(name));
            let copied = sandbox.command("cp", Path::new("/")).arg("-a").arg(from).arg(to).status().unwrap();
            assert!(copied.success());
        }
        Self {
            github: self.github.as_ref().map(|github| github.copy(&sandbox.path("origin.git"))),
            sandbox,
            shipped: self.shipped.clone(),
            rc: self.rc,
            images: self.images.clone(),
            source: self.source.clone(),
            hosts: self.hosts.clone(),
            made: AtomicUsize::new(0),
        }
    }

    pub fn origin(&self) -> PathBuf {
        self.sandbox.path("origin.git")
    }

    pub fn registry(&self) -> PathBuf {
        self.sandbox.path("registry")
    }

    pub fn pipeline(&self) -> &Pipeline {
        &self.shipped.pipeline
    }

    /// The promotion of the candidate that was cut last.
    pub fn request(&self) -> Request {
        Request::Candidate(self.rc)
    }

    /// The git names of the candidate that was cut last, for the base as it is now.
    pub fn names(&self) -> Names {
        let pipeline = self.pipeline();
        let line = RefName::branch(&pipeline.branches.line.stable(&self.rc.stable)).unwrap();
        let base = if self.names_of(line.as_str()).is_some() { line } else { RefName::branch(MAIN).unwrap() };
        Names::with_base(pipeline, &self.rc, base).unwrap()
    }

    /// What a ref of the origin names, peeled, as git itself says.
    pub fn names_of(&self, name: &str) -> Option<String> {
        let format = "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)";
        let listed = self.sandbox.git(&self.origin(), &["for-each-ref", format, name]);
        (!listed.is_empty()).then_some(listed)
    }

    /// Every host that the tree names.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(String::as_str)
    }

    /// The arguments that point the real binary at this world.
    pub fn arguments(&self) -> Vec<String> {
        self.arguments_as(Some(hosted::TOKEN))
    }

    /// The same with another token for the forge, or without any.
    pub fn arguments_as(&self, token: Option<&str>) -> Vec<String> {
        let mut arguments = vec![
            "--pipeline".to_owned(),
            self.shipped.file.display().to_string(),
            "--repo".to_owned(),
            self.origin().display().to_string(),
        ];
        arguments.extend(self.forge_arguments_as(token));
        for host in &self.hosts {
            arguments.push("--registry".to_owned());
            arguments.push(format!("{host}=layout:{}", self.registry().display()));
        }
        arguments
    }
}
