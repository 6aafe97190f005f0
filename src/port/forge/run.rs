//! Workflow runs and their jobs.

use crate::model::CommitId;

/// A forge's own number of a run: part of its address, so people see it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u64);

/// Which runs are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunQuery {
    /// The workflow's file name.
    pub workflow: String,
    /// `push`, `workflow_dispatch`.
    pub event: String,
    /// Only those of this commit.
    pub head_commit: Option<CommitId>,
    /// Only those made at or after this time (RFC 3339, UTC).
    pub since: Option<String>,
}

/// A run of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub id: RunId,
    pub event: String,
    pub head_commit: CommitId,
    /// The branch or tag it ran on; forges leave it out at times.
    pub head_branch: Option<String>,
    /// When it was made (RFC 3339, UTC).
    pub created_at: String,
    /// When its latest attempt began.
    pub started_at: Option<String>,
    /// `queued`, `in_progress`, `completed`, …
    pub status: String,
    /// `success`, `failure`, …; nothing until it is completed.
    pub conclusion: Option<String>,
    pub url: String,
}

/// A job of a run's latest attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// As people see it: a reusable workflow's is `caller / job`.
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub started_at: Option<String>,
    pub url: String,
}
