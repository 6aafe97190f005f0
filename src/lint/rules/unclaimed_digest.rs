//! A digest in a file with references that no shape claims: the tool doesn't see what it pins (contract §2).

use crate::lint::{Checked, Level, Rule, Subject, Unplaced};
use crate::refs::ProblemKind;

pub const RULE: Rule = Rule {
    id: "unclaimed-digest",
    level: Level::Error,
    what: "A `sha256:` in a file with references that belongs to no reference that is known.",
    hint: "spell the reference in a known shape, or exclude the line with a reason (`references.exclude`)",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let found = subject.problems(ProblemKind::UnclaimedDigest);
    found.map(|problem| Unplaced::at(problem.into(), "no shape claims this digest")).collect()
}
