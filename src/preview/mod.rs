//! What a promotion of a tree would do, for reviewers: a value, and nothing is decided by it.
//!
//! The tree needs no candidate: a pull request, a revision, a directory. [`look()`] surveys it as a
//! promotion would and asks registries and the origin where the names stand that it would take.
//! Everything found at fault is found together.

mod artifact;
mod finding;
mod look;
pub mod names;
mod published;
pub mod released;

use serde::Serialize;

pub use artifact::Artifact;
pub use finding::{Finding, Level, Outlook, Topic};
pub use look::{Sought, look};
pub use names::{Destination, Kind, Standing};

pub use crate::promotion::Change;

/// A tree as a promotion would see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preview {
    pub outlook: Outlook,
    pub subject: Subject,
    /// `None`: no candidate is named, so nothing would be rewritten and no name is known.
    pub version: Option<Version>,
    /// The candidates whose tags the tree's own references carry.
    pub carried: Vec<String>,
    pub findings: Vec<Finding>,
    /// What the rewrite changes.
    pub changes: Vec<Change>,
    pub destinations: Vec<Destination>,
    pub artifact: Option<Artifact>,
    /// Facts for people that cost nothing.
    pub notes: Vec<String>,
}

/// What was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Subject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull: Option<PullRequest>,
    /// Which tree it was, in words.
    pub tree: String,
    /// What a merge with the base can't join by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
}

/// The pull request that brings the tree. Names and title are its author's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    pub number: u64,
    pub url: String,
    pub title: String,
    pub head: String,
    pub head_commit: String,
    /// Whether the head is another repository's.
    pub fork: bool,
    pub base: String,
    pub base_commit: String,
}

/// The version that is previewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Version {
    /// `vX.Y.Z-rc.N`; a release whose candidate can't be read has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rc: Option<String>,
    pub stable: String,
    pub source: Source,
}

/// Who says which version it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Whoever ran this.
    Asked,
    /// The tags of the tree's own references, which carry one candidate.
    Tree,
    /// The pull request is that release's own.
    Release,
}

impl Preview {
    /// Nothing found so far.
    pub fn of(subject: Subject) -> Self {
        Self {
            outlook: Outlook::Clean,
            subject,
            version: None,
            carried: Vec::new(),
            findings: Vec::new(),
            changes: Vec::new(),
            destinations: Vec::new(),
            artifact: None,
            notes: Vec::new(),
        }
    }

    /// Puts findings in the order people read them, and judges by them.
    pub fn judged(mut self) -> Self {
        self.findings.sort_by_key(|finding| (finding.level, finding.topic));
        self.outlook = Outlook::of(&self.findings);
        self
    }
}
