//! References on a real tree, on a fixture of our own, and by property.

mod census;
mod copies;
mod fixture;
mod golden;
mod inventory;
mod pin;
mod property;
mod reading;
mod rewriting;
mod support;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use sealift::refs::{Declared, GzipCopy, Pair, Spec};
use sealift::tree::{DirTree, MemTree};

/// The folder of shared data, when it is there.
pub(crate) fn shared() -> Option<PathBuf> {
    crate::support::reference_or_skip("cozystack-1.6.2")
}

/// An archive as a tree.
pub(crate) fn unpack(path: &Path) -> MemTree {
    let mut tree = MemTree::new(path.display().to_string());
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.header().entry_type().is_file() {
            let path = entry.path_bytes().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            tree.put(path.strip_prefix(b"./").unwrap_or(&path), 0o644, bytes);
        }
    }
    tree
}

fn fixture() -> DirTree {
    DirTree::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/refs/tree")).unwrap()
}

fn fixture_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/refs").join(name)
}

/// The specification of the real tree.
fn cozystack() -> Spec {
    Spec {
        root: "packages".into(),
        owned: vec!["ghcr.io/cozystack/cozystack".parse().unwrap()],
        artifact: "ghcr.io/cozystack/cozystack/cozystack-packages".parse().unwrap(),
        pair: Pair { url: "platformSourceUrl".into(), reference: "platformSourceRef".into() },
        tag_prefixes: vec!["v1.30-".into()],
        values: vec!["*/*/values.yaml".into()],
        tag_files: vec!["*/*/images/*.tag".into()],
        text: vec![Declared { path: "system/multus/templates/multus-daemonset-thick.yml".into(), required: true }],
        gzip: vec![GzipCopy {
            path: "system/capi-providers-cpprovider/files/components.gz".into(),
            plain: "system/capi-providers-cpprovider/files/control-plane-components.yaml".into(),
            required: true,
        }],
        exclude: Vec::new(),
    }
}

/// The specification of the fixture's tree.
fn own() -> Spec {
    Spec {
        root: "packages".into(),
        owned: vec!["registry.example/org/own".parse().unwrap()],
        artifact: "registry.example/org/own/own-packages".parse().unwrap(),
        pair: Pair { url: "sourceUrl".into(), reference: "sourceRef".into() },
        tag_prefixes: vec!["v1.30-".into()],
        values: vec!["*/*/values.yaml".into()],
        tag_files: vec!["*/*/images/*.tag".into()],
        text: vec![Declared { path: "system/net/templates/daemonset.yml".into(), required: true }],
        gzip: vec![GzipCopy {
            path: "system/provider/files/components.gz".into(),
            plain: "system/provider/files/components.yaml".into(),
            required: false,
        }],
        exclude: Vec::new(),
    }
}

/// One line per reference, in the columns of the expected lists.
fn row(found: &sealift::refs::Occurrence) -> String {
    let row = serde_json::to_value(found).unwrap();
    let columns = ["class", "file", "key", "shape", "repository", "tag", "digest"];
    columns.map(|column| row[column].as_str().unwrap_or_default().to_owned()).join("\t")
}
