//! The same digest at the same place of two trees (contract §5, rule 4).

use std::collections::BTreeMap;

use super::class::Class;
use super::problem::{Problem, ProblemKind};
use super::read::References;
use super::{Occurrence, Shape};

/// A place: file, key, and which one of those under the same key.
type Place<'a> = (&'a str, &'a str, usize);

/// Requires that two trees have references at the same places, each with the same repository
/// and the same digest. The artifact pair is left out: it is judged on its own. Tags may differ.
/// Comparing nothing with nothing is a problem too.
pub fn compare_digests(before: &References, after: &References) -> Vec<Problem> {
    let (old, new) = (places(before), places(after));
    let mut problems = Vec::new();
    for (place, was) in &old {
        match new.get(place) {
            None => problems.push(at(was, "the reference here is gone from the other tree".to_owned())),
            Some(is) if is.digest != was.digest => {
                problems.push(at(is, format!("the digest here was {}, and is {}", shown(was), shown(is))));
            }
            Some(is) if is.repository != was.repository => {
                let name = |o: &Occurrence| o.repository.as_ref().map_or("unknown".to_owned(), ToString::to_string);
                problems.push(at(is, format!("the repository here was {}, and is {}", name(was), name(is))));
            }
            Some(_) => {}
        }
    }
    let added = new.iter().filter(|(place, _)| !old.contains_key(*place));
    problems.extend(added.map(|(_, is)| at(is, "the reference here is not in the other tree".to_owned())));
    if old.is_empty() && new.is_empty() {
        problems.push(Problem::whole(
            ".",
            "there is not one reference to compare",
            "check the pipeline's root and globs",
        ));
    }
    problems
}

fn places(references: &References) -> BTreeMap<Place<'_>, &Occurrence> {
    let mut places = BTreeMap::new();
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let pair = |o: &&Occurrence| o.class == Class::PackagesArtifact && o.shape == Shape::ArtifactPair;
    for occurrence in references.occurrences.iter().filter(|o| !pair(o)) {
        let nth = seen.entry((&occurrence.file, &occurrence.key)).or_default();
        places.insert((occurrence.file.as_str(), occurrence.key.as_str(), *nth), occurrence);
        *nth += 1;
    }
    places
}

fn shown(occurrence: &Occurrence) -> String {
    occurrence.digest.map_or("none".to_owned(), |digest| digest.to_string())
}

fn at(occurrence: &Occurrence, message: String) -> Problem {
    let help = "cut the next release candidate from the tree as it is".to_owned();
    Problem {
        kind: ProblemKind::Edit,
        file: occurrence.file.clone(),
        line: occurrence.line,
        column: occurrence.column,
        at: occurrence.spans.digest.as_ref().map(|span| span.start),
        message,
        help,
    }
}
