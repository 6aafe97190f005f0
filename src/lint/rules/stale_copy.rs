//! A gzip copy that its plain source doesn't vouch for: what it holds is what runs, and what nobody looks at.

use crate::lint::{Checked, Level, Rule, Subject, Unplaced};

pub const RULE: Rule = Rule {
    id: "stale-copy",
    level: Level::Error,
    what: "A declared gzip copy whose content is not that of its plain source: a promotion takes its references for \
           the source's. Where the source is not in the tree it is a warning: nothing says what the copy should hold.",
    hint: "make the copy again from its source",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let found = subject.stale_copies().map(|problem| {
        let found = Unplaced::at(problem.into(), &problem.message).hint(&problem.help);
        // Without a source there is no place where the two part.
        if problem.at.is_none() { found.level(Level::Warning) } else { found }
    });
    found.collect()
}
