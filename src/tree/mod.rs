//! One read view over a git tree, a directory and an unpacked archive.

mod directory;
pub mod git;
mod kept;
mod memory;
mod mounted;
mod subtree;

pub use directory::DirTree;
pub use git::GitTree;
pub use kept::Kept;
pub use memory::MemTree;
pub use mounted::Mounted;
pub use subtree::{Edited, Subtree};

use std::io::Read;

pub use crate::model::path::{TreePath, order, show};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Symlink,
    /// A submodule, device, socket or pipe: seen, never read.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: TreePath,
    pub kind: Kind,
    /// Permission bits (07777). git knows 0644 and 0755 only.
    pub mode: u32,
    /// Bytes of content; 0 for anything but a file.
    pub size: u64,
}

impl Entry {
    /// Executable means the owner's bit, as git has it.
    pub fn is_executable(&self) -> bool {
        self.kind == Kind::File && self.mode & 0o100 != 0
    }
}

/// What could not be read, and where.
#[derive(Debug, thiserror::Error)]
#[error("{tree}: {path}: {source}")]
pub struct TreeError {
    pub tree: String,
    pub path: String,
    pub source: std::io::Error,
}

/// A tree of files. Listing reads no contents.
pub trait Tree: Send + Sync {
    /// Every entry below the root, the root itself left out, in pre-order: children
    /// sorted by the bytes of their names, a directory followed by all that is in it.
    fn entries(&self) -> Result<Vec<Entry>, TreeError>;

    /// The entry at a path, `None` where there is nothing.
    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        Ok(self.entries()?.into_iter().find(|entry| entry.path == path))
    }

    /// The entries below a directory, with their whole paths, in the order of
    /// [`Tree::entries`]. A path that is no directory of the tree is an error; the empty
    /// path is the root. Implementations that can walk one directory alone should.
    fn entries_under(&self, directory: &[u8]) -> Result<Vec<Entry>, TreeError> {
        let entries = self.entries()?;
        if directory.is_empty() {
            return Ok(entries);
        }
        if !entries.iter().any(|entry| entry.path == directory && entry.kind == Kind::Directory) {
            return Err(self.error(directory, not_a_directory()));
        }
        Ok(entries.into_iter().filter(|entry| below(&entry.path, directory).is_some()).collect())
    }

    /// A file's content.
    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError>;

    /// The root directory's own permission bits.
    fn root_mode(&self) -> u32 {
        0o755
    }

    /// What this tree is, for messages: a path, a revision.
    fn describe(&self) -> String;

    /// A file's whole content.
    fn read(&self, path: &[u8]) -> Result<Vec<u8>, TreeError> {
        let mut content = Vec::new();
        let mut reader = self.open(path)?;
        reader.read_to_end(&mut content).map_err(|source| self.error(path, source))?;
        Ok(content)
    }

    /// An error of this tree at a path.
    fn error(&self, path: &[u8], source: std::io::Error) -> TreeError {
        TreeError { tree: self.describe(), path: show(path), source }
    }
}

/// What is left of a path below a directory; the empty directory is the root.
pub fn below<'a>(path: &'a [u8], directory: &[u8]) -> Option<&'a [u8]> {
    if directory.is_empty() {
        return Some(path);
    }
    path.strip_prefix(directory)?.strip_prefix(b"/")
}

fn not_a_directory() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::NotFound, "the tree has no such directory")
}
