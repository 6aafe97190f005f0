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
                let end = word(bytes, at);
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

/// Where a word ends that begins at a place.
fn word(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut double = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => double = !double,
            b'\'' if !double => {
                at = memchr::memchr(b'\'', &bytes[at + 1..]).map_or(bytes.len(), |close| at + 1 + close)
            }
            b'`' => at = memchr::memchr(b'`', &bytes[at + 1..]).map_or(bytes.len(), |close| at + 1 + close),
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                at = nested_bytes(bytes, at + 1);
                continue;
            }
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                at = memchr::memchr(b'}', &bytes[at..]).map_or(bytes.len(), |close| at + close);
            }
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>' if !double => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Where the bracket at a place of a text is closed, and one further.
pub(super) fn nested(text: &str, open: usize) -> usize {
    nested_bytes(text.as_bytes(), open)
}

fn nested_bytes(bytes: &[u8], open: usize) -> usize {
    let (mut at, mut depth, mut double) = (open, 0_usize, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => double = !double,
            b'\'' if !double => {
                at = memchr::memchr(b'\'', &bytes[at + 1..]).map_or(bytes.len(), |close| at + 1 + close)
            }
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
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
    fn what_is_open_ends_with_the_script() {
        for script in ["'a", "\"a", "`a", "$(a", "${a", "a\\", "<<", "<<E\na", "\u{fffd}'é"] {
            lex(script, 0);
        }
    }
}
