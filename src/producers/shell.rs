//! Recipes as shell: the simple commands in a script, with their words as far as these are known.
//!
//! This is the part of POSIX's shell grammar that recipes use. Every branch is taken; a loop over a known list
//! is run once for each value, any other once with a hole.

use super::hole::{Budget, HOLE, HOLE_TEXT, is_known, join, merge};
use super::lex::{Token, expansion, lex};

/// How deep substitutions and loops may be nested, and over how many values a loop is run.
const DEPTH: usize = 8;
const VALUES: usize = 64;

/// More commands than this are not taken from one line.
const COMMANDS: usize = 4000;

/// What a command costs of the budget, beside its letters.
const COST: usize = 200;

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
    variables: Vec<(String, Vec<String>)>,
    /// Values of loop variables.
    fixed: Vec<(String, String)>,
}

impl State {
    pub(super) fn new(directory: &str) -> Self {
        Self { directory: directory.to_owned(), ..Self::default() }
    }

    fn set(&mut self, name: &str, value: String) {
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            // Which of two assignments was the last may hang on a condition.
            Some((_, values)) if values.len() < 8 => values.push(value),
            Some((_, values)) => *values = vec![HOLE_TEXT.to_owned()],
            None => self.variables.push((name.to_owned(), vec![value])),
        }
    }
}

/// Runs through a script. `environment` gives the values of variables that make exports.
pub(super) struct Shell<'a> {
    pub budget: &'a Budget,
    pub environment: &'a mut dyn FnMut(&str) -> String,
    pub commands: Vec<Command>,
    /// Whether something lies deeper than is read.
    deep: bool,
}

impl<'a> Shell<'a> {
    pub(super) fn new(budget: &'a Budget, environment: &'a mut dyn FnMut(&str) -> String) -> Self {
        Self { budget, environment, commands: Vec::new(), deep: false }
    }

    /// Whether there was more than is read: more commands, or deeper ones.
    pub(super) fn is_cut(&self) -> bool {
        self.is_full() || self.deep
    }

    fn is_full(&self) -> bool {
        self.commands.len() >= COMMANDS
    }

    pub(super) fn run(&mut self, script: &str, state: &mut State) {
        self.script(script, 0, state, 0);
    }

    fn script(&mut self, script: &str, offset: usize, state: &mut State, depth: usize) {
        if self.budget.take(script.len()) {
            let tokens = lex(script, offset);
            self.list(&tokens, state, depth);
        }
    }

    /// Whether what is nested here is read, too.
    fn may_enter(&mut self, depth: usize) -> bool {
        self.deep |= depth >= DEPTH;
        depth < DEPTH
    }

