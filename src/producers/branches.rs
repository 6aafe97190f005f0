//! Branches of a script: what only some of them set may be unset behind them (POSIX, "Compound Commands").

use std::collections::BTreeSet;

use super::command::State;
use super::hole::HOLE_TEXT;
use super::lex::Token;

/// The branches of one `if`, `case`, or loop that may not run at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Branches {
    /// Whether each branch begins with a pattern.
    by_pattern: bool,
    /// Whether one of them is taken whatever holds: `else`, or `*)`.
    otherwise: bool,
    /// Variables that were set in them first.
    fresh: BTreeSet<String>,
    /// Those that the branch sets which is being read; `None` before the first pattern.
    now: Option<BTreeSet<String>>,
    /// Those that every branch before it sets.
    always: Option<BTreeSet<String>>,
}

impl Branches {
    /// A variable is set.
    pub(super) fn set(&mut self, name: &str, fresh: bool) {
        if fresh {
            self.fresh.insert(name.to_owned());
        }
        self.now.get_or_insert_default().insert(name.to_owned());
    }

    /// The branch that is being read ends.
    fn end(&mut self) {
        if let Some(now) = self.now.take() {
            self.always = Some(match self.always.take() {
                Some(always) => always.intersection(&now).cloned().collect(),
                None => now,
            });
        }
    }
}

impl State {
    /// Follows what begins and ends branches, at the beginning of a command.
    pub(super) fn branch(&mut self, tokens: &[Token<'_>]) {
        let next = |branches: &mut Branches, otherwise: bool| {
            branches.end();
            branches.now = Some(BTreeSet::new());
            branches.otherwise |= otherwise;
        };
        match (tokens, self.branches.last_mut()) {
            ([Token::Word("if" | "do", _), ..], _) => self.may_run(),
            ([Token::Word("case", _), ..], _) => {
                self.branches.push(Branches { by_pattern: true, ..Branches::default() });
            }
            ([Token::Word(word @ ("else" | "elif"), _), ..], Some(branches)) => next(branches, *word == "else"),
            ([Token::Word(pattern, _), Token::Break(')'), ..], Some(branches)) if branches.by_pattern => {
                next(branches, *pattern == "*");
            }
            ([Token::Word("fi" | "done" | "esac", _), ..], Some(_)) => self.joined(),
            _ => {}
        }
    }

    /// What comes now runs under a condition.
    pub(super) fn may_run(&mut self) {
        self.branches.push(Branches { now: Some(BTreeSet::new()), ..Branches::default() });
    }

    /// The branches end: what not all of them have set may be what it was outside.
    pub(super) fn joined(&mut self) {
        let Some(mut branches) = self.branches.pop() else { return };
        branches.end();
        let always = branches.always.filter(|_| branches.otherwise).unwrap_or_default();
        for name in branches.fresh.difference(&always) {
            self.set(name, HOLE_TEXT.to_owned());
        }
        if let Some(outer) = self.branches.last_mut() {
            always.iter().for_each(|name| outer.set(name, false));
            outer.fresh.extend(branches.fresh);
        }
    }
}
