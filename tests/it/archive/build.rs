//! What the artifact depends on: the tree and the options, and nothing else.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use sealift::archive::{self, ArchiveError, Artifact, Ignore, Limits, Modes, Options};
use sealift::tree::{DirTree, Entry, Kind, Tree, TreeError};

use super::trees::{Made, bytes};

fn options() -> Options {
    Options {
        source: "https://example.org/packages?a&b".into(),
        revision: "v1.6.2@sha1:0123456789abcdef0123456789abcdef01234567".into(),
        ..Options::default()
    }
}

fn build(tree: &dyn Tree, options: &Options) -> Artifact {
    archive::build(tree, options, tempfile::tempdir().unwrap().path()).unwrap()
}

fn sample() -> Made {
    Made::text(&[
        ("core/installer/values.yaml", "image: registry.example/sealed:v1.6.2\n"),
        ("system/a/templates/x.yaml", "kind: ConfigMap\n"),
        ("system/a.txt", "sorted after everything in a/\n"),
        ("README.md", ""),
    ])
    .put("system/run.sh", 0o755, "#!/bin/sh\n")
}

/// Digests of one small artifact. The layer's changes with the encoder, and so does the manifest's.
#[test]
fn golden() {
    let dir = tempfile::tempdir().unwrap();
    let artifact = archive::build(&sample(), &options(), dir.path()).unwrap();
    assert_eq!(artifact.diff_id.to_string(), "sha256:1c79291a8604756cfd1ffc7665e4aba66b7b450b3b872d6e00ee6cd48bc1abb5");
    assert_eq!(
        artifact.layer.descriptor.digest.to_string(),
        "sha256:e3477114a445f81426b66ccc4a395d5046c2ea9d2acc26d58b62512a66998c23"
    );
    assert_eq!(
        String::from_utf8_lossy(artifact.manifest.bytes()),
        r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.cncf.flux.config.v1+json","size":233,"digest":"sha256:47e88050df216db12e61b4946a9374998aabc6bab77bba36540da6c2fec149cd"},"layers":[{"mediaType":"application/vnd.cncf.flux.content.v1.tar+gzip","size":373,"digest":"sha256:e3477114a445f81426b66ccc4a395d5046c2ea9d2acc26d58b62512a66998c23"}],"annotations":{"org.opencontainers.image.created":"1970-01-01T00:00:00Z","org.opencontainers.image.revision":"v1.6.2@sha1:0123456789abcdef0123456789abcdef01234567","org.opencontainers.image.source":"https://example.org/packages?a\u0026b"}}"#
    );
    let layer = bytes(&artifact.layer);
    assert_eq!(layer.len() as u64, artifact.layer.descriptor.size);
    assert_eq!(sealift::model::Digest::of(&layer), artifact.layer.descriptor.digest);
    assert_eq!(bytes(&artifact.config), archive::config_for(artifact.diff_id));
    assert_eq!(archive::diff_id(&sample(), &options()).unwrap(), artifact.diff_id);
}

#[test]
fn neither_order_nor_chunks_nor_umask_nor_root_mode_show() {
    let dir = tempfile::tempdir().unwrap();
    let expected = archive::build(&sample(), &options(), dir.path()).unwrap();
    let mut others = vec![
        Made { reversed: true, ..sample() },
        Made { chunk: 1, ..sample() },
        Made { chunk: 7, reversed: true, ..sample() },
        Made { root_mode: Some(0o700), ..sample() },
    ];
    for clear in [0o002, 0o077, 0o000] {
        let mut tree = sample();
        for (_, mode, _) in tree.nodes.values_mut() {
            *mode = if *mode & 0o100 != 0 { 0o777 & !clear } else { 0o666 & !clear };
        }
        others.push(tree);
    }
    for other in others {
        let found = archive::build(&other, &options(), dir.path()).unwrap();
        assert_eq!(found.manifest.digest(), expected.manifest.digest());
        assert_eq!(found.layer.descriptor, expected.layer.descriptor);
    }
}

#[test]
fn neither_place_nor_time_shows() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut digests = Vec::new();
    for (at, dir) in dirs.iter().enumerate() {
        let root = dir.path().join(if at == 0 { "one" } else { "another worktree" });
        let mut names = ["b", "a", "c", "é"];
        if at == 1 {
            names.reverse();
        }
        for name in names {
            std::fs::create_dir_all(root.join(name)).unwrap();
            std::fs::write(root.join(name).join("values.yaml"), name).unwrap();
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(at as u64 * 1_000_000);
            let file = std::fs::File::open(root.join(name).join("values.yaml")).unwrap();
            file.set_modified(time).unwrap();
        }
        std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o700 + at as u32 * 0o55)).unwrap();
        digests.push(build(&DirTree::open(root).unwrap(), &options()).manifest.digest());
    }
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn modes_are_the_pipeline_s() {
    let id = |modes: Modes, tree: &Made| archive::diff_id(tree, &Options { modes, ..options() }).unwrap();
    let runner = Modes::Fixed { file: 0o664, executable: 0o775, directory: 0o775 };
    assert_ne!(id(runner, &sample()), id(Modes::default(), &sample()));
    let mut group_writable = sample();
    group_writable.root_mode = Some(0o775);
    for (_, mode, _) in group_writable.nodes.values_mut() {
        *mode |= 0o020;
    }
    assert_eq!(id(runner, &sample()), id(Modes::AsIs, &group_writable));
    // Executable is the owner's bit, as in git.
    let odd = sample().put("system/run.sh", 0o455, "#!/bin/sh\n");
    assert_ne!(id(Modes::default(), &odd), id(Modes::default(), &sample()));
}

