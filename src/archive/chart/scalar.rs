//! Replaces one scalar of a YAML file and not a byte besides.

use std::ops::Range;

use super::values::{Fault, Values};
use crate::yaml::{Content, Style};

/// Puts `value` where the scalar at `key` is (`a.b.0.c`), in the quotes that are there. A plain
/// scalar gets quotes where the value needs them to stay a string.
pub(super) fn replace_scalar(bytes: &[u8], key: &str, value: &str) -> Result<Vec<u8>, Fault> {
    let before = Values::read(bytes)?;
    let at = before.find(key)?.ok_or_else(|| Fault {
        line: 0,
        reason: format!("there is no `{key}`; add it to the file, or correct the key that is to be stamped"),
    })?;
    let node = before.node(at);
    let reason = match &node.content {
        Content::Scalar(_) if node.anchored || node.tag.is_some() => {
            "has an anchor or a tag; write it without, so that nothing else changes"
        }
        Content::Scalar(_) if node.span.is_empty() => "has no value; write `\"\"` there",
        Content::Scalar(scalar) if scalar.style == Style::Block => "is a block of text; write it on one line",
        Content::Scalar(scalar) => {
            let after = splice(before.text, node.span.clone(), &render(value, scalar.style))?;
            let mut says = before.says();
            says[at].1 = Some(value);
            return prove(after, &says);
        }
        Content::Map(_) | Content::Sequence(_) => "is a map or a list; name a key with one value",
        Content::Alias(_) => "is an alias; write its value there, or stamp its anchor",
    };
    Err(Fault { line: before.line(at), reason: format!("`{key}` {reason}") })
}

/// Adds a line `key: value` below the top-level scalar `sibling`.
pub(super) fn insert_below(bytes: &[u8], sibling: &str, key: &str, value: &str) -> Result<Vec<u8>, Fault> {
    let before = Values::read(bytes)?;
    let Some(at) = before.find(sibling)? else {
        return Err(Fault { line: 0, reason: format!("there is no `{sibling}`; add it") });
    };
    let node = before.node(at);
    let (Content::Scalar(_), Some(_), false) = (&node.content, node.key, node.in_flow) else {
        let reason = format!("write `{key}` there: only a block map gets it added");
        return Err(Fault { line: before.line(at), reason });
    };
    let above = before.text.get(..before.start(at)).unwrap_or_default();
    let indent = above.rsplit(['\n', '\r']).next().unwrap_or_default().trim_start_matches('\u{feff}');
    let line = format!("{indent}{key}: {}", render(value, Style::Plain));
    let rest = before.text.get(node.span.end..).unwrap_or_default();
    let (place, line) = match rest.find('\n') {
        Some(end) => {
            let ending = if rest.get(..end).is_some_and(|r| r.ends_with('\r')) { "\r\n" } else { "\n" };
            (node.span.end + end + 1, line + ending)
        }
        None => (before.text.len(), format!("\n{line}")),
    };
    let after = splice(before.text, place..place, &line)?;
    let mut says = before.says();
    says.insert(at + 1, (key, Some(value)));
    prove(after, &says)
}

/// Whether there is such a key.
pub(super) fn has(bytes: &[u8], key: &str) -> Result<bool, Fault> {
    Ok(Values::read(bytes)?.find(key)?.is_some())
}

/// The line a key is on.
pub(super) fn line_of(bytes: &[u8], key: &str) -> usize {
    Values::read(bytes).ok().and_then(|values| values.all(key).next().map(|at| values.line(at))).unwrap_or(0)
}

fn splice(text: &str, span: Range<usize>, new: &str) -> Result<String, Fault> {
    match (text.get(..span.start), text.get(span.end..)) {
        (Some(before), Some(after)) => Ok([before, new, after].concat()),
        _ => Err(Fault { line: 0, reason: "the YAML reader gave no usable place".into() }),
    }
}

/// The edited text must read back as planned, or it isn't handed out.
fn prove(text: String, expected: &[(&str, Option<&str>)]) -> Result<Vec<u8>, Fault> {
    if Values::read(text.as_bytes())?.says() == expected {
        return Ok(text.into_bytes());
    }
    Err(Fault { line: 0, reason: "stamping would change more than the value; simplify the YAML there".into() })
}

fn render(value: &str, style: Style) -> String {
    match style {
        Style::Plain if stays_a_string(value) => value.to_owned(),
        Style::SingleQuoted if !value.contains(char::is_control) => format!("'{}'", value.replace('\'', "''")),
        // A JSON string is a double-quoted YAML scalar (YAML 1.2, 1.2).
        _ => serde_json::Value::from(value).to_string(),
    }
}

