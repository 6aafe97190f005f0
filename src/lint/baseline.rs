//! A baseline: findings that were there when lint was adopted, and that don't fail while they stay as they are.
//!
//! A finding is known again by its fingerprint: its rule and level, its file, the words of its line and the reference
//! it is about, never the line's number. Of lines that say the same, as many are known as were there. What could not be
//! looked at has no place in a baseline.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Lint;
use super::finding::{Finding, Level, Suppressed, Suppression};
use crate::model::Digest;

/// The form of the file. Another one is refused: what isn't understood must excuse nothing.
const FORMAT: u32 = 1;

/// Known findings, as in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    format: u32,
    findings: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: String,
    file: String,
    fingerprint: Digest,
    /// For people who read the file: where it was, and what.
    line: usize,
    message: String,
}

/// Why a file is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("it is no baseline: {0}")]
    Form(#[from] serde_json::Error),
    #[error("it is a baseline of format {0}, and this program reads format {FORMAT}")]
    Format(u32),
}

/// Findings, judged by a baseline.
pub(super) struct Known {
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
    /// Entries that nothing is found for.
    pub stale: Vec<String>,
}

impl Baseline {
    /// # Errors
    /// When the text is no baseline, or one of another format.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let baseline: Self = serde_json::from_str(text)?;
        if baseline.format == FORMAT { Ok(baseline) } else { Err(BaselineError::Format(baseline.format)) }
    }

    /// What a lint found, apart from what could not be looked at.
    pub fn of(lint: &Lint) -> Self {
        let found = lint.findings.iter().filter(|finding| finding.level != Level::Unknown);
        let mut findings: Vec<Entry> = found.map(Entry::of).collect();
        findings.sort_by(|a, b| (&a.file, a.line, &a.rule).cmp(&(&b.file, b.line, &b.rule)));
        Self { format: FORMAT, findings }
    }

    pub fn len(&self) -> usize {
        self.findings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// The file's text.
    ///
    /// # Errors
    /// None that are known: serde's type has them.
    pub fn text(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Takes known findings out. Of entries that nothing is found for only those are stale that could have been
    /// found: their rule had something to go by (`idle` had not), and `seen` says that their file was looked at.
    pub(super) fn apply(&self, findings: Vec<Finding>, idle: &BTreeSet<&str>, seen: impl Fn(&str) -> bool) -> Known {
        // A fingerprint is of rule and file, too.
        let mut entries: BTreeMap<Digest, Vec<&Entry>> = BTreeMap::new();
        for entry in self.findings.iter().rev() {
            entries.entry(entry.fingerprint).or_default().push(entry);
        }
        let mut known = Known { findings: Vec::new(), suppressed: Vec::new(), stale: Vec::new() };
        for finding in findings {
            let entries = entries.get_mut(&finding.fingerprint).filter(|_| finding.level != Level::Unknown);
            match entries.and_then(Vec::pop) {
                Some(_) => known.suppressed.push(Suppressed {
                    by: Suppression::Baseline,
                    reason: "it was there when the baseline was written".to_owned(),
                    finding,
                }),
                None => known.findings.push(finding),
            }
        }
        let judged = |entry: &&Entry| seen(&entry.file) && !idle.contains(entry.rule.as_str());
        let left = entries.into_values().flatten().filter(judged);
        let gone = |entry: &Entry| format!("baseline: {} in {}:{} is gone", entry.rule, entry.file, entry.line);
        known.stale.extend(left.map(gone));
        known
    }
}

impl Entry {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.to_owned(),
            file: finding.place.file.clone(),
            fingerprint: finding.fingerprint,
            line: finding.place.line,
            message: finding.message.clone(),
        }
    }
}
