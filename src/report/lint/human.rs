//! What lint found as lines of text, with the lines of the files.

use super::{asked, counts, idle, looked_at, suppressed, verdict};
use crate::engine::event::State;
use crate::lint::{Excerpt, Finding, Level, Lint, Place, Verdict};
use crate::report::human::Human;
use crate::report::text::{clean, led};

/// Findings, and related places of one, that are shown unless all are wanted.
const MOST: usize = 200;
const RELATED: usize = 8;

impl Human {
    pub fn lint(self, lint: &Lint) -> Vec<String> {
        let shown = if self.verbose { lint.findings.len() } else { MOST };
        let mut lines: Vec<String> = lint.findings.iter().take(shown).flat_map(|finding| self.found(finding)).collect();
        if lint.findings.len() > shown {
            lines.push(format!("… and {} more (-v shows all)", lint.findings.len() - shown));
            lines.push(String::new());
        }
        lines.extend(idle(lint).iter().flat_map(|idle| led("note: ", idle)));
        lines.extend(lint.notes.iter().chain(&lint.left_over).flat_map(|note| led("note: ", note)));
        lines.extend(asked(lint).iter().flat_map(|line| led("registry: ", line)));
        if self.verbose {
            lines.extend(lint.suppressed.iter().flat_map(|suppressed| {
                let finding = &suppressed.finding;
                let text = format!("{} at {}: {}", finding.rule, named(&finding.place), suppressed.reason);
                led("suppressed: ", &text)
            }));
        }
        let state = match lint.verdict {
            Verdict::Clean => State::Holds,
            Verdict::Failed => State::Refused,
            Verdict::Unknown => State::Failed,
        };
        let suppressed = suppressed(lint).map(|text| format!("; {text}")).unwrap_or_default();
        let verdict = self.paint.state(state, verdict(lint));
        lines.push(format!("lint: {verdict}: {} ({}){suppressed}", counts(lint), looked_at(lint)));
        lines
    }

    fn found(self, finding: &Finding) -> Vec<String> {
        let word = format!("{}[{}]:", finding.level.name(), finding.rule);
        let word = match finding.level {
            Level::Unknown | Level::Error => self.paint.error(&word),
            Level::Warning => self.paint.warning(&word),
            Level::Info => self.paint.bold(&word),
        };
        let mut lines = led(&format!("{word} "), &finding.message);
        lines.extend(led("  --> ", &named(&finding.place)));
        lines.extend(self.excerpt(&finding.place));
        let shown = if self.verbose { finding.related.len() } else { RELATED };
        for related in finding.related.iter().take(shown) {
            lines.extend(led("  also ", &format!("{}: {}", named(&related.place), related.message)));
        }
        if finding.related.len() > shown {
            lines.push(format!("  … and {} more places (-v shows all)", finding.related.len() - shown));
        }
        lines.extend(led(&format!("  {} ", self.paint.bold("hint:")), &finding.hint));
        lines.push(String::new());
        lines
    }

    /// The line, and carets under what is meant.
    fn excerpt(self, place: &Place) -> Vec<String> {
        let Some(Excerpt { before, marked, after }) = &place.excerpt else { return Vec::new() };
        // What is made safe may be longer than it was.
        let (before, marked, after) = (clean(before), clean(marked), clean(after));
        let number = place.line.to_string();
        let gap = " ".repeat(number.len());
        let carets = "^".repeat(marked.chars().count().max(1));
        let indent = " ".repeat(before.chars().count());
        vec![
            format!("   {gap}|"),
            format!("  {number} | {before}{marked}{after}"),
            format!("   {gap}| {indent}{}", self.paint.error(&carets)),
        ]
    }
}

/// `file:line:column`, or the file alone.
pub fn named(place: &Place) -> String {
    match place.line {
        0 => place.file.clone(),
        line => format!("{}:{line}:{}", place.file, place.column),
    }
}
