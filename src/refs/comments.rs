//! Comments in text that no parser reads.

use std::ops::Range;

/// Tells places inside `#` and `//` comments from the rest, a line at a time.
///
/// A comment begins at `#` or `//` at the start of a line or after white space, outside
/// quotes. Where quotes don't balance (an apostrophe in prose) nothing after them counts as
/// a comment: scans that ask must rather see too much.
pub(super) struct Comments<'a> {
    bytes: &'a [u8],
    line: Range<usize>,
    from: usize,
}

impl<'a> Comments<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, line: 0..0, from: 0 }
    }

    /// Places must be asked for in ascending order of lines.
    pub(super) fn covers(&mut self, place: usize) -> bool {
        if !self.line.contains(&place) {
            let start = memchr::memrchr(b'\n', &self.bytes[..place]).map_or(0, |newline| newline + 1);
            let end = memchr::memchr(b'\n', &self.bytes[place..]).map_or(self.bytes.len(), |n| place + n + 1);
            self.line = start..end;
            self.from = start + comment(&self.bytes[start..end]);
        }
        place >= self.from
    }
}

/// Where a line's comment begins; the line's length when it has none.
fn comment(line: &[u8]) -> usize {
    let mut quote = None;
    let mut before = b' ';
    for (i, &byte) in line.iter().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if before.is_ascii_whitespace() && (byte == b'#' || line[i..].starts_with(b"//")) => return i,
            None => {}
        }
        before = byte;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_comments() {
        for (text, inside) in [
            ("# X", true),
            ("a: b # X", true),
            ("  // X", true),
            ("a: 'b # X'", false),
            ("url: https://X", false),
            ("don't # X", false),
            ("a#X", false),
            ("# c\nX", false),
        ] {
            assert_eq!(Comments::new(text.as_bytes()).covers(text.find('X').unwrap()), inside, "{text}");
        }
    }
}
