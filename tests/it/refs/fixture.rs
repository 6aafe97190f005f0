//! The same checks as on the real tree, on a small tree of our own with every shape.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use sealift::refs::{self, FileEdit, Occurrence};
use sealift::tree::{MemTree, Tree as _};

use super::{fixture, fixture_path, own, row};

const INSTALLER: &str = "packages/core/installer/values.yaml";

fn rc() -> sealift::model::Rc {
    "2.3.0-rc.1".parse().unwrap()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut content).unwrap();
    content
}

fn lines(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(fixture_path(name)).unwrap();
    let columns = text.lines().next().unwrap().split('\t').count();
    text.lines().skip(1).map(|line| line.splitn(columns, '\t').map(str::to_owned).collect()).collect()
}

#[test]
fn finds_every_shape_and_no_decoy() {
    let found = refs::read(&fixture(), &own(), Some(&rc())).unwrap_or_else(|error| panic!("{error}"));
    let expected: BTreeSet<String> = lines("expected-refs.tsv").into_iter().map(|row| row.join("\t")).collect();
    let (copies, plain): (Vec<&Occurrence>, Vec<_>) = found.occurrences.iter().partition(|o| o.copy_of.is_some());
    let rows: BTreeSet<String> = plain.into_iter().map(row).collect();
    let missing: Vec<_> = expected.difference(&rows).collect();
    let extra: Vec<_> = rows.difference(&expected).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:#?}\nextra {extra:#?}");
    assert_eq!(copies.len(), 2);
    assert!(copies.iter().all(|o| o.copy_of.as_deref() == Some("packages/system/provider/files/components.yaml")));
    let unpinned: Vec<_> = found.unpinned.iter().map(|o| o.repository.as_ref().unwrap().to_string()).collect();
    assert_eq!(unpinned, ["quay.io/foreign/unpinned", "quay.io/foreign/unpinned"]);
    let notices: Vec<_> = found.notices.iter().map(|n| (n.line, n.message.as_str())).collect();
    assert_eq!(notices, [(28, "`split.numeric.tag: 1.10` is a number to YAML")]);
}

#[test]
fn places_are_lines_and_columns_of_the_tag() {
    let found = refs::read(&fixture(), &own(), None).unwrap().occurrences;
    let place = |key: &str| found.iter().find(|o| o.key == key).map(|o| (o.line, o.column)).unwrap();
    assert_eq!(place("api.image"), (3, 39));
    assert_eq!(place("split.flow"), (6, 58));
    let bytes = found.iter().find(|o| o.file.ends_with("bytes/values.yaml")).unwrap();
    assert_eq!((bytes.line, bytes.column), (2, 39));
}

#[test]
fn the_census_is_complete() {
    let census = refs::census(&fixture(), &own()).unwrap_or_else(|error| panic!("{error}"));
    assert!(census.claimed > 30 && census.excluded.is_empty() && census.unused.is_empty());
}

/// The tree as it must be after the rewrite, gzip copies unpacked.
fn rewritten() -> BTreeMap<Vec<u8>, Vec<u8>> {
    let tree = MemTree::copy_of(&fixture()).unwrap();
    let files = tree.entries().unwrap().into_iter().filter_map(|entry| {
        let bytes = tree.get(&entry.path)?.to_vec();
        Some(if entry.path.ends_with(b".gz") { (entry.path, gunzip(&bytes)) } else { (entry.path, bytes) })
    });
    let mut files: BTreeMap<_, _> = files.collect();
    for change in lines("rewritten-lines.tsv") {
        let [file, number, text] = change.as_slice() else { panic!("{change:?}") };
        let bytes = files.get_mut(file.as_bytes()).unwrap();
        let mut lines: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        let line = &mut lines[number.parse::<usize>().unwrap() - 1];
        let end: &[u8] = if line.ends_with(b"\r") { b"\r" } else { b"" };
        *line = [text.as_bytes(), end].concat();
        *bytes = lines.join(&b'\n');
    }
    let plain = files[&b"packages/system/provider/files/components.yaml"[..]].clone();
    files.insert(b"packages/system/provider/files/components.gz".to_vec(), plain);
    files
}

fn copy() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let tree = fixture();
    for entry in tree.entries().unwrap() {
        let place = dir.path().join(std::str::from_utf8(&entry.path).unwrap());
        match entry.kind {
            sealift::tree::Kind::Directory => std::fs::create_dir(place).unwrap(),
            _ => std::fs::write(place, tree.read(&entry.path).unwrap()).unwrap(),
        }
    }
    dir
}

