//! A strict reader of tar bytes in memory: POSIX headers, files, directories, PAX paths and
//! sizes, and nothing else. What it doesn't know it refuses, naming the entry.

use std::collections::BTreeSet;
use std::ops::Range;

use super::ReadError;
use super::write::unpullable;
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
    let reason = if name == b"." && directory && writer == Writer::Flux {
        return Ok(());
    } else if name.is_empty() {
        "an empty name"
    } else if name.contains(&0) {
        "a name with a NUL in it"
    } else if name.starts_with(b"/") {
        "an absolute path"
    } else if name.split(|&b| b == b'/').any(|c| c == b"..") {
        "a path that climbs out with `..`"
    } else if name.split(|&b| b == b'/').any(|c| c == b"." || c.is_empty()) {
        "a path with an empty or `.` component"
    } else if let Some(reason) = unpullable(name) {
        reason
    } else {
        return Ok(());
    };
    Err(reason.into())
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

struct Header<'a>(&'a [u8]);

impl Header<'_> {
    fn field(&self, at: usize, length: usize) -> &[u8] {
        self.0.get(at..at + length).unwrap_or_default()
    }

    /// A field up to its first NUL.
    fn text(&self, at: usize, length: usize) -> &[u8] {
        self.field(at, length).split(|&b| b == 0).next().unwrap_or_default()
    }

    fn kind(&self) -> u8 {
        self.0.get(156).copied().unwrap_or_default()
    }

    fn name(&self) -> Vec<u8> {
        match (self.text(345, 155), self.text(0, 100)) {
            (b"", name) => name.to_vec(),
            (prefix, name) => [prefix, b"/", name].concat(),
        }
    }

    /// An octal number, ended by NUL or space. The binary form of GNU tar is not one.
    fn number(&self, at: usize, length: usize) -> Result<u64, String> {
        let digits = self.field(at, length).trim_ascii_start();
        let digits = digits.split(|b| matches!(b, 0 | b' ')).next().unwrap_or_default();
        let text = std::str::from_utf8(digits).unwrap_or("?");
        if text.is_empty() {
            return Ok(0);
        }
        u64::from_str_radix(text, 8).map_err(|_| format!("a number in its header is not octal, at {at}"))
    }

    fn check(&self) -> Result<(), String> {
        match self.field(257, 8) {
            b"ustar\x0000" => {}
            b"ustar  \0" => return Err("a GNU tar header; only POSIX ones are written by Flux and Helm".into()),
            _ => return Err("not a POSIX tar header".into()),
        }
        let own = |at: usize| (148..156).contains(&at);
        let sum: u64 = self.0.iter().enumerate().map(|(at, &b)| if own(at) { 32 } else { u64::from(b) }).sum();
        if self.number(148, 8)? != sum {
            return Err("its header's checksum is wrong".into());
        }
        Ok(())
    }

    fn is_directory(&self) -> Result<bool, String> {
        let what = match self.kind() {
            b'0' => return Ok(false),
            b'5' => return Ok(true),
            b'1' => "a hard link",
            b'2' => "a symlink",
            b'3' | b'4' => "a device",
            b'6' => "a pipe",
            b'g' => "a global PAX header",
            b'K' | b'L' => "a GNU long name",
            b'S' => "a GNU sparse file",
            other => return Err(format!("an entry of type {:?}, neither a file nor a directory", char::from(other))),
        };
        Err(format!("{what}, neither a file nor a directory"))
    }
}

#[derive(Default)]
struct Extension {
    path: Option<Vec<u8>>,
    size: Option<u64>,
}

/// PAX records, `LEN key=value\n` each.
fn records_of(mut rest: &[u8], writer: Writer) -> Result<Extension, String> {
    let mut extension = Extension::default();
    while !rest.is_empty() {
        let bad = || "a malformed PAX record".to_owned();
        let space = rest.iter().take(12).position(|&b| b == b' ').ok_or_else(bad)?;
        let (digits, _) = rest.split_at(space);
        let length: usize = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).ok_or_else(bad)?;
        let (record, after) = rest.split_at_checked(length).ok_or_else(bad)?;
        let record = record.get(space + 1..).and_then(|r| r.strip_suffix(b"\n")).ok_or_else(bad)?;
        let equals = record.iter().position(|&b| b == b'=').ok_or_else(bad)?;
        let (key, value) = (record.get(..equals).unwrap_or_default(), record.get(equals + 1..).unwrap_or_default());
        let again = match key {
            b"path" => extension.path.replace(value.to_vec()).is_some(),
            b"size" => {
                let size = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok()).ok_or_else(bad)?;
                extension.size.replace(size).is_some()
            }
            b"mtime" | b"atime" | b"ctime" if writer == Writer::Helm => false,
            other => return Err(format!("a PAX record `{}`, which is not read here", show(other))),
        };
        if again {
            return Err(format!("two PAX records `{}`", show(key)));
        }
        rest = after;
    }
    Ok(extension)
}
