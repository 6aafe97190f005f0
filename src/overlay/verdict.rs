//! What the overlay comes to: file by file, package by package.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::Refusal;
use crate::refs::{Drift, FileEdit, Problem};

/// A plan, or why there is none.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// In the order of their paths: those that hold references, and those left out.
    pub packages: Vec<Package>,
    /// What is to be written, in tree order; nothing where something is refused.
    pub edits: Vec<FileEdit>,
    pub refusals: Vec<Refusal>,
    /// Odd things that cost nothing.
    pub notes: Vec<Problem>,
}

/// One package and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Relative to the pipeline's root.
    pub path: String,
    pub state: State,
    /// Of a package that another job owns: the declared reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many of its references are taken.
    pub taken: usize,
    /// By the path in the repository; empty for a package that is left out.
    pub files: BTreeMap<String, FileVerdict>,
}

/// What becomes of a package; of several files the one that most needs a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Its references are the source's already.
    Equal,
    /// References are taken.
    Taken,
    /// The change rebuilt it: its references are its own.
    Built,
    /// The change edited it: what stands there is meant.
    Edited,
    /// Another job owns it.
    Elsewhere,
    /// A file differs in more than references and is left alone.
    Drift,
    /// The source lacks it, or a file of it.
    Missing,
}

impl State {
    /// Every state, in the order of reports.
    pub const ALL: [Self; 7] =
        [Self::Taken, Self::Equal, Self::Built, Self::Edited, Self::Elsewhere, Self::Drift, Self::Missing];

    /// The state in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Taken => "taken",
            Self::Built => "built",
            Self::Edited => "edited",
            Self::Elsewhere => "owned elsewhere",
            Self::Drift => "drift",
            Self::Missing => "missing",
        }
    }
}

/// Why a package is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    Built,
    Edited,
    /// Another job owns it, for this reason.
    Elsewhere(String),
}

/// What becomes of a file with references.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", tag = "verdict")]
pub enum FileVerdict {
    Equal {
        references: usize,
    },
    Taken {
        references: usize,
        lines: usize,
    },
    /// It differs in more than references.
    Drift(Drift),
    /// A gzip copy or its plain source, of which the other one is left alone.
    Held {
        with: String,
    },
    /// The source has it, with references, and this tree doesn't: it is not introduced.
    OnlyThere {
        references: usize,
    },
    /// The source lacks it.
    Missing {
        why: String,
    },
}

impl FileVerdict {
    pub(super) fn state(&self) -> State {
        match self {
            Self::Equal { .. } => State::Equal,
            Self::Taken { .. } => State::Taken,
            Self::Drift(_) | Self::Held { .. } | Self::OnlyThere { .. } => State::Drift,
            Self::Missing { .. } => State::Missing,
        }
    }

    /// Whether references of the source stay behind.
    pub(super) fn leaves_behind(&self) -> bool {
        match self {
            Self::Drift(drift) => !drift.same_references,
            Self::Held { .. } | Self::OnlyThere { .. } => true,
            Self::Equal { .. } | Self::Taken { .. } | Self::Missing { .. } => false,
        }
    }
}

impl Package {
    pub(super) fn left_out(path: String, mark: Mark) -> Self {
        let (state, reason) = match mark {
            Mark::Built => (State::Built, None),
            Mark::Edited => (State::Edited, None),
            Mark::Elsewhere(reason) => (State::Elsewhere, Some(reason)),
        };
        Self { path, state, reason, taken: 0, files: BTreeMap::new() }
    }

    pub(super) fn compared(path: String, files: BTreeMap<String, FileVerdict>) -> Self {
        let taken = files.values().map(|verdict| match verdict {
            FileVerdict::Taken { references, .. } => *references,
            _ => 0,
        });
        let state = files.values().map(FileVerdict::state).max().unwrap_or(State::Equal);
        Self { path, state, reason: None, taken: taken.sum(), files }
    }
}

impl Overlay {
    /// How many references are taken.
    pub fn taken(&self) -> usize {
        self.packages.iter().map(|package| package.taken).sum()
    }

    /// How many packages are in a state.
    pub fn count(&self, state: State) -> usize {
        self.packages.iter().filter(|package| package.state == state).count()
    }
}
