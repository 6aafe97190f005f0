//! Strings that a Go source puts together: literals and constants of the same file, joined by `+`.
//!
//! Source: the Go specification, "String literals" and "Constant declarations". A literal of its own is seen as
//! text; here is what takes more than one.

use std::collections::HashMap;
use std::ops::Range;

use super::seen::{Composed, head};

const WHY: &str = "a Go source puts it together of several strings";
/// Longer than any reference: what is longer is cut off.
const LONGEST: usize = 1_024;

pub(super) fn is_one(path: &[u8]) -> bool {
    path.ends_with(b".go")
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A literal without escapes: where it is between its quotes, and its text.
    Text(Range<usize>, &'a str),
    Name(Range<usize>, &'a str),
    Sign(u8),
}

/// Every sum of strings that is known from the file alone, in order.
pub(super) fn read(text: &str) -> Vec<Composed> {
    let tokens = tokens(text);
    let mut constants: HashMap<&str, String> = HashMap::new();
    let mut found = Vec::new();
    let mut next = 0;
    while next < tokens.len() {
        let (sum, after) = sum(&tokens, next, &constants);
        let Some(sum) = sum else {
            next = after;
            continue;
        };
        // `NAME = …`, `NAME := …` and `NAME string = …`: what a name stands for.
        let before = |back: usize| next.checked_sub(back).and_then(|at| tokens.get(at));
        let name = match (before(1), before(2), before(3)) {
            (Some(Token::Sign(b'=')), Some(Token::Sign(b':')), Some(Token::Name(_, name))) => Some(*name),
            (Some(Token::Sign(b'=')), Some(Token::Name(_, "string")), Some(Token::Name(_, name))) => Some(*name),
            (Some(Token::Sign(b'=')), Some(Token::Name(_, name)), _) => Some(*name),
            _ => None,
        };
        if let Some(name) = name {
            constants.insert(name, sum.text.clone());
        }
        if after > next + 1 {
            found.push(sum);
        }
        next = after;
    }
    found
}

/// The sum that begins at a token, and the token behind it.
fn sum(tokens: &[Token<'_>], start: usize, constants: &HashMap<&str, String>) -> (Option<Composed>, usize) {
    let (mut text, mut span, mut next) = (String::new(), None, start);
    loop {
        let (place, value) = match tokens.get(next) {
            Some(Token::Text(place, value)) => (place, *value),
            Some(Token::Name(place, name)) => match constants.get(name) {
                Some(value) => (place, value.as_str()),
                None => return (None, next + 1),
            },
            // Whatever begins on the way here ends here, too.
            _ => return (None, (next + 1).min(tokens.len()).max(start + 1)),
        };
        // A source may add a long constant up for ever.
        text.push_str(head(value, LONGEST.saturating_sub(text.len())));
        let from = span.map_or(place.start, |span: Range<usize>| span.start);
        span = Some(from..place.end);
        next += 1;
        match tokens.get(next) {
            Some(Token::Sign(b'+')) => next += 1,
            _ => return (span.map(|span| Composed { span, text, why: WHY }), next),
        }
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            _ if rest.starts_with(b"//") => at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            _ if rest.starts_with(b"/*") => {
                at += memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
            }
            b'`' => {
                let end = memchr::memchr(b'`', &rest[1..]).map_or(bytes.len(), |end| at + 1 + end);
                found.extend(text.get(at + 1..end).map(|value| Token::Text(at + 1..end, value)));
                at = end + 1;
            }
            b'"' | b'\'' => {
                let (end, plain) = literal(bytes, at);
                let value = text.get(at + 1..end).filter(|_| plain && byte == b'"');
                found.push(value.map_or(Token::Sign(b'?'), |value| Token::Text(at + 1..end, value)));
                at = end + 1;
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                found.push(Token::Name(at..at + length, &text[at..at + length]));
                at += length;
            }
            _ => {
                if !byte.is_ascii_whitespace() {
                    found.push(Token::Sign(byte));
                }
                at += 1;
            }
        }
    }
    found
}

/// Where an interpreted literal ends, and whether it has no escapes. One that isn't closed ends with its line.
fn literal(bytes: &[u8], start: usize) -> (usize, bool) {
    let (quote, mut at, mut plain) = (bytes[start], start + 1, true);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                plain = false;
                at += 1;
            }
            b'\n' => return (at, false),
            _ if byte == quote => return (at, plain),
            _ => {}
        }
        at += 1;
    }
    (bytes.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_literals_and_constants_are_known() {
        let text = "package x\n// a = \"no\" + \"no\"\n/* \"no\" + \"no\" */\nconst (\n\tregistry = \"ghcr.io/o\"\n\
                    \ttag string = `v1`\n)\nvar image = registry + \"/a:\" +\n\ttag\nvar no = f() + \"x\"\n\
                    x := \"q\" + \"\\n\"\ny := \"it's \\\"\" // \"\nz := registry + '/' + \"b\"\n";
        let found: Vec<(&str, String)> =
            read(text).into_iter().map(|found| (&text[found.span.clone()], found.text)).collect();
        assert_eq!(found, [("registry + \"/a:\" +\n\ttag", "ghcr.io/o/a:v1".to_owned())]);
    }

    #[test]
    fn a_long_constant_is_cut_wherever_it_is_added() {
        let text =
            format!("const a = \"{}\"\nvar b = {}a\nvar c = \"ü\" + a\n", "ä".repeat(100_000), "a + ".repeat(1_000));
        let found = read(&text);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|found| (LONGEST - 1..=LONGEST).contains(&found.text.len())));
    }

    #[test]
    fn what_never_closes_ends() {
        for text in ["\"", "`", "/*", "'", "\"\\", "a := \"x\n\" + \"y\"", "ä \"ö"] {
            read(text);
        }
    }
}
