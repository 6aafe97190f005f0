//! A tree in memory: unpacked archives, and tests.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::{Entry, Kind, Tree, TreeError, TreePath, order};

/// Files by path. Directories above a file come into being with it (mode 0755).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemTree {
    name: String,
    nodes: BTreeMap<TreePath, Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    kind: Kind,
    mode: u32,
    /// A file's bytes, or a link's target.
    bytes: Vec<u8>,
}

impl MemTree {
    /// An empty tree; `name` is what messages call it.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), nodes: BTreeMap::new() }
    }

    /// Puts a file, replacing what was there.
    pub fn put(&mut self, path: impl AsRef<[u8]>, mode: u32, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.set(path.as_ref(), Node { kind: Kind::File, mode, bytes: bytes.into() })
    }

    /// Puts a symbolic link.
    pub fn symlink(&mut self, path: impl AsRef<[u8]>, target: impl Into<Vec<u8>>) -> &mut Self {
        self.set(path.as_ref(), Node { kind: Kind::Symlink, mode: 0o777, bytes: target.into() })
    }

    /// Puts a directory.
    pub fn dir(&mut self, path: impl AsRef<[u8]>, mode: u32) -> &mut Self {
        self.set(path.as_ref(), Node { kind: Kind::Directory, mode, bytes: Vec::new() })
    }

    /// A copy of every entry of another tree.
    pub fn copy_of(tree: &dyn Tree) -> Result<Self, TreeError> {
        let mut copy = Self::new(tree.describe());
        for entry in tree.entries()? {
            let bytes = if entry.kind == Kind::File { tree.read(&entry.path)? } else { Vec::new() };
            copy.nodes.insert(entry.path, Node { kind: entry.kind, mode: entry.mode, bytes });
        }
        Ok(copy)
    }

    /// A file's bytes.
    pub fn get(&self, path: &[u8]) -> Option<&[u8]> {
        self.nodes.get(path).filter(|node| node.kind == Kind::File).map(|node| node.bytes.as_slice())
    }

    fn set(&mut self, path: &[u8], node: Node) -> &mut Self {
        for (slash, _) in path.iter().enumerate().filter(|&(_, &byte)| byte == b'/') {
            let above = Node { kind: Kind::Directory, mode: 0o755, bytes: Vec::new() };
            self.nodes.entry(path[..slash].to_vec()).or_insert(above);
        }
        self.nodes.insert(path.to_vec(), node);
        self
    }
}

impl Tree for MemTree {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let entry = |(path, node): (&TreePath, &Node)| {
            let size = if node.kind == Kind::File { node.bytes.len() as u64 } else { 0 };
            Entry { path: path.clone(), kind: node.kind, mode: node.mode, size }
        };
        let mut entries: Vec<_> = self.nodes.iter().map(entry).collect();
        entries.sort_by(|a, b| order(&a.path, &b.path));
        Ok(entries)
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        match self.get(path) {
            Some(bytes) => Ok(Box::new(bytes)),
            None => Err(self.error(path, io::Error::new(io::ErrorKind::NotFound, "the tree has no such file"))),
        }
    }

    fn describe(&self) -> String {
        self.name.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_of_components() {
        let mut tree = MemTree::new("test");
        tree.put("a.b", 0o644, "").put("a/x", 0o755, "xx").symlink("a-b", "a").dir("d", 0o700);
        let paths: Vec<_> = tree.entries().unwrap().into_iter().map(|e| String::from_utf8(e.path).unwrap()).collect();
        assert_eq!(paths, ["a", "a/x", "a-b", "a.b", "d"]);
        assert_eq!(tree.read(b"a/x").unwrap(), b"xx");
        assert!(tree.read(b"a").is_err());
        assert!(tree.read(b"a-b").is_err());
        assert!(tree.entries_under(b"a.b").is_err());
        assert_eq!(tree.entries_under(b"a").unwrap().len(), 1);
    }
}
