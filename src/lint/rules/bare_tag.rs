//! An owned reference without a digest: what it runs was never fixed.

use crate::lint::subject::shown;
use crate::lint::{Checked, Found, Level, Rule, Spot, Subject};

pub const RULE: Rule = Rule {
    id: "bare-tag",
    level: Level::Error,
    what: "An owned reference with a tag and no digest: what it runs was never fixed.",
    hint: "pin it by digest: build the image, and write `@sha256:…` behind the tag",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let bare = subject.owned().filter(|found| found.digest.is_none());
    bare.map(|found| Found::at(Spot::tag(found), format!("{} has no digest", shown(found)))).collect()
}
