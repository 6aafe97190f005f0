//! What is wrong, where, and what to do.

use std::fmt;

use serde::Serialize;

pub(super) use crate::model::Lines;

/// One fault at one place of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The path in the repository.
    pub file: String,
    /// Counted from 1; 0 where the fault is the file's as a whole.
    pub line: usize,
    /// In characters, counted from 1; 0 as above.
    pub column: usize,
    pub message: String,
    /// One imperative sentence.
    pub help: String,
}

impl Problem {
    /// A fault of a file as a whole.
    pub(super) fn whole(file: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), help: help.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {} ({})", self.message, self.help)
    }
}

/// Problems one per line, for messages.
pub(super) fn list(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}
