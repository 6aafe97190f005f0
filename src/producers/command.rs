//! Simple commands of a script (POSIX, "Simple Commands"), and what a script knows while it runs.

use super::branches::Branches;
use super::hole::{HOLE, HOLE_TEXT, join};
use super::lex::Token;
use super::shell::Shell;

/// A simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    /// Where it begins in the script.
    pub at: usize,
    pub words: Vec<String>,
    /// Assignments in front of it.
    pub environment: Vec<(String, String)>,
    /// Files that its output goes to.
    pub outputs: Vec<(usize, String)>,
    /// Where it runs, in the repository; a hole where that isn't known.
    pub directory: String,
}

/// What a script knows: where it is, and its variables.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub directory: String,
    pub(super) variables: Vec<(String, Vec<String>)>,
    /// Values of loop variables.
    pub(super) fixed: Vec<(String, String)>,
    /// The branches around what is being read, the innermost last.
    pub(super) branches: Vec<Branches>,
}

impl State {
    pub(super) fn new(directory: &str) -> Self {
        Self { directory: directory.to_owned(), ..Self::default() }
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        let known = self.variables.iter_mut().find(|(known, _)| known == name);
        if let Some(branches) = self.branches.last_mut() {
            branches.set(name, known.is_none());
        }
        match known {
            // Which of two assignments was the last may hang on a condition.
            Some((_, values)) if values.len() < 8 => values.push(value),
            Some((_, values)) => *values = vec![HOLE_TEXT.to_owned()],
            None => self.variables.push((name.to_owned(), vec![value])),
        }
    }
}

impl Shell<'_> {
    pub(super) fn simple(&mut self, tokens: &[Token<'_>], state: &mut State, depth: usize) {
        let mut command = Command { directory: state.directory.clone(), at: usize::MAX, ..Command::default() };
        let mut tokens = tokens.iter();
        while let Some(token) = tokens.next() {
            match token {
                Token::Break(_) => {}
                Token::Redirect(writes, at) => {
                    command.at = command.at.min(*at);
                    if let (Some(Token::Word(word, _)), true) = (tokens.next(), writes) {
                        let file = self.word(word, *at, state, depth);
                        command.outputs.push((*at, file));
                    }
                }
                Token::Word(word, at) => {
                    command.at = command.at.min(*at);
                    match assigned(word).filter(|_| command.words.is_empty()) {
                        Some((name, value)) => {
                            let value = self.word(value, *at, state, depth);
                            command.environment.push((name.to_owned(), value));
                        }
                        None => {
                            let value = self.word(word, *at, state, depth);
                            // A variable without quotes may be several words, or none.
                            match word.starts_with('$') && !value.contains(HOLE) {
                                true => command.words.extend(value.split_ascii_whitespace().map(str::to_owned)),
                                false => command.words.push(value),
                            }
                        }
                    }
                }
            }
        }
        self.builtin(&command, state);
        let (program, rest) =
            command.words.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
        let name = program.rsplit('/').next().unwrap_or_default();
        if matches!(name, "sh" | "bash" | "dash")
            && let Some(script) = rest.iter().position(|word| word == "-c").and_then(|at| rest.get(at + 1))
            && self.may_enter(depth)
        {
            let mut inner = State::new(&command.directory);
            inner.fixed.extend(command.environment.iter().cloned());
            let from = self.commands.len();
            self.script(script, 0, &mut inner, depth + 1);
            self.commands[from..].iter_mut().for_each(|inner| inner.at = command.at);
        }
        if !command.words.is_empty() || !command.outputs.is_empty() {
            self.commands.push(command);
        }
    }

    /// What changes the script itself: `cd`, and assignments.
    fn builtin(&mut self, command: &Command, state: &mut State) {
        match command.words.first().map(String::as_str) {
            None => {
                for (name, value) in &command.environment {
                    state.set(name, value.clone());
                }
            }
            Some("export" | "local" | "readonly" | "declare") => {
                for word in &command.words[1..] {
                    if let Some((name, value)) = assigned(word) {
                        state.set(name, value.to_owned());
                    }
                }
            }
            Some("cd" | "pushd") => {
                let to = command.words.iter().skip(1).find(|word| !word.starts_with('-') && *word != "--");
                let path = to.and_then(|to| join(&state.directory, to));
                state.directory = path.unwrap_or_else(|| HOLE_TEXT.to_owned());
            }
            Some("popd") => state.directory = HOLE_TEXT.to_owned(),
            Some("read") => command.words[1..].iter().for_each(|name| state.set(name, HOLE_TEXT.to_owned())),
            Some(_) => {}
        }
    }
}

/// Takes `NAME=value` apart.
fn assigned(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let mut bytes = name.bytes();
    let first = bytes.next()?;
    let plain = (first.is_ascii_alphabetic() || first == b'_') && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain.then_some((name, value))
}
