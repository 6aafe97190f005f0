//! What was explained, and the census, as lines of text.

use super::{asked, effect, looked_at, verdict, version};
use crate::engine::event::State;
use crate::explain::{Census, Completeness, Explained, Explanation, Other};
use crate::report::Problem;
use crate::report::human::Human;
use crate::report::text::{clean, led, table, unheard};

/// Kinds of places that are listed in any case; what is unclaimed is a problem, with its hint.
const LISTED: [&str; 2] = ["exclusion", "overlooked"];
/// References of a file, or places of a census, that are shown unless all are wanted.
const MOST: usize = 200;

impl Human {
    pub fn explanation(self, explanation: &Explanation) -> Vec<String> {
        let mut lines = vec![self.paint.bold(&unheard(&clean(&asked(explanation))))];
        lines.extend(led("  file     ", &explanation.read_as));
        lines.extend(led("  version  ", &version(explanation)));
        let shown = if self.verbose { usize::MAX } else { MOST };
        for explained in explanation.references.iter().take(shown) {
            lines.push(String::new());
            lines.extend(self.explained(explained));
        }
        for other in explanation.others.iter().take(shown) {
            lines.push(String::new());
            lines.extend(self.other(other));
        }
        let more = explanation.references.len().saturating_sub(shown) + explanation.others.len().saturating_sub(shown);
        if more > 0 {
            lines.push(String::new());
            lines.push(format!("… and {more} more (-v shows all)"));
        }
        lines.push(String::new());
        for problem in explanation.unread.iter().take(shown) {
            lines.extend(led("not read: ", &problem.to_string()));
        }
        if explanation.unread.len() > shown {
            lines.push(format!("… and {} more (-v shows all)", explanation.unread.len() - shown));
        }
        if let Some(nothing) = &explanation.nothing {
            lines.extend(led("nothing is there to explain: ", nothing));
            return lines;
        }
        for finding in explanation.findings.iter().take(shown) {
            let word = format!("{}[{}]", finding.level.name(), finding.rule);
            lines.extend(led("lint: ", &format!("{word} in line {}: {}", finding.place.line, finding.message)));
            lines.extend(led(&format!("  {} ", self.paint.bold("hint:")), &finding.hint));
        }
        for suppressed in explanation.suppressed.iter().take(shown) {
            let finding = &suppressed.finding;
            let text = format!("{} in line {}: excluded: {}", finding.rule, finding.place.line, suppressed.reason);
            lines.extend(led("lint: ", &text));
        }
        if explanation.findings.is_empty() && explanation.suppressed.is_empty() {
            lines.push("lint: no findings here".to_owned());
        }
        lines
    }

    fn explained(self, explained: &Explained) -> Vec<String> {
        let reference = &explained.reference;
        let mut lines = vec![self.paint.bold(&unheard(&clean(&explained.spelled)))];
        let copy = reference.copy_of.as_ref().map(|plain| format!("; a copy of {plain}")).unwrap_or_default();
        let place = format!("line {}, column {}, key {}{copy}", reference.line, reference.column, reference.key);
        lines.extend(led("  where      ", &place));
        lines.extend(led("  shape      ", &format!("{}: {}", explained.shape(), explained.shape_means)));
        lines.extend(led("  class      ", &format!("{}: {}", explained.class(), explained.class_because)));
        lines.extend(led("  stamped    ", &explained.stamped));
        let effects = explained.effects.iter();
        lines.extend(effects.flat_map(|one| led(&format!("  {:<11}", one.of), &effect(one))));
        lines
    }

    fn other(self, other: &Other) -> Vec<String> {
        let item = &other.item;
        let mut lines = vec![self.paint.bold(&unheard(&clean(&item.text)))];
        let member = item.member.as_ref().map(|member| format!(" of {member}")).unwrap_or_default();
        lines.extend(led("  where      ", &format!("line {}, column {}{member}", item.line, item.column)));
        lines.extend(led(&format!("  {:<11}", item.claim.kind()), &other.because));
        lines
    }

    pub fn census(self, census: &Census) -> Vec<String> {
        let listed = census.rows.iter().filter(|row| self.verbose || LISTED.contains(&row.kind));
        let all = listed.clone().count();
        let shown = if self.verbose { all } else { MOST };
        let row =
            |row: &crate::explain::Row| vec![row.kind.to_owned(), row.place(), row.item.text.clone(), row.of.clone()];
        let rows: Vec<Vec<String>> = listed.take(shown).map(row).collect();
        let mut lines: Vec<String> = Vec::new();
        if !rows.is_empty() {
            lines.extend(table(&["claimed by", "place", "what", "why"], &rows).lines().map(str::to_owned));
        }
        if all > shown {
            lines.push(format!("… and {} more (-v shows all)", all - shown));
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let count =
            |count: &crate::explain::Count| vec![count.kind.to_owned(), count.places.to_string(), count.of.clone()];
        let counts: Vec<Vec<String>> = census.counts.iter().map(count).collect();
        lines.extend(table(&["claimed by", "places", "of"], &counts).lines().map(str::to_owned));
        lines.push(String::new());
        for problem in census.problems.iter().take(shown.max(MOST)) {
            let at = Problem {
                places: vec![at(problem.line, &problem.file, problem.column)],
                ..Problem::new(&problem.message)
            };
            lines.extend(at.hint(&problem.help).indented("", self.paint));
        }
        lines.extend(census.notes.iter().flat_map(|note| led("note: ", note)));
        let unused = census.unused.iter().map(|path| format!("references.exclude: {path} explains nothing"));
        lines.extend(unused.flat_map(|note| led("note: ", &note)));
        let state = match census.verdict {
            Completeness::Complete => State::Holds,
            Completeness::Incomplete => State::Refused,
            Completeness::Unknown => State::Failed,
        };
        lines.push(format!("census: {} ({})", self.paint.state(state, &verdict(census)), looked_at(census)));
        lines
    }
}

pub(super) fn at(line: usize, file: &str, column: usize) -> String {
    if line == 0 { file.to_owned() } else { format!("{file}:{line}:{column}") }
}
