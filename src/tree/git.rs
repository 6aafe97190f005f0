//! A git tree as a [`Tree`].

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use super::{Entry, Kind, Tree, TreeError, TreePath, not_a_directory};
use crate::model::TreeId;
use crate::port::repository::{Node, Store, StoreError, mode};

/// A tree in a store. Submodules are [`Kind::Other`]; modes are 0644 or 0755.
#[derive(Clone, Debug)]
pub struct GitTree {
    store: Arc<Store>,
    tree: TreeId,
    name: String,
}

impl GitTree {
    pub fn new(store: Arc<Store>, tree: TreeId) -> Self {
        Self { store, tree, name: format!("tree {}", tree.short()) }
    }

    /// What messages call it: a revision, a ref.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    fn entry(&self, path: TreePath, node: Node) -> Result<Entry, TreeError> {
        let (kind, mode) = match node.mode & 0o170_000 {
            mode::DIRECTORY => (Kind::Directory, 0o755),
            mode::SYMLINK => (Kind::Symlink, 0o777),
            0o100_000 if node.mode & 0o100 != 0 => (Kind::File, 0o755),
            0o100_000 => (Kind::File, 0o644),
            _ => (Kind::Other, 0),
        };
        let size = match kind {
            Kind::File => self.store.size(node.id).map_err(|error| self.failure(&path, error))?,
            _ => 0,
        };
        Ok(Entry { path, kind, mode, size })
    }

    fn failure(&self, path: &[u8], error: StoreError) -> TreeError {
        self.error(path, io::Error::other(error))
    }
}

impl Tree for GitTree {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let nodes = self.store.entries(self.tree).map_err(|error| self.failure(b"", error))?;
        nodes.into_iter().map(|(path, node)| self.entry(path, node)).collect()
    }

    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        let node = self.store.entry(self.tree, path).map_err(|error| self.failure(path, error))?;
        node.map(|node| self.entry(path.to_vec(), node)).transpose()
    }

    fn entries_under(&self, directory: &[u8]) -> Result<Vec<Entry>, TreeError> {
        let tree = self.store.subtree(self.tree, directory).map_err(|error| self.failure(directory, error))?;
        let Some(tree) = tree else { return Err(self.error(directory, not_a_directory())) };
        let nodes = self.store.entries(tree).map_err(|error| self.failure(directory, error))?;
        let whole = |path: TreePath| if directory.is_empty() { path } else { [directory, b"/", &path].concat() };
        nodes.into_iter().map(|(path, node)| self.entry(whole(path), node)).collect()
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        let is_file = |node: &Node| node.mode & 0o170_000 == 0o100_000;
        let node = self.store.entry(self.tree, path).map_err(|error| self.failure(path, error))?;
        let Some(node) = node.filter(is_file) else {
            return Err(self.error(path, io::Error::new(io::ErrorKind::NotFound, "no such file")));
        };
        match self.store.blob(node.id).map_err(|error| self.failure(path, error))? {
            Some(content) => Ok(Box::new(Cursor::new(content))),
            None => Err(self.error(path, io::Error::new(io::ErrorKind::NotFound, "its blob is missing here"))),
        }
    }

    fn describe(&self) -> String {
        self.name.clone()
    }
}
