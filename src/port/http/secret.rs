//! Passwords and tokens, in a type that can't be printed by accident.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

/// The shortest beginning of a secret that is taken for one.
const SHORTEST: usize = 6;

#[derive(Clone, PartialEq, Eq)]
pub(in crate::port) struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// A text without any of these secrets, however they are spelled: neither whole, nor cut at the text's end.
pub(in crate::port) fn redact<'a>(text: &str, secrets: impl IntoIterator<Item = &'a Secret>) -> String {
    let secrets: Vec<&str> = secrets.into_iter().map(Secret::expose).filter(|secret| !secret.is_empty()).collect();
    let text = secrets.iter().fold(text.to_owned(), |text, secret| without(&text, secret));
    // As they are first: a spelling of one may be a part of another.
    secrets.iter().flat_map(|secret| base64(secret)).fold(text, |text, spelled| without(&text, &spelled))
}

fn without(text: &str, secret: &str) -> String {
    let secret: Vec<Vec<String>> = secret.chars().map(spellings).collect();
    // What shows that a text was cut: a mark, or what is left of a character.
    let end = text.trim_end_matches(['…', char::REPLACEMENT_CHARACTER]);
    let (mut left, mut at) = (String::new(), 0);
    while let Some(next) = text[at..].chars().next() {
        match spelled(&text[at..], end.len().saturating_sub(at), &secret) {
            Some(length) => {
                left.push_str("<secret>");
                at += length;
            }
            None => {
                left.push(next);
                at += next.len_utf8();
            }
        }
    }
    left
}

/// How many bytes at the beginning of `text` are the secret, or its beginning up to the end of the text, which is
/// at `end`.
fn spelled(text: &str, end: usize, secret: &[Vec<String>]) -> Option<usize> {
    // A text may be read in several ways: `%25` is `%` in a URL, or the beginning of a secret `%25`.
    let mut reached = vec![0];
    for (matched, spellings) in secret.iter().enumerate() {
        let mut further = Vec::new();
        for &at in &reached {
            let rest = &text.as_bytes()[at..];
            let cut = end.checked_sub(at).map(|length| &rest[..length]);
            for (index, spelling) in spellings.iter().map(String::as_bytes).enumerate() {
                // Of the digits of an escape either case will do.
                let same = |a: &[u8], b: &[u8]| if index == 0 { a == b } else { a.eq_ignore_ascii_case(b) };
                if rest.get(..spelling.len()).is_some_and(|start| same(start, spelling)) {
                    further.push(at + spelling.len());
                }
                let within = |cut: &&[u8]| cut.len() < spelling.len() && same(cut, &spelling[..cut.len()]);
                if matched >= SHORTEST && cut.as_ref().is_some_and(within) {
                    return Some(end);
                }
            }
        }
        further.sort_unstable();
        further.dedup();
        reached = further;
        if reached.is_empty() {
            return None;
        }
    }
    reached.pop()
}