/// Whether a plain scalar reads as this very string, in YAML 1.1 too, in flow and in block.
fn stays_a_string(value: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || "._/:@+=-".contains(c);
    let lower = value.to_ascii_lowercase();
    let word = matches!(lower.as_str(), "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null");
    // Numbers, dates, sexagesimals: a letter that no number has, or two dots, set a string apart.
    let number_like = value.starts_with(|c: char| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_hexdigit() || "xXoO_.:+-tTzZ".contains(c));
    value.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && value.chars().all(safe)
        && !value.ends_with(':')
        && !word
        && (!number_like || value.matches('.').count() == 2 && !value.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, key: &str, value: &str) -> String {
        String::from_utf8(replace_scalar(text.as_bytes(), key, value).unwrap()).unwrap()
    }

    #[test]
    fn changes_the_value_and_nothing_else() {
        for (text, key, value, expected) in [
            ("a: 1 # c\r\nb:  x\t# d\r\n", "b", "z", "a: 1 # c\r\nb:  z\t# d\r\n"),
            ("\u{feff}a: é\nb: 'x'", "b", "it's", "\u{feff}a: é\nb: 'it''s'"),
            ("a: {b: [x, \"y\" ], c: z}\n", "a.b.1", "q\"\\", "a: {b: [x, \"q\\\"\\\\\" ], c: z}\n"),
            ("---\na:\n  - b: x\n    c: y\n...\n", "a.0.c", "v1", "---\na:\n  - b: x\n    c: v1\n...\n"),
            ("a: 1.16\n", "a", "1.17", "a: \"1.17\"\n"),
            ("a: x\n", "a", "1.6.2", "a: 1.6.2\n"),
            ("a: x\n", "a", "v1.6.2-rc.1", "a: v1.6.2-rc.1\n"),
            ("a: x\n", "a", "oci://r.example/p", "a: oci://r.example/p\n"),
            ("a: x\n", "a", "digest=sha256:00", "a: digest=sha256:00\n"),
            ("a: x\n", "a", "", "a: \"\"\n"),
            ("a: x\n", "a", "no", "a: \"no\"\n"),
            ("a: x\n", "a", "2026-01-02", "a: \"2026-01-02\"\n"),
            ("a: x\n", "a", "1:20", "a: \"1:20\"\n"),
            ("a: x\n", "a", "- b: #", "a: \"- b: #\"\n"),
            ("a: 'x'\n", "a", "two\nlines", "a: \"two\\nlines\"\n"),
            ("? [k]\n: v\na: x\n", "a", "z", "? [k]\n: v\na: z\n"),
        ] {
            assert_eq!(replaced(text, key, value), expected, "{text:?}");
        }
    }

    #[test]
    fn says_why_not() {
        for (text, key, line, reason) in [
            ("a: 1\n", "b", 0, "there is no `b`"),
            ("a: 1\nb: 2\na: 3\n", "a", 3, "there twice"),
            ("a:\n  b: 1\n", "a", 1, "a map or a list"),
            ("a:\nb: 1\n", "a", 1, "has no value"),
            ("a: |\n  x\n", "a", 1, "a block of text"),
            ("a: &x 1\nb: *x\n", "a", 1, "anchor or a tag"),
            ("a: &x 1\nb: *x\n", "b", 2, "an alias"),
            ("a: !t 1\n", "a", 1, "anchor or a tag"),
            ("a: 1\n---\na: 2\n", "a", 2, "second YAML document"),
            ("a: 1\nb: [\n", "a", 2, "not readable as YAML"),
        ] {
            let fault = replace_scalar(text.as_bytes(), key, "v").unwrap_err();
            assert!(fault.line == line && fault.reason.contains(reason), "{text:?}: {fault:?}");
        }
        assert_eq!(replace_scalar(b"a: 1\nb: \xff\n", "a", "v").unwrap_err().line, 2);
    }

    #[test]
    fn adds_a_line_below_its_sibling() {
        for (text, expected) in [
            ("name: x\nversion: 1.2.3 # c\nd: e\n", "name: x\nversion: 1.2.3 # c\nappVersion: v1\nd: e\n"),
            ("version: \"1\"\r\nd: e\r\n", "version: \"1\"\r\nappVersion: v1\r\nd: e\r\n"),
            ("name: x\n\nversion: 1", "name: x\n\nversion: 1\nappVersion: v1"),
            ("  version: 1\n  d: e\n", "  version: 1\n  appVersion: v1\n  d: e\n"),
        ] {
            let found = insert_below(text.as_bytes(), "version", "appVersion", "v1").unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), expected);
        }
        let fault = insert_below(b"{version: 1, name: x}\n", "version", "appVersion", "v1").unwrap_err();
        assert!(fault.reason.contains("only a block map"), "{fault:?}");
    }
}
