//! What could not be looked at: it may hold anything, so it is never fine.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::refs::ProblemKind;

pub const RULE: Rule = Rule {
    id: "unreadable",
    level: Level::Unknown,
    what: "A file, or a tree, that could not be looked at: unreadable, neither text nor YAML, or without any reference. \
           So is a tree without an owned image: nothing says that those of the project were seen.",
    hint: "make it readable, or correct what the pipeline declares",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let found = subject.problems(ProblemKind::Unreadable);
    let found = found.map(|problem| Unplaced::at(problem.into(), &problem.message).hint(&problem.help));
    found.chain(unowned(subject)).collect()
}

/// Where no image is owned, almost no rule had anything to look at. A promotion refuses such a tree.
fn unowned(subject: &Subject<'_>) -> Option<Unplaced> {
    // That there is not one reference is a problem already.
    let read = subject.account.references.occurrences.len();
    let none = read > 0 && subject.images().next().is_none() && subject.untagged().next().is_none();
    let message =
        format!("of {read} references none is an owned image, so there is nothing to judge and nothing to promote");
    let hint = "check `references.owned` in the pipeline: it lists the prefixes of the project's own image names";
    none.then(|| Unplaced::at(Spot::file(&subject.pipeline.root), message).hint(hint))
}
