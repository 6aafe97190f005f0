//! Makefiles as texts: read once, bounded, with the places in them.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;

use super::Place;
use super::budget::{Budget, CUT};
use crate::tree::{Kind, Tree};

/// A larger Makefile is not read.
pub const LARGEST: u64 = 4 << 20;

/// One file's text, bytes that are no UTF-8 replaced by holes.
#[derive(Debug)]
pub(super) struct Source {
    pub file: String,
    pub text: String,
    starts: Vec<usize>,
}

impl Source {
    pub(super) fn new(file: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1);
        let starts = std::iter::once(0).chain(after).collect();
        Self { file: file.to_owned(), text, starts }
    }

    /// Line and column, in characters, from 1.
    pub(super) fn place(&self, at: usize) -> Place {
        let line = self.starts.partition_point(|&start| start <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(start..at).map_or(1, |before| before.chars().count() + 1);
        Place { file: self.file.clone(), line, column }
    }
}

/// What became of looking for a file.
#[derive(Clone, Debug)]
pub(super) enum Found {
    File(Arc<Source>),
    /// Nothing is there.
    Absent,
    /// Something is there, and this is why it isn't read.
    Unread(String),
}

/// The files of a tree, each read once.
pub(super) struct Sources<'a> {
    tree: &'a dyn Tree,
    budget: &'a Budget,
    known: BTreeMap<String, Found>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(tree: &'a dyn Tree, budget: &'a Budget) -> Self {
        Self { tree, budget, known: BTreeMap::new() }
    }

    pub(super) fn find(&mut self, path: &str) -> Found {
        if let Some(found) = self.known.get(path) {
            return found.clone();
        }
        let found = self.read(path);
        self.known.insert(path.to_owned(), found.clone());
        found
    }

    fn read(&self, path: &str) -> Found {
        match self.tree.find(path.as_bytes()) {
            Ok(None) => Found::Absent,
            Ok(Some(entry)) if entry.kind != Kind::File => Found::Unread("it is no file".to_owned()),
            Ok(Some(entry)) if entry.size > LARGEST => {
                Found::Unread(format!("it has {} bytes, and {LARGEST} are read", entry.size))
            }
            Ok(Some(_)) if self.budget.is_spent() => Found::Unread(CUT.to_owned()),
            Ok(Some(_)) => {
                let mut bytes = Vec::new();
                let read = self.tree.open(path.as_bytes()).and_then(|reader| {
                    reader
                        .take(LARGEST)
                        .read_to_end(&mut bytes)
                        .map_err(|error| self.tree.error(path.as_bytes(), error))
                });
                match read {
                    Ok(_) => Found::File(Arc::new(Source::new(path, &bytes))),
                    Err(error) => Found::Unread(error.source.to_string()),
                }
            }
            Err(error) => Found::Unread(error.source.to_string()),
        }
    }

    /// The Makefile that make takes in a directory.
    pub(super) fn makefile(&mut self, directory: &str) -> Found {
        for name in ["GNUmakefile", "makefile", "Makefile"] {
            let path = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            match self.find(&path) {
                Found::Absent => {}
                found => return found,
            }
        }
        Found::Absent
    }

    pub(super) fn count(&self) -> usize {
        self.known.values().filter(|found| matches!(found, Found::File(_))).count()
    }
}
