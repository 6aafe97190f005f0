//! One image at two digests: one of the places was not stamped with the others.

use std::collections::BTreeMap;

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::Digest;
use crate::refs::Occurrence;

pub const RULE: Rule = Rule {
    id: "two-digests",
    level: Level::Error,
    what: "One owned repository at two digests, among tags with the same declared prefix.",
    hint: "stamp every place of an image in one go, or declare a prefix for its variants (`references.tag_prefixes`)",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let mut groups: BTreeMap<(String, &str), BTreeMap<Digest, Vec<&Occurrence>>> = BTreeMap::new();
    for found in subject.images() {
        let (Some(repository), Some(digest)) = (&found.repository, found.digest) else { continue };
        let prefix = found.tag.as_ref().map_or("", |tag| subject.tag_prefix(tag.as_str()));
        groups.entry((repository.to_string(), prefix)).or_default().entry(digest).or_default().push(found);
    }
    let two = groups.into_iter().filter(|(_, digests)| digests.len() > 1);
    let found = two.map(|((repository, prefix), digests)| {
        let of = if prefix.is_empty() { String::new() } else { format!(" with the prefix `{prefix}`") };
        let message = format!("{repository} is at {} digests{of}", digests.len());
        apart(format!("{repository}:{prefix}"), &digests, message)
    });
    found.collect()
}

/// A finding at the first place of the digest that the fewest have, with every other place; `name` is what the
/// digests are of.
pub fn apart(name: String, digests: &BTreeMap<Digest, Vec<&Occurrence>>, message: String) -> Unplaced {
    let mut places: Vec<(Digest, &Occurrence)> =
        digests.iter().flat_map(|(digest, found)| found.iter().map(|found| (*digest, *found))).collect();
    let common = |digest: &Digest| digests.get(digest).map_or(0, Vec::len);
    places.sort_by_key(|(digest, found)| (common(digest), &found.file, found.line, found.column));
    let mut spots = places.into_iter().map(|(digest, found)| (Spot::digest(found), digest.to_string()));
    match spots.next() {
        // Another digest is another fault; how many places have each is not.
        Some((spot, digest)) => {
            let about = std::iter::once(name).chain(digests.keys().map(Digest::to_string));
            Unplaced::at(spot, format!("{message}, here {digest}")).related(spots).about(about)
        }
        None => Unplaced::at(Spot::file("."), message),
    }
}
