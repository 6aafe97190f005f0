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
    let text = secrets.iter().fold(text.to_owned(), |text, secret| without(text, secret));
    // As they are first: a spelling of one may be a part of another.
    secrets.iter().flat_map(|secret| spellings(secret)).fold(text, |text, spelled| without(text, &spelled))
}

fn without(text: String, secret: &str) -> String {
    const PLACE: &str = "<secret>";
    let text = text.replace(secret, PLACE);
    let end = text.trim_end_matches('…');
    let starts = secret.char_indices().map(|(at, _)| at).filter(|at| *at >= SHORTEST).rev();
    match starts.filter_map(|at| secret.get(..at)).find(|start| end.ends_with(start)) {
        Some(cut) => format!("{}{PLACE}{}", &end[..end.len() - cut.len()], &text[end.len()..]),
        None => text,
    }
}

/// How else a server may say a secret back: in a URL, in JSON that escapes slashes, or in base64 of something
/// that holds it, whichever of its three alignments that gives. A spelling that is the secret itself, or too
/// short to be told from other words, is left out.
fn spellings(secret: &str) -> Vec<String> {
    let percent = |byte: u8, upper: bool| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => char::from(byte).to_string(),
        byte if upper => format!("%{byte:02X}"),
        byte => format!("%{byte:02x}"),
    };
    let mut all: Vec<String> =
        [true, false].map(|upper| secret.bytes().map(|byte| percent(byte, upper)).collect()).into();
    all.push(secret.replace('/', "\\/"));
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
            (r#"{"t":"a\/b+c=d~e f.hunter2"}"#, r#"{"t":"<secret>"}"#),
        ] {
            assert_eq!(redact(text, &secrets), left, "{text}");
        }
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
