//! The overlay: a published tree's references over what a change neither rebuilt nor edited.

mod commands;
mod golden;
mod hostile;
mod rules;
mod shapes;
mod sources;

use std::path::{Path, PathBuf};
use std::process::Output;

use sealift::model::Digest;
use sealift::overlay::{
    Built, Changed, FileVerdict, IfDrift, IfMissing, Overlay, OverlayError, Package, Request, State, overlay,
};
use sealift::pipeline::{self, Pipeline};
use sealift::refs;
use sealift::tree::{MemTree, Tree};

use crate::support::sandbox::Sandbox;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/overlay").join(name)
}

/// The fixture's pipeline with its text changed.
fn pipeline_with(edit: impl FnOnce(String) -> String) -> Pipeline {
    let text = edit(std::fs::read_to_string(fixture("pipeline.yaml")).unwrap());
    pipeline::parse("pipeline.yaml", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// The fixture's pipeline without its declared files.
fn plain() -> Pipeline {
    pipeline_with(|text| {
        let lines = text.lines().filter(|line| !line.starts_with("  text:") && !line.starts_with("  gzip:"));
        lines.map(|line| format!("{line}\n")).collect()
    })
}

fn sha(name: &str) -> Digest {
    Digest::of(name.as_bytes())
}

/// A text with `OWN` and `CI` as registries, and `@old`, `@new` as digests.
fn fill(text: &str) -> String {
    let text = text.replace("OWN", "registry.example/org/own").replace("CI", "ci.example:5000/main");
    text.replace("@old", &format!("@{}", sha("old"))).replace("@new", &format!("@{}", sha("new")))
}

/// Files below the packages' folder, with an equal one beside them so that no tree is without references.
fn tree(files: &[(&str, &str)]) -> MemTree {
    let mut tree = MemTree::new("tree");
    tree.put("packages/apps/good/values.yaml", 0o644, fill("image: OWN/good:v1@old\n"));
    for (path, text) in files {
        tree.put(format!("packages/{path}"), 0o644, fill(text));
    }
    tree
}

/// An overlay and what is asked of it.
struct Case {
    pipeline: Pipeline,
    onto: MemTree,
    from: Option<MemTree>,
    built: Built,
    edited: Changed,
    if_missing: IfMissing,
    if_drift: IfDrift,
}

impl Case {
    fn of(pipeline: Pipeline, onto: MemTree, from: MemTree) -> Self {
        Self {
            pipeline,
            onto,
            from: Some(from),
            built: Built::default(),
            edited: Changed::default(),
            if_missing: IfMissing::default(),
            if_drift: IfDrift::default(),
        }
    }

    /// One file here, and what the source has in its place.
    fn file(path: &str, here: &str, there: &str) -> Self {
        Self::of(plain(), tree(&[(path, here)]), tree(&[(path, there)]))
    }

    fn built(mut self, json: &str) -> Self {
        self.built = Built::parse(json.as_bytes()).unwrap();
        self
    }

    fn edited(mut self, list: &str) -> Self {
        self.edited = Changed::parse(list.as_bytes()).unwrap();
        self
    }

    fn skip_missing(self) -> Self {
        Self { if_missing: IfMissing::Skip, ..self }
    }

    fn run(&self) -> Result<Overlay, OverlayError> {
        overlay(&Request {
            pipeline: &self.pipeline,
            onto: &self.onto,
            from: self.from.as_ref().map(|from| from as &dyn Tree),
            built: &self.built,
            edited: &self.edited,
            if_missing: self.if_missing,
            if_drift: self.if_drift,
        })
    }

    #[track_caller]
    fn plan(&self) -> Overlay {
        self.run().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The plan, and the tree as it leaves it.
    #[track_caller]
    fn done(&self) -> (Overlay, MemTree) {
        let plan = self.plan();
        let after = MemTree::copy_of(&refs::edited(&self.onto, &plan.edits)).unwrap();
        (plan, after)
    }

    /// The packages' states but for the good one's.
    #[track_caller]
    fn states(&self) -> Vec<(String, State)> {
        let packages = self.plan().packages.into_iter().filter(|package| package.path != "apps/good");
        packages.map(|package| (package.path, package.state)).collect()
    }

    /// The one file's verdict.
    #[track_caller]
    fn verdict(&self, path: &str) -> FileVerdict {
        let path = format!("packages/{path}");
        let packages = self.plan().packages;
        let found = packages.iter().find_map(|package: &Package| package.files.get(&path));
        found.unwrap_or_else(|| panic!("{path} is in none of {packages:#?}")).clone()
    }

    #[track_caller]
    fn drift(&self, path: &str) -> refs::Drift {
        let verdict = self.verdict(path);
        assert_eq!(self.plan().edits, []);
        match verdict {
            FileVerdict::Drift(drift) => drift,
            other => panic!("{other:?}"),
        }
    }

    /// What stands in a file afterwards.
    #[track_caller]
    fn after(&self, path: &str) -> String {
        let (_, after) = self.done();
        String::from_utf8(after.read(format!("packages/{path}").as_bytes()).unwrap()).unwrap()
    }
}

/// The fixture's two trees on disk, and what runs the program there.
struct Place(Sandbox);

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for side in ["change", "published"] {
            let tree = sealift::tree::DirTree::open(fixture(side)).unwrap();
            write(&MemTree::copy_of(&tree).unwrap(), &sandbox.path("home").join(side));
        }
        std::fs::copy(fixture("pipeline.yaml"), sandbox.path("home/pipeline.yaml")).unwrap();
        std::fs::write(sandbox.path("home/built.json"), "[\"packages/apps/shop\"]").unwrap();
        std::fs::write(sandbox.path("home/edited.txt"), "packages/system/db/values.yaml\nREADME.md\n").unwrap();
        Self(sandbox)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path("home").join(name)
    }

    fn run(&self, words: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = self.0.command(env!("CARGO_BIN_EXE_sealift"), &self.0.path("home"));
        command.args(["overlay", "--pipeline", "pipeline.yaml"]).args(words).envs(environment.iter().copied());
        command.output().unwrap()
    }

    /// Runs over `change`, with the lists that go with it.
    fn over(&self, words: &[&str]) -> Output {
        let all = ["--onto", "change", "--built", "built.json", "--edited", "edited.txt"];
        self.run(&[&all, words].concat(), &[])
    }

    /// Every file of the change's tree, with its bytes.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        files(&self.path("change"))
    }
}

fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let tree = sealift::tree::DirTree::open(dir).unwrap();
    let entries = tree.entries().unwrap().into_iter().filter(|entry| entry.kind == sealift::tree::Kind::File);
    entries.map(|entry| (String::from_utf8(entry.path.clone()).unwrap(), tree.read(&entry.path).unwrap())).collect()
}

fn write(tree: &MemTree, dir: &Path) {
    std::fs::create_dir_all(dir).unwrap();
    for entry in tree.entries().unwrap() {
        let path = dir.join(std::str::from_utf8(&entry.path).unwrap());
        match tree.get(&entry.path) {
            Some(bytes) => std::fs::write(path, bytes).unwrap(),
            None => std::fs::create_dir_all(path).unwrap(),
        }
    }
}

#[track_caller]
fn ends(output: &Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    (out, err)
}
