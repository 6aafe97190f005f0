//! JSON as Go's `encoding/json` spells it: compact, with `&`, `<`, `>`, U+2028 and U+2029 escaped.

use serde::Serialize;

/// The bytes, without a newline at the end. Keys come in the order the value has them.
///
/// serde_json agrees with Go on everything else: control characters as `\u00xx` in lower-case
/// hex or by their short name, `/` and 0x7f as they are. The five escaped here occur inside
/// strings only.
pub(super) fn compact<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let text = serde_json::to_string(value)?;
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("\\u0026"),
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    Ok(out.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_go_escapes() {
        for (text, expected) in [
            ("a&b<c>d", r#""a\u0026b\u003cc\u003ed""#),
            ("\u{2028}\u{2029}", r#""\u2028\u2029""#),
            ("\"\\/", r#""\"\\/""#),
            ("\u{8}\u{c}\n\r\t", r#""\b\f\n\r\t""#),
            ("\0\u{1b}\u{1f}\u{7f}", "\"\\u0000\\u001b\\u001f\u{7f}\""),
            ("é日\u{fffd}😀", "\"é日\u{fffd}😀\""),
            ("", r#""""#),
        ] {
            assert_eq!(compact(&text).unwrap(), expected.as_bytes(), "{text:?}");
        }
    }
}
