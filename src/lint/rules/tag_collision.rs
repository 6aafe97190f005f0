//! Two digests that a promotion would aim at one tag: it refuses, and a tag is written once.

use std::borrow::Cow;

use super::two_digests::apart;
use crate::lint::{Checked, Level, Rule, Subject};
use crate::model::{Rc, Version};
use crate::promotion::wanted;
use crate::refs::{Class, Occurrence, version_in};

pub const RULE: Rule = Rule {
    id: "tag-collision",
    level: Level::Error,
    what: "Two digests that a promotion would give one stable tag: a version-line tag becomes the stable one, and the \
           digest of every other owned tag gets `v<version>`.",
    hint: "declare a tag prefix for the variants (`references.tag_prefixes`), or stamp one digest",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let Some(version) = subject.version else {
        return Checked::not_applicable("no owned tag carries a version, so no name is known: name one with --rc");
    };
    let (occurrences, rc) = stamped(subject, version);
    let names = wanted(&subject.spec, &occurrences, &rc);
    let two = names.iter().filter(|(_, digests)| digests.len() > 1);
    let found = two.map(|((repository, tag), digests)| {
        // The tag is the next release's, and another one each time.
        let message = format!("{} digests want the name {repository}:{tag}", digests.len());
        apart(repository.to_string(), digests, message)
    });
    found.collect()
}

/// The tree as its own candidate would have it. A tree at a stable version is stamped anew for the next one, and
/// what is of the version line stays of it: the names are the same but for the number.
fn stamped<'a>(subject: &'a Subject<'_>, version: Version) -> (Cow<'a, [Occurrence]>, Rc) {
    let all = &subject.account.references.occurrences;
    let stable = match version {
        Version::Candidate(rc) => return (Cow::Borrowed(all), rc),
        Version::Stable(stable) => stable,
    };
    let stamp = |found: &Occurrence| {
        let tag = found.tag.as_ref().filter(|_| found.class == Class::VersionLine);
        let carries = tag.filter(|tag| version_in(&subject.spec, tag).is_some_and(|(carried, _)| carried == version));
        let tag = carries.and_then(|tag| format!("{tag}-rc.1").parse().ok()).or_else(|| found.tag.clone());
        Occurrence { tag, ..found.clone() }
    };
    (all.iter().map(stamp).collect(), Rc { stable, n: 1 })
}
