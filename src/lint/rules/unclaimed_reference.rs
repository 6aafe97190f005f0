//! An owned reference that no shape claims: it is neither rewritten, nor mirrored, nor proven (contract §2).

use std::collections::BTreeSet;

use crate::lint::{Checked, Level, Rule, Subject, Unplaced};
use crate::refs::ProblemKind;

pub const RULE: Rule = Rule {
    id: "unclaimed-reference",
    level: Level::Error,
    what: "An owned reference, with a tag or a digest, that no shape claims, or in a file that the pipeline doesn't \
           declare.",
    hint: "declare the file in the pipeline, or exclude the line with a reason (`references.exclude`)",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let declared: BTreeSet<&str> =
        subject.account.references.enumeration.files.iter().map(|file| file.path.as_str()).collect();
    let found = subject.problems(ProblemKind::UnclaimedReference).map(|problem| {
        let message = match declared.contains(problem.file.as_str()) {
            true => "no shape claims this owned reference",
            false => "an owned reference in a file that the pipeline doesn't declare",
        };
        Unplaced::at(problem.into(), message)
    });
    found.collect()
}
