//! What people, registries and GitHub see of a world: refs, tags, blobs, releases, pull requests. Not the
//! log, not ids and times that servers give, not unfinished uploads, not what GitHub derives from the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use super::World;
use crate::support::github::FakeGitHub;

/// One line for each thing that can be seen: what it is, and what it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldSnapshot(pub BTreeMap<String, String>);

impl World {
    pub fn snapshot(&self) -> WorldSnapshot {
        let mut seen = BTreeMap::new();
        self.github.iter().for_each(FakeGitHub::sync);
        let head = self.sandbox.git(&self.origin(), &["symbolic-ref", "HEAD"]);
        seen.insert("HEAD".to_owned(), head);
        let format = "--format=%(refname) %(objectname) %(*objectname)";
        for line in self.sandbox.git(&self.origin(), &["for-each-ref", format]).lines() {
            let (name, ids) = line.split_once(' ').unwrap();
            if !name.starts_with("refs/sealift/") && !name.starts_with("refs/pull/") {
                seen.insert(name.to_owned(), ids.trim().to_owned());
            }
        }
        walk(&self.registry(), "", &mut seen);
        for line in self.github.iter().flat_map(|github| github.snapshot()) {
            let times = seen.entry(format!("github {line}")).or_default();
            times.push('x');
        }
        WorldSnapshot(seen)
    }
}

/// Every layout below a directory, by its path.
fn walk(dir: &Path, name: &str, seen: &mut BTreeMap<String, String>) {
    if dir.join("index.json").is_file() {
        let index: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.join("index.json")).unwrap()).unwrap();
        for entry in index["manifests"].as_array().unwrap() {
            if let Some(tag) = entry["annotations"]["org.opencontainers.image.ref.name"].as_str() {
                seen.insert(format!("tag {name}:{tag}"), entry["digest"].as_str().unwrap().to_owned());
            }
        }
        for blob in std::fs::read_dir(dir.join("blobs/sha256")).unwrap() {
            let blob = blob.unwrap().file_name().into_string().unwrap();
            if blob.len() == 64 && blob.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                seen.insert(format!("blob {name}@sha256:{blob}"), String::new());
            }
        }
    }
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let below = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() && below != "blobs" {
            walk(&entry.path(), if name.is_empty() { below } else { format!("{name}/{below}") }.as_str(), seen);
        }
    }
}

impl WorldSnapshot {
    /// What is in `self` and not, or not so, in `other`, and the other way round. Empty: the same.
    pub fn difference(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let lines = names.into_iter().filter_map(|name| match (self.0.get(name), other.0.get(name)) {
            (a, b) if a == b => None,
            (Some(a), Some(b)) => Some(format!("~ {name}: {a} became {b}")),
            (Some(a), None) => Some(format!("- {name} {a}")),
            (None, b) => Some(format!("+ {name} {}", b.map_or("", String::as_str))),
        });
        lines.collect()
    }

    #[track_caller]
    pub fn assert_same(&self, other: &Self, what: &str) {
        let difference = self.difference(other);
        assert!(difference.is_empty(), "{what}: {} differences\n{}", difference.len(), difference.join("\n"));
    }

    /// What a tag of a registry names.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.0.get(&format!("tag {name}")).map(String::as_str)
    }
}

impl fmt::Display for WorldSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, value)| writeln!(f, "{name} {value}"))
    }
}
