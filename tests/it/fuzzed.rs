//! The checks of the fuzz targets (`fuzz/`), over the fixtures that seed them and over every input that a
//! fuzzer ever failed them with.

#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::path::{Path, PathBuf};

use sealift::archive::{self, Options};
use sealift::model::Content;
use sealift::tree::MemTree;

/// Larger files are for other tests.
const MOST: u64 = 64 * 1024;

/// Every file below a folder of the repository, in the order of their names.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        let meta = entry.metadata().unwrap();
        if meta.is_dir() {
            walk(&entry.path(), found);
        } else if meta.is_file() && meta.len() <= MOST {
            found.push(entry.path());
        }
    }
}

/// Runs a check over what a fuzzer found, and over further inputs; answers over how many.
fn over(target: &str, check: fn(&[u8]), inputs: impl IntoIterator<Item = Vec<u8>>) -> usize {
    let found = files(&format!("fuzz/regressions/{target}")).into_iter().map(|file| std::fs::read(file).unwrap());
    found.chain(inputs).map(|input| check(&input)).count()
}

/// Files as they are, each behind a first byte that some targets choose by.
fn behind(first: u8, folder: &str) -> impl Iterator<Item = Vec<u8>> {
    files(folder).into_iter().map(move |file| [vec![first], std::fs::read(file).unwrap()].concat())
}

#[test]
fn references() {
    let lines = files("fixtures/refs").into_iter().flat_map(|file| {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let words = text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).as_bytes().to_vec());
        words.collect::<Vec<_>>()
    });
    assert!(over("reference", targets::reference::check, lines) > 100);
}

#[test]
fn edits() {
    let inputs = [0, 1].into_iter().flat_map(|first| behind(first, "fixtures/refs/tree"));
    assert!(over("edit", targets::edit::check, inputs) > 20);
    let own = "image: {repository: registry.example/org/own/app, tag: v2.3.0-rc.1}\n";
    targets::edit::check(&[b"\x01", own.as_bytes()].concat());
}

#[test]
fn archives() {
    let vectors =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/archive/tar-vectors.json")).unwrap();
    let mut tars = vec![[b"\x01", vectors.as_slice()].concat()];
    let mut tree = MemTree::new("good");
    tree.put("apps/values.yaml", 0o644, "a: 1\n");
    let dir = tempfile::tempdir().unwrap();
    let options =
        Options { source: "https://git.example/x".into(), revision: "v1@sha1:0".into(), ..Options::default() };
    let built = archive::build(&tree, &options, dir.path()).unwrap();
    let Content::File(layer) = &built.layer.content else { panic!("a layer is spooled") };
    tars.push([b"\0", std::fs::read(layer.to_path_buf()).unwrap().as_slice()].concat());
    assert!(targets::archive::is_read(&tars[1]), "a good archive is refused");
    assert!(over("archive", targets::archive::check, tars) >= 2);
}

#[test]
fn pipelines() {
    let inputs = files("fixtures/pipelines").into_iter().chain(files("pipelines"));
    assert!(over("pipeline", targets::pipeline::check, inputs.map(|file| std::fs::read(file).unwrap())) > 20);
}

#[test]
fn registries() {
    let answers = files("fuzz/seeds/registry").into_iter().map(|file| std::fs::read(file).unwrap());
    assert!(over("registry", targets::registry::check, answers) >= 4);
}
