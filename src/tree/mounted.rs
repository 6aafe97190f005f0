//! A tree seen at its place in a larger one: the packages folder as the repository has it.

use std::io::{Error, ErrorKind, Read};

use super::{Entry, Kind, Tree, TreeError, TreePath};

/// A tree whose paths all begin with a folder.
pub struct Mounted<'a> {
    tree: &'a dyn Tree,
    folder: TreePath,
}

impl<'a> Mounted<'a> {
    /// `folder` is relative, for example `packages`; an empty one changes nothing.
    pub fn new(tree: &'a dyn Tree, folder: &str) -> Self {
        Self { tree, folder: folder.trim_matches('/').as_bytes().to_vec() }
    }

    fn joined(&self, path: &[u8]) -> TreePath {
        if self.folder.is_empty() { path.to_vec() } else { [self.folder.as_slice(), b"/", path].concat() }
    }
}

impl Tree for Mounted<'_> {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let ends = self.folder.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let parents = ends.chain([self.folder.len()]).filter(|end| *end > 0).map(|end| Entry {
            path: self.folder[..end].to_vec(),
            kind: Kind::Directory,
            mode: self.tree.root_mode(),
            size: 0,
        });
        let below = self.tree.entries()?.into_iter().map(|entry| Entry { path: self.joined(&entry.path), ..entry });
        Ok(parents.chain(below).collect())
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        let below = match self.folder.len() {
            0 => Some(path),
            _ => path.strip_prefix(self.folder.as_slice()).and_then(|rest| rest.strip_prefix(b"/")),
        };
        match below {
            Some(below) => self.tree.open(below),
            None => Err(self.error(path, Error::from(ErrorKind::NotFound))),
        }
    }

    fn describe(&self) -> String {
        self.tree.describe()
    }
}
