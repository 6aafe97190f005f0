//! A preview as lines of text.

use super::{ADVISORY, amount, candidate, heading, irreversible, kind, name, names, outlook, point, standing, topic};
use crate::engine::event::State;
use crate::preview::{Destination, Level, Outlook, Preview, Standing};
use crate::report::human::{FEW, Human, MANY};
use crate::report::problem::Problem;
use crate::report::text::{Digests, clean, led, unheard};

impl Human {
    pub fn preview(self, preview: &Preview, digests: &Digests) -> Vec<String> {
        let state = match preview.outlook {
            Outlook::Clean => State::Holds,
            Outlook::Refused => State::Refused,
            Outlook::Unknown => State::Failed,
        };
        let title = format!("Preview of {}: ", name(preview));
        let mut lines =
            vec![format!("{}{}", self.paint.bold(&title), self.paint.state(state, outlook(preview))), String::new()];
        lines.extend(self.subject(preview, digests));
        for level in [Level::Refusal, Level::Unknown, Level::Warning] {
            let found = preview.findings.iter().filter(|finding| finding.level == level);
            let shown: Vec<String> = found
                .flat_map(|finding| {
                    let mut problem = Problem::from(&finding.refusal);
                    problem.message = format!("{}: {}", topic(finding.topic), problem.message);
                    let lead = match level {
                        Level::Refusal => self.paint.error("error:"),
                        Level::Unknown => self.paint.error("unknown:"),
                        Level::Warning => self.paint.warning("warning:"),
                    };
                    problem.led(&lead, "  ", self.paint)
                })
                .collect();
            if !shown.is_empty() {
                lines.extend([String::new(), self.paint.bold(heading(level))]);
                lines.extend(shown);
            }
        }
        lines.extend(self.changes(preview));
        lines.extend(self.destinations(preview, digests));
        let irreversible = irreversible(preview);
        if !irreversible.is_empty() {
            lines.extend([String::new(), self.paint.bold(&format!("{}:", point()))]);
            lines.extend(irreversible.iter().map(|line| format!("  {}", clean(line))));
        }
        if !preview.notes.is_empty() {
            lines.push(String::new());
            lines.extend(preview.notes.iter().flat_map(|note| led("note: ", note)));
        }
        lines.extend([String::new(), self.paint.dim(ADVISORY), String::new()]);
        lines
    }

    fn subject(self, preview: &Preview, digests: &Digests) -> Vec<String> {
        let mut lines = Vec::new();
        let mut row = |name: &str, value: &str| lines.push(format!("  {name:<16}{}", clean(value)));
        if let Some(pull) = &preview.subject.pull {
            row("pull request", &format!("{} {}", pull.url, pull.title));
            row("from", &format!("{}{}", if pull.fork { "a fork's " } else { "" }, pull.head));
            row("into", &pull.base);
        }
        row("tree", &self.value(&preview.subject.tree, digests));
        row("candidate", &candidate(preview));
        if let Some(artifact) = &preview.artifact {
            row("artifact", &artifact.repository);
            row("diff id", &artifact.diff_id.to_string());
            if let Some(layer) = &artifact.layer {
                row("layer", &layer.to_string());
            }
            let none = || "made with the content commit, which it names".to_owned();
            row("digest", &artifact.digest.map_or_else(none, |digest| digest.to_string()));
        }
        lines
    }

    fn changes(self, preview: &Preview) -> Vec<String> {
        if preview.changes.is_empty() {
            return Vec::new();
        }
        let title = format!("Files and tags that change: {}", amount(&preview.changes));
        let rows = preview.changes.iter().flat_map(|change| {
            change.edits.iter().map(|edit| {
                let (old, new) = (clean(&edit.old), clean(&edit.new));
                format!("  {}:{}  {old} -> {new}", unheard(&clean(&change.file)), edit.line)
            })
        });
        self.some(&title, rows.collect())
    }

    /// Names that are free or right are alike: those that aren't come first, and all of them.
    fn destinations(self, preview: &Preview, digests: &Digests) -> Vec<String> {
        if preview.destinations.is_empty() {
            return Vec::new();
        }
        let fine = |d: &&Destination| matches!(d.standing, Standing::Free | Standing::Right | Standing::Follows);
        let row = |d: &Destination| {
            let more = match &d.standing {
                Standing::Taken { found } => format!(" names {found}"),
                Standing::Unknown { why } => format!(" {why}"),
                _ => String::new(),
            };
            let value = d.value.as_ref().map(|value| format!("  {value}")).unwrap_or_default();
            let text = clean(&self.value(&format!("{} {}{value}{more}", kind(d.kind), d.name), digests));
            format!("  {:<14}{text}", standing(&d.standing))
        };
        let (good, bad): (Vec<&Destination>, Vec<&Destination>) = preview.destinations.iter().partition(fine);
        let title = format!("Destinations: {}", names(&preview.destinations));
        let mut lines = vec![String::new(), self.paint.bold(&title)];
        lines.extend(bad.into_iter().map(row));
        lines.extend(self.few(good.into_iter().map(row).collect()));
        lines
    }

    fn some(self, title: &str, rows: Vec<String>) -> Vec<String> {
        let mut lines = vec![String::new(), self.paint.bold(title)];
        lines.extend(self.few(rows));
        lines
    }

    fn few(self, mut rows: Vec<String>) -> Vec<String> {
        if !self.verbose && rows.len() > MANY {
            let more = rows.len() - FEW;
            rows.truncate(FEW);
            rows.push(format!("  … and {more} more (-v shows all)"));
        }
        rows
    }
}
