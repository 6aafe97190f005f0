//! A tree that counts what is asked of it.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Mutex;

use sealift::tree::{Entry, MemTree, Tree, TreeError};

/// A tree that counts how often each file is opened, and how often it is listed.
pub struct Counting {
    tree: MemTree,
    pub opened: Mutex<BTreeMap<Vec<u8>, usize>>,
    pub listed: Mutex<usize>,
}

impl Tree for Counting {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        *self.listed.lock().unwrap() += 1;
        self.tree.entries()
    }

    /// One entry is no list.
    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        self.tree.find(path)
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        *self.opened.lock().unwrap().entry(path.to_vec()).or_default() += 1;
        self.tree.open(path)
    }

    fn describe(&self) -> String {
        self.tree.describe()
    }
}

impl Counting {
    pub fn new(tree: MemTree) -> Self {
        Self { tree, opened: Mutex::default(), listed: Mutex::default() }
    }

    /// How often a file was opened.
    pub fn of(&self, path: &str) -> usize {
        self.opened.lock().unwrap().get(path.as_bytes()).copied().unwrap_or_default()
    }
}
