//! A tag that names other bytes than the digest beside it: the digest runs, and people believe the tag.

use super::unpublished::weighed;
use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::Answer;

pub const RULE: Rule = Rule {
    id: "tag-moved",
    level: Level::Error,
    what: "An owned tag that names another digest in its registry than the one pinned beside it. On a component's own \
           tag it is information: only a release build pushes that one.",
    hint: "find out which of the two was built, and stamp the tree again",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let Some(asked) = &subject.registry else { return Checked::not_asked() };
    let found = subject.images().filter_map(|found| match (asked.tag(found)?, found.digest) {
        (Answer::Found(named), Some(pinned)) if *named != pinned => {
            let message = format!("{} is published as {named}, and pinned as {pinned}", found.tagged());
            Some(weighed(found, Unplaced::of(found, Spot::tag(found), message)))
        }
        _ => None,
    });
    found.collect()
}
