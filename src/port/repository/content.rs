//! Trees in the store: listing, finding, comparing.

use std::collections::BTreeMap;

use git2::{Oid, Repository};

use super::libgit::{id, oid};
use super::{Store, StoreError};
use crate::model::TreePath;
use crate::model::{ObjectId, TreeId};

/// How git writes what an entry is: file, executable, symlink, directory, submodule.
pub mod mode {
    pub const FILE: u32 = 0o100_644;
    pub const EXECUTABLE: u32 = 0o100_755;
    pub const SYMLINK: u32 = 0o120_000;
    pub const DIRECTORY: u32 = 0o040_000;
    pub const SUBMODULE: u32 = 0o160_000;
}

/// git refuses deeper trees too (core.maxTreeDepth).
const DEEPEST: usize = 1024;

/// What a name in a tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// One of [`mode`]; old histories hold others (100664).
    pub mode: u32,
    pub id: ObjectId,
}

/// A path where two trees differ, with what each has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub path: TreePath,
    pub old: Option<Node>,
    pub new: Option<Node>,
}

impl Node {
    pub fn is_directory(&self) -> bool {
        self.mode == mode::DIRECTORY
    }
}

impl Store {
    /// What a tree has at a path; the empty path is the tree itself.
    pub fn entry(&self, tree: TreeId, path: &[u8]) -> Result<Option<Node>, StoreError> {
        self.with(|repository| {
            let mut node = Node { mode: mode::DIRECTORY, id: tree };
            for name in path.split(|&byte| byte == b'/').filter(|_| !path.is_empty()) {
                if !node.is_directory() {
                    return Ok(None);
                }
                // Of a tree that has a name twice, the last counts, as in `children`.
                let tree = repository.find_tree(oid(node.id))?;
                match tree.iter().rfind(|entry| entry.name_bytes() == name) {
                    Some(child) => node = node_of(&child),
                    None => return Ok(None),
                }
            }
            Ok(Some(node))
        })
    }

    /// The directory at a path, if that is what is there; the empty path is the tree itself.
    pub fn subtree(&self, tree: TreeId, path: &[u8]) -> Result<Option<TreeId>, StoreError> {
        Ok(self.entry(tree, path)?.filter(Node::is_directory).map(|node| node.id))
    }

    /// The content of the file at a path.
    pub fn file(&self, tree: TreeId, path: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.entry(tree, path)?.filter(|node| !node.is_directory() && node.mode != mode::SUBMODULE) {
            // An id a tree names must be there: in a partial clone it may not be.
            Some(node) => self.blob(node.id)?.ok_or_else(|| self.missing("blob", node.id)).map(Some),
            None => Ok(None),
        }
    }

    /// Everything below a tree, directories too, in the order of [`crate::model::path::order`].
    pub fn entries(&self, tree: TreeId) -> Result<Vec<(TreePath, Node)>, StoreError> {
        self.with(|repository| {
            let mut entries = Vec::new();
            list(repository, oid(tree), &mut Vec::new(), 0, &mut |path, node| entries.push((path.to_vec(), node)))?;
            Ok(entries)
        })
    }

    /// The files, symlinks and submodules in which two trees differ, in content or mode, each at
    /// its own path: a rename is a path gone and a path come.
    pub fn diff(&self, old: TreeId, new: TreeId) -> Result<Vec<Difference>, StoreError> {
        self.with(|repository| {
            let mut differences = Vec::new();
            compare(repository, Some(oid(old)), Some(oid(new)), &mut Vec::new(), 0, &mut differences)?;
            differences.sort_by(|a, b| crate::model::path::order(&a.path, &b.path));
            Ok(differences)
        })
    }

    /// The paths of [`Store::diff`].
    pub fn changed_paths(&self, old: TreeId, new: TreeId) -> Result<Vec<TreePath>, StoreError> {
        Ok(self.diff(old, new)?.into_iter().map(|difference| difference.path).collect())
    }
}

/// A tree's own entries by the bytes of their names (git's order differs: it sorts a directory
/// as if its name ended in `/`).
pub(super) fn children(repository: &Repository, tree: Oid) -> Result<BTreeMap<Vec<u8>, Node>, git2::Error> {
    let tree = repository.find_tree(tree)?;
    Ok(tree.iter().map(|entry| (entry.name_bytes().to_vec(), node_of(&entry))).collect())
}

/// Raw modes: libgit2's normalised ones would hide a difference.
fn node_of(entry: &git2::TreeEntry<'_>) -> Node {
    Node { mode: entry.filemode_raw().cast_unsigned(), id: id(entry.id()) }
}

/// Runs `work` with one more component on the path.
fn below<T>(path: &mut TreePath, name: &[u8], work: impl FnOnce(&mut TreePath) -> T) -> T {
    let length = path.len();
    if length > 0 {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    let result = work(path);
    path.truncate(length);
    result
}

fn list(
    repository: &Repository,
    tree: Oid,
    path: &mut TreePath,
    depth: usize,
    each: &mut impl FnMut(&[u8], Node),
) -> Result<(), git2::Error> {
    bounded(depth)?;
    for (name, node) in children(repository, tree)? {
        below(path, &name, |path| {
            each(path, node);
            if node.is_directory() { list(repository, oid(node.id), path, depth + 1, each) } else { Ok(()) }
        })?;
    }
    Ok(())
}

fn compare(
    repository: &Repository,
    old: Option<Oid>,
    new: Option<Oid>,
    path: &mut TreePath,
    depth: usize,
    differences: &mut Vec<Difference>,
) -> Result<(), git2::Error> {
    bounded(depth)?;
    let side = |tree: Option<Oid>| tree.map_or_else(|| Ok(BTreeMap::new()), |tree| children(repository, tree));
    let (olds, mut news) = (side(old)?, side(new)?);
    let mut pairs: Vec<_> = olds.into_iter().map(|(name, old)| (news.remove(&name), name, Some(old))).collect();
    pairs.extend(news.into_iter().map(|(name, new)| (Some(new), name, None)));
    for (new, name, old) in pairs.into_iter().filter(|(new, _, old)| new != old) {
        below(path, &name, |path| {
            let directory = |node: Option<Node>| node.filter(Node::is_directory).map(|node| oid(node.id));
            let leaf = |node: Option<Node>| node.filter(|node| !node.is_directory());
            if leaf(old) != leaf(new) {
                differences.push(Difference { path: path.clone(), old: leaf(old), new: leaf(new) });
            }
            match (directory(old), directory(new)) {
                (None, None) => Ok(()),
                (old, new) => compare(repository, old, new, path, depth + 1, differences),
            }
        })?;
    }
    Ok(())
}

fn bounded(depth: usize) -> Result<(), git2::Error> {
    if depth < DEEPEST { Ok(()) } else { Err(git2::Error::from_str("the tree is nested too deeply")) }
}
