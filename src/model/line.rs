//! Text from outside on one line.

/// Text from outside, safe on one line of a terminal or a CI log: what would move the cursor,
/// change colours or turn the direction of writing is spelled out, and so is `##[`, which
/// GitHub's runner obeys in the middle of a line.
pub fn clean(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.extend(c.escape_default()),
            _ if c.is_control() || is_invisible(c) => safe.extend(c.escape_unicode()),
            '[' if safe.ends_with("##") => safe.push_str("\\["),
            _ => safe.push(c),
        }
    }
    safe
}

/// Line separators, direction marks and overrides, zero-width spaces.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
