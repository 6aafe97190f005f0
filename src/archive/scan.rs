//! A strict reader of tar bytes in memory: POSIX headers, files, directories, PAX paths and
//! sizes, and nothing else. What it doesn't know it refuses, naming the entry.

use std::collections::BTreeSet;
use std::ops::Range;

use super::ReadError;
use super::block::{Extension, Header, records_of};
use super::name::refusal;
use crate::tree::{TreePath, show};

const BLOCK: usize = 512;

/// Who wrote the archive, and so what may be in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// A root entry `.`; PAX `path` and `size`.
    Flux,
    /// No root entry; PAX times too, which are not looked at.
    Helm,
}

/// An entry: its place in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub path: TreePath,
    pub directory: bool,
    pub mode: u32,
    pub content: Range<usize>,
}

/// All entries, in the archive's order. Names are safe to join to a folder, and are all different.
pub(super) fn scan(data: &[u8], writer: Writer, limit: usize) -> Result<Vec<Found>, ReadError> {
    let mut reader = Reader { data, at: 0 };
    let mut found = Vec::new();
    let mut extension: Option<Extension> = None;
    loop {
        let header = reader.block()?;
        if header.iter().all(|&b| b == 0) {
            if extension.is_some() {
                return Err(ReadError::Tar("a PAX header has no entry after it".into()));
            }
            reader.end()?;
            break;
        }
        let header = Header(header);
        let name = header.name();
        let refuse = |reason: String| ReadError::Entry { entry: show(&name), reason };
        header.check().map_err(refuse)?;
        if header.kind() == b'x' {
            if extension.is_some() {
                return Err(refuse("a PAX header follows another".into()));
            }
            let size = header.number(124, 12).map_err(refuse)?;
            let records = reader.content(size).map_err(refuse)?;
            extension = Some(records_of(data.get(records).unwrap_or_default(), writer).map_err(refuse)?);
            continue;
        }
        let Extension { path, size } = extension.take().unwrap_or_default();
        let name = path.unwrap_or(name);
        let refuse = |reason: String| ReadError::Entry { entry: show(&name), reason };
        let directory = header.is_directory().map_err(refuse)?;
        let size = match size {
            Some(size) => size,
            None => header.number(124, 12).map_err(refuse)?,
        };
        if directory && size != 0 {
            return Err(refuse("a directory with content".into()));
        }
        check_name(&name, directory, writer).map_err(refuse)?;
        let mode = header.number(100, 8).map_err(refuse)?;
        let mode = u32::try_from(mode & 0o7777).unwrap_or_default();
        let content = reader.content(size).map_err(refuse)?;
        found.push(Found { path: name, directory, mode, content });
        if found.len() > limit {
            return Err(ReadError::Entries { limit });
        }
    }
    check_places(&found)?;
    Ok(found)
}

fn check_name(name: &[u8], directory: bool, writer: Writer) -> Result<(), String> {
    if name == b"." && directory && writer == Writer::Flux {
        return Ok(());
    }
    refusal(name).map_or(Ok(()), |reason| Err(reason.into()))
}

/// No name twice, and nothing below a file.
fn check_places(found: &[Found]) -> Result<(), ReadError> {
    let mut seen = BTreeSet::new();
    let mut files = BTreeSet::new();
    for entry in found {
        if !seen.insert(entry.path.as_slice()) {
            return Err(ReadError::Entry { entry: show(&entry.path), reason: "it is there twice".into() });
        }
        if !entry.directory {
            files.insert(entry.path.as_slice());
        }
    }
    for entry in found {
        for (at, _) in entry.path.iter().enumerate().filter(|(_, b)| **b == b'/') {
            if entry.path.get(..at).is_some_and(|parent| files.contains(parent)) {
                return Err(ReadError::Entry { entry: show(&entry.path), reason: "it lies below a file".into() });
            }
        }
    }
    Ok(())
}

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn block(&mut self) -> Result<&'a [u8], ReadError> {
        let block = self.data.get(self.at..self.at + BLOCK);
        self.at += BLOCK;
        block.ok_or_else(|| ReadError::Tar("it ends without its two zero blocks".into()))
    }

    /// Content, with its padding passed over.
    fn content(&mut self, size: u64) -> Result<Range<usize>, String> {
        let cut = || "its content is cut off".to_owned();
        let size = usize::try_from(size).map_err(|_| cut())?;
        let end = self.at.checked_add(size).ok_or_else(cut)?;
        let next = end.checked_next_multiple_of(BLOCK).ok_or_else(cut)?;
        let padding = self.data.get(end..next).ok_or_else(cut)?;
        if padding.iter().any(|&b| b != 0) {
            return Err("bytes hidden in its padding".into());
        }
        let content = self.at..end;
        self.at = next;
        Ok(content)
    }

    /// After the first zero block: another one, then zeros or nothing.
    fn end(&mut self) -> Result<(), ReadError> {
        if self.block()?.iter().any(|&b| b != 0) {
            return Err(ReadError::Tar("one zero block alone".into()));
        }
        match self.data.get(self.at..).unwrap_or_default().iter().position(|&b| b != 0) {
            Some(offset) => Err(ReadError::Tar(format!("bytes after its end, at {}", self.at + offset))),
            None => Ok(()),
        }
    }
}
