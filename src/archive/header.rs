//! The 512 bytes before an entry, as Go's `archive/tar` writes them for Flux.
//!
//! Names of up to 100 ASCII bytes go into the header; longer ones are split at a `/` (USTAR);
//! what is neither, or isn't ASCII, or has 8 GiB and more, gets a PAX header before its own.
//! Headers are filled by hand: the tar crate's setters spell the checksum and the device
//! numbers differently and fall back to GNU extensions.

use tar::{EntryType, Header};

/// From here on a size doesn't fit in eleven octal digits.
const LARGE: u64 = 8 << 30;
const NAME: usize = 100;
const PREFIX: usize = 155;

/// One entry: a plain file or a directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    /// Relative, `/` between components, no `/` at the end.
    pub name: &'a [u8],
    /// Permission bits, 07777.
    pub mode: u32,
    pub size: u64,
    pub directory: bool,
}

impl Item<'_> {
    /// The PAX header and its records, where the entry needs them.
    pub(super) fn extension(&self) -> Option<(Header, Vec<u8>)> {
        if self.place().is_some() {
            return None;
        }
        let mut records = Vec::new();
        if self.name.len() > NAME || !self.name.is_ascii() {
            records.extend(record(b"path", self.name));
        }
        if self.size >= LARGE {
            records.extend(record(b"size", self.size.to_string().as_bytes()));
        }
        let at = self.name.iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1);
        let (folder, base) = self.name.split_at(at);
        let mut name = ascii(&[folder, b"PaxHeaders.0/", base].concat());
        name.truncate(NAME);
        while name.last() == Some(&b'/') {
            name.pop();
        }
        let mut fields = Fields::new(EntryType::XHeader, 0, records.len() as u64);
        fields.put(0, &name);
        Some((fields.finish(), records))
    }

    /// The entry's own header.
    pub(super) fn header(&self) -> Header {
        let kind = if self.directory { EntryType::Directory } else { EntryType::Regular };
        let size = if self.directory || self.size >= LARGE { 0 } else { self.size };
        let mut fields = Fields::new(kind, self.mode & 0o7777, size);
        fields.octal(329, 7, 0);
        fields.octal(337, 7, 0);
        match self.place() {
            Some((prefix, name)) => {
                fields.put(0, name);
                fields.put(345, prefix);
            }
            None => fields.put(0, &cut(self.name)),
        }
        fields.finish()
    }

    /// Prefix and name where the entry needs no PAX header.
    fn place(&self) -> Option<(&[u8], &[u8])> {
        if !self.name.is_ascii() || self.size >= LARGE {
            return None;
        }
        if self.name.len() <= NAME {
            return Some((b"", self.name));
        }
        let window = self.name.get(..PREFIX + 1).unwrap_or(self.name);
        let at = window.iter().rposition(|&b| b == b'/').filter(|&at| at > 0)?;
        let (prefix, name) = (self.name.get(..at)?, self.name.get(at + 1..)?);
        (1..=NAME).contains(&name.len()).then_some((prefix, name))
    }
}

/// The name field of an entry whose name is in its PAX header: what is ASCII, cut to the field.
fn cut(name: &[u8]) -> Vec<u8> {
    let mut field = ascii(name);
    let long = field.len() > NAME;
    field.truncate(NAME);
    // Go spares old readers a name ending in `/`, but ends it at the slashes' first byte only.
    if long && field.last() == Some(&b'/') {
        let end = field.iter().rposition(|&b| b != b'/').map_or(0, |at| at + 1);
        if let Some(byte) = field.get_mut(end) {
            *byte = 0;
        }
    }
    field
}

fn ascii(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(u8::is_ascii).collect()
}

/// `LEN key=value\n`, where LEN counts itself.
fn record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + rest.to_string().len();
    // Its own digits can push the number over a power of ten.
    if rest + length.to_string().len() != length {
        length = rest + length.to_string().len();
    }
    [length.to_string().as_bytes(), b" ", key, b"=", value, b"\n"].concat()
}

struct Fields([u8; 512]);

impl Fields {
    fn new(kind: EntryType, mode: u32, size: u64) -> Self {
        let mut fields = Self([0; 512]);
        fields.octal(100, 7, mode.into());
        fields.octal(108, 7, 0);
        fields.octal(116, 7, 0);
        fields.octal(124, 11, size);
        fields.octal(136, 11, 0);
        fields.put(148, b"        ");
        fields.put(156, &[kind.as_byte()]);
        fields.put(257, b"ustar\x0000");
        fields
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        for (field, byte) in self.0.iter_mut().skip(at).zip(bytes) {
            *field = *byte;
        }
    }

    fn octal(&mut self, at: usize, digits: usize, value: u64) {
        self.put(at, format!("{value:0digits$o}").as_bytes());
    }

    /// The checksum: six digits, NUL, space.
    fn finish(mut self) -> Header {
        let sum = self.0.iter().map(|&b| u64::from(b)).sum();
        self.octal(148, 6, sum);
        self.put(154, b"\0 ");
        let mut header = Header::new_old();
        *header.as_mut_bytes() = self.0;
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &[u8], size: u64) -> Item<'_> {
        Item { name, mode: 0o100644, size, directory: false }
    }

    #[test]
    fn lengths_count_themselves() {
        assert_eq!(record(b"path", b"x"), b"9 path=x\n");
        assert_eq!(record(b"path", b""), b"8 path=\n");
        for length in 0..300 {
            let record = record(b"path", &vec![b'x'; length]);
            let digits = record.split(|&b| b == b' ').next().unwrap();
            assert_eq!(std::str::from_utf8(digits).unwrap(), record.len().to_string());
        }
    }

    #[test]
    fn a_cut_name_loses_the_first_slash_of_its_last_run() {
        let name = [vec![b'a'; 98], "/é/é/b".into()].concat();
        let header = file(&name, 0).header();
        assert_eq!((header.as_bytes()[97], header.as_bytes()[98], header.as_bytes()[99]), (b'a', 0, b'/'));
    }

    #[test]
    fn eight_gib_go_to_pax() {
        let (below, at) = (file(b"big", LARGE - 1), file(b"big", LARGE));
        assert!(below.extension().is_none());
        assert_eq!(&below.header().as_bytes()[124..136], b"77777777777\0");
        let (header, records) = at.extension().unwrap();
        assert_eq!(records, b"19 size=8589934592\n");
        assert_eq!(&header.as_bytes()[..17], b"PaxHeaders.0/big\0");
        assert_eq!(&header.as_bytes()[329..345], [0; 16]);
        assert_eq!(&at.header().as_bytes()[124..136], b"00000000000\0");
    }

    #[test]
    fn the_split_looks_at_156_bytes() {
        let split = |prefix: usize, name: usize| {
            let path = [vec![b'p'; prefix], b"/".to_vec(), vec![b'n'; name]].concat();
            file(&path, 0).extension().is_none()
        };
        assert!(split(155, 100));
        assert!(!split(156, 20));
        assert!(!split(155, 101));
        assert!(split(50, 100));
        assert!(!split(50, 101));
    }
}
