//! A repository that opens to our credentials alone: users can't pull what the tree names.

use super::unpublished::ASK_AGAIN;
use crate::lint::{Checked, Level, Public, Rule, Spot, Subject, Unplaced};

pub const RULE: Rule = Rule {
    id: "not-public",
    level: Level::Error,
    what: "An owned reference that answers to the credentials at hand, and is refused to a client without any.",
    hint: "make the repository public, or exclude it with a reason (`lint.exclude`)",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let Some(asked) = &subject.registry else { return Checked::not_asked() };
    let found = subject.owned().filter_map(|found| {
        let repository = found.repository.as_ref()?;
        let spot = Spot::tag(found);
        match asked.public(found)? {
            Public::Yes => None,
            Public::Refused(why) => {
                let message = format!("{repository} answers to these credentials, and is refused without: {why}");
                Some(Unplaced::of(found, spot, message))
            }
            Public::Unknown(why) => {
                let message = format!("whether anyone can pull from {repository} can't be known: {why}");
                Some(Unplaced::of(found, spot, message).level(Level::Unknown).hint(ASK_AGAIN))
            }
        }
    });
    found.collect()
}