    fn list(&mut self, tokens: &[Token<'_>], state: &mut State, depth: usize) {
        let mut outer: Vec<State> = Vec::new();
        let mut at = 0;
        while at < tokens.len() && !self.is_full() && self.budget.take(COST) {
            match &tokens[at] {
                Token::Break('(') => outer.push(state.clone()),
                Token::Break(')') => {
                    if let Some(before) = outer.pop() {
                        *state = before;
                    }
                }
                Token::Break(_) => {}
                Token::Word(word, _) if RESERVED.contains(word) => {}
                Token::Word("for", _) if self.may_enter(depth) => {
                    if let Some(end) = self.each(&tokens[at..], state, depth) {
                        at += end;
                        continue;
                    }
                }
                _ => {
                    let end = tokens[at..].iter().position(|token| matches!(token, Token::Break(_)));
                    let end = end.map_or(tokens.len(), |end| at + end);
                    self.simple(&tokens[at..end], state, depth);
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Runs `for NAME in WORDS; do …; done`; answers with how many tokens that is.
    fn each(&mut self, tokens: &[Token<'_>], state: &mut State, depth: usize) -> Option<usize> {
        let [_, Token::Word(name, _), Token::Word("in", _), rest @ ..] = tokens else { return None };
        // Its end is looked for among all that is left.
        self.budget.take(rest.len());
        let until = rest.iter().position(|token| matches!(token, Token::Break(_)))?;
        let body = rest.iter().position(|token| matches!(token, Token::Word("do", _)))? + 1;
        let mut open = 1;
        let length = rest[body..].iter().position(|token| {
            match token {
                Token::Word("do", _) => open += 1,
                Token::Word("done", _) => open -= 1,
                _ => {}
            }
            open == 0
        })?;
        let mut values = Vec::new();
        for token in &rest[..until] {
            let Token::Word(word, at) = token else { continue };
            let value = self.word(word, *at, state, depth);
            if word.starts_with(['"', '\'']) {
                values.push(value);
            } else {
                values.extend(value.split_ascii_whitespace().map(str::to_owned));
            }
        }
        let known = |value: &String| is_known(value) && !value.contains(['*', '?', '[']);
        if values.len() > VALUES || !values.iter().all(known) {
            values = vec![HOLE_TEXT.to_owned()];
        }
        for value in values.into_iter().take_while(|_| !self.budget.is_spent()) {
            state.fixed.push(((*name).to_owned(), value));
            self.list(&rest[body..body + length], state, depth + 1);
            state.fixed.pop();
        }
        Some(3 + body + length + 1)
    }

    fn simple(&mut self, tokens: &[Token<'_>], state: &mut State, depth: usize) {
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

    /// A word's value: quotes removed, variables put in, commands run for what they do.
    fn word(&mut self, raw: &str, at: usize, state: &mut State, depth: usize) -> String {
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

/// Words of the grammar, not commands: what is between them is read whatever they say.
const RESERVED: [&str; 12] = ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!"];

/// Takes `NAME=value` apart.
fn assigned(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let mut bytes = name.bytes();
    let first = bytes.next()?;
    let plain = (first.is_ascii_alphabetic() || first == b'_') && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain.then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(script: &str) -> Vec<Command> {
        let budget = Budget::new(1_000_000);
        let mut environment = |name: &str| if name == "NAME" { "api".to_owned() } else { HOLE_TEXT.to_owned() };
        let mut shell = Shell::new(&budget, &mut environment);
        shell.run(script, &mut State::new("packages/a/b"));
        shell.commands
    }

    fn words(script: &str) -> Vec<String> {
        commands(script).iter().map(|command| command.words.join(" ").replace(HOLE, "?")).collect()
    }

    #[test]
    fn words_are_taken_apart_as_a_shell_does() {
        for (script, expected) in [
            ("a 'b c' \"d $NAME\" e\\ f", vec!["a b c d api e f"]),
            ("X=1 a && b || c; d | e & f", vec!["a", "b", "c", "d", "e", "f"]),
            ("a # b", vec!["a"]),
            ("a#b \\\n c", vec!["a#b c"]),
            ("if a; then b; else c; fi", vec!["a", "b", "c"]),
            ("for i in x y; do a $i; b \"$i.$UNKNOWN\"; done; c", vec!["a x", "b x.?", "a y", "b y.?", "c"]),
            ("for i in $(ls); do a $i; done", vec!["ls", "a ?"]),
            ("for i in *.json; do a $i; done", vec!["a ?"]),
            ("for i in a b; do for j in c d; do e $i$j; done; done", vec!["e ac", "e ad", "e bc", "e bd"]),
            ("V=x; a $V ${V} ${V:-y} $1", vec!["a x x ? ?"]),
            ("V=x; V=y; a $V", vec!["a ?"]),
            ("a \"$(b 'c)')\" `d`", vec!["b c)", "d", "a ? ?"]),
            ("sh -c 'a; b'", vec!["a", "b", "sh -c a; b"]),
            ("(cd ../c && a); b", vec!["cd ../c", "a", "b"]),
            ("a <<EOF\nnot this\nEOF\nb", vec!["a", "b"]),
            ("'open", vec!["open"]),
            ("$(open", vec!["open", "?"]),
            ("", vec![]),
        ] {
            assert_eq!(words(script), expected, "{script}");
        }
    }

    #[test]
    fn output_and_directories_are_known() {
        let all = commands("cd ../c && echo x > images/a.tag 2>/dev/null >> b.tag <in; (cd d; e); f >&2; cd $X; g");
        let outputs: Vec<_> = all[1].outputs.iter().map(|(_, file)| file.as_str()).collect();
        assert_eq!(outputs, ["images/a.tag", "/dev/null", "b.tag"]);
        assert_eq!(all[1].words, ["echo", "x"]);
        let directories: Vec<_> = all.iter().map(|command| command.directory.as_str()).collect();
        assert_eq!(
            directories[1..].to_vec(),
            ["packages/a/c", "packages/a/c", "packages/a/c/d", "packages/a/c", "packages/a/c", "\u{fffd}"]
        );
        assert!(all[4].outputs.is_empty());
    }
}
