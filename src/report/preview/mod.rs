//! A preview, as people read it: the words that every form of it shares.

mod annotations;
mod human;
pub(super) mod markdown;

use crate::preview::{Change, Destination, Kind, Level, Outlook, Preview, Source, Standing, Topic};
use crate::stage::POINT_OF_NO_RETURN;

use super::text::count;

/// Anyone who can change a workflow can change what it shows.
pub const ADVISORY: &str = "This preview is advisory: a pull request can change the workflow that shows it. Only what is \
                            proven against the merge, by the workflow of the base, guards public names.";

/// How it looks, in a few words.
pub fn outlook(preview: &Preview) -> &'static str {
    match preview.outlook {
        Outlook::Clean if preview.version.is_none() => "nothing would be rewritten, nothing is at fault",
        Outlook::Clean => "it would promote cleanly",
        Outlook::Refused => "a promotion would be refused",
        Outlook::Unknown => "not everything could be looked at",
    }
}

/// What the preview is of, in a few words.
fn name(preview: &Preview) -> String {
    match &preview.subject.pull {
        Some(pull) => format!("#{}", pull.number),
        None => "a tree".to_owned(),
    }
}

/// Which candidate it would be, and who says so.
fn candidate(preview: &Preview) -> String {
    let Some(version) = &preview.version else {
        return match preview.carried.len() {
            0 => "none: its own tags carry none and none is named, so nothing would be rewritten".to_owned(),
            _ => format!("none is named, and its own tags carry {}", preview.carried.join(", ")),
        };
    };
    let source = match version.source {
        Source::Asked => "as asked",
        Source::Tree => "the one that its own tags carry",
        Source::Release => "the release itself",
    };
    match &version.rc {
        Some(rc) => format!("{rc} to {}: {source}", version.stable),
        None => format!("{}: {source}", version.stable),
    }
}

fn heading(level: Level) -> &'static str {
    match level {
        Level::Refusal => "What a promotion would refuse",
        Level::Unknown => "What could not be looked at",
        Level::Warning => "Worth a look",
    }
}

fn topic(topic: Topic) -> &'static str {
    match topic {
        Topic::Conflict => "merge conflict",
        Topic::Promotion => "promotion",
        Topic::Collision => "collision",
        Topic::Copy => "copy",
        Topic::Unclaimed => "unclaimed reference",
        Topic::Unreadable => "unreadable",
        Topic::Unpinned => "not pinned",
        Topic::Rewrite => "rewrite",
        Topic::Survivor => "left of a candidate",
        Topic::Name => "destination",
        Topic::Unpullable => "unpullable",
        Topic::Unpublished => "unpublished",
        Topic::Chart => "chart",
        Topic::Artifact => "artifact",
        Topic::Base => "base",
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Image => "image",
        Kind::Artifact => "packages artifact",
        Kind::Chart => "chart",
        Kind::ModuleTag => "module tag",
        Kind::GitTag => "git tag",
        Kind::Line => "line",
        Kind::Release => "release",
        Kind::Alias => "alias",
    }
}

fn standing(standing: &Standing) -> &'static str {
    match standing {
        Standing::Free => "free",
        Standing::Right => "already right",
        Standing::Follows => "follows",
        Standing::Taken { .. } => "taken",
        Standing::Unpullable => "not pullable",
        Standing::Unknown { .. } => "unknown",
    }
}

/// `14 names (12 free, 2 taken)`
fn names(destinations: &[Destination]) -> String {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for word in destinations.iter().map(|destination| standing(&destination.standing)) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, n)) => *n += 1,
            None => counts.push((word, 1)),
        }
    }
    let counts: Vec<String> = counts.into_iter().map(|(word, n)| format!("{n} {word}")).collect();
    format!("{} ({})", count(destinations.len(), "name"), counts.join(", "))
}

/// `15 lines in 13 files`
pub(super) fn amount(changes: &[Change]) -> String {
    let lines = |change: &Change| {
        let mut lines: Vec<usize> = change.edits.iter().map(|edit| edit.line).collect();
        lines.dedup();
        lines.len()
    };
    let lines = changes.iter().map(lines).sum();
    format!("{} in {}", count(lines, "line"), count(changes.len(), "file"))
}

/// What can't be taken back, and from where on.
fn irreversible(preview: &Preview) -> Vec<String> {
    let of = |wanted: Kind| preview.destinations.iter().filter(move |destination| destination.kind == wanted);
    let named = |wanted: Kind| -> Vec<String> { of(wanted).map(|d| d.name.clone()).collect() };
    let mut lines = Vec::new();
    if of(Kind::Image).count() > 0 {
        lines.push(format!("{} of images, write-once", count(of(Kind::Image).count(), "stable tag")));
    }
    let once = [Kind::Artifact, Kind::Chart, Kind::ModuleTag, Kind::GitTag];
    for wanted in once {
        lines.extend(named(wanted).into_iter().map(|name| format!("{} {name}, write-once", kind(wanted))));
    }
    lines.extend(named(Kind::Line).into_iter().map(|name| format!("line {name}, forward only")));
    lines.extend(named(Kind::Release).into_iter().map(|name| format!("release {name}, published once")));
    lines
}

/// Where the point of no return is.
fn point() -> String {
    format!(
        "Up to the merge everything can be taken back. The point of no return is {POINT_OF_NO_RETURN}, after the merge \
         and its proof: from there on these are public and stay"
    )
}
