//! Words of a script (POSIX, "Word Expansions"): quotes removed, variables put in, commands run for what they do.

use super::command::State;
use super::hole::{HOLE, is_known, merge};
use super::lex::expansion;
use super::shell::Shell;

impl Shell<'_> {
    /// A word's value: quotes removed, variables put in, commands run for what they do.
    pub(super) fn word(&mut self, raw: &str, at: usize, state: &mut State, depth: usize) -> String {
        let mut value = String::with_capacity(raw.len());
        let mut rest = raw;
        let mut double = false;
        while let Some(c) = rest.chars().next() {
            let mut end = c.len_utf8();
            match c {
                '\'' if !double => {
                    end = rest[1..].find('\'').map_or(rest.len(), |close| close + 2);
                    value.push_str(rest[1..end].trim_end_matches('\''));
                }
                '"' => double = !double,
                '\\' => {
                    let next = rest[1..].chars().next();
                    end += next.map_or(0, char::len_utf8);
                    match next {
                        Some('\n') | None => {}
                        Some(next) if double && !matches!(next, '"' | '\\' | '$' | '`') => value.extend(['\\', next]),
                        Some(next) => value.push(next),
                    }
                }
                '`' => {
                    end = expansion(rest);
                    let inner = &rest[1..end];
                    self.substitution(inner.strip_suffix('`').unwrap_or(inner), at, state, depth);
                    value.push(HOLE);
                }
                '$' => end = self.dollar(rest, at, state, depth, &mut value),
                _ => value.push(c),
            }
            rest = &rest[end..];
        }
        value
    }

    /// Puts in what a `$` stands for; answers with how long it is.
    fn dollar(&mut self, rest: &str, at: usize, state: &mut State, depth: usize, value: &mut String) -> usize {
        let name_of = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        match rest.as_bytes().get(1) {
            Some(b'(') => {
                let end = expansion(rest);
                let inner = rest.get(2..end).unwrap_or_default();
                let inner = inner.strip_suffix(')').unwrap_or(inner);
                self.substitution(inner, at, state, depth);
                if inner.trim() == "pwd" && is_known(&state.directory) {
                    value.push('.');
                } else {
                    value.push(HOLE);
                }
                end
            }
            Some(b'{') => {
                let end = expansion(rest);
                let inner = rest.get(2..end).unwrap_or_default();
                let inner = inner.strip_suffix('}').unwrap_or(inner);
                match name_of(inner) == inner.len() {
                    true => value.push_str(&self.variable(inner, state)),
                    false => value.push(HOLE),
                }
                end
            }
            Some(first) if first.is_ascii_alphabetic() || *first == b'_' => {
                let length = name_of(&rest[1..]);
                value.push_str(&self.variable(&rest[1..1 + length], state));
                1 + length
            }
            Some(first) if first.is_ascii_digit() || b"@*#?$!-".contains(first) => {
                value.push(HOLE);
                2
            }
            _ => {
                value.push('$');
                1
            }
        }
    }

    fn variable(&mut self, name: &str, state: &State) -> String {
        if let Some((_, value)) = state.fixed.iter().rev().find(|(known, _)| known == name) {
            return value.clone();
        }
        match state.variables.iter().find(|(known, _)| known == name) {
            Some((_, values)) => merge(values),
            None => (self.environment)(name),
        }
    }

    fn substitution(&mut self, script: &str, at: usize, state: &State, depth: usize) {
        if self.may_enter(depth) {
            let from = self.commands.len();
            self.script(script, 0, &mut state.clone(), depth + 1);
            self.commands[from..].iter_mut().for_each(|inner| inner.at = at);
        }
    }
}
