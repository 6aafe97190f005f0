//! Where a byte of a text is, for people: line and column.

use std::cell::Cell;

/// Lines of a text by byte offset.
pub struct Lines<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
    /// An offset, and the characters before it on its line: of a line of many places each byte is counted once.
    counted: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let after = memchr::memchr_iter(b'\n', bytes).map(|newline| newline + 1);
        Self { bytes, starts: std::iter::once(0).chain(after).collect(), counted: Cell::default() }
    }

    /// The start of the line that holds an offset, and its number from 1.
    pub fn line(&self, offset: usize) -> (usize, usize) {
        let number = self.starts.partition_point(|&start| start <= offset);
        (self.starts.get(number.wrapping_sub(1)).copied().unwrap_or(0), number.max(1))
    }

    /// The number of the line that holds an offset, from 1.
    pub fn number(&self, offset: usize) -> usize {
        self.line(offset).1
    }

    /// The beginning of the line that holds an offset, for messages.
    pub fn excerpt(&self, offset: usize) -> String {
        let (start, number) = self.line(offset);
        let end = self.starts.get(number).map_or(self.bytes.len(), |next| next - 1);
        // No more is looked at than is shown: a line may be the whole of a large file.
        let head = self.bytes.get(start..end.min(start + 2_048)).unwrap_or_default();
        String::from_utf8_lossy(head).trim().chars().take(160).collect()
    }

    /// Line and column (in characters), both from 1.
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let (start, number) = self.line(offset);
        let (from, counted) = self.counted.get();
        let (from, counted) = if (start..=offset).contains(&from) { (from, counted) } else { (start, 0) };
        let rest = self.bytes.get(from..offset).unwrap_or_default();
        let continues = |byte: &&u8| **byte & 0xc0 == 0x80;
        let characters = counted + rest.len() - rest.iter().filter(continues).count();
        self.counted.set((offset, characters));
        let before = self.bytes.get(start..offset).unwrap_or_default();
        // A byte-order mark is no character that an editor shows.
        let mark = usize::from(start == 0 && before.starts_with(b"\xef\xbb\xbf"));
        (number, characters - mark + 1)
    }

    /// The offset of a place: line and column (in characters), both from 1. `None`: there is no such line.
    pub fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let rest = self.bytes.get(start..)?;
        let mark = if start == 0 && rest.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let begins = |byte: &u8| byte & 0xc0 != 0x80;
        let after = rest.get(mark..)?.iter().enumerate().filter(|(_, byte)| begins(byte)).nth(column.saturating_sub(1));
        Some(after.map_or(self.bytes.len(), |(at, _)| start + mark + at))
    }

    /// The text of the line that holds an offset, as far as it is UTF-8.
    pub fn text(&self, offset: usize) -> std::borrow::Cow<'a, str> {
        let (start, number) = self.line(offset);
        let end = self.starts.get(number).map_or(self.bytes.len(), |next| next - 1);
        String::from_utf8_lossy(self.bytes.get(start..end).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let lines = Lines::new("\u{feff}ä: x\r\nsecond\n".as_bytes());
        assert_eq!(lines.place(3), (1, 1));
        assert_eq!(lines.place(7), (1, 4));
        assert_eq!(lines.place(10), (2, 1));
        // In any order.
        assert_eq!((lines.place(7), lines.place(5), lines.place(7)), ((1, 4), (1, 2), (1, 4)));
        assert_eq!(lines.text(11), "second");
        for offset in [3, 5, 7, 10, 13] {
            let (line, column) = lines.place(offset);
            assert_eq!(lines.offset(line, column), Some(offset));
        }
        assert_eq!((lines.offset(0, 1), lines.offset(9, 1)), (None, None));
        assert_eq!(Lines::new(b"").place(0), (1, 1));
    }
}
