//! The keys that only GitHub has: evidence of a green run, the pull request, the release's extras.

mod address;
mod check;
pub(super) mod rules;

pub use address::{AddressError, GitHubRepository};
pub use rules::asset_name;

pub(super) use check::check;

use serde::Deserialize;

use super::{Forge, Globs, Pipeline, Template};
use crate::model::Rc;

/// A source of a green end-to-end run of a candidate: a job in a workflow.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `workflow`, `event` and `job`")]
pub struct EvidenceSource {
    /// The file's name in `.github/workflows`.
    pub workflow: String,
    /// What started the run, which says how it is known to be the candidate's.
    pub event: EvidenceEvent,
    /// The name of the job that has to be green; `{rc}` is `X.Y.Z-rc.N`.
    pub job: Template,
    /// Head branches whose runs are trusted; for `workflow_dispatch` only.
    #[serde(default)]
    pub branches: Vec<String>,
}

/// What started a run, which says how it is known to be a candidate's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EvidenceEvent {
    /// The run's commit is the one that the candidate's tag names.
    Push,
    /// The run's commit is a branch's, so the branch is trusted and the job's name tells the candidate.
    WorkflowDispatch,
}

impl EvidenceEvent {
    /// GitHub's own word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::WorkflowDispatch => "workflow_dispatch",
        }
    }
}

impl EvidenceSource {
    /// Whether a job's name is the declared one for a candidate: whole, or after ` / `, where GitHub
    /// puts the name of a called workflow's job.
    pub fn names_job(&self, rc: &Rc, name: &str) -> bool {
        let job = self.job.rc(rc);
        name.strip_suffix(&job).is_some_and(|caller| caller.is_empty() || caller.ends_with(" / "))
    }

    /// Whether a dispatched run's head branch is trusted.
    pub fn trusts_branch(&self, branch: &str) -> bool {
        self.branches.iter().any(|trusted| trusted == branch)
    }
}

/// The pull request that proposes a promotion.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `authors`")]
pub struct Proposal {
    /// The label by which people and workflows know it.
    #[serde(default = "default_label")]
    pub label: String,
    /// Logins whose pull requests finalize acts on.
    pub authors: Vec<String>,
    /// Whether one opened with `GITHUB_TOKEN` is accepted: GitHub starts no checks on it, so a person has to.
    #[serde(default)]
    pub checks_by_hand: bool,
}

fn default_label() -> String {
    "release".into()
}

impl Proposal {
    /// Whether a login is one of the authors; GitHub's logins don't differ by case.
    pub fn is_author(&self, login: &str) -> bool {
        self.authors.iter().any(|author| author.eq_ignore_ascii_case(login))
    }
}

/// What a release on GitHub has beyond its tag.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map with `changelog`, `assets` and `starts`")]
pub struct Release {
    /// The changelog's path in the repository, which becomes the release's text.
    pub changelog: Option<Template>,
    /// The files of the release, by where they come from.
    pub assets: Assets,
    /// The file name of the workflow that the push of the git tag must start.
    pub starts: Option<String>,
}

/// The files of a release, by where they come from.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map with `copied` and `built`")]
pub struct Assets {
    /// Names of assets that are copied from the candidate's release.
    pub copied: Vec<String>,
    /// Globs of file names that are brought in a folder, built from the pinned commit.
    pub built: Globs,
}

impl Assets {
    /// sealift's own record of a release's assets.
    pub const RECORD: &str = "sealift.json";

    /// Whether a release has no declared assets.
    pub fn is_empty(&self) -> bool {
        self.copied.is_empty() && self.built.is_empty()
    }

    /// Whether a file of this name is one that is brought.
    pub fn is_built(&self, name: &str) -> bool {
        self.built.matches(name.as_bytes())
    }
}

impl Pipeline {
    /// The repository on GitHub, as the file declares it; `None` with another forge.
    pub fn github(&self) -> Option<GitHubRepository> {
        match self.forge {
            Forge::GitHub => self.repository.parse().ok(),
            Forge::Git => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_named_whole_or_after_its_caller() {
        let source: EvidenceSource =
            serde_yaml::from_str("{workflow: e2e.yaml, event: push, job: 'E2E {rc}'}").unwrap();
        let rc: Rc = "1.6.2-rc.1".parse().unwrap();
        for (name, expected) in [
            ("E2E 1.6.2-rc.1", true),
            ("Nightly / E2E 1.6.2-rc.1", true),
            ("a / b / E2E 1.6.2-rc.1", true),
            ("E2E 1.6.2-rc.10", false),
            ("E2E 11.6.2-rc.1", false),
            ("not E2E 1.6.2-rc.1", false),
            ("Nightly/E2E 1.6.2-rc.1", false),
            ("E2E 1.6.2-rc.1 / cleanup", false),
            ("E2E 1.6.2-rc.1 (2)", false),
            ("e2e 1.6.2-rc.1", false),
            ("", false),
        ] {
            assert_eq!(source.names_job(&rc, name), expected, "{name}");
        }
    }

    #[test]
    fn an_author_is_a_whole_login() {
        let proposal: Proposal = serde_yaml::from_str("{authors: ['ci[bot]', Octocat]}").unwrap();
        for (login, expected) in
            [("ci[bot]", true), ("octocat", true), ("ci", false), ("ci[bot]x", false), ("octo", false), ("", false)]
        {
            assert_eq!(proposal.is_author(login), expected, "{login}");
        }
        assert_eq!(proposal.label, "release");
        assert!(!proposal.checks_by_hand);
    }
}
