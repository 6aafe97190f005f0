//! A tag that is moved: with a digest the bytes are fixed and the name lies, without one nothing is fixed.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};

pub const RULE: Rule = Rule {
    id: "floating-tag",
    level: Level::Error,
    what: "An owned reference with a tag that is moved, such as `latest` or `main`, or an alias of the pipeline's. \
           With a digest it is a warning: the bytes are fixed, the name lies.",
    hint: "stamp a tag that is written once, such as the version",
    check,
};

/// Names that people move. Only the whole tag counts.
const MOVED: [&str; 18] = [
    "canary",
    "current",
    "dev",
    "devel",
    "develop",
    "development",
    "edge",
    "experimental",
    "head",
    "latest",
    "main",
    "master",
    "nightly",
    "rolling",
    "snapshot",
    "stable",
    "trunk",
    "unstable",
];

fn check(subject: &Subject<'_>) -> Checked {
    let aliases = &subject.pipeline.aliases.images;
    let floats = |tag: &str| {
        MOVED.iter().any(|moved| tag.eq_ignore_ascii_case(moved)) || aliases.iter().any(|alias| alias.as_str() == tag)
    };
    let found = subject.owned().filter_map(|found| {
        let tag = found.tag.as_ref().filter(|tag| floats(tag.as_str()))?;
        let name = found.tagged();
        Some(match found.digest {
            None => Unplaced::of(found, Spot::tag(found), format!("{name}: `{tag}` names other bytes tomorrow")),
            Some(_) => {
                let message = format!("{name} is pinned, but `{tag}` says nothing about what runs");
                Unplaced::of(found, Spot::tag(found), message).level(Level::Warning)
            }
        })
    });
    found.collect()
}
