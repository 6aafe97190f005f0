//! A server's words, as an error shows them.

const EXCERPT: usize = 200;

/// A text in one line of a bounded length, without control characters.
pub(in crate::port) fn excerpt(text: &str) -> String {
    let line: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let line = line.join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_bounded_line() {
        assert_eq!(excerpt("<html>\n  <b>\u{1b}[31mno</b>"), "<html> <b> [31mno</b>");
        assert_eq!(excerpt(&"ä".repeat(500)).chars().count(), EXCERPT + 1);
    }
}