#[test]
fn rewrites_a_directory_to_exactly_the_expected_bytes() {
    let dir = copy();
    let tagged = dir.path().join("packages/apps/shop/images/worker.tag");
    std::fs::set_permissions(&tagged, std::fs::Permissions::from_mode(0o755)).unwrap();
    let tree = sealift::tree::DirTree::open(dir.path()).unwrap();
    let rewrite = refs::rewrite(&tree, &own(), &rc()).unwrap_or_else(|error| panic!("{error}"));
    let expected = lines("rewritten-lines.tsv").len() + 1; // the copy's line
    assert_eq!((rewrite.files.len(), rewrite.lines()), (10, expected));
    assert_eq!(refs::apply_to_directory(dir.path(), &rewrite.files).unwrap(), 10);
    for (path, bytes) in rewritten() {
        let found = tree.read(&path).unwrap();
        let found = if path.ends_with(b".gz") { gunzip(&found) } else { found };
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&bytes), "{}", path.escape_ascii());
    }
    assert_eq!(std::fs::metadata(&tagged).unwrap().permissions().mode() & 0o7777, 0o755);
    assert_eq!(tree.entries().unwrap().len(), fixture().entries().unwrap().len(), "nothing is left behind");
    // Applying again finds it done; planning again finds nothing to do.
    assert_eq!(refs::apply_to_directory(dir.path(), &rewrite.files).unwrap(), 0);
    let again = refs::rewrite(&tree, &own(), &rc());
    assert!(matches!(again, Err(refs::RewriteError::Nothing { .. })), "{again:?}");
    // Digests stay where they were.
    let digests = |tree: &dyn sealift::tree::Tree| {
        let found = refs::read(tree, &own(), None).unwrap().occurrences;
        found.into_iter().map(|o| (o.file, o.key, o.digest)).collect::<Vec<_>>()
    };
    assert_eq!(digests(&tree), digests(&fixture()));
}

#[test]
fn apply_refuses_before_it_writes() {
    let dir = copy();
    let tree = sealift::tree::DirTree::open(dir.path()).unwrap();
    let files = refs::rewrite(&tree, &own(), &rc()).unwrap().files;
    let first = dir.path().join(&files[0].path);
    let last = dir.path().join(&files[files.len() - 1].path);
    let untouched = |why: &str| assert_eq!(std::fs::read(&first).unwrap(), files[0].before, "{why}");

    std::fs::write(&last, "changed").unwrap();
    let refused = refs::apply_to_directory(dir.path(), &files);
    assert!(matches!(refused, Err(refs::ApplyError::Changed { .. })), "{refused:?}");
    untouched("changed");

    std::fs::remove_file(&last).unwrap();
    assert!(matches!(refs::apply_to_directory(dir.path(), &files), Err(refs::ApplyError::Io { .. })));
    untouched("missing");

    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("x"), &files[files.len() - 1].before).unwrap();
    symlink(elsewhere.path().join("x"), &last).unwrap();
    assert!(matches!(refs::apply_to_directory(dir.path(), &files), Err(refs::ApplyError::Link { .. })));
    untouched("link");

    let outside = FileEdit { path: "../x".into(), before: vec![], after: vec![1], edits: vec![] };
    assert!(refs::apply_to_directory(dir.path(), &[outside]).is_err());
}

#[test]
fn the_pin_changes_two_scalars_only() {
    let (tree, spec) = (fixture(), own());
    let (repository, old) = refs::pinned(&tree, &spec, INSTALLER).unwrap();
    assert_eq!(repository, spec.artifact);
    let digest = sealift::model::Digest::of(b"new");
    let other = "registry.example/org/mirror/own-packages".parse().unwrap();
    let pin = refs::pin(&tree, &spec, INSTALLER, &other, &digest).unwrap();
    let text = String::from_utf8(pin.before.clone()).unwrap();
    let expected = text
        .replace("oci://registry.example/org/own/own-packages", "oci://registry.example/org/mirror/own-packages")
        .replace(&old.to_string(), &digest.to_string());
    assert_eq!(String::from_utf8(pin.after.clone()).unwrap(), expected);
    assert_eq!(pin.edits.len(), 2);
    let same = refs::pin(&tree, &spec, INSTALLER, &repository, &old).unwrap();
    assert!(same.edits.is_empty() && same.before == same.after);

    let normalised = refs::normalise_pin(&pin.before, &spec.pair).unwrap();
    assert_eq!(normalised, refs::normalise_pin(&pin.after, &spec.pair).unwrap());
    // Anything else than the two spans is a difference, the quotes of the pair included.
    let requoted = text.replace("\"digest", "'digest").replace("\" #", "' #");
    let moved = text.replace("# the artifact", "# an artifact");
    for other in [requoted, moved] {
        assert_ne!(refs::normalise_pin(other.as_bytes(), &spec.pair).unwrap(), normalised);
    }
}
