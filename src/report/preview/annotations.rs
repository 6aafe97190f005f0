//! A preview's findings on the lines at fault.

use super::{name, outlook, topic};
use crate::preview::{Finding, Level, Outlook, Preview};
use crate::report::annotations::{Annotations, MOST, Place, place};
use crate::report::text::count;

impl Annotations {
    pub(in crate::report) fn preview(&self, preview: &Preview) {
        let mut written = 0;
        for finding in &preview.findings {
            written += self.finding(finding, MOST - written.min(MOST));
            if written >= MOST {
                let message = format!("{} in all: the report has them", count(preview.findings.len(), "finding"));
                self.write("notice", "sealift preview", None, &message);
                break;
            }
        }
        let level = if preview.outlook == Outlook::Clean { "notice" } else { "error" };
        self.write(level, "sealift preview", None, &format!("{}: {}", name(preview), outlook(preview)));
    }

    /// One annotation for each line at fault, `room` at most; how many there were.
    fn finding(&self, finding: &Finding, room: usize) -> usize {
        let level = if finding.level == Level::Warning { "warning" } else { "error" };
        let title = format!("sealift preview: {}", topic(finding.topic));
        let places: Vec<Place<'_>> = finding.refusal.places.iter().filter_map(|text| at(text)).collect();
        let mut message = vec![finding.refusal.message.clone()];
        let told = finding.refusal.places.iter().filter(|text| place(text).is_none());
        message.extend(told.take(MOST).map(|place| format!("at {place}")));
        message.extend(finding.refusal.hint.iter().map(|hint| format!("hint: {hint}")));
        let message = message.join("\n");
        if places.is_empty() {
            self.write(level, &title, None, &message);
        }
        let shown = places.len().clamp(1, room.max(1));
        places.into_iter().take(shown).for_each(|place| self.write(level, &title, Some(place), &message));
        shown
    }
}

/// `path:line[:col]`, also with words behind it: `path:line: sha256:…`.
fn at(text: &str) -> Option<Place<'_>> {
    place(text).or_else(|| place(text.split_once(": ")?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_behind_a_place_don_t_hide_it() {
        let (file, line) = ("a/b.yaml", 3);
        assert_eq!(at("a/b.yaml:3: sha256:00"), Some(Place { file, line, col: None }));
        assert_eq!(at("a/b.yaml:3:7"), Some(Place { file, line, col: Some(7) }));
        assert_eq!(at("refs/tags/v1 at 00: nothing is merged yet"), None);
    }
}
