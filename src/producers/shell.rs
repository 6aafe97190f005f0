//! Recipes as shell: the simple commands in a script, with their words as far as these are known.
//!
//! This is the part of POSIX's shell grammar that recipes use: lists and loops here, simple commands in
//! [`super::command`], their words in [`super::word`]. Every branch is taken; a loop over a known list is run once
//! for each value, any other once with a hole.

use super::budget::Budget;
use super::command::{Command, State};
use super::hole::{HOLE_TEXT, is_known};
use super::lex::{Token, lex};

/// How deep substitutions and loops may be nested, and over how many values a loop is run.
const DEPTH: usize = 8;
const VALUES: usize = 64;

/// More commands than this are not taken from one line.
const COMMANDS: usize = 4000;

/// What a command costs of the budget, beside its letters.
const COST: usize = 200;

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

    pub(super) fn script(&mut self, script: &str, offset: usize, state: &mut State, depth: usize) {
        if self.budget.take(script.len()) {
            let tokens = lex(script, offset);
            self.list(&tokens, state, depth);
        }
    }

    /// Whether what is nested here is read, too.
    pub(super) fn may_enter(&mut self, depth: usize) -> bool {
        self.deep |= depth >= DEPTH;
        depth < DEPTH
    }

    fn list(&mut self, tokens: &[Token<'_>], state: &mut State, depth: usize) {
        let mut outer: Vec<State> = Vec::new();
        let mut at = 0;
        while at < tokens.len() && !self.is_full() && self.budget.take(COST) {
            state.branch(&tokens[at..]);
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
        let all = values.len() <= VALUES && values.iter().all(known);
        if !all {
            values = vec![HOLE_TEXT.to_owned()];
            state.may_run();
        }
        for value in values.into_iter().take_while(|_| !self.budget.is_spent()) {
            state.fixed.push(((*name).to_owned(), value));
            self.list(&rest[body..body + length], state, depth + 1);
            state.fixed.pop();
        }
        if !all {
            state.joined();
        }
        Some(3 + body + length + 1)
    }
}

/// Words of the grammar, not commands: what is between them is read whatever they say.
const RESERVED: [&str; 12] = ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!"];

#[cfg(test)]
mod tests {
    use super::super::hole::HOLE;
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
            ("if a; then V=x; b $V; fi; c $V", vec!["a", "b x", "c ?"]),
            ("if a; then V=x; else V=x; fi; c $V", vec!["a", "c x"]),
            ("if a; then V=x; elif b; then V=x; fi; c $V", vec!["a", "b", "c ?"]),
            ("if a; then V=x; elif b; then W=y; else V=x; fi; c $V", vec!["a", "b", "c ?"]),
            ("if a; then if b; then V=x; fi; else V=x; fi; c $V", vec!["a", "b", "c ?"]),
            ("if a; then if b; then V=x; else V=x; fi; else V=x; fi; c $V", vec!["a", "b", "c x"]),
            ("V=x; if a; then V=x; fi; c $V", vec!["a", "c x"]),
            ("while a; do V=x; done; c $V", vec!["a", "c ?"]),
            ("for i in $(ls); do V=x; done; c $V", vec!["ls", "c ?"]),
            ("for i in 1 2; do V=x; done; c $V", vec!["c x"]),
            ("case $X in a|b) V=x;; c) V=x;; esac; c $V", vec!["case ? in a", "b", "c", "esac", "c ?"]),
            ("case $X in a) V=x;;\n\n*) V=x;;\nesac; c $V", vec!["case ? in a", "*", "esac", "c x"]),
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
