//! An owned reference without a digest: what it runs was never fixed.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};

pub const RULE: Rule = Rule {
    id: "bare-tag",
    level: Level::Error,
    what: "An owned reference with a tag and no digest, or an `image` that is an owned name alone: what it runs was \
           never fixed.",
    hint: "pin it by digest: build the image, and write `@sha256:…` behind the tag",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let bare = subject.owned().filter(|found| found.digest.is_none());
    let bare = bare.map(|found| Unplaced::of(found, Spot::tag(found), format!("{} has no digest", found.tagged())));
    let untagged = subject.untagged().map(|found| {
        let message = format!("{} has neither tag nor digest: what runs is whatever `latest` is", found.tagged());
        Unplaced::of(found, Spot::tag(found), message)
    });
    bare.chain(untagged).collect()
}
