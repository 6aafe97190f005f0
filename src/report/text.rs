//! Text for terminals and logs: made safe, shortened, counted, aligned.

use std::collections::BTreeSet;

use crate::engine::event::{Event, Goal};
pub use crate::model::line::clean;

/// Hex digits left of a shortened digest or commit.
const SHORT: usize = 12;

/// A line that starts with our own indent only: GitHub's runner obeys one that starts with
/// `::` even when it is indented, so such a line gets a bar.
pub fn unheard(line: &str) -> String {
    if line.trim_start().starts_with("::") { format!("| {line}") } else { line.to_owned() }
}

/// Text of one or more lines behind a lead. Further lines carry a bar, so that none is taken
/// for a line of our own, or for a runner's command.
pub fn led(lead: &str, text: &str) -> Vec<String> {
    let indent = lead.len() - lead.trim_start().len();
    let rest = format!("{}| ", " ".repeat(indent + 2));
    let mut lines = text.trim().lines().map(clean);
    let first = format!("{lead}{}", lines.next().unwrap_or_default());
    std::iter::once(first).chain(lines.map(|line| format!("{rest}{line}"))).collect()
}

/// `1 action`, `3 actions`.
pub fn count(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// Columns as wide as their widest cell; the last one is not padded.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let header = header.iter().map(|&name| name.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(&header)
        .chain(rows)
        .map(|row: &Vec<String>| row.iter().map(|cell| clean(cell)).collect())
        .collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// The digests and commits of a report, so that one is shortened only where that names it alone.
#[derive(Default)]
pub struct Digests(BTreeSet<String>);

impl Digests {
    /// Remembers everything an event names before any of it is shown.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Preview(preview) => {
                self.learn(&preview.subject.tree);
                preview.destinations.iter().filter_map(|d| d.value.as_ref()).for_each(|text| self.learn(text));
            }
            Event::Goal(goal) => {
                let Goal { rc_commit, rc_artifact, content_commit, diff_id, images, .. } = goal.as_ref();
                let named = [rc_commit, rc_artifact, content_commit, diff_id];
                named.into_iter().chain(images.iter().map(|(_, digest)| digest)).for_each(|text| self.learn(text));
            }
            Event::Stage(stage) => {
                stage.notes.iter().for_each(|note| self.learn(note));
                for action in stage.steps.iter().flat_map(|step| &step.actions) {
                    self.learn(&action.value);
                    action.expects.iter().for_each(|text| self.learn(text));
                }
            }
            Event::Acting { action, .. } | Event::Acted { action, .. } | Event::Failed { action, .. } => {
                self.learn(&action.value);
                action.expects.iter().for_each(|text| self.learn(text));
            }
            // Its places are shown as they are.
            Event::Lint(_) | Event::Census(_) | Event::Explanation(_) | Event::Warning { .. } | Event::End(_) => {}
        }
    }

    /// The text with every whole digest (64 digits) and commit (40) shortened.
    pub fn short(&self, text: &str) -> String {
        let mut short = String::with_capacity(text.len());
        for token in tokens(text) {
            let head = token.get(..SHORT).filter(|_| is_digest(token)).filter(|head| self.names_one(head));
            short.push_str(head.unwrap_or(token));
            if head.is_some() && token.len() == 64 {
                short.push('…');
            }
        }
        short
    }

    fn learn(&mut self, text: &str) {
        self.0.extend(tokens(text).filter(|token| is_digest(token)).map(str::to_owned));
    }

    fn names_one(&self, head: &str) -> bool {
        self.0.range(head.to_owned()..).take_while(|digest| digest.starts_with(head)).count() < 2
    }
}

fn is_digest(token: &str) -> bool {
    matches!(token.len(), 40 | 64) && token.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Words and what lies between them: together the whole text.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| !c.is_alphanumeric()).flat_map(|piece| {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        [word, piece.get(word.len()..).unwrap_or_default()]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_moves_the_cursor_or_commands_a_runner() {
        assert_eq!(clean("a\u{1b}[2Jb\u{202e}c\r\n"), "a\\u{1b}[2Jb\\u{202e}c\\r\\n");
        assert_eq!(clean("x ##[set-env]y"), "x ##\\[set-env]y");
        assert_eq!(led("  hint: ", "one\n::error::two"), ["  hint: one", "    | ::error::two"]);
        assert_eq!(led("note: ", ""), ["note: "]);
    }

    #[test]
    fn a_digest_is_shortened_only_when_that_names_it_alone() {
        let (one, two) = ("a".repeat(64), format!("{}b", "a".repeat(63)));
        let mut digests = Digests::default();
        digests.learn(&format!("sha256:{one} (12 bytes)"));
        assert_eq!(digests.short(&format!("x sha256:{one} (12 bytes)")), "x sha256:aaaaaaaaaaaa… (12 bytes)");
        assert_eq!(digests.short(&"c".repeat(40)), "cccccccccccc");
        assert_eq!(digests.short(&"c".repeat(41)), "c".repeat(41));
        digests.learn(&two);
        assert_eq!(digests.short(&one), one);
    }

    #[test]
    fn a_table_is_aligned_and_safe() {
        let rows = vec![vec!["a\n".into(), "long value".into(), "x".into()], vec!["bbbb".into(), String::new()]];
        assert_eq!(table(&["n", "value", "c"], &rows), "n     value       c\na\\n   long value  x\nbbbb\n");
    }
}
