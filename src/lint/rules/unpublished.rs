//! A tag that no registry has: whoever pulls by it gets nothing.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::Answer;
use crate::refs::{Class, Occurrence};

pub const RULE: Rule = Rule {
    id: "unpublished",
    level: Level::Error,
    what: "An owned tag that is not in its registry. On a component's own tag it is information: only a release build \
           pushes that one.",
    hint: "push the image under this tag, or stamp the tree with one that is published",
    check,
};

/// What to do where a registry didn't answer.
pub const ASK_AGAIN: &str = "see that the registry can be reached and read with these credentials, and run it again";

fn check(subject: &Subject<'_>) -> Checked {
    let Some(asked) = &subject.registry else { return Checked::not_asked() };
    let found = subject.images().filter_map(|found| {
        let spot = Spot::tag(found);
        match asked.tag(found)? {
            Answer::Found(_) => None,
            Answer::Absent => {
                let absent = asked.absent(found, spot, &format!("{} is not published", found.tagged()));
                Some(weighed(found, absent))
            }
            Answer::Unknown(why) => {
                let message = format!("whether {} is published can't be known: {why}", found.tagged());
                Some(Unplaced::of(found, spot, message).level(Level::Unknown).hint(ASK_AGAIN))
            }
        }
    });
    found.collect()
}

/// A fault of a tag; of a component's own tag information, unless it isn't known.
pub fn weighed(occurrence: &Occurrence, found: Unplaced) -> Unplaced {
    match found.level {
        None if occurrence.class == Class::ComponentVersioned => found.level(Level::Info),
        _ => found,
    }
}
