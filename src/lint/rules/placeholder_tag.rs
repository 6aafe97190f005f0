//! `v0.0.0`: a place for a version that nobody has given yet.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::Tag;
use crate::refs::version_in;

pub const RULE: Rule = Rule {
    id: "placeholder-tag",
    level: Level::Error,
    what: "An owned reference with the tag `v0.0.0`, or `0.0.0`, also behind a declared prefix: nothing was ever \
           stamped there.",
    hint: "build the package, so that its image is pushed and stamped",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let placeholder = |tag: &Tag| {
        let stamped = version_in(&subject.spec, tag).is_some_and(|(version, _)| version.is_placeholder());
        stamped || tag.as_str() == "0.0.0"
    };
    let found = subject.owned().filter(|found| found.tag.as_ref().is_some_and(placeholder));
    found.map(|found| Unplaced::of(found, Spot::tag(found), format!("{} was never stamped", found.tagged()))).collect()
}
