//! The generated tree is of the size it says, and a tree that a promotion takes.

use std::path::Path;

use sealift::lint::{Judging, Level, Lint, Subject};
use sealift::model::Digest;
use sealift::pipeline;
use sealift::promotion::survey::survey;
use sealift::refs;
use sealift::tree::{DirTree, Entry, Kind, Tree};

use crate::support::sized::{REAL, Size, VERSION};

fn written(size: Size) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    size.write(dir.path());
    dir
}

fn entries(dir: &Path) -> Vec<Entry> {
    DirTree::open(dir).unwrap().entries().unwrap()
}

#[test]
fn is_of_a_real_release_s_size() {
    let (dir, rc) = (written(REAL), VERSION.parse().unwrap());
    let entries = entries(dir.path());
    let files: Vec<&Entry> = entries.iter().filter(|entry| entry.kind == Kind::File).collect();
    assert_eq!(files.len(), 4_000);
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    assert!((43_000_000..47_000_000).contains(&bytes), "{bytes} bytes");
    assert_eq!(entries.iter().filter(|entry| entry.kind == Kind::Symlink).count(), 35);
    assert!(files.iter().any(|file| file.path.len() > 255), "no path is longer than a tar header holds");
    let pipeline = pipeline::load(&dir.path().join("pipeline.yaml")).unwrap();
    let tree = DirTree::open(dir.path()).unwrap();
    let found = refs::read(&tree, &pipeline.spec(), Some(&rc)).unwrap();
    assert_eq!(found.enumeration.files.len(), 170);
    assert_eq!(found.occurrences.iter().filter(|found| found.copy_of.is_none()).count(), 60);
}

#[test]
fn has_nothing_that_a_promotion_refuses() {
    let (dir, rc) = (written(Size(1)), VERSION.parse().unwrap());
    let pipeline = pipeline::load(&dir.path().join("pipeline.yaml")).unwrap();
    let tree = DirTree::open(dir.path()).unwrap();
    let survey = survey(&tree, &pipeline.spec(), Some(&rc));
    assert_eq!(survey.faults, []);
    assert!(survey.rewrite.is_some());
    let subject = Subject::read(&pipeline, &tree, "generated".to_owned(), Some(&rc));
    let lint = Lint::of(&subject, Judging { fail_on: Level::Error, baseline: None });
    let errors: Vec<_> = lint.findings.iter().filter(|finding| finding.level == Level::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn is_the_same_each_time() {
    let digest = |dir: &Path| {
        let tree = DirTree::open(dir).unwrap();
        let files = tree.entries().unwrap().into_iter().filter(|entry| entry.kind == Kind::File);
        let lines: Vec<String> = files
            .map(|file| {
                format!("{} {:o} {}", file.path.escape_ascii(), file.mode, Digest::of(&tree.read(&file.path).unwrap()))
            })
            .collect();
        Digest::of(lines.join("\n").as_bytes())
    };
    let (one, other) = (written(Size(1)), written(Size(1)));
    assert_eq!(digest(one.path()), digest(other.path()));
}
