//! Pull requests and what is said on them.

use super::Login;
use crate::model::git::GitNameError;
use crate::model::{CommitId, RefName};

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    pub number: u64,
    pub state: PullState,
    pub title: String,
    pub body: String,
    /// Who opened it; a deleted account is nobody.
    pub author: Option<String>,
    /// The branch it comes from.
    pub head: RefName,
    pub head_commit: CommitId,
    /// Whether the branch is this repository's own, and not a fork's.
    pub from_here: bool,
    /// The branch it goes into.
    pub base: RefName,
    pub base_commit: CommitId,
    pub labels: Vec<String>,
    /// Where people see it.
    pub url: String,
}

impl Pull {
    /// The ref that a forge keeps a pull request's head under: there for forks, too, and it stays when
    /// the branch goes.
    pub fn head_ref(number: u64) -> Result<RefName, GitNameError> {
        format!("refs/pull/{number}/head").parse()
    }

    /// Whether it has a label: GitHub doesn't tell capitals apart.
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|there| there.eq_ignore_ascii_case(label))
    }
}

/// Where a pull request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    Open,
    /// Closed without a merge.
    Closed,
    /// Merged, however: with a merge commit, squashed or rebased.
    Merged,
}

/// A pull request to open, between two branches of this repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPull {
    pub title: String,
    pub body: String,
    pub head: RefName,
    pub base: RefName,
}

/// What to change of a pull request; `None` leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullEdit {
    pub title: Option<String>,
    pub body: Option<String>,
    pub base: Option<RefName>,
}

/// A forge's own number of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommentId(pub u64);

/// A comment on a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub id: CommentId,
    pub author: Option<String>,
    pub body: String,
    pub url: String,
}

impl Comment {
    /// Whether it is somebody's own, and begins with a marker.
    pub fn is_of(&self, viewer: &Login, marker: &str) -> bool {
        self.author.as_deref().is_some_and(|author| viewer.is(author)) && self.body.starts_with(marker)
    }
}
