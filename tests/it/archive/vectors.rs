//! Trees of awkward entries on a real disk, and the digest of the tar they must give.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sealift::archive::{self, Modes, Options};
use sealift::tree::DirTree;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    root_mode: String,
    entries: Vec<Entry>,
    tar_sha256: String,
}

#[derive(Deserialize)]
struct Entry {
    path_b64: String,
    mode: String,
    kind: String,
    content_b64: Option<String>,
    content: Option<Repeat>,
    target_b64: Option<String>,
}

#[derive(Deserialize)]
struct Repeat {
    repeat: String,
    len: usize,
}

fn decode(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

fn lay(vector: &Vector, root: &Path) {
    // Parents first; modes last, deepest first, so that none gets in the way.
    let mut modes = vec![(root.to_owned(), vector.root_mode.clone())];
    let mut entries: Vec<_> = vector.entries.iter().map(|e| (decode(&e.path_b64), e)).collect();
    entries.sort_by_key(|(path, _)| path.iter().filter(|&&b| b == b'/').count());
    for (path, entry) in entries {
        let place = root.join(OsStr::from_bytes(&path));
        match entry.kind.as_str() {
            "dir" => std::fs::create_dir(&place).unwrap(),
            "symlink" => {
                symlink(OsStr::from_bytes(&decode(entry.target_b64.as_deref().unwrap())), &place).unwrap();
                continue;
            }
            _ => {
                let content = match (&entry.content_b64, &entry.content) {
                    (Some(text), _) => decode(text),
                    (None, Some(c)) => c.repeat.bytes().cycle().take(c.len).collect(),
                    (None, None) => panic!("{}: no content", place.display()),
                };
                std::fs::write(&place, content).unwrap();
            }
        }
        modes.push((place, entry.mode.clone()));
    }
    for (place, mode) in modes.iter().rev() {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn check(path: &Path) {
    let file: File = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(!file.vectors.is_empty(), "{} holds no vectors", path.display());
    for vector in &file.vectors {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        lay(vector, &root);
        let options = Options { modes: Modes::AsIs, ..Options::default() };
        let found = archive::diff_id(&DirTree::open(root).unwrap(), &options).unwrap();
        assert_eq!(found.hex(), vector.tar_sha256, "{} in {}", vector.name, path.display());
    }
}

#[test]
fn own_vectors() {
    check(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/archive/tar-vectors.json"));
}

#[test]
fn shared_vectors() {
    // own_vectors covers the rules where these are missing.
    if let Some(path) = crate::support::reference_or_skip("flux-tar-vectors.json") {
        check(&path);
    }
}
