//! What is wrong, where, and what to do.

use std::fmt;

use serde::Serialize;

pub(super) use crate::model::Lines;

/// What kind of fault it is: what could not be looked at is another thing than what was, and is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// It could not be looked at: no such folder, no such file, unreadable, neither text nor YAML, or nothing at all.
    Unreadable,
    /// Meant as a reference and none, or spelled so that readers disagree about it.
    Malformed,
    /// A digest that no shape claims.
    UnclaimedDigest,
    /// An owned reference that no shape claims.
    UnclaimedReference,
    /// An owned reference in a folder of upstream's charts.
    Vendored,
    /// A gzip copy that no plain source vouches for: it says something else, or the source isn't there.
    StaleCopy,
    /// An edit that can't be made, that isn't what was planned, or that left something.
    Edit,
    /// Odd, and it costs nothing.
    Notice,
}

/// One fault at one place of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    #[serde(skip)]
    pub kind: ProblemKind,
    /// The path in the repository.
    pub file: String,
    /// Counted from 1; 0 where the fault is the file's as a whole.
    pub line: usize,
    /// In characters, counted from 1; 0 as above.
    pub column: usize,
    /// The byte offset in the file's content (of a gzip file, in its decompressed content), where one is known.
    #[serde(skip)]
    pub at: Option<usize>,
    pub message: String,
    /// One imperative sentence.
    pub help: String,
}

impl Problem {
    /// A file or folder that can't be looked at, as a whole.
    pub fn whole(file: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        let (kind, message, help) = (ProblemKind::Unreadable, message.into(), help.into());
        Self { kind, file: file.into(), line: 0, column: 0, at: None, message, help }
    }

    /// The same fault as one of another kind.
    pub fn kind(self, kind: ProblemKind) -> Self {
        Self { kind, ..self }
    }

    /// A fault at a byte offset of a file's content.
    pub(super) fn at(
        kind: ProblemKind,
        file: impl Into<String>,
        (lines, at): (&Lines<'_>, usize),
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (line, column) = lines.place(at);
        Self { kind, file: file.into(), line, column, at: Some(at), message: message.into(), help: help.into() }
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
