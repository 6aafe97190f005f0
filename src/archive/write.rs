//! The tar stream of a tree, exactly Flux's: pre-order, the root as `.`, directories with their
//! own entries, symlinks and special files left out, mtime and owners zero, two zero blocks at the end.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use tar::Builder;

use super::header::Item;
use super::name::refusal;
use super::{Modes, Options};
use crate::tree::{Entry, Kind, Tree, TreeError, order, show};

/// Why no archive was made of a tree.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The file's size is not the listed one.
    #[error("{tree}: {path}: {} while it was read: {listed} bytes were listed; archive a tree that nobody is writing to", .grew.then_some("grew").unwrap_or("shrank"))]
    Changed { tree: String, path: String, listed: u64, grew: bool },
    /// Nobody could pull this name, though Flux would push it.
    #[error("{tree}: {path}: {reason}, which can't be pulled again; rename it, or leave it out with an ignore pattern")]
    Name { tree: String, path: String, reason: &'static str },
    #[error("{tree}: {path}: listed twice")]
    Twice { tree: String, path: String },
    /// Where the archive goes to couldn't be written.
    #[error("{}: the archive can't be written: {source}; free some space or name another folder", .path.display())]
    Spool { path: PathBuf, source: io::Error },
}

/// Writes the tar of a tree. `Err(Ok(e))` is the tree's fault, `Err(Err(e))` the sink's.
pub(super) fn tar<W: Write>(tree: &dyn Tree, options: &Options, sink: W) -> Result<W, Result<ArchiveError, io::Error>> {
    let mut entries = tree.entries().map_err(|e| Ok(e.into()))?;
    // Whatever order a tree lists in, the archive has this one.
    entries.sort_by(|a, b| order(&a.path, &b.path));
    if let Some(pair) = entries.windows(2).find_map(|w| w.first().zip(w.last()).filter(|(a, b)| a.path == b.path)) {
        return Err(Ok(ArchiveError::Twice { tree: tree.describe(), path: show(&pair.0.path) }));
    }
    let mut builder = Builder::new(sink);
    let root = Entry { path: b".".to_vec(), kind: Kind::Directory, mode: tree.root_mode(), size: 0 };
    write(&mut builder, tree, &item(&root, options.modes))?;
    for entry in &entries {
        let directory = match entry.kind {
            Kind::File => false,
            Kind::Directory => true,
            Kind::Symlink | Kind::Other => continue,
        };
        if options.ignore.matches(&entry.path, directory) {
            continue;
        }
        if let Some(reason) = refusal(&entry.path) {
            return Err(Ok(ArchiveError::Name { tree: tree.describe(), path: show(&entry.path), reason }));
        }
        write(&mut builder, tree, &item(entry, options.modes))?;
    }
    builder.into_inner().map_err(Err)
}

fn item(entry: &Entry, modes: Modes) -> Item<'_> {
    let directory = entry.kind == Kind::Directory;
    let mode = match modes {
        Modes::AsIs => entry.mode,
        Modes::Fixed { directory: mode, .. } if directory => mode,
        Modes::Fixed { executable, .. } if entry.is_executable() => executable,
        Modes::Fixed { file, .. } => file,
    };
    Item { name: &entry.path, mode, size: if directory { 0 } else { entry.size }, directory }
}

fn write<W: Write>(
    builder: &mut Builder<W>,
    tree: &dyn Tree,
    item: &Item<'_>,
) -> Result<(), Result<ArchiveError, io::Error>> {
    if let Some((header, records)) = item.extension() {
        builder.append(&header, records.as_slice()).map_err(Err)?;
    }
    if item.directory {
        return builder.append(&item.header(), io::empty()).map_err(Err);
    }
    let reader = tree.open(item.name).map_err(|e| Ok(e.into()))?;
    let mut content = Exact { reader, left: item.size, fault: None };
    builder.append(&item.header(), &mut content).map_err(|sink| match content.fault {
        None => Err(sink),
        Some(Fault::Read(source)) => Ok(tree.error(item.name, source).into()),
        Some(Fault::Changed { grew }) => {
            Ok(ArchiveError::Changed { tree: tree.describe(), path: show(item.name), listed: item.size, grew })
        }
    })
}

/// Hands out exactly the listed number of bytes, or fails and remembers why.
struct Exact<R> {
    reader: R,
    left: u64,
    fault: Option<Fault>,
}

enum Fault {
    Read(io::Error),
    Changed { grew: bool },
}

impl<R: Read> Exact<R> {
    fn fail(&mut self, fault: Fault) -> io::Error {
        self.fault = Some(fault);
        io::Error::other("the file could not be read as listed")
    }
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        // At the end, one byte more is asked for: a file that grew must not be cut silently.
        let room = usize::try_from(self.left.max(1)).unwrap_or(usize::MAX).min(buffer.len());
        let read = match self.reader.read(&mut buffer[..room]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => return Err(self.fail(Fault::Read(error))),
        };
        match (read, self.left) {
            (0, 0) => Ok(0),
            (0, _) => Err(self.fail(Fault::Changed { grew: false })),
            (_, 0) => Err(self.fail(Fault::Changed { grew: true })),
            _ => {
                self.left = self.left.saturating_sub(read as u64);
                Ok(read)
            }
        }
    }
}
