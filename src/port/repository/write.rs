//! Commits and annotated tags, written so that the same inputs give the same ids anywhere.

use git2::{Signature, Time};

use super::libgit::{id, oid};
use super::{Store, StoreError};
use crate::model::{CommitId, ObjectId, RefName, TreeId};

/// A commit to be written. Author and committer are one, the offset is +0000, and nothing is
/// signed, so that its id follows from these values alone (contract §4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    pub name: String,
    pub email: String,
    /// Since 1970-01-01 UTC.
    pub time_seconds: i64,
    /// Written as it is: ends with a newline as git's own do.
    pub message: String,
}

/// An annotated tag to be written, by the same rules as [`NewCommit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTag {
    /// Without `refs/tags/`.
    pub name: String,
    /// What it names, of any kind.
    pub target: ObjectId,
    pub tagger_name: String,
    pub tagger_email: String,
    /// Since 1970-01-01 UTC.
    pub time_seconds: i64,
    pub message: String,
}

impl Store {
    /// Writes the commit object; no ref moves.
    pub fn write_commit(&self, commit: &NewCommit) -> Result<CommitId, StoreError> {
        let who = signature("identity of a commit", &commit.name, &commit.email, commit.time_seconds)?;
        text("message of a commit", &commit.message)?;
        self.with(|repository| {
            let tree = repository.find_tree(oid(commit.tree))?;
            let parents = commit
                .parents
                .iter()
                .map(|&parent| repository.find_commit(oid(parent)))
                .collect::<Result<Vec<_>, _>>()?;
            let parents: Vec<_> = parents.iter().collect();
            Ok(id(repository.commit(None, &who, &who, &commit.message, &tree, &parents)?))
        })
    }

    /// Writes the tag object; no ref is made.
    pub fn write_tag(&self, tag: &NewTag) -> Result<ObjectId, StoreError> {
        RefName::tag(&tag.name)
            .map_err(|error| StoreError::Invalid { what: "name of a tag", reason: error.to_string() })?;
        let who = signature("identity of a tag", &tag.tagger_name, &tag.tagger_email, tag.time_seconds)?;
        text("message of a tag", &tag.message)?;
        self.with(|repository| {
            let target = repository.find_object(oid(tag.target), None)?;
            Ok(id(repository.tag_annotation_create(&tag.name, &target, &who, &tag.message)?))
        })
    }
}

/// libgit2 trims what git calls crud, and writes a newline into the header as it is; here both are
/// errors, so that what is written is what was said.
fn signature(what: &'static str, name: &str, email: &str, seconds: i64) -> Result<Signature<'static>, StoreError> {
    let invalid = |reason: String| StoreError::Invalid { what, reason };
    let who =
        Signature::new(name, email, &Time::new(seconds, 0)).map_err(|error| invalid(error.message().to_owned()))?;
    let plain = !name.contains(char::is_control) && !email.contains(char::is_control) && !email.is_empty();
    if plain && who.name_bytes() == name.as_bytes() && who.email_bytes() == email.as_bytes() {
        return Ok(who);
    }
    Err(invalid(format!("git can't write `{name} <{email}>` as it is")))
}

fn text(what: &'static str, message: &str) -> Result<(), StoreError> {
    match message.find('\0') {
        None => Ok(()),
        Some(at) => Err(StoreError::Invalid { what, reason: format!("a NUL byte at {at}") }),
    }
}
