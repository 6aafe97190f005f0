//! New trees out of old ones: only what an edit names changes.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid, Repository};

use super::content::{Node, children, mode};
use super::libgit::{id, oid};
use super::{Store, StoreError};
use crate::model::TreePath;
use crate::model::path::show;
use crate::model::{ObjectId, TreeId};

/// One edit of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub path: TreePath,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file has these bytes. Without a mode it keeps the one it has (0644 when it is new).
    Write { mode: Option<u32>, bytes: Vec<u8> },
    /// The path holds an object that the store has: a blob, a directory, a submodule's commit.
    Put { mode: u32, id: ObjectId },
    /// The file or directory is gone; it must be there. Directories left empty go too.
    Remove,
}

impl Edit {
    /// New content for a file, its mode kept.
    pub fn write(path: impl Into<TreePath>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), change: Change::Write { mode: None, bytes: bytes.into() } }
    }

    pub fn put(path: impl Into<TreePath>, mode: u32, id: ObjectId) -> Self {
        Self { path: path.into(), change: Change::Put { mode, id } }
    }

    pub fn remove(path: impl Into<TreePath>) -> Self {
        Self { path: path.into(), change: Change::Remove }
    }
}

impl Store {
    /// The id of git's empty tree, which is written.
    pub fn empty_tree(&self) -> Result<TreeId, StoreError> {
        self.with(|repository| Ok(id(repository.treebuilder(None)?.write()?)))
    }

    /// The tree after these edits, one per path at most. All or nothing: an edit that can't be
    /// made (a path through a file, a removal of what isn't there) is an error naming its path.
    pub fn edit(&self, tree: TreeId, edits: &[Edit]) -> Result<TreeId, StoreError> {
        let mut root = Branch::default();
        for edit in edits {
            root.add(&edit.path, &edit.change).map_err(|reason| refused(&edit.path, reason))?;
        }
        let repository = self.lock();
        let written = root.apply(&repository, Some(oid(tree)), &mut Vec::new()).map_err(|error| match error {
            Failure::Refused(error) => error,
            Failure::Git(error) => self.error(&error),
        })?;
        drop(repository);
        written.map_or_else(|| self.empty_tree(), |tree| Ok(id(tree)))
    }
}

/// Edits by the names they are under.
#[derive(Default)]
struct Branch<'a>(BTreeMap<&'a [u8], Step<'a>>);

enum Step<'a> {
    Into(Branch<'a>),
    Here(&'a Change),
}

enum Failure {
    Refused(StoreError),
    Git(git2::Error),
}

impl From<git2::Error> for Failure {
    fn from(error: git2::Error) -> Self {
        Self::Git(error)
    }
}

fn refused(path: &[u8], reason: &str) -> StoreError {
    StoreError::Edit { path: show(path), reason: reason.to_owned() }
}

impl<'a> Branch<'a> {
    fn add(&mut self, path: &'a [u8], change: &'a Change) -> Result<(), &'static str> {
        let (name, rest) = match path.iter().position(|&byte| byte == b'/') {
            Some(slash) => (&path[..slash], Some(&path[slash + 1..])),
            None => (path, None),
        };
        if matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git") || name.contains(&0) {
            return Err("not a path that git allows in a tree");
        }
        let twice = "edited twice, or both as a file and as a directory";
        match (rest, self.0.get_mut(name)) {
            (Some(rest), Some(Step::Into(branch))) => branch.add(rest, change),
            (_, Some(_)) => Err(twice),
            (Some(rest), None) => {
                let mut branch = Branch::default();
                branch.add(rest, change)?;
                self.0.insert(name, Step::Into(branch));
                Ok(())
            }
            (None, None) => {
                self.0.insert(name, Step::Here(change));
                Ok(())
            }
        }
    }

    /// The new tree; `None` when nothing is left in it.
    fn apply(&self, repository: &Repository, old: Option<Oid>, path: &mut TreePath) -> Result<Option<Oid>, Failure> {
        let existing = old.map_or_else(|| Ok(BTreeMap::new()), |tree| children(repository, tree))?;
        let base = old.map(|tree| repository.find_tree(tree)).transpose()?;
        let mut builder = repository.treebuilder(base.as_ref())?;
        for (&name, step) in &self.0 {
            let length = path.len();
            if length > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(name);
            let now = existing.get(name).copied();
            let new = match step {
                Step::Here(change) => place(repository, now, change, path)?,
                Step::Into(branch) => {
                    if now.is_some_and(|node| !node.is_directory()) {
                        return Err(Failure::Refused(refused(path, "is a file, not a directory")));
                    }
                    let tree = branch.apply(repository, now.map(|node| oid(node.id)), path)?;
                    tree.map(|tree| Node { mode: mode::DIRECTORY, id: id(tree) })
                }
            };
            match new {
                Some(node) => {
                    builder.insert(name, oid(node.id), node.mode.cast_signed())?;
                }
                None if now.is_some() => builder.remove(name)?,
                None => {}
            }
            path.truncate(length);
        }
        Ok(if builder.is_empty() { None } else { Some(builder.write()?) })
    }
}

/// What a path holds after a change; `None`: nothing.
fn place(repository: &Repository, now: Option<Node>, change: &Change, path: &[u8]) -> Result<Option<Node>, Failure> {
    let refuse = |reason| Err(Failure::Refused(refused(path, reason)));
    match change {
        Change::Remove if now.is_none() => refuse("is not there to be removed"),
        Change::Remove => Ok(None),
        Change::Put { mode: mode::SUBMODULE, id } => Ok(Some(Node { mode: mode::SUBMODULE, id: *id })),
        Change::Put { mode, id } => {
            let kind = if *mode == mode::DIRECTORY { ObjectType::Tree } else { ObjectType::Blob };
            repository.find_object(oid(*id), Some(kind))?;
            Ok(Some(Node { mode: *mode, id: *id }))
        }
        Change::Write { mode, bytes } => match (*mode, now) {
            (None, Some(node)) if node.is_directory() || node.mode == mode::SUBMODULE => {
                refuse("is a directory or a submodule: a file can't take its place unasked")
            }
            (mode, now) => {
                let mode = mode.or(now.map(|node| node.mode)).unwrap_or(mode::FILE);
                Ok(Some(Node { mode, id: id(repository.blob(bytes)?) }))
            }
        },
    }
}
