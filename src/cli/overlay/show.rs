//! What people and machines see of an overlay.

use std::io::Write;

use serde_json::json as value;

use super::Planned;
use crate::cli::args::Format;
use crate::cli::environment::Environment;
use crate::cli::talk::Talk;
use crate::model::line::clean;
use crate::model::markdown::{self, code, prose};
use crate::overlay::{FileVerdict, Overlay, Package, State};
use crate::refs::FileEdit;
use crate::report::text::{count, unheard};
use crate::report::{Annotations, Problem, Reporter as _, append_summary, json, table};

const TITLE: &str = "sealift overlay";
const HEADER: [&str; 4] = ["package", "state", "taken", "what"];

pub fn show(
    planned: &Planned,
    written: bool,
    format: Format,
    environment: &Environment,
    talk: Talk,
) -> anyhow::Result<()> {
    let Planned { overlay, onto, from, .. } = planned;
    overlay.notes.iter().for_each(|note| talk.note(&note.to_string()));
    overlay.refusals.iter().for_each(|refusal| talk.problem(&Problem::from(refusal)));
    let rows: Vec<Vec<String>> = overlay.packages.iter().flat_map(rows).collect();
    let (told, counts) = (told(planned, written), counts(overlay));
    if environment.actions && format == Format::Human {
        annotate(overlay)?;
    }
    if let Some(path) = &environment.step_summary {
        append_summary(path, &summary(&rows, &told, &counts))?;
    }
    let written_out = |file: &FileEdit| {
        let path = file.path.clone();
        file.edits
            .iter()
            .map(move |edit| {
                value!({ "file": path, "line": edit.line, "column": edit.column,
            "key": edit.key, "old": edit.old, "new": edit.new })
            })
            .collect::<Vec<_>>()
    };
    let edits: Vec<_> = overlay.edits.iter().flat_map(written_out).collect();
    let document = value!({
        "onto": onto,
        "from": from,
        "written": written,
        "taken": overlay.taken(),
        "packages": overlay.packages,
        "edits": edits,
        "refusals": overlay.refusals,
        "notes": overlay.notes,
    });
    let mut out = std::io::stdout();
    match format {
        Format::Markdown => write!(out, "{}", summary(&rows, &told, &counts))?,
        Format::Json => writeln!(out, "{}", json::unheard(&document.to_string()))?,
        Format::Human => {
            table(&HEADER, &rows).lines().try_for_each(|line| writeln!(out, "{}", unheard(line)))?;
            writeln!(out, "\n{counts}\n{told}")?;
        }
    }
    Ok(())
}

/// What was done, in a sentence.
fn told(planned: &Planned, written: bool) -> String {
    let Planned { overlay, onto, from, dry } = planned;
    let taken = format!("{} in {}", count(overlay.taken(), "reference"), count(overlay.edits.len(), "file"));
    let sentence = match (overlay.refusals.is_empty(), overlay.edits.is_empty()) {
        (false, _) => "Refused: nothing was written.".to_owned(),
        (true, true) => format!("Nothing to take: {onto} stays as it is. Source: {from}."),
        (true, false) if written => format!("{taken} of {onto} are now those of {from}."),
        (true, false) => format!("Plan: {taken} of {onto} would become those of {from}."),
    };
    let read_only = if *dry && overlay.refusals.is_empty() { " Nothing was written." } else { "" };
    clean(&format!("{sentence}{read_only}"))
}

/// How many packages are in each state, those that none is in left out.
fn counts(overlay: &Overlay) -> String {
    let states = State::ALL.into_iter().map(|state| (overlay.count(state), state.name()));
    let told = states.filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}"));
    format!("{}: {}", count(overlay.packages.len(), "package"), told.collect::<Vec<_>>().join(", "))
}

/// A package's rows: one for each file that is not simply equal.
fn rows(package: &Package) -> Vec<Vec<String>> {
    let row =
        |state: State, taken: String, what: String| vec![package.path.clone(), state.name().to_owned(), taken, what];
    let none = || "-".to_owned();
    let mut rows = Vec::new();
    let mut equal = 0;
    for (file, verdict) in &package.files {
        match verdict {
            FileVerdict::Equal { references } => equal += references,
            FileVerdict::Taken { references, lines } => {
                rows.push(row(State::Taken, references.to_string(), format!("{file}: {}", count(*lines, "line"))));
            }
            FileVerdict::Missing { why } => rows.push(row(State::Missing, none(), format!("{file}: {why}"))),
            drift => rows.push(row(State::Drift, none(), drifted(file, drift))),
        }
    }
    if rows.is_empty() {
        let equal = || count(equal, "reference");
        let what = if package.state == State::Equal { equal() } else { package.reason.clone().unwrap_or_else(none) };
        rows.push(row(package.state, none(), what));
    }
    rows
}

/// Why a file is left alone, with its place first.
fn drifted(file: &str, verdict: &FileVerdict) -> String {
    match verdict {
        FileVerdict::Drift(drift) => {
            let line = |line: &Option<String>| line.as_ref().map_or("no line".to_owned(), |text| format!("`{text}`"));
            let equal = if drift.same_references { "; the references are equal" } else { "" };
            format!("{file}:{}: {} here, {} in the source{equal}", drift.line, line(&drift.here), line(&drift.there))
        }
        FileVerdict::Held { with } => format!("{file}: left alone together with {with}"),
        FileVerdict::OnlyThere { references } => {
            format!("{file}: only the source has it, with {}", count(*references, "reference"))
        }
        FileVerdict::Equal { .. } | FileVerdict::Taken { .. } | FileVerdict::Missing { .. } => file.to_owned(),
    }
}

fn summary(rows: &[Vec<String>], told: &str, counts: &str) -> String {
    let rows = rows.iter().map(|row| row.iter().map(|cell| code(cell)).collect());
    format!("Overlay: {}\n\nThere are {}.\n\n{}", prose(told), prose(counts), markdown::table(&HEADER, rows))
}

/// What is left alone, on the lines that differ; where something is refused, that alone.
fn annotate(overlay: &Overlay) -> anyhow::Result<()> {
    let annotations = Annotations::new(Box::new(std::io::stdout()));
    if !overlay.refusals.is_empty() {
        overlay.refusals.iter().for_each(|refusal| annotations.problem(&Problem::from(refusal)));
        return Ok(annotations.close()?);
    }
    for (file, verdict) in overlay.packages.iter().flat_map(|package| &package.files) {
        let place = match verdict {
            FileVerdict::Drift(drift) => format!("{file}:{}", drift.line),
            FileVerdict::Held { .. } | FileVerdict::OnlyThere { .. } => file.clone(),
            FileVerdict::Missing { why } => {
                annotations.warn(TITLE, &Problem::new(format!("{file} keeps its references: {why}")));
                continue;
            }
            _ => continue,
        };
        let message = format!("references are not taken: {}", drifted(file, verdict));
        annotations.warn(TITLE, &Problem { places: vec![place], ..Problem::new(message) });
    }
    Ok(annotations.close()?)
}
