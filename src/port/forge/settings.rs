//! What a forge allows in a repository, and to whom.

/// The hosted repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosted {
    /// `owner/name`, as the forge spells it.
    pub full_name: String,
    pub default_branch: String,
    pub private: bool,
    /// Whether this credential may push: without it, drafts and settings are not visible.
    pub push: bool,
    /// Whether it may administer: only then classic protection is visible.
    pub admin: bool,
    /// Whether pull requests may be merged with a merge commit.
    pub merge_commits: Visible<bool>,
}

/// Something that a forge shows to some credentials only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visible<T> {
    Shown(T),
    /// Not shown to this credential: no fact, and never one by its absence.
    Hidden,
}

/// Who a credential is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login(pub String);

impl Login {
    /// Whether a name is this one: GitHub doesn't tell capitals apart.
    pub fn is(&self, name: &str) -> bool {
        self.0.eq_ignore_ascii_case(name)
    }

    /// The `GITHUB_TOKEN` of a workflow run: what it does starts no further workflows.
    pub fn is_workflow_token(&self) -> bool {
        matches!(self.0.as_str(), "github-actions" | "github-actions[bot]")
    }
}

/// A rule of a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub kind: RuleKind,
    /// The ruleset's name, for people.
    pub ruleset: String,
    /// Whether this credential may pass it.
    pub bypass: Visible<Bypass>,
}

/// Whom a ruleset lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    Always,
    /// On pull requests alone.
    PullRequests,
    Never,
    /// Not said, or in a word that isn't known: no permission.
    Unsaid,
}

/// The rules that can stand in a promotion's way (GitHub, "Available rules for rulesets").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Only those who bypass may create it.
    Creation,
    /// Only those who bypass may move it.
    Update,
    RequiredLinearHistory,
    RequiredSignatures,
    /// Changes come by pull request only; the merge methods that are allowed, where that is said.
    PullRequest {
        merge_methods: Option<Vec<String>>,
    },
    /// Names must, or must not, match a pattern.
    NamePattern {
        operator: String,
        pattern: String,
        negate: bool,
    },
    /// A pushed commit must have passed some checks, and where it is said also the one that a branch is created at.
    RequiredStatusChecks {
        on_creation: bool,
    },
    /// Any other, by its name.
    Other(String),
}

/// An active ruleset for tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRuleset {
    pub name: String,
    /// Patterns of full ref names (`refs/tags/v*`), or `~ALL`.
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub rules: Vec<RuleKind>,
    pub bypass: Visible<Bypass>,
}

/// What a branch's classic protection demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    pub linear_history: bool,
    pub signatures: bool,
    /// Only named people and apps may push.
    pub restricted: bool,
    /// Changes come by pull request only.
    pub pull_requests: bool,
}
