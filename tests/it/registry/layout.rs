//! Image layouts on disk: damage is unknown, writers share, a failed write changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use sealift::model::Repository;
use sealift::port::WriteError;
use sealift::port::registry::{At, Layout, RegistryRead, RegistryWrite};

use super::{contract, found, repository, tag, unknown};
use crate::support::images;

#[tokio::test]
async fn holds_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    let cases = contract::check(&Layout::new(dir.path()), "localhost:5000").await;
    crate::support::say(format_args!("layout: {cases} contract cases"));
    assert!(dir.path().join("localhost_5000/contract/deep/index/oci-layout").is_file());
}

/// A layout with one tag, and the folder it is in.
async fn one(dir: &Path) -> (Layout, Repository, PathBuf) {
    let (layout, name) = (Layout::new(dir), repository("ghcr.io/org/x"));
    images::push_index(&layout, &name, Some("v1"), "one").await;
    (layout, name, dir.join("ghcr.io/org/x"))
}

#[tokio::test]
async fn a_missing_directory_is_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::new(dir.path().join("mistyped"));
    let name = repository("ghcr.io/org/x");
    let answer = unknown(layout.manifest(&name, &At::Tag(tag("v1"))).await);
    assert!(answer.to_string().contains("mistyped"), "{answer}");
    unknown(layout.tags(&name).await);
    assert!(layout.put_blob(&name, &images::blob("a/b", *b"x")).await.is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn damage_is_unknown_and_is_not_written_over() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 9] = [
        ("index is not JSON", |at| fs::write(at.join("index.json"), "{").unwrap()),
        ("index is empty", |at| fs::write(at.join("index.json"), "").unwrap()),
        ("index is HTML", |at| fs::write(at.join("index.json"), "<html>").unwrap()),
        ("index is missing", |at| fs::remove_file(at.join("index.json")).unwrap()),
        ("index can't be read", |at| {
            fs::remove_file(at.join("index.json")).unwrap();
            fs::create_dir(at.join("index.json")).unwrap();
        }),
        ("marker is missing", |at| fs::remove_file(at.join("oci-layout")).unwrap()),
        ("marker is another version", |at| {
            fs::write(at.join("oci-layout"), r#"{"imageLayoutVersion":"2.0.0"}"#).unwrap();
        }),
        ("the repository is a file", |at| {
            fs::remove_dir_all(at).unwrap();
            fs::write(at, "").unwrap();
        }),
        ("the schema is unknown", |at| {
            fs::write(at.join("index.json"), r#"{"schemaVersion":3,"manifests":[]}"#).unwrap();
        }),
    ];
    for (what, damage) in damages {
        let dir = tempfile::tempdir().unwrap();
        let (layout, name, at) = one(dir.path()).await;
        let digest = images::index("one").0.digest();
        damage(&at);
        for look in [At::Tag(tag("v1")), At::Tag(tag("v2")), At::Digest(digest)] {
            let answer = unknown(layout.manifest(&name, &look).await);
            assert!(answer.to_string().contains("ghcr.io/org/x"), "{what}: {answer}");
        }
        unknown(layout.tags(&name).await);
        let write = layout.put_manifest(&name, &tag("v2"), &images::index("one").0).await;
        assert!(write.is_err(), "{what}");
    }
}

#[tokio::test]
async fn wrong_bytes_are_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let (layout, name, at) = one(dir.path()).await;
    let (index, children) = images::index("one");
    let path = at.join("blobs/sha256").join(index.digest().hex());
    let right = fs::read(&path).unwrap();
    let mut wrong = right.clone();
    wrong[20] ^= 1;
    for bytes in [&wrong[..], &right[..right.len() - 1], b""] {
        fs::write(&path, bytes).unwrap();
        for look in [At::Tag(tag("v1")), At::Digest(index.digest())] {
            unknown(layout.manifest(&name, &look).await);
        }
        unknown(layout.has_blob(&name, &index.digest()).await);
    }
    // A file that index.json lists is missing: that is damage, not absence.
    fs::remove_file(&path).unwrap();
    for look in [At::Tag(tag("v1")), At::Digest(index.digest())] {
        unknown(layout.manifest(&name, &look).await);
    }
    let blob = &children[0].1[0];
    fs::write(at.join("blobs/sha256").join(blob.descriptor.digest.hex()), "x").unwrap();
    unknown(layout.blob(&name, &blob.descriptor).await);
    // Writing the right bytes again heals it.
    layout.put_blob(&name, blob).await.unwrap();
    found(layout.blob(&name, &blob.descriptor).await);
}

