//! What was explained, and the census, as people and machines read them: the words that every form shares.

mod annotations;
mod human;
pub(super) mod markdown;

use super::text::count;
use crate::explain::{Census, Change, Completeness, Effect, Explanation};

/// Kinds of places that are shown one by one in any case.
const SHOWN: [&str; 3] = ["exclusion", "overlooked", "unclaimed"];

/// How the census ended, in a few words.
fn verdict(census: &Census) -> String {
    let unclaimed = match census.places("unclaimed") {
        0 => "none unclaimed".to_owned(),
        n => format!("{n} unclaimed"),
    };
    let faults = census.problems.len();
    let state = match census.verdict {
        Completeness::Complete => "complete".to_owned(),
        Completeness::Incomplete if faults == 0 => "incomplete, since what is overlooked is refused".to_owned(),
        Completeness::Incomplete => format!("incomplete, with {}", count(faults, "problem")),
        Completeness::Unknown => "unknown, since not everything could be looked at".to_owned(),
    };
    format!("{state}: {} claimed, {} excluded, {unclaimed}", census.claimed, census.excluded.len())
}

/// What was looked at.
fn looked_at(census: &Census) -> String {
    format!("{} with references among {} below the root", count(census.files, "file"), count(census.entries, "path"))
}

/// What one command would do.
fn effect(effect: &Effect) -> String {
    match &effect.change {
        Change::Changes { from, to, why } if effect.of == "retag" => format!("{to} becomes a name of {from}: {why}"),
        Change::Changes { from, to, why } => format!("{from} becomes {to}: {why}"),
        Change::Nothing { why } => format!("nothing: {why}"),
        Change::Refused { why } => format!("refused: {why}"),
        Change::Unknown { why } => format!("unknown: {why}"),
    }
}

/// `file`, or `file:line`.
fn asked(explanation: &Explanation) -> String {
    let line = explanation.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", explanation.file)
}

/// The tree's version, and how it is known.
fn version(explanation: &Explanation) -> String {
    match explanation.version {
        Some(version) if explanation.version_asked => format!("v{version}, as asked"),
        version => {
            let read = if explanation.unread.is_empty() { "" } else { ", of those that could be read" };
            match version {
                Some(version) => format!("v{version}, which most owned tags carry{read}"),
                None => format!("none: no owned tag carries one{read}"),
            }
        }
    }
}
