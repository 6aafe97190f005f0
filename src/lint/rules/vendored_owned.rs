//! An owned reference in a chart of upstream's: nothing that a promotion does reaches it.

use crate::lint::{Checked, Level, Rule, Subject, Unplaced};

pub const RULE: Rule = Rule {
    id: "vendored-owned",
    level: Level::Info,
    what: "An owned reference below a folder called `charts`, which is upstream's: it is neither rewritten, nor \
           mirrored, nor retagged.",
    hint: "set the image from the package's own values, if it is built here; else leave it",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let message = "an owned reference in a chart of upstream's: nothing that a promotion does reaches it";
    subject.account.vendored.iter().map(|problem| Unplaced::at(problem.into(), message)).collect()
}
