//! A script's words, operators and redirections (POSIX, "Token Recognition"), comments and here-documents left out.

/// A part of a script.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'s> {
    Word(&'s str, usize),
    /// `;`, `&&`, `||`, `|`, `&`, `(`, `)` or a line's end.
    Break(char),
    /// `>` and its kin, with the place of the operator; `true` where what follows is a file written to.
    Redirect(bool, usize),
}

/// A script's tokens; `offset` is added to their places.
pub(super) fn lex(script: &str, offset: usize) -> Vec<Token<'_>> {
    let bytes = script.as_bytes();
    let mut tokens = Vec::new();
    let mut here: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'\\' if next == Some(&b'\n') => at += 2,
            b'\n' => {
                tokens.push(Token::Break(';'));
                at += 1;
                for end in here.drain(..) {
                    at = heredoc(script, at, end);
                }
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'#' => at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline),
            b';' | b'|' | b'(' | b')' => {
                tokens.push(Token::Break(char::from(byte)));
                at += 1;
            }
            b'&' if next == Some(&b'>') => {
                tokens.push(Token::Redirect(true, offset + at));
                at += 2;
                at += usize::from(bytes.get(at) == Some(&b'>'));
            }
            b'&' => {
                tokens.push(Token::Break('&'));
                at += 1;
            }
            b'>' | b'<' => {
                let length = bytes[at..].iter().take_while(|b| matches!(b, b'>' | b'<' | b'|' | b'&')).count();
                let operator = &script[at..at + length];
                tokens.push(Token::Redirect(byte == b'>' && !operator.contains('&'), offset + at));
                at += length;
                if operator == "<<" {
                    let end = script[at..].trim_start_matches(['-', ' ']);
                    here.extend(end.split(|c: char| c.is_whitespace() || c == ';').next());
                }
            }
            _ => {
                let end = outside(bytes, at, ends_a_word);
                let text = &script[at..end];
                // `2>` is a redirection of errors, not a word.
                let descriptor =
                    text.bytes().all(|b| b.is_ascii_digit()) && matches!(bytes.get(end), Some(b'>' | b'<'));
                if !descriptor {
                    tokens.push(Token::Word(text, offset + at));
                }
                at = end;
            }
        }
    }
    tokens
}

/// Whether a byte ends a word that isn't quoted.
fn ends_a_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>')
}

/// Where the expansion that a text begins with ends: `$(…)`, `${…}` or `` `…` ``.
pub(super) fn expansion(text: &str) -> usize {
    let mut begun = false;
    // The first byte that stands outside is the one after it.
    outside(text.as_bytes(), 0, |_| std::mem::replace(&mut begun, true))
}

/// The first place from `start` where a byte stands outside of quotes and expansions, and fits. All quoting is here
/// (POSIX, "Quoting" and "Word Expansions"): what is open is kept on a stack, so that no depth is too deep.
fn outside(bytes: &[u8], start: usize, mut fits: impl FnMut(u8) -> bool) -> usize {
    // What closes each thing that is open.
    let mut open: Vec<u8> = Vec::new();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let inner = open.last().copied();
        if inner.is_none() && fits(byte) {
            return at;
        }
        match byte {
            b'\\' => at += 1,
            _ if inner == Some(byte) => {
                open.pop();
            }
            b'\'' if inner != Some(b'"') => {
                at = memchr::memchr(b'\'', &bytes[at + 1..]).map_or(bytes.len(), |close| at + 1 + close)
            }
            b'"' | b'`' => open.push(byte),
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                open.push(b')');
                at += 1;
            }
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                open.push(b'}');
                at += 1;
            }
            b'(' if inner == Some(b')') => open.push(b')'),
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Where the lines of a here-document end.
fn heredoc(script: &str, start: usize, end: &str) -> usize {
    let end = end.trim_matches(['"', '\'']);
    let mut at = start;
    for line in script[start..].split_inclusive('\n') {
        at += line.len();
        if line.trim() == end {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_places() {
        let tokens = lex("a 'b c' >x 2>&1; # d\n$(e; f)g", 10);
        let words: Vec<_> = tokens
            .iter()
            .map(|token| match token {
                Token::Word(text, at) => format!("{text}@{at}"),
                Token::Break(c) => c.to_string(),
                Token::Redirect(writes, at) => format!("{}@{at}", if *writes { ">" } else { "-" }),
            })
            .collect();
        assert_eq!(words, ["a@10", "'b c'@12", ">@18", "x@19", "-@22", "1@24", ";", ";", "$(e; f)g@31"]);
    }

    #[test]
    fn quotes_nest_in_expansions() {
        for (word, rest) in [
            ("$(a \")\" b)c", " d"),
            ("\"$(a \"b c\")\"", " d"),
            ("`a ')' \\` b`", ";d"),
            ("${a:-\"} x\"}", "\td"),
            ("a\"b $(c (d) ')' `e )` )f\"'g h'", "|d"),
            ("\"it's\"", " d"),
        ] {
            let script = format!("{word}{rest}");
            assert!(matches!(lex(&script, 0).first(), Some(Token::Word(first, 0)) if *first == word), "{script}");
        }
        assert_eq!(expansion("$(a \")\")b)"), 8);
        assert_eq!(expansion("${a}b}"), 4);
        assert_eq!(expansion("`a`b`"), 3);
        assert_eq!(expansion("$(a"), 3);
    }

    #[test]
    fn what_is_open_ends_with_the_script() {
        for script in ["'a", "\"a", "`a", "$(a", "${a", "a\\", "<<", "<<E\na", "\u{fffd}'é"] {
            lex(script, 0);
        }
    }
}
