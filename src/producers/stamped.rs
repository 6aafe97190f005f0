//! How a reference is stamped: by whom, and where that stands.

use std::fmt;

use serde::Serialize;

/// A place in a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

/// Something to know about a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Note {
    pub place: Place,
    pub text: String,
}

/// What stamps a reference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Producer {
    /// Where it is stamped; of a declared make target where its rule begins. `None`: a command that is declared,
    /// and no target of the tree's.
    pub place: Option<Place>,
    /// The directory that make runs in; empty for the root, and for a declared command.
    pub package: String,
    /// The Makefile's target, or the declared command.
    pub target: String,
    /// What it writes, and how.
    pub what: String,
    /// The position in the pipeline's `producers` that says so.
    pub declared: Option<usize>,
}

/// How a reference stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "stamped", rename_all = "kebab-case")]
pub enum Stamped {
    /// One producer stamps it, and with nothing in `perhaps` no other does.
    One {
        producer: Producer,
        /// What may stamp it, too: reading can't know, and no entry in the pipeline's `producers` says.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        perhaps: Vec<Note>,
    },
    /// Nothing does, after everything here was looked at.
    None { looked_at: Vec<Note> },
    /// More than one does, in the order of their places.
    Several { producers: Vec<Producer> },
    /// Reading can't know. An entry in the pipeline's `producers` says it.
    Unknown { why: String, place: Place },
    /// It needs none, or there is no build list to go by.
    NotApplicable { why: String },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: `{}`, {}", self.target, self.what),
            None => write!(f, "`{}`, {}", self.target, self.what),
        }
    }
}
