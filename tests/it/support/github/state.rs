//! What this GitHub knows. A test reads and changes it as it likes; only what is in git is not here.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub use super::tokens::{Kind, Level, Role, Token};

/// The first moment of a world: a little after `sandbox::NOW`, at which its commits were made.
pub const EPOCH: i64 = crate::support::sandbox::NOW + 3_600;

/// A person's token with push rights, known to every new world.
pub const MAINTAINER: &str = "ghp_maintainer";

/// The login behind it.
pub const MARIA: &str = "maria";

#[derive(Clone, Debug)]
pub struct State {
    pub repository: Repository,
    pub tokens: Vec<Token>,
    pub releases: Vec<Release>,
    /// The release that somebody marked as the latest; else GitHub works it out.
    pub latest: Option<u64>,
    pub pulls: Vec<Pull>,
    /// The labels that the repository has.
    pub labels: Vec<Label>,
    pub comments: Vec<Comment>,
    pub workflows: Vec<Workflow>,
    pub runs: Vec<Run>,
    pub jobs: Vec<Job>,
    pub rulesets: Vec<Ruleset>,
    /// By branch.
    pub protections: BTreeMap<String, Value>,
    pub app: Option<App>,
    /// Seconds since 1970; one more with everything that happens.
    pub clock: i64,
    pub next_id: u64,
    /// From how many lists of releases a new draft is missing.
    pub draft_lag: usize,
    /// So many uploads from now break: 502, and an asset in the way with nothing in it.
    pub broken_uploads: usize,
    /// Answer 404 and not 403 to a classic token without the scope, as GitHub does where the
    /// existence of a thing is a secret.
    pub hide_from_classic: bool,
    /// Whether `GITHUB_TOKEN` may open pull requests: a setting of the repository's.
    pub actions_may_propose: bool,
    /// Keep `refs/pull/N/head` and `…/merge` in the repository, as GitHub does.
    pub pull_refs: bool,
    /// So many runs a filtered search has at most, on however many pages: 1,000.
    pub cap: usize,
    /// GitHub counts no further than its cap; with this it says how many there are.
    pub count_past_cap: bool,
}

#[derive(Clone, Debug)]
pub struct Repository {
    pub id: u64,
    pub owner: String,
    pub name: String,
    pub private: bool,
    pub archived: bool,
    pub organization: bool,
    pub allow_merge_commit: bool,
    pub allow_squash_merge: bool,
    pub allow_rebase_merge: bool,
    pub delete_branch_on_merge: bool,
    /// What is published from now on can't be changed any more.
    pub immutable_releases: bool,
}

#[derive(Clone, Debug)]
pub struct Release {
    pub id: u64,
    /// `untagged-…` when its tag was taken away from a draft.
    pub tag_name: String,
    pub target_commitish: String,
    pub name: Option<String>,
    pub body: Option<String>,
    pub draft: bool,
    pub prerelease: bool,
    /// Published in a repository of immutable releases: its assets and its tag stay.
    pub immutable: bool,
    pub author: String,
    /// The date of the tag's commit, once there is one.
    pub created_at: i64,
    pub published_at: Option<i64>,
    pub assets: Vec<Asset>,
    /// Somebody said `make_latest: false`: never the latest by itself.
    pub never_latest: bool,
    /// So many lists more don't show it.
    pub hidden: usize,
}

#[derive(Clone, Debug)]
pub struct Asset {
    pub id: u64,
    pub name: String,
    pub label: Option<String>,
    pub content_type: String,
    /// `uploaded`, or `starter` when the upload broke.
    pub state: String,
    pub bytes: Arc<Vec<u8>>,
    /// `None` for assets older than GitHub's digests.
    pub digest: Option<String>,
    pub uploader: String,
    pub created_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch of the repository itself.
    Own,
    /// A branch of somebody's fork, `owner/name`; its commit is `head_sha`.
    Fork(String),
    /// The fork is gone.
    Gone,
}

