//! A report on a table, in each form.

use crate::cli::args::{Format, Show};
use crate::cli::talk::Talk;
use crate::engine::event::{Event, Observer as _};
use crate::model::markdown::{self, code, prose};
use crate::overrides::{Problem, Severity};
use crate::report::text::{clean, unheard};
use crate::report::{self, Annotations, Reporter as _, json, table};

/// Warnings of one entry that people are shown; JSON has all.
const SHOWN: usize = 10;

pub(super) struct Report {
    /// For machines: made only where it is asked for.
    pub(super) json: String,
    /// For people: columns and cells.
    pub(super) table: Option<(Vec<&'static str>, Vec<Vec<String>>)>,
    pub(super) problems: Vec<Problem>,
    /// A refusal that is about no place.
    pub(super) refused: Option<report::Problem>,
    /// Lines that are shown when everything is.
    pub(super) details: Vec<String>,
    pub(super) verdict: String,
}

/// `1 entry`, `3 entries`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

pub(super) fn entries(n: usize) -> String {
    count(n, "entry", "entries")
}

/// That there is no table, as a refusal.
pub(super) fn missing(file: &str, what: &str) -> report::Problem {
    report::Problem::new(format!("{file}: there is no table of overrides: {what}"))
        .hint("name the table's file, and its key with --key; a table that overrides nothing is `[]`")
}

/// A line that begins with a name from outside.
fn line_of(text: &str) -> String {
    unheard(&clean(text))
}

fn problem(problem: &Problem) -> report::Problem {
    let mut shown = report::Problem::new(&problem.message).hint(&problem.help);
    shown.places.push(format!("{}:{}:{}", problem.file, problem.line, problem.column));
    shown
}

impl Report {
    pub(super) fn render(&self, show: &Show, color: bool) -> String {
        match show.format {
            Format::Human => self.human(show, color),
            Format::Json => format!("{}\n", json::unheard(&self.json)),
            Format::Markdown => self.markdown(),
        }
    }

    /// The report as talk, problem by problem.
    pub(super) fn tell(&self, show: &Show, talk: Talk) {
        if show.verbose > 0 {
            self.details.iter().for_each(|line| talk.line(line));
        }
        for found in &self.problems {
            match found.rule.severity() {
                Severity::Warning => talk.warning(&problem(found)),
                Severity::Error | Severity::Refusal => talk.problem(&problem(found)),
            }
        }
        match &self.refused {
            Some(refused) => talk.problem(refused),
            None => talk.line(&self.verdict),
        }
    }

    fn human(&self, show: &Show, color: bool) -> String {
        let mut text = String::new();
        if let (Some((header, rows)), false) = (&self.table, show.quiet) {
            text.push_str(&table(header, rows));
        }
        let mut lines: Vec<String> = Vec::new();
        if show.verbose > 0 {
            lines.extend(self.details.iter().map(|line| line_of(line)));
        }
        let (problems, left_out) = self.shown(show);
        for found in problems {
            lines.extend(match found.rule.severity() {
                Severity::Warning => problem(found).warning_lines(color),
                Severity::Error | Severity::Refusal => problem(found).lines(color),
            });
        }
        if left_out > 0 {
            lines.push(format!("and {left_out} more of the kind: --verbose shows them"));
        }
        lines.extend(self.refused.iter().flat_map(|refused| refused.lines(color)));
        if !show.quiet && self.refused.is_none() {
            lines.push(line_of(&self.verdict));
        }
        text + &lines.iter().map(|line| format!("{line}\n")).collect::<String>()
    }

    /// Problems for people: of each entry's warnings of one rule some, unless everything is to be shown.
    fn shown(&self, show: &Show) -> (Vec<&Problem>, usize) {
        let mut told = std::collections::HashMap::new();
        let tell = |problem: &&Problem| {
            let told = told.entry((problem.rule.id(), problem.entry)).or_insert(0);
            *told += 1;
            show.verbose > 0 || problem.rule.severity() != Severity::Warning || *told <= SHOWN
        };
        let shown: Vec<&Problem> = self.problems.iter().filter(tell).collect();
        let left_out = self.problems.len() - shown.len();
        (shown, left_out)
    }

    fn markdown(&self) -> String {
        let mut text = format!("Image overrides: {}\n", prose(&self.verdict));
        if let Some((header, rows)) = &self.table {
            let rows = rows.iter().map(|row| row.iter().map(|cell| code(cell)).collect());
            text.push_str(&format!("\n{}", markdown::table(header, rows)));
        }
        if !self.problems.is_empty() {
            let row = |problem: &Problem| {
                let Problem { rule, file, line, column, message, help, .. } = problem;
                vec![code(rule.id()), code(&format!("{file}:{line}:{column}")), prose(message), prose(help)]
            };
            let rows = self.problems.iter().map(row);
            text.push_str(&format!("\n{}", markdown::table(&["rule", "place", "what", "what to do"], rows)));
        }
        text
    }

    /// Workflow commands that mark the lines at fault.
    pub(super) fn annotate(&self) {
        let annotations = Annotations::new(Box::new(std::io::stdout()));
        for found in &self.problems {
            match found.rule.severity() {
                Severity::Warning => annotations.event(&Event::Warning { message: found.to_string() }),
                Severity::Error | Severity::Refusal => annotations.problem(&problem(found)),
            }
        }
        self.refused.iter().for_each(|refused| annotations.problem(refused));
    }
}
