//! A tag that was last stamped for another version of the tree.

use std::collections::BTreeSet;

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::Version;
use crate::refs::{Occurrence, version_in};

pub const RULE: Rule = Rule {
    id: "stale-version",
    level: Level::Error,
    what: "An owned tag of the version line that is not at the tree's version. Where only its form says that it is \
           of the version line, as an earlier version with the same first number does, it is a warning. A version \
           that was named and that no tag carries is unknown.",
    hint: "build the package, so that it is stamped again; a component with versions of its own is excluded with a \
           reason (`lint.exclude`)",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let Some(version) = subject.version else {
        return Checked::not_applicable("no owned tag carries a version: name one with --rc");
    };
    let carried = |found: &Occurrence| version_in(&subject.spec, found.tag.as_ref()?);
    let at_version = subject.images().filter(|found| carried(found).is_some_and(|(carried, _)| carried == version));
    let stamped: BTreeSet<String> =
        at_version.filter_map(|found| found.repository.as_ref().map(ToString::to_string)).collect();
    let stale = subject.images().filter_map(|found| {
        let (carried, prefixed) = carried(found)?;
        if carried == version || carried.is_placeholder() {
            return None;
        }
        let repository = found.repository.as_ref()?.to_string();
        let certain = prefixed || stamped.contains(&repository) || carried.stable() == version.stable();
        let name = found.tagged();
        if certain {
            return Some(Unplaced::of(
                found,
                Spot::tag(found),
                format!("{name} is not at {version}, which this tree is at"),
            ));
        }
        let message = format!("{name} reads as {carried} of this tree, which is at {version}");
        may_be(&carried, &version).then(|| Unplaced::of(found, Spot::tag(found), message).level(Level::Warning))
    });
    stale.chain(absent(subject, &stamped, version)).collect()
}

/// Where somebody named a version that no tag carries: either that is another tree's, or this one was never stamped.
fn absent(subject: &Subject<'_>, stamped: &BTreeSet<String>, version: Version) -> Option<Unplaced> {
    let none = subject.asked && stamped.is_empty() && subject.images().next().is_some();
    let message = format!("no owned tag is at {version}, which was named: whether this tree is of it can't be known");
    let hint = "check --rc, and that this is the tree you mean";
    none.then(|| Unplaced::at(Spot::file(&subject.pipeline.root), message).level(Level::Unknown).hint(hint))
}

/// Whether a version may be one of the tree's, by its form alone. Components have versions of their own: a later
/// one, or one with another first number, is no version that the tree ever had.
fn may_be(carried: &Version, version: &Version) -> bool {
    let same = carried.stable().major == version.stable().major;
    same && (carried < version || matches!(carried, Version::Candidate(_)))
}
