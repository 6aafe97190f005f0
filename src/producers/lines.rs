//! A Makefile's lines: where they end, and what they are.

use super::expand::words;

/// Where a logical line ends, and where the next one begins: a backslash at the end joins lines.
pub(super) fn logical(text: &str, start: usize) -> (usize, usize) {
    let mut from = start;
    loop {
        let Some(found) = memchr::memchr(b'\n', &text.as_bytes()[from..]) else { return (text.len(), text.len()) };
        let newline = from + found;
        let line = text[start..newline].trim_end_matches('\r');
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        if backslashes.is_multiple_of(2) {
            return (start + line.len(), newline + 1);
        }
        from = newline + 1;
    }
}

/// A line without its comment.
pub(super) fn uncommented(line: &str) -> String {
    let mut from = 0;
    while let Some(found) = line[from..].find('#') {
        let at = from + found;
        if !line[..at].ends_with('\\') {
            return line[..at].to_owned();
        }
        from = at + 1;
    }
    line.to_owned()
}

/// Where a byte stands outside brackets.
pub(super) fn outside(text: &str, wanted: u8) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && byte == wanted
    })
}

/// Takes `NAME := value` apart: name, operator, value.
pub(super) fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let equals = outside(line, b'=')?;
    let (before, value) = (&line[..equals], line[equals + 1..].trim());
    let name = before.trim_end_matches(':');
    let (name, how) = match before.len() - name.len() {
        0 => match before.as_bytes().last() {
            Some(b'?') => (&before[..before.len() - 1], "?="),
            Some(b'+') => (&before[..before.len() - 1], "+="),
            Some(b'!') => (&before[..before.len() - 1], "!="),
            _ => (before, "="),
        },
        _ => (name, ":="),
    };
    // A colon before: that is a rule with a variable of its own.
    let plain = outside(name, b':').is_none() && !name.trim().is_empty() && words(name.trim()).len() == 1;
    plain.then_some((name.trim(), how, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_told_from_rules() {
        for (line, expected) in [
            ("A = b = c", Some(("A", "=", "b = c"))),
            ("A:=b", Some(("A", ":=", "b"))),
            ("A ::= b", Some(("A", ":=", "b"))),
            ("A ?= b", Some(("A", "?=", "b"))),
            ("A+=b", Some(("A", "+=", "b"))),
            ("A != b", Some(("A", "!=", "b"))),
            ("$(A:%=b) = c", Some(("$(A:%=b)", "=", "c"))),
            ("a: B = c", None),
            ("a: b ; C=d e", None),
            ("a b = c", None),
            ("a: b", None),
            ("= b", None),
        ] {
            assert_eq!(assignment(line), expected, "{line}");
        }
    }

    #[test]
    fn a_backslash_joins_lines_and_two_do_not() {
        assert_eq!(logical("a \\\n b\nc", 0), (6, 7));
        assert_eq!(logical("a \\\\\n b", 0), (4, 5));
        assert_eq!(logical("a\r\nb", 0), (1, 3));
        assert_eq!(logical("a", 0), (1, 1));
        assert_eq!(uncommented("a \\# b # c"), "a \\# b ");
    }
}
