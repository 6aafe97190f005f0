//! Views of a tree: one folder of it, or the same tree with some files' bytes replaced.

use std::collections::BTreeMap;
use std::io::Read;

use super::{Entry, Kind, Tree, TreeError, TreePath, below, not_a_directory, show};

/// The tree below one folder, its paths relative to that folder.
pub struct Subtree<'a> {
    tree: &'a dyn Tree,
    folder: TreePath,
    mode: u32,
    name: Option<String>,
}

impl<'a> Subtree<'a> {
    /// A folder that isn't there is an error. The empty path and `.` are the whole tree.
    pub fn new(tree: &'a dyn Tree, folder: impl AsRef<[u8]>) -> Result<Self, TreeError> {
        let folder = folder.as_ref().to_vec();
        if folder.is_empty() || folder == b"." {
            return Ok(Self { tree, folder: TreePath::new(), mode: tree.root_mode(), name: None });
        }
        match tree.find(&folder)? {
            Some(Entry { kind: Kind::Directory, mode, .. }) => Ok(Self { tree, folder, mode, name: None }),
            _ => Err(tree.error(&folder, not_a_directory())),
        }
    }

    /// What messages call it: without a name, the whole tree's and the folder's.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    fn whole(&self, path: &[u8]) -> TreePath {
        if self.folder.is_empty() { path.to_vec() } else { [&self.folder, path].join(&b'/') }
    }
}

impl Tree for Subtree<'_> {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let entries = self.tree.entries_under(&self.folder)?;
        Ok(entries
            .into_iter()
            .filter_map(|entry| Some(Entry { path: below(&entry.path, &self.folder)?.to_vec(), ..entry }))
            .collect())
    }

    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        let found = self.tree.find(&self.whole(path))?;
        Ok(found.map(|entry| Entry { path: path.to_vec(), ..entry }))
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        self.tree.open(&self.whole(path))
    }

    fn root_mode(&self) -> u32 {
        self.mode
    }

    fn describe(&self) -> String {
        match (&self.name, self.folder.as_slice()) {
            (Some(name), _) => name.clone(),
            (None, []) => self.tree.describe(),
            (None, folder) => format!("{}/{}", self.tree.describe().trim_end_matches('/'), show(folder)),
        }
    }
}

/// A tree in which some files have other bytes: what an edit would leave, without writing it.
/// It replaces contents only; a path that the tree doesn't have as a file adds nothing.
pub struct Edited<'a> {
    tree: &'a dyn Tree,
    files: BTreeMap<TreePath, Vec<u8>>,
}

impl<'a> Edited<'a> {
    pub fn new(tree: &'a dyn Tree, files: impl IntoIterator<Item = (TreePath, Vec<u8>)>) -> Self {
        Self { tree, files: files.into_iter().collect() }
    }

    fn replace(&self, mut entry: Entry) -> Entry {
        if let (Kind::File, Some(bytes)) = (entry.kind, self.files.get(&entry.path)) {
            entry.size = bytes.len() as u64;
        }
        entry
    }
}

impl Tree for Edited<'_> {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        Ok(self.tree.entries()?.into_iter().map(|entry| self.replace(entry)).collect())
    }

    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        Ok(self.tree.find(path)?.map(|entry| self.replace(entry)))
    }

    fn entries_under(&self, directory: &[u8]) -> Result<Vec<Entry>, TreeError> {
        Ok(self.tree.entries_under(directory)?.into_iter().map(|entry| self.replace(entry)).collect())
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        let under = self.tree.open(path)?;
        match self.files.get(path) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Ok(under),
        }
    }

    fn root_mode(&self) -> u32 {
        self.tree.root_mode()
    }

    fn describe(&self) -> String {
        self.tree.describe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MemTree;

    fn tree() -> MemTree {
        let mut tree = MemTree::new("test");
        tree.put("packages/a/x", 0o644, "old").put("packages.txt", 0o644, "").dir("packages", 0o700);
        tree
    }

    #[test]
    fn a_subtree_has_paths_of_its_own() {
        let tree = tree();
        let view = Subtree::new(&tree, "packages").unwrap();
        let paths: Vec<_> = view.entries().unwrap().into_iter().map(|e| e.path).collect();
        assert_eq!(paths, [b"a".to_vec(), b"a/x".to_vec()]);
        assert_eq!(view.read(b"a/x").unwrap(), b"old");
        assert_eq!(view.root_mode(), 0o700);
        assert_eq!(view.find(b"a/x").unwrap().unwrap().path, b"a/x");
        assert_eq!(Subtree::new(&tree, ".").unwrap().entries().unwrap(), tree.entries().unwrap());
        for folder in ["packages.txt", "pack", "packages/b"] {
            assert!(Subtree::new(&tree, folder).is_err(), "{folder}");
        }
    }

    #[test]
    fn an_edited_tree_has_other_bytes_and_no_further_files() {
        let tree = tree();
        let files = [(b"packages/a/x".to_vec(), b"newer".to_vec()), (b"packages/b".to_vec(), b"b".to_vec())];
        let view = Edited::new(&tree, files);
        assert_eq!(view.entries().unwrap().len(), tree.entries().unwrap().len());
        assert_eq!(view.read(b"packages/a/x").unwrap(), b"newer");
        assert_eq!(view.find(b"packages/a/x").unwrap().unwrap().size, 5);
        assert!(view.read(b"packages/b").is_err());
    }
}
