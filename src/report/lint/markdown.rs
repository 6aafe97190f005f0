//! What lint found as parts of a document.

use super::{asked, counts, human::named, idle, looked_at, suppressed, verdict};
use crate::lint::{Finding, Level, Lint};
use crate::report::document::{Fold, List, Part};
use crate::report::preview::markdown::{said, words};
use crate::report::text::count;

/// Related places that one finding shows.
const RELATED: usize = 20;

pub(in crate::report) fn parts(lint: &Lint) -> Vec<Part> {
    let mut parts = vec![
        Part::Essential(format!("## Lint: {}\n\n{}\n", verdict(lint), counts(lint))),
        Part::Text(format!("Looked at {}: {}\n", said(&lint.tree), words(&looked_at(lint)))),
    ];
    for (level, title) in [
        (Level::Unknown, "What could not be looked at"),
        (Level::Error, "Errors"),
        (Level::Warning, "Warnings"),
        (Level::Info, "Information"),
    ] {
        let rows: Vec<String> = lint.findings.iter().filter(|f| f.level == level).map(row).collect();
        let title = format!("{title} ({})", rows.len());
        let first = matches!(level, Level::Unknown | Level::Error);
        parts.push(Part::List(List { title, rows, first, fold: Fold::Never, ..List::default() }));
    }
    let rows: Vec<String> = asked(lint).iter().map(|line| format!("- {}\n", words(line))).collect();
    parts.push(Part::List(List { title: "Registries".to_owned(), rows, fold: Fold::Never, ..List::default() }));
    parts.push(notes(lint));
    parts
}

fn row(finding: &Finding) -> String {
    let mut lines =
        format!("- **{}** at {}: {}\n", finding.rule, said(&named(&finding.place)), words(&finding.message));
    if let Some(excerpt) = &finding.place.excerpt {
        let line = format!("{}{}{}", excerpt.before.trim_start(), excerpt.marked, excerpt.after);
        lines.push_str(&format!("  - {}\n", said(&line)));
    }
    for related in finding.related.iter().take(RELATED) {
        lines.push_str(&format!("  - also {}: {}\n", said(&named(&related.place)), said(&related.message)));
    }
    let more = finding.related.len().saturating_sub(RELATED);
    if more > 0 {
        lines.push_str(&format!("  - and {}\n", count(more, "more place")));
    }
    lines.push_str(&format!("  - hint: {}\n", words(&finding.hint)));
    lines
}

fn notes(lint: &Lint) -> Part {
    let all = idle(lint)
        .into_iter()
        .chain(lint.notes.iter().cloned())
        .chain(lint.left_over.iter().cloned())
        .chain(suppressed(lint));
    let rows: Vec<String> = all.map(|note| format!("- note: {}\n", words(&note))).collect();
    Part::List(List { title: count(rows.len(), "note"), rows, ..List::default() })
}
