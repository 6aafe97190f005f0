//! A preview as parts of a document: a pull request's comment, or a step summary.

use super::{ADVISORY, amount, candidate, heading, irreversible, kind, name, names, outlook, point, standing, topic};
use crate::model::markdown::{code, table, unlinked};
use crate::preview::{Change, Destination, Finding, Level, Preview, Standing};
use crate::report::document::{Fold, List, Part};
use crate::report::text::count;

/// Places that one finding shows.
const PLACES: usize = 20;
/// Characters that one text from outside may take.
const CHARACTERS: usize = 400;

/// The verdict, before anything else.
pub(in crate::report) fn head(preview: &Preview) -> Vec<Part> {
    let mut parts = vec![Part::Essential(format!("## Preview of {}: {}\n", name(preview), outlook(preview)))];
    parts.push(Part::Text(facts(preview)));
    parts.push(Part::Essential(format!("> {ADVISORY}\n")));
    for level in [Level::Refusal, Level::Unknown, Level::Warning] {
        let rows: Vec<String> = preview.findings.iter().filter(|f| f.level == level).map(finding).collect();
        let title = format!("{} ({})", heading(level), rows.len());
        parts.push(Part::List(List { title, rows, first: true, fold: Fold::Never, ..List::default() }));
    }
    parts
}

/// What changes, where it goes, and what can't be taken back.
pub(in crate::report) fn rest(preview: &Preview) -> Vec<Part> {
    vec![
        files(&preview.changes, &amount(&preview.changes)),
        destinations(&preview.destinations),
        Part::Text(artifact(preview)),
        Part::Text(public(preview)),
        notes(&preview.notes),
    ]
}

/// Files and tags that change.
pub(in crate::report) fn files(changes: &[Change], amount: &str) -> Part {
    let row = |change: &Change| -> Vec<String> {
        let file = said(&change.file);
        let cells =
            change.edits.iter().map(|edit| [file.clone(), edit.line.to_string(), said(&edit.old), said(&edit.new)]);
        cells.map(|cells| format!("| {} |\n", cells.join(" | "))).collect()
    };
    Part::List(List {
        title: format!("Files and tags that change: {amount}"),
        head: table(&["file", "line", "from", "to"], []),
        rows: changes.iter().flat_map(row).collect(),
        ..List::default()
    })
}

fn facts(preview: &Preview) -> String {
    let mut rows = vec![vec!["candidate".to_owned(), words(&candidate(preview))]];
    if let Some(pull) = &preview.subject.pull {
        let head = format!("{}{}", if pull.fork { "a fork's " } else { "" }, said(&pull.head));
        rows.push(vec!["pull request".to_owned(), format!("#{} {}", pull.number, said(&pull.title))]);
        rows.push(vec!["from".to_owned(), format!("{head} at {}", said(&pull.head_commit))]);
        rows.push(vec!["into".to_owned(), format!("{} at {}", said(&pull.base), said(&pull.base_commit))]);
    }
    rows.push(vec!["tree".to_owned(), words(&preview.subject.tree)]);
    table(&["looked at", ""], rows)
}

fn finding(finding: &Finding) -> String {
    let refusal = &finding.refusal;
    let mut lines = format!("- **{}**: {}\n", topic(finding.topic), words(&refusal.message));
    for place in refusal.places.iter().take(PLACES) {
        lines.push_str(&format!("  - at {}\n", said(place)));
    }
    let more = refusal.places.len().saturating_sub(PLACES);
    if more > 0 {
        lines.push_str(&format!("  - and {}\n", count(more, "more place")));
    }
    if let Some(hint) = &refusal.hint {
        lines.push_str(&format!("  - hint: {}\n", words(hint)));
    }
    lines
}

/// Names that are neither free nor right come first.
fn destinations(destinations: &[Destination]) -> Part {
    let fine = |d: &&Destination| matches!(d.standing, Standing::Free | Standing::Right | Standing::Follows);
    let (good, bad): (Vec<&Destination>, Vec<&Destination>) = destinations.iter().partition(fine);
    let row = |destination: &Destination| {
        let Destination { kind: of, name, value, standing: stands, .. } = destination;
        let word = standing(stands);
        let stands = match stands {
            Standing::Taken { found } => format!("**{word}**: it names {}", said(found)),
            Standing::Unknown { why } => format!("**{word}**: {}", words(why)),
            Standing::Unpullable => format!("**{word}**"),
            Standing::Free | Standing::Right | Standing::Follows => word.to_owned(),
        };
        let value = value.as_deref().map(said).unwrap_or_default();
        format!("| {} | {} | {stands} | {value} |\n", kind(*of), said(name))
    };
    Part::List(List {
        title: format!("Destinations: {}", names(destinations)),
        head: table(&["", "name", "stands", "value"], []),
        rows: bad.into_iter().chain(good).map(row).collect(),
        ..List::default()
    })
}

fn artifact(preview: &Preview) -> String {
    let Some(artifact) = &preview.artifact else { return String::new() };
    let mut rows = vec![vec!["diff id".to_owned(), code(&artifact.diff_id.to_string())]];
    rows.extend(artifact.layer.map(|layer| vec!["layer".to_owned(), code(&layer.to_string())]));
    let digest = artifact.digest.map(|digest| code(&digest.to_string()));
    rows.push(vec![
        "digest".to_owned(),
        digest.unwrap_or_else(|| "made with the content commit, which it names".into()),
    ]);
    table(&["artifact", &code(&artifact.repository)], rows)
}

fn public(preview: &Preview) -> String {
    let lines: String = irreversible(preview).iter().map(|line| format!("- {}\n", words(line))).collect();
    if lines.is_empty() { lines } else { format!("### What is irreversible\n\n{}:\n\n{lines}", point()) }
}

fn notes(notes: &[String]) -> Part {
    let rows = notes.iter().map(|note| format!("- {}\n", words(note))).collect();
    Part::List(List { title: count(notes.len(), "note"), rows, fold: Fold::Always, ..List::default() })
}

/// A name or value in code type, cut.
pub(in crate::report) fn said(text: &str) -> String {
    code(&clipped(text))
}

/// Prose in which nothing becomes a link by itself.
pub(in crate::report) fn words(text: &str) -> String {
    unlinked(&clipped(text))
}

/// A text from outside at a length that leaves room for others.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_clipped() {
        assert_eq!(words("packages/a/values.yaml"), "packages/a/values.yaml");
        assert_eq!(words(&"x".repeat(5_000)).len(), CHARACTERS + "…".len());
    }
}
