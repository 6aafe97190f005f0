//! Who asks, and what they may: tokens, their kinds, and GitHub's rules for each.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Read,
    Write,
}

/// What a person is in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    None,
    Pull,
    Triage,
    Push,
    Maintain,
    Admin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A person's classic token with its scopes.
    Classic(Vec<String>),
    /// A person's fine-grained token.
    FineGrained,
    /// An installation of a GitHub App.
    Installation,
    /// `GITHUB_TOKEN` of a workflow.
    Actions,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub secret: String,
    pub login: String,
    pub kind: Kind,
    /// The person's role; for apps only what the repository's answer shows.
    pub role: Role,
    /// Of every kind but the classic one: `contents`, `pull_requests`, `issues`, `actions`, `administration`.
    pub permissions: BTreeMap<String, Level>,
    /// From that moment of the world's clock it is refused.
    pub expires_at: Option<i64>,
}

/// Permissions by name.
pub fn permissions(list: &[(&str, Level)]) -> BTreeMap<String, Level> {
    list.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect()
}

impl Token {
    fn new(secret: &str, login: &str, kind: Kind, role: Role, list: &[(&str, Level)]) -> Self {
        let permissions = permissions(list);
        Self { secret: secret.into(), login: login.into(), kind, role, permissions, expires_at: None }
    }

    /// A person's, with the scope `repo`.
    pub fn classic(secret: &str, login: &str, role: Role) -> Self {
        Self::new(secret, login, Kind::Classic(vec!["repo".into()]), role, &[])
    }

    pub fn fine_grained(secret: &str, login: &str, role: Role, list: &[(&str, Level)]) -> Self {
        Self::new(secret, login, Kind::FineGrained, role, list)
    }

    pub fn installation(secret: &str, slug: &str, list: &[(&str, Level)]) -> Self {
        Self::new(secret, &format!("{slug}[bot]"), Kind::Installation, Role::None, list)
    }

    pub fn actions(secret: &str, list: &[(&str, Level)]) -> Self {
        Self::new(secret, "github-actions[bot]", Kind::Actions, Role::None, list)
    }

    pub fn with_scopes(mut self, scopes: &[&str]) -> Self {
        self.kind = Kind::Classic(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        self
    }

    pub fn is_person(&self) -> bool {
        matches!(self.kind, Kind::Classic(_) | Kind::FineGrained)
    }

    fn has_scope(&self, private: bool) -> bool {
        match &self.kind {
            Kind::Classic(scopes) => scopes.iter().any(|scope| scope == "repo" || !private && scope == "public_repo"),
            _ => true,
        }
    }

    fn is_given(&self, permission: &str, level: Level) -> bool {
        self.permissions.get(permission).is_some_and(|given| *given >= level)
    }

    /// Whether the repository exists for this token.
    pub fn sees(&self, private: bool) -> bool {
        !private || if self.is_person() { self.role >= Role::Pull && self.has_scope(true) } else { true }
    }

    /// Whether it may do what takes that role of a person, and one of those permissions of a token
    /// that has permissions. Public things but the settings may be read by all.
    pub fn may(&self, role: Role, permissions: &[&str], level: Level, private: bool) -> bool {
        let secret = private || role >= Role::Admin;
        if level == Level::Read && (!secret || permissions.contains(&"metadata")) {
            return self.sees(private);
        }
        let given = permissions.iter().any(|permission| self.is_given(permission, level));
        match self.kind {
            Kind::Classic(_) => self.role >= role && self.has_scope(private),
            Kind::FineGrained => self.role >= role && given,
            Kind::Installation | Kind::Actions => given,
        }
    }

    /// Push rights: what it takes to see drafts and the repository's merge settings.
    pub fn may_push(&self, private: bool) -> bool {
        self.may(Role::Push, &["contents"], Level::Write, private)
    }
}
