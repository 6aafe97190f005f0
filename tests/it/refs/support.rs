//! Small trees and what the rules say about them.

use std::io::{self, Read, Write as _};

use sealift::model::{Digest, Rc};
use sealift::refs::{self, Problem, Spec};
use sealift::tree::{Entry, MemTree, Tree, TreeError};

use super::own;

pub(super) const GOOD: &str = "packages/a/good/values.yaml";

pub(super) fn digest(name: &str) -> Digest {
    Digest::of(name.as_bytes())
}

pub(super) fn rc() -> Rc {
    "2.3.0-rc.1".parse().unwrap()
}

/// The specification of the fixture without its declared files.
pub(super) fn spec() -> Spec {
    Spec { text: Vec::new(), gzip: Vec::new(), ..own() }
}

/// A tree with one good reference and a file of the test's; `OWN`, `RC` and `HEX` are filled in.
pub(super) fn tree(path: &str, text: &str) -> MemTree {
    let mut tree = MemTree::new("test");
    let good = format!("image: OWN/good:RC@{}\n", digest("good"));
    tree.put(GOOD, 0o644, fill(&good)).put(path, 0o644, fill(text));
    tree
}

pub(super) fn fill(text: &str) -> String {
    let hex = digest("x").hex();
    text.replace("OWN", "registry.example/org/own").replace("RC", "v2.3.0-rc.1").replace("HEX", &hex)
}

pub(super) fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(fill(text).as_bytes()).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn values(text: &str) -> MemTree {
    tree("packages/a/x/values.yaml", text)
}

/// Line and message of each problem.
pub(super) fn places(problems: &[Problem]) -> Vec<(usize, &str)> {
    problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect()
}

pub(super) fn problems(tree: &dyn Tree, spec: &Spec) -> Vec<Problem> {
    refs::read(tree, spec, None).err().map(|error| error.problems).unwrap_or_default()
}

pub(super) fn assert_problem(problems: &[Problem], file: &str, line: usize, part: &str) {
    let found = problems.iter().any(|p| p.file == file && p.line == line && p.message.contains(part));
    assert!(found, "no `{part}` at {file}:{line} in {problems:#?}");
}

pub(super) struct Unreadable(pub(super) MemTree, pub(super) &'static [u8]);

impl Tree for Unreadable {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        self.0.entries()
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        match path == self.1 {
            true => Err(self.error(path, io::Error::from(io::ErrorKind::PermissionDenied))),
            false => self.0.open(path),
        }
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}