#[derive(Clone, Debug)]
pub struct Pull {
    pub number: u64,
    pub title: String,
    pub body: Option<String>,
    pub author: String,
    pub head: Head,
    pub head_ref: String,
    pub head_sha: String,
    pub base_ref: String,
    pub base_sha: String,
    pub open: bool,
    pub draft: bool,
    pub labels: Vec<String>,
    pub created_at: i64,
    pub updated_at: i64,
    pub closed_at: Option<i64>,
    pub merged_at: Option<i64>,
    pub merged_by: Option<String>,
    pub merge_commit_sha: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub id: u64,
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Comment {
    pub id: u64,
    /// Of the issue or pull request.
    pub number: u64,
    pub author: String,
    pub body: String,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Clone, Debug)]
pub struct Workflow {
    pub id: u64,
    /// `.github/workflows/NAME.yaml`.
    pub path: String,
    pub name: String,
}

/// A run of a workflow. Nullable as GitHub's description has it.
#[derive(Clone, Debug)]
pub struct Run {
    pub id: u64,
    pub workflow: u64,
    pub name: Option<String>,
    pub head_branch: Option<String>,
    pub head_sha: String,
    pub event: String,
    pub status: Option<String>,
    pub conclusion: Option<String>,
    pub actor: String,
    pub attempt: u64,
    pub created_at: i64,
    pub started_at: i64,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub id: u64,
    pub run: u64,
    pub attempt: u64,
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub started_at: i64,
    pub completed_at: Option<i64>,
}

/// A set of rules. The patterns are GitHub's: `refs/heads/main`, `refs/tags/v*`, `~ALL`, `~DEFAULT_BRANCH`.
#[derive(Clone, Debug)]
pub struct Ruleset {
    pub id: u64,
    pub name: String,
    /// `branch`, `tag` or `push`.
    pub target: String,
    /// `active`, `evaluate` or `disabled`.
    pub enforcement: String,
    /// Of the organisation, and not of the repository.
    pub inherited: bool,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// As GitHub writes them: `{"type": "required_linear_history"}`.
    pub rules: Vec<Value>,
    /// By login, `always`, `pull_requests_only`, `never`.
    pub bypass: BTreeMap<String, String>,
}

/// A GitHub App and its installation here.
#[derive(Clone, Debug)]
pub struct App {
    pub id: u64,
    pub slug: String,
    pub client_id: String,
    pub installation: u64,
    pub permissions: BTreeMap<String, Level>,
    /// The public half of its key (SubjectPublicKeyInfo or PKCS#1, DER): with it signatures are verified.
    pub public_key: Option<Vec<u8>>,
    /// When the next token ends; else in an hour of the machine's own clock.
    pub expires_at: Option<i64>,
    pub issued: usize,
}

impl State {
    pub fn new(owner: &str, name: &str) -> Self {
        let repository = Repository {
            id: 1_296_269,
            owner: owner.into(),
            name: name.into(),
            private: false,
            archived: false,
            organization: true,
            allow_merge_commit: true,
            allow_squash_merge: true,
            allow_rebase_merge: true,
            delete_branch_on_merge: false,
            immutable_releases: false,
        };
        Self {
            repository,
            tokens: vec![Token::classic(MAINTAINER, MARIA, Role::Push)],
            releases: Vec::new(),
            latest: None,
            pulls: Vec::new(),
            labels: Vec::new(),
            comments: Vec::new(),
            workflows: Vec::new(),
            runs: Vec::new(),
            jobs: Vec::new(),
            rulesets: Vec::new(),
            protections: BTreeMap::new(),
            app: None,
            clock: EPOCH,
            next_id: 1_000,
            draft_lag: 0,
            broken_uploads: 0,
            hide_from_classic: false,
            actions_may_propose: true,
            pull_refs: true,
            cap: 1_000,
            count_past_cap: false,
        }
    }

    /// This moment; the next one is a second later.
    pub fn now(&mut self) -> i64 {
        self.clock += 1;
        self.clock
    }

    pub fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub fn full_name(&self) -> String {
        format!("{}/{}", self.repository.owner, self.repository.name)
    }
}