/// How a server may say one character back: as it is, in a URL or a form, in JSON, in JSON that is a text within
/// JSON, and in HTML.
fn spellings(c: char) -> Vec<String> {
    let mut bytes = [0; 4];
    let percent = c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut units = [0; 2];
    let json = c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    let mut all = vec![c.to_string(), percent, json, format!("&#{};", u32::from(c)), format!("&#x{:x};", u32::from(c))];
    let others: &[&str] = match c {
        ' ' => &["+"],
        '/' => &["\\/"],
        '\\' => &["\\\\"],
        '"' => &["\\\"", "&quot;"],
        '\'' => &["&apos;", "&#039;"],
        '&' => &["&amp;"],
        '<' => &["&lt;"],
        '>' => &["&gt;"],
        _ => &[],
    };
    all.extend(others.iter().map(|&other| other.to_owned()));
    let escaped = all.iter().filter(|spelling| spelling.contains('\\'));
    let within: Vec<String> = escaped.map(|json| json.replace('\\', r"\\").replace('"', r#"\""#)).collect();
    all.extend(within);
    all
}

/// What of a secret shows in base64 of something that holds it, at each of the three alignments. What is too short
/// to be told from other words is left out.
fn base64(secret: &str) -> Vec<String> {
    let mut all = Vec::new();
    for alphabet in [STANDARD, URL_SAFE] {
        let base64 = GeneralPurpose::new(&alphabet, NO_PAD);
        // So many bytes before it, of which the first characters are made in part.
        for (before, partly) in [(0, 0), (1, 2), (2, 3)] {
            let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
            // The last character may be made of what follows, too.
            let whole = bytes.len() * 8 / 6;
            all.extend(base64.encode(&bytes).get(partly..whole).map(str::to_owned));
        }
    }
    all.retain(|spelled| spelled != secret && spelled.len() >= SHORTEST);
    all.sort_unstable();
    all.dedup();
    all
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_printed() {
        assert_eq!(format!("{:?}", Some(Secret::new("hunter2"))), "Some(<secret>)");
    }

    #[test]
    fn is_taken_out_of_a_text_even_where_that_was_cut() {
        let secrets = [Secret::new("hunter2-and-more"), Secret::new(""), Secret::new("ünïcode-secret")];
        for (text, left) in [
            ("a hunter2-and-more b hunter2-and-more", "a <secret> b <secret>"),
            ("a hunter2-an…", "a <secret>…"),
            ("a hunter", "a <secret>"),
            ("a hunte… b", "a hunte… b"),
            ("hunt", "hunt"),
            ("ünïcode-s…", "<secret>…"),
            ("a hunter2-an\u{fffd}", "a <secret>\u{fffd}"),
            (r"a h\u0075nter2\u002da\u00", "a <secret>"),
            ("", ""),
        ] {
            assert_eq!(redact(text, &secrets), left, "{text}");
        }
    }

    #[test]
    fn is_taken_out_however_it_is_spelled() {
        let secret = "a/b+c=d~e f.hunter2";
        let secrets = [Secret::new(secret)];
        for (text, left) in [
            ("?t=a%2Fb%2Bc%3Dd~e%20f.hunter2&x", "?t=<secret>&x"),
            ("?t=a%2fb%2bc%3dd~e%20f.hunter2&x", "?t=<secret>&x"),
            ("t=a%2Fb%2Bc%3Dd%7Ee+f.hunter2&x", "t=<secret>&x"),
            (r#"{"t":"a\/b+c=d~e f.hunter2"}"#, r#"{"t":"<secret>"}"#),
            (r#"{"t":"a/b\u002Bc\u003dd~e f.hunter2"}"#, r#"{"t":"<secret>"}"#),
            (r#"{"error":"{\"t\":\"a\\/b\\u002bc=d~e f.hunter2\"}"}"#, r#"{"error":"{\"t\":\"<secret>\"}"}"#),
            ("<p>a&#x2F;b&#43;c=d~e f.hunter2</p>", "<p><secret></p>"),
            ("a%2Fb", "a%2Fb"),
        ] {
            assert_eq!(redact(text, &secrets), left, "{text}");
        }
        let marked = r#"<ä&"'\>"#;
        for text in [
            marked,
            r#"\u003c\u00e4\u0026\"'\\\u003e"#,
            r#"\u003Cä\u0026\u0022\u0027\\\u003E"#,
            r#"\\u003cä&\\\"'\\\\>"#,
            r#"&lt;ä&amp;&quot;&#39;\&gt;"#,
            r#"&#60;&#228;&amp;&#34;&apos;\&gt;"#,
            "%3C%C3%A4%26%22%27%5c%3e",
        ] {
            assert_eq!(redact(&format!("x{text}y"), &[Secret::new(marked)]), "x<secret>y", "{text}");
        }
        // What reads as an escape may be the secret's own.
        assert_eq!(redact("%257E %7E %25%37E", &[Secret::new("%7E")]), "<secret> <secret> <secret>");
        for alphabet in [STANDARD, URL_SAFE] {
            let base64 = GeneralPurpose::new(&alphabet, NO_PAD);
            for before in ["", "u", "us", "use", "user:"] {
                for after in ["", "!", "!!", "!!!"] {
                    let encoded = base64.encode(format!("{before}{secret}{after}"));
                    let left = redact(&encoded, &secrets);
                    assert!(left.contains("<secret>"), "{encoded}");
                    // What is left beside it holds what stands beside it, and no whole byte of the secret.
                    let beside: usize = left.split("<secret>").map(|part| part.len() * 6 / 8).sum();
                    assert!(beside <= before.len() + after.len() + 2, "{left}");
                }
            }
        }
        assert_eq!(redact("words that hold none", &[Secret::new("x")]), "words that hold none");
    }
}
