//! Passwords and tokens, in a type that can't be printed by accident.

use std::fmt;

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

/// A text without any of these secrets: neither whole, nor cut at the text's end.
pub(in crate::port) fn redact<'a>(text: &str, secrets: impl IntoIterator<Item = &'a Secret>) -> String {
    const PLACE: &str = "<secret>";
    let mut text = text.to_owned();
    for Secret(secret) in secrets {
        if secret.is_empty() {
            continue;
        }
        text = text.replace(secret, PLACE);
        let end = text.trim_end_matches('…');
        let starts = secret.char_indices().map(|(at, _)| at).filter(|at| *at >= SHORTEST).rev();
        if let Some(cut) = starts.filter_map(|at| secret.get(..at)).find(|start| end.ends_with(start)) {
            text = format!("{}{PLACE}{}", &end[..end.len() - cut.len()], &text[end.len()..]);
        }
    }
    text
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
}
