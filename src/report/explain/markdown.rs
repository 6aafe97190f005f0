//! What was explained, and the census, as parts of a document.

use super::{SHOWN, asked, effect, human::at, looked_at, verdict, version};
use crate::explain::{Census, Explained, Explanation, Other, Row};
use crate::model::markdown::table;
use crate::report::document::{Fold, List, Part};
use crate::report::preview::markdown::{said, words};
use crate::report::text::count;

pub(in crate::report) fn explanation(explanation: &Explanation) -> Vec<Part> {
    let mut head = format!("## Explained: {}\n\n", said(&asked(explanation)));
    head.push_str(&format!("- file: {}\n- version: {}\n", words(&explanation.read_as), words(&version(explanation))));
    if let Some(nothing) = &explanation.nothing {
        head.push_str(&format!("- nothing is there to explain: {}\n", words(nothing)));
    }
    let references: Vec<String> = explanation.references.iter().map(explained).collect();
    let others: Vec<String> = explanation.others.iter().map(other).collect();
    let mut findings: Vec<String> = explanation
        .findings
        .iter()
        .map(|finding| {
            let place = format!("line {}", finding.place.line);
            let (message, hint) = (words(&finding.message), words(&finding.hint));
            format!("- {} **{}** in {place}: {message}\n  - hint: {hint}\n", finding.level.name(), finding.rule)
        })
        .collect();
    findings.extend(explanation.suppressed.iter().map(|suppressed| {
        let finding = &suppressed.finding;
        format!("- **{}** in line {}: excluded: {}\n", finding.rule, finding.place.line, words(&suppressed.reason))
    }));
    let list = |title: &str, rows: Vec<String>| {
        let title = format!("{title} ({})", rows.len());
        Part::List(List { title, rows, first: true, fold: Fold::Never, ..List::default() })
    };
    let unread = explanation.unread.iter().map(|problem| {
        let place = said(&at(problem.line, &problem.file, problem.column));
        format!("- at {place}: {}\n  - hint: {}\n", words(&problem.message), words(&problem.help))
    });
    let parts = [
        ("What could not be read", unread.collect()),
        ("References", references),
        ("What else is there", others),
        ("What lint finds", findings),
    ];
    std::iter::once(Part::Essential(head)).chain(parts.into_iter().map(|(title, rows)| list(title, rows))).collect()
}

fn explained(explained: &Explained) -> String {
    let reference = &explained.reference;
    let mut text = format!("- {}\n", said(&explained.spelled));
    let mut add = |name: &str, value: String| text.push_str(&format!("  - {name}: {value}\n"));
    let copy = reference.copy_of.as_ref().map(|plain| format!(", a copy of {}", said(plain))).unwrap_or_default();
    add("where", format!("line {}, column {}, key {}{copy}", reference.line, reference.column, said(&reference.key)));
    add("shape", format!("{}: {}", said(&explained.shape()), explained.shape_means));
    add("class", format!("{}: {}", said(&explained.class()), words(&explained.class_because)));
    add("stamped", words(&explained.stamped));
    explained.effects.iter().for_each(|one| add(one.of, words(&effect(one))));
    text
}

fn other(other: &Other) -> String {
    let item = &other.item;
    let member = item.member.as_ref().map(|member| format!(" of {}", said(member))).unwrap_or_default();
    let place = format!("line {}, column {}{member}", item.line, item.column);
    format!("- {}\n  - where: {place}\n  - {}: {}\n", said(&item.text), item.claim.kind(), words(&other.because))
}

pub(in crate::report) fn census(census: &Census) -> Vec<Part> {
    let mut counts: Vec<Vec<String>> = census
        .counts
        .iter()
        .map(|count| vec![said(count.kind), said(&count.places.to_string()), words(&count.of)])
        .collect();
    // That there are none is what is looked for.
    if census.places("unclaimed") == 0 {
        counts.push(vec![said("unclaimed"), said("0"), String::new()]);
    }
    let mut parts = vec![
        Part::Essential(format!("## Census {}\n", words(&verdict(census)))),
        Part::Text(format!("Looked at {}: {}\n", said(&census.tree), words(&looked_at(census)))),
        Part::Text(table(&["claimed by", "places", "of"], counts)),
    ];
    let problems = census.problems.iter().map(|problem| {
        let place = said(&at(problem.line, &problem.file, problem.column));
        format!("- at {place}: {}\n  - hint: {}\n", words(&problem.message), words(&problem.help))
    });
    parts.push(list("Problems", problems.collect(), true, Fold::Never));
    for kind in SHOWN {
        parts.push(list(kind, rows(census, |row| row.kind == kind), true, Fold::Long));
    }
    parts.push(list("Every other place", rows(census, |row| !SHOWN.contains(&row.kind)), false, Fold::Always));
    let unused = census.unused.iter().map(|path| format!("references.exclude: {path} explains nothing"));
    let notes: Vec<String> =
        census.notes.iter().cloned().chain(unused).map(|note| format!("- note: {}\n", words(&note))).collect();
    parts.push(Part::List(List { title: count(notes.len(), "note"), rows: notes, ..List::default() }));
    parts
}

fn rows(census: &Census, wanted: impl Fn(&Row) -> bool) -> Vec<String> {
    let row =
        |row: &Row| format!("- {} at {}: {}: {}\n", row.kind, said(&row.place()), said(&row.item.text), words(&row.of));
    census.rows.iter().filter(|row| wanted(row)).map(row).collect()
}

fn list(title: &str, rows: Vec<String>, first: bool, fold: Fold) -> Part {
    Part::List(List { title: format!("{title} ({})", rows.len()), rows, first, fold, ..List::default() })
}
