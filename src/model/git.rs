//! Names and ids of git: commits, branches, tags, refs.

use std::fmt;
use std::str::FromStr;

use super::version::as_text;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a git object: 40 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 20]);

/// The id of a commit.
pub type CommitId = ObjectId;
/// The id of a tree.
pub type TreeId = ObjectId;

/// A full ref name below `refs/`, checked by git's rules (git-check-ref-format).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitNameError {
    #[error("`{0}` is not a git object id: expected 40 lower-case hex digits")]
    Id(String),
    #[error("`{0}` is not a name git allows for a ref")]
    Ref(String),
}

impl ObjectId {
    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// The first 12 hex digits, for people.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

impl RefName {
    /// `refs/heads/<name>`
    pub fn branch(name: &str) -> Result<Self, GitNameError> {
        format!("refs/heads/{name}").parse()
    }

    /// `refs/tags/<name>`
    pub fn tag(name: &str) -> Result<Self, GitNameError> {
        format!("refs/tags/{name}").parse()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name people use: without `refs/heads/` or `refs/tags/`.
    pub fn short(&self) -> &str {
        let name = self.0.as_str();
        name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/")).unwrap_or(name)
    }
}

impl FromStr for ObjectId {
    type Err = GitNameError;

    fn from_str(text: &str) -> Result<Self, GitNameError> {
        let mut bytes = [0; 20];
        let lower = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) if lower => Ok(Self(bytes)),
            _ => Err(GitNameError::Id(text.to_owned())),
        }
    }
}

impl FromStr for RefName {
    type Err = GitNameError;

    fn from_str(text: &str) -> Result<Self, GitNameError> {
        let component = |c: &str| !c.is_empty() && !c.starts_with('.') && !c.ends_with(".lock") && !c.ends_with('.');
        let forbidden = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
        let valid = text.starts_with("refs/")
            && text.matches('/').count() >= 2
            && text.split('/').all(component)
            && !text.contains("..")
            && !text.contains("@{")
            && !text.contains(forbidden);
        valid.then(|| Self(text.to_owned())).ok_or_else(|| GitNameError::Ref(text.to_owned()))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(ObjectId, RefName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_gits_rules_for_ref_names() {
        for name in ["release-1.6.2", "a/b", "v1.6.2-rc.1"] {
            assert!(RefName::branch(name).is_ok(), "{name}");
        }
        for name in
            ["", "a..b", "a b", "a~", "a^", "a:b", ".a", "a.lock", "a/", "/a", "a//b", "a.", "a@{b", "a\\b", "a\n"]
        {
            assert!(RefName::branch(name).is_err(), "{name:?}");
        }
        assert_eq!(RefName::tag("v1").unwrap().short(), "v1");
    }

    #[test]
    fn an_id_is_40_lower_case_digits() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(id.parse::<ObjectId>().unwrap().to_string(), id);
        for text in [&id[1..], &id.to_uppercase(), ""] {
            assert!(text.parse::<ObjectId>().is_err());
        }
    }
}
