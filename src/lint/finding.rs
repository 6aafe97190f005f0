//! A finding: which rule, how much it weighs, where.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::Digest;

/// How much a finding weighs; the heaviest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It could not be looked at: never fine, and nothing excuses it.
    Unknown,
    Error,
    Warning,
    Info,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub rule: &'static str,
    pub level: Level,
    pub message: String,
    pub place: Place,
    /// Other places that it takes to see what is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// One imperative sentence.
    pub hint: String,
    /// Of the rule, the level, the file, the words of the line and what the finding is about, but not of the line's
    /// number: the same after lines moved.
    pub fingerprint: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    pub place: Place,
    pub message: String,
}

/// A place in a file. Of a gzip copy, in its decompressed content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The path in the repository.
    pub file: String,
    /// Counted from 1; 0 where it is the file as a whole, and there is neither span nor excerpt.
    pub line: usize,
    /// In characters, counted from 1; 0 as above.
    pub column: usize,
    /// The first column behind it, on the same line.
    pub end_column: usize,
    /// In bytes of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Range<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
}

/// The line of a place, cut to what is around it. The file's words: to be made safe where they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    pub before: String,
    pub marked: String,
    pub after: String,
}

/// A finding that counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suppressed {
    pub by: Suppression,
    pub reason: String,
    pub finding: Finding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suppression {
    /// The pipeline excludes it, with a reason.
    Exclusion,
    /// It was there when the baseline was written.
    Baseline,
}
