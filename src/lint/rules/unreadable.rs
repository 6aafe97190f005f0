//! What could not be looked at: it may hold anything, so it is never fine.

use crate::lint::{Checked, Level, Rule, Subject, Unplaced};
use crate::refs::ProblemKind;

pub const RULE: Rule = Rule {
    id: "unreadable",
    level: Level::Unknown,
    what: "A file, or a tree, that could not be looked at: unreadable, neither text nor YAML, or without any reference.",
    hint: "make it readable, or correct what the pipeline declares",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let found = subject.problems(ProblemKind::Unreadable);
    found.map(|problem| Unplaced::at(problem.into(), &problem.message).hint(&problem.help)).collect()
}