#[tokio::test]
async fn an_unfinished_creation_is_absent_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (layout, name) = (Layout::new(dir.path()), repository("ghcr.io/org/x"));
    let at = dir.path().join("ghcr.io/org/x");
    fs::create_dir_all(at.join("blobs/sha256")).unwrap();
    fs::write(at.join("index.json"), r#"{"schemaVersion":2,"manifests":[]}"#).unwrap();
    assert!(layout.manifest(&name, &At::Tag(tag("v1"))).await.is_absent());
    images::push_index(&layout, &name, Some("v1"), "one").await;
    found(layout.manifest(&name, &At::Tag(tag("v1"))).await);
}

#[tokio::test]
async fn nested_repositories_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::new(dir.path());
    for name in ["ghcr.io/a", "ghcr.io/a/b", "ghcr.io/a/blobs", "ghcr.io/a/blobs/sha256"] {
        assert!(layout.tags(&repository(name)).await.is_absent(), "{name}");
        images::push_index(&layout, &repository(name), Some("v1"), name).await;
    }
    for name in ["ghcr.io/a", "ghcr.io/a/b", "ghcr.io/a/blobs", "ghcr.io/a/blobs/sha256"] {
        assert_eq!(found(layout.manifest(&repository(name), &At::Tag(tag("v1"))).await), images::index(name).0);
    }
    unknown(layout.tags(&repository("ghcr.io/a/index.json")).await);
}

/// Runs one test of this binary as a process of its own, told apart by `CHILD`.
fn child(test: &str, shell: &str, dir: &Path, role: &str) -> Child {
    Command::new("sh")
        .args(["-c", &format!("{shell} exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("SEALIFT_TEST_CHILD", role)
        .env("SEALIFT_TEST_DIR", dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn succeeded(child: Child) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

fn as_child() -> Option<(String, PathBuf)> {
    let role = std::env::var("SEALIFT_TEST_CHILD").ok()?;
    Some((role, std::env::var_os("SEALIFT_TEST_DIR")?.into()))
}

#[tokio::test]
async fn processes_share_a_layout() {
    if let Some((role, dir)) = as_child() {
        let (layout, name) = (Layout::new(dir), repository("ghcr.io/org/x"));
        for n in 0..20 {
            images::push_index(&layout, &name, Some(&format!("{role}-{n}")), &format!("{role} {n}")).await;
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let children =
        ["a", "b", "c"].map(|role| child("registry::layout::processes_share_a_layout", "", dir.path(), role));
    children.into_iter().for_each(succeeded);
    let layout = Layout::new(dir.path());
    assert_eq!(found(layout.tags(&repository("ghcr.io/org/x")).await).len(), 60);
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_index() {
    let name = repository("ghcr.io/org/x");
    if let Some((_, dir)) = as_child() {
        // A limit on file size stands for the full disk: a write fails half-way.
        let layout = Layout::new(dir);
        let index = images::index("one").0;
        let error = layout.put_manifest(&name, &tag("v2"), &index).await.unwrap_err();
        assert!(
            matches!(&error, WriteError::Refused { detail, .. } if detail.contains("index.json") || detail.contains("os error")),
            "{error:?}"
        );
        let big = images::blob("a/b", vec![7; 1 << 20]);
        let error = layout.put_blob(&name, &big).await.unwrap_err();
        assert!(matches!(error, WriteError::Refused { .. }), "{error:?}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (layout, _, at) = one(dir.path()).await;
    let index = images::index("one").0;
    for n in 0..20 {
        layout.put_manifest(&name, &tag(&format!("old-{n}")), &index).await.unwrap();
    }
    let before = fs::read(at.join("index.json")).unwrap();
    assert!(before.len() > 2048);
    let test = "registry::layout::a_full_disk_leaves_the_old_index";
    succeeded(child(test, "trap '' XFSZ; ulimit -f 2;", dir.path(), "full"));
    assert_eq!(fs::read(at.join("index.json")).unwrap(), before);
    assert!(layout.manifest(&name, &At::Tag(tag("v2"))).await.is_absent());
    let left: Vec<_> = fs::read_dir(at.join("blobs/sha256")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
    layout.put_manifest(&name, &tag("v2"), &index).await.unwrap();
}
