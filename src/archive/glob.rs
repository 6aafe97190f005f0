//! One path component against one pattern, as Go's `filepath.Match` does on Unix.
//!
//! `*` is any run without `/`, `?` one character but `/`, `[a-z]` and `[^a-z]` a class, `\x`
//! the character x. A character is a UTF-8 one; an invalid byte counts as one. `[!a]` is not
//! a negation. A malformed pattern (an unclosed class, `]` or `-` where a range starts, a
//! trailing `\`) matches nothing: [`Glob::new`] says so.

/// What an undecodable byte reads as, in Go.
const INVALID: u32 = 0xFFFD;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Byte(u8),
    Any,
    Star,
    Class { negated: bool, ranges: Vec<(u32, u32)> },
}

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Vec<Token>);

impl Glob {
    /// `None`: the pattern is malformed.
    pub(super) fn new(pattern: &[u8]) -> Option<Self> {
        let mut tokens = Vec::new();
        let mut rest = pattern;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            tokens.push(match byte {
                b'*' => Token::Star,
                b'?' => Token::Any,
                b'[' => class(&mut rest)?,
                b'\\' => {
                    let (&escaped, tail) = rest.split_first()?;
                    rest = tail;
                    Token::Byte(escaped)
                }
                byte => Token::Byte(byte),
            });
        }
        Some(Self(tokens))
    }

    pub(super) fn matches(&self, name: &[u8]) -> bool {
        let (mut token, mut at) = (0, 0);
        // Where to go on when what follows the last star fails: after it, one byte later.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let rest = name.get(at..).unwrap_or_default();
            let step = match self.0.get(token) {
                None if rest.is_empty() => return true,
                None => None,
                Some(Token::Star) => {
                    retry = Some((token + 1, at));
                    Some(0)
                }
                Some(single) => single.take(rest),
            };
            if let Some(length) = step {
                (token, at) = (token + 1, at + length);
                continue;
            }
            match retry {
                Some((after, from)) if name.get(from).is_some_and(|&b| b != b'/') => {
                    retry = Some((after, from + 1));
                    (token, at) = (after, from + 1);
                }
                _ => return false,
            }
        }
    }
}

impl Token {
    /// How many bytes of `rest` the token takes; `None` when it doesn't fit.
    fn take(&self, rest: &[u8]) -> Option<usize> {
        let &first = rest.first()?;
        match self {
            Self::Byte(byte) => (first == *byte).then_some(1),
            Self::Any => (first != b'/').then(|| decode(rest).1),
            Self::Class { negated, ranges } => {
                let (character, length) = decode(rest);
                let inside = ranges.iter().any(|&(low, high)| (low..=high).contains(&character));
                (inside != *negated).then_some(length)
            }
            Self::Star => Some(0),
        }
    }
}

/// A class, read up to and with its `]`.
fn class(rest: &mut &[u8]) -> Option<Token> {
    let negated = rest.first() == Some(&b'^');
    if negated {
        *rest = rest.get(1..)?;
    }
    let mut ranges = Vec::new();
    loop {
        if !ranges.is_empty() && rest.first() == Some(&b']') {
            *rest = rest.get(1..)?;
            return Some(Token::Class { negated, ranges });
        }
        let low = bound(rest)?;
        let mut high = low;
        if rest.first() == Some(&b'-') {
            *rest = rest.get(1..)?;
            high = bound(rest)?;
        }
        ranges.push((low, high));
    }
}

/// One end of a range, maybe escaped. Something must follow it.
fn bound(rest: &mut &[u8]) -> Option<u32> {
    if matches!(rest.first()?, b'-' | b']') {
        return None;
    }
    if rest.first() == Some(&b'\\') {
        *rest = rest.get(1..)?;
    }
    rest.first()?;
    let (character, length) = decode(rest);
    if character == INVALID && length == 1 {
        return None;
    }
    *rest = rest.get(length..)?;
    (!rest.is_empty()).then_some(character)
}

/// The first character and its length in bytes; an invalid byte is [`INVALID`], one long.
fn decode(bytes: &[u8]) -> (u32, usize) {
    for length in 1..=bytes.len().min(4) {
        if let Some(character) =
            bytes.get(..length).and_then(|b| std::str::from_utf8(b).ok()).and_then(|text| text.chars().next())
        {
            return (character.into(), length);
        }
    }
    (INVALID, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: impl AsRef<[u8]>) -> bool {
        Glob::new(pattern.as_bytes()).is_some_and(|glob| glob.matches(name.as_ref()))
    }

    #[test]
    fn matches_as_go_does() {
        for (pattern, name, expected) in [
            ("*.png", "a.png", true),
            ("*.png", ".png", true),
            ("*.png", "a.PNG", false),
            ("*.tar.gz", "a.tar.gz.tar.gz", true),
            ("*.tar.gz", "a.tar.gz.txt", false),
            ("a*b*c", "axxbxxc", true),
            ("a*b*c", "axxcxxb", false),
            ("a**b", "a-b", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("*", "a/b", false),
            ("a/*", "a/b", true),
            ("a?c", "a/c", false),
            ("?", "é", true),
            ("??", "é", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[^a-c]x", "dx", true),
            ("[!a]x", "bx", false),
            ("[!a]x", "!x", true),
            ("[é-ü]", "ö", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            (r"[\]]", "]", true),
            (r"[\-x]", "-", true),
            ("[a-]", "a", false),
            ("[-a]", "a", false),
            ("[]a]", "a", false),
            ("[a", "a", false),
            ("[", "[", false),
            ("a\\", "a", false),
            ("[]*]", "x", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn an_invalid_byte_is_one_character() {
        assert!(matches("a?b", b"a\xffb"));
        assert!(matches("a[^x]b", b"a\xffb"));
        assert!(!matches("a?b", b"a\xff\xfeb"));
        assert!(Glob::new(b"[\xff]").is_none());
    }
}
