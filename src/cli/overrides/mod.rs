//! overrides: a table of image overrides, checked, and applied to manifests.

mod apply;
mod files;
mod show;

pub use apply::apply;

use std::io::Write as _;

use serde_json::json;

use super::args::{OverridesCheckArgs, Show};
use super::failure::{Ended, told};
use super::promote::Context;
use super::trees::beside;
use crate::engine::State;
use crate::overrides::{self, Key, Severity, TableError};
use show::{Report, count};

/// What is wrong with a table, all at once: data, and so on standard output.
pub async fn check(args: &OverridesCheckArgs, show: &Show, context: &Context<'_>) -> Ended {
    let (path, key) = (args.file.clone(), args.key.clone().unwrap_or_default());
    let file = path.display().to_string();
    let read = beside(move || files::table(&path, &key)).await?;
    let key = args.key.as_ref().map(Key::to_string);
    let (entries, problems, missing) = match read {
        Ok(table) => (Some(table.entries), table.warnings, None),
        Err(TableError::Invalid(problems)) => (None, problems, None),
        Err(TableError::Missing { what, .. }) => (None, Vec::new(), Some(what)),
    };
    let warnings = problems.iter().filter(|problem| problem.rule.severity() == Severity::Warning).count();
    let verdict = match (&entries, &missing) {
        (Some(entries), _) => {
            format!("{file}: {}, {}", show::entries(entries.len()), count(warnings, "warning", "warnings"))
        }
        (None, Some(what)) => format!("{file}: there is no table of overrides: {what}"),
        (None, None) => format!("{file}: {} in the table", count(problems.len(), "error", "errors")),
    };
    let report = Report {
        json: json!({
            "file": file, "key": key, "valid": entries.is_some(), "missing": missing,
            "entries": entries, "problems": problems,
        })
        .to_string(),
        table: None,
        problems,
        refused: missing.map(|what| show::missing(&file, &what)),
        details: Vec::new(),
        verdict,
    };
    let out = report.render(show, context.environment.color(show.color));
    let written = std::io::stdout().write_all(out.as_bytes());
    if context.environment.actions && show.format == super::args::Format::Human {
        report.annotate();
    }
    told(if entries.is_some() { State::Holds } else { State::Refused }, written.map_err(Into::into))
}

/// A table's entries with how many images each matched.
fn matched(table: &overrides::Table, applied: &[(String, overrides::Applied)]) -> Vec<usize> {
    let images = |entry: usize| applied.iter().filter_map(|(_, applied)| applied.matched.get(entry)).sum();
    (0..table.entries.len()).map(images).collect()
}
