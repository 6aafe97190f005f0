//! Where a byte of a text is, for people: line and column.

/// Lines of a text by byte offset.
pub struct Lines<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let after = memchr::memchr_iter(b'\n', bytes).map(|newline| newline + 1);
        Self { bytes, starts: std::iter::once(0).chain(after).collect() }
    }

    /// The start of the line that holds an offset, and its number from 1.
    fn line(&self, offset: usize) -> (usize, usize) {
        let number = self.starts.partition_point(|&start| start <= offset);
        (self.starts.get(number.wrapping_sub(1)).copied().unwrap_or(0), number.max(1))
    }

    /// The number of the line that holds an offset, from 1.
    pub fn number(&self, offset: usize) -> usize {
        self.line(offset).1
    }

    /// The beginning of the line that holds an offset, for messages.
    pub fn excerpt(&self, offset: usize) -> String {
        self.text(offset).trim().chars().take(160).collect()
    }

    /// Line and column (in characters), both from 1.
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let (start, number) = self.line(offset);
        let before = self.bytes.get(start..offset).unwrap_or_default();
        let continues = |byte: &&u8| **byte & 0xc0 == 0x80;
        let characters = before.len() - before.iter().filter(continues).count();
        // A byte-order mark is no character that an editor shows.
        let mark = usize::from(start == 0 && before.starts_with(b"\xef\xbb\xbf"));
        (number, characters - mark + 1)
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
        assert_eq!(lines.text(11), "second");
        assert_eq!(Lines::new(b"").place(0), (1, 1));
    }
}