#[test]
fn what_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let tree = sample()
        .put("pic.png", 0o644, "x")
        .dir("x.zip", 0o755)
        .put("x.zip/keep.yaml", 0o644, "x")
        .other("link", Kind::Symlink)
        .other("pipe", Kind::Other)
        .put("core/.gitignore", 0o644, "*");
    let plain = archive::build(&sample(), &options(), dir.path()).unwrap();
    assert_eq!(archive::build(&tree, &options(), dir.path()).unwrap().diff_id, plain.diff_id);
    let files = |ignore: Ignore| {
        let artifact = archive::build(&tree, &Options { ignore, ..options() }, dir.path()).unwrap();
        let layer = bytes(&artifact.layer);
        let read = archive::read(&artifact.manifest, &bytes(&artifact.config), &layer, &Limits::default()).unwrap();
        let files =
            read.entries().unwrap().into_iter().filter(|entry| entry.kind == Kind::File).map(|entry| entry.path);
        files.filter(|f| !sample().nodes.contains_key(f)).map(|f| f.escape_ascii().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(files(Ignore::new::<&str>([])), ["core/.gitignore", "pic.png", "x.zip/keep.yaml"]);
    assert_eq!(files(Ignore::new(["*.zip", "!keep.yaml", ".gitignore"])), ["pic.png", "x.zip/keep.yaml"]);
}

#[test]
fn annotations_are_laid_over_the_standard_ones() {
    let annotations = BTreeMap::from(
        [("a", "<1>"), ("org.opencontainers.image.source", "elsewhere"), ("z", "")].map(|(k, v)| (k.into(), v.into())),
    );
    let artifact = build(&sample(), &Options { annotations, ..options() });
    let text = String::from_utf8_lossy(artifact.manifest.bytes()).into_owned();
    let (_, found) = text.split_once(r#""annotations":"#).unwrap();
    assert_eq!(
        found,
        r#"{"a":"\u003c1\u003e","org.opencontainers.image.created":"1970-01-01T00:00:00Z","org.opencontainers.image.revision":"v1.6.2@sha1:0123456789abcdef0123456789abcdef01234567","org.opencontainers.image.source":"elsewhere","z":""}}"#
    );
}

#[test]
fn failures_name_the_file_and_leave_nothing() {
    let spool = tempfile::tempdir().unwrap();
    let lie = |size| Made { lie: Some((b"README.md".to_vec(), size)), ..sample().put("README.md", 0o644, "123") };
    let cases = [
        (lie(2), "made: README.md: grew while it was read: 2 bytes were listed"),
        (lie(4), "made: README.md: shrank while it was read: 4 bytes were listed"),
        (lie(0), "made: README.md: grew"),
        (Made { broken: Some(b"system/a.txt".to_vec()), ..sample() }, "made: system/a.txt: the disk is on fire"),
        (sample().put("a\\b", 0o644, ""), "made: a\\b: a name with a backslash, which can't be pulled again"),
        (sample().put("../x", 0o644, ""), "made: ../x: a path that climbs out"),
        (sample().dir("a..", 0o755).put("a../x", 0o644, ""), "a folder whose name ends in `..`"),
    ];
    for (tree, expected) in cases {
        let error = archive::build(&tree, &options(), spool.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(archive::diff_id(&tree, &options()).unwrap_err().to_string().contains(expected));
    }
    assert_eq!(std::fs::read_dir(spool.path()).unwrap().count(), 0);
    let gone = spool.path().join("gone");
    let error = archive::build(&sample(), &options(), &gone).unwrap_err();
    assert!(matches!(&error, ArchiveError::Spool { path, .. } if *path == gone), "{error}");
    // The layer's file goes with the blob.
    let artifact = archive::build(&sample(), &options(), spool.path()).unwrap();
    assert_eq!(std::fs::read_dir(spool.path()).unwrap().count(), 1);
    drop(artifact);
    assert_eq!(std::fs::read_dir(spool.path()).unwrap().count(), 0);
}

/// 64 files of 1 MiB that exist only while they are read, and a count of what is asked for.
#[derive(Default)]
struct Vast {
    open: AtomicUsize,
    most_open: AtomicUsize,
    largest_read: AtomicU64,
}

struct Counted<'a>(io::Take<io::Repeat>, &'a Vast);

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.largest_read.fetch_max(buffer.len() as u64, Ordering::SeqCst);
        self.0.read(buffer)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Tree for Vast {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let entry = |n| Entry { path: format!("{n:02}").into(), kind: Kind::File, mode: 0o644, size: 1 << 20 };
        Ok((0..64).map(entry).collect())
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_open.fetch_max(open, Ordering::SeqCst);
        Ok(Box::new(Counted(io::repeat(path[0]).take(1 << 20), self)))
    }

    fn describe(&self) -> String {
        "vast".into()
    }
}

#[test]
fn a_large_tree_is_streamed() {
    let dir = tempfile::tempdir().unwrap();
    let tree = Vast::default();
    let artifact = archive::build(&tree, &options(), dir.path()).unwrap();
    assert!(artifact.layer.descriptor.size < 1 << 20);
    assert_eq!(tree.most_open.load(Ordering::SeqCst), 1);
    assert!(tree.largest_read.load(Ordering::SeqCst) <= 64 * 1024);
}
