//! What nothing stamps is never refreshed: it names what was built once, for ever.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::producers::{BuildList, Note, Stamped};

pub const RULE: Rule = Rule {
    id: "no-producer",
    level: Level::Error,
    what: "An owned reference that no Makefile target and no declared command stamps.",
    hint: "let the package's `image` target stamp it, or say in the pipeline what does: `producers`",
    check,
};

const SAY: &str = "say in the pipeline what stamps it: `producers`";

fn check(subject: &Subject<'_>) -> Checked {
    if let Some(why) = no_list(subject) {
        return Checked::not_applicable(why);
    }
    let found = subject.images().filter_map(|found| match subject.producers.of(found) {
        Stamped::None { looked_at } => {
            let read = looked_at.into_iter().map(|Note { place, text }| (Spot::point(&place), text));
            Some(Unplaced::of(found, Spot::tag(found), format!("nothing stamps `{}`", found.key)).related(read))
        }
        // Neither stamped nor unstamped by assumption.
        Stamped::Unknown { why, place } => {
            let message = format!("what stamps `{}` can't be known", found.key);
            let related = [(Spot::point(&place), why)];
            Some(Unplaced::of(found, Spot::tag(found), message).related(related).level(Level::Unknown).hint(SAY))
        }
        Stamped::One { .. } | Stamped::Several { .. } | Stamped::NotApplicable { .. } => None,
    });
    found.collect()
}

/// Why there is no build list to go by. One that can't be read is no reason: what it would say is unknown.
pub fn no_list(subject: &Subject<'_>) -> Option<String> {
    match &subject.producers.build_list {
        BuildList::NotApplicable { reason } => Some(reason.clone()),
        BuildList::Read { .. } | BuildList::Unknown(_) => None,
    }
}
