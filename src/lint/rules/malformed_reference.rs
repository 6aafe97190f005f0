//! What is meant as a reference and is none, or is spelled so that readers disagree about it (contract §1).

use crate::lint::{Checked, Level, Rule, Subject, Unplaced};
use crate::refs::ProblemKind;

pub const RULE: Rule = Rule {
    id: "malformed-reference",
    level: Level::Error,
    what: "What is meant as a reference and breaks its grammar, or is spelled so that readers disagree about it.",
    hint: "correct the spelling: lower case, `sha256:` and 64 hex digits, on one line, each key once",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let found = subject.problems(ProblemKind::Malformed);
    found.map(|problem| Unplaced::at(problem.into(), &problem.message).hint(&problem.help)).collect()
}
