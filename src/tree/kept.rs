//! A tree whose files are read once, however often they are asked for.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Entry, Tree, TreeError, TreePath};

/// Keeps what is read of another tree: for a few files, not for all of a large one.
pub struct Kept<'a> {
    tree: &'a dyn Tree,
    /// Which files are kept, by their paths; any other is read whenever it is asked for.
    keeps: fn(&[u8]) -> bool,
    /// Bytes: a larger file is not held.
    largest: u64,
    entries: Mutex<Option<Arc<[Entry]>>>,
    files: Mutex<BTreeMap<TreePath, Arc<[u8]>>>,
}

impl<'a> Kept<'a> {
    /// Keeps every file.
    pub fn new(tree: &'a dyn Tree) -> Self {
        Self::only(tree, |_| true, u64::MAX)
    }

    /// Keeps some files alone, and none that is larger than so many bytes.
    pub fn only(tree: &'a dyn Tree, keeps: fn(&[u8]) -> bool, largest: u64) -> Self {
        Self { tree, keeps, largest, entries: Mutex::default(), files: Mutex::default() }
    }
}

impl Tree for Kept<'_> {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let mut kept = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entries) = kept.as_ref() {
            return Ok(entries.to_vec());
        }
        let entries = self.tree.entries()?;
        *kept = Some(entries.clone().into());
        Ok(entries)
    }

    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        self.tree.find(path)
    }

    fn entries_under(&self, directory: &[u8]) -> Result<Vec<Entry>, TreeError> {
        self.tree.entries_under(directory)
    }

    /// What can't be read is tried again.
    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        if !(self.keeps)(path) {
            return self.tree.open(path);
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match files.get(path) {
            Some(bytes) => Arc::clone(bytes),
            None => {
                let (mut rest, mut bytes) = (self.tree.open(path)?, Vec::new());
                let failed = |source| self.tree.error(path, source);
                rest.by_ref().take(self.largest.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
                if bytes.len() as u64 > self.largest {
                    return Ok(Box::new(Cursor::new(bytes).chain(rest)));
                }
                let bytes: Arc<[u8]> = bytes.into();
                files.insert(path.to_vec(), Arc::clone(&bytes));
                bytes
            }
        };
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn root_mode(&self) -> u32 {
        self.tree.root_mode()
    }

    fn describe(&self) -> String {
        self.tree.describe()
    }
}
