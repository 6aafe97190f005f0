//! What is read of a tar header and of PAX records. Errors are reasons; the caller names the entry.

use super::scan::Writer;
use crate::tree::show;

/// A header's 512 bytes.
pub(super) struct Header<'a>(pub(super) &'a [u8]);

impl Header<'_> {
    fn field(&self, at: usize, length: usize) -> &[u8] {
        self.0.get(at..at + length).unwrap_or_default()
    }

    /// A field up to its first NUL.
    fn text(&self, at: usize, length: usize) -> &[u8] {
        self.field(at, length).split(|&b| b == 0).next().unwrap_or_default()
    }

    pub(super) fn kind(&self) -> u8 {
        self.0.get(156).copied().unwrap_or_default()
    }

    pub(super) fn name(&self) -> Vec<u8> {
        match (self.text(345, 155), self.text(0, 100)) {
            (b"", name) => name.to_vec(),
            (prefix, name) => [prefix, b"/", name].concat(),
        }
    }

    /// An octal number, ended by NUL or space. The binary form of GNU tar is not one.
    pub(super) fn number(&self, at: usize, length: usize) -> Result<u64, String> {
        let digits = self.field(at, length).trim_ascii_start();
        let digits = digits.split(|b| matches!(b, 0 | b' ')).next().unwrap_or_default();
        let text = std::str::from_utf8(digits).unwrap_or("?");
        if text.is_empty() {
            return Ok(0);
        }
        u64::from_str_radix(text, 8).map_err(|_| format!("a number in its header is not octal, at {at}"))
    }

    pub(super) fn check(&self) -> Result<(), String> {
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

    pub(super) fn is_directory(&self) -> Result<bool, String> {
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

/// What a PAX header says of the entry after it.
#[derive(Default)]
pub(super) struct Extension {
    pub path: Option<Vec<u8>>,
    pub size: Option<u64>,
}

/// PAX records, `LEN key=value\n` each.
pub(super) fn records_of(mut rest: &[u8], writer: Writer) -> Result<Extension, String> {
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
