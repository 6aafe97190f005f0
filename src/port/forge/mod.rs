//! Forges: who hosts releases, pull requests and workflow runs beside a repository.
//!
//! Plain git needs none of it: a branch is the proposal, ancestry the merge, an annotated tag the
//! release. So a pipeline on plain git has no forge port at all.

pub mod github;
mod release;
mod review;
mod run;
mod settings;

use std::path::Path;

use futures_util::future::BoxFuture;

pub use release::{Asset, AssetId, Latest, NewRelease, Release, ReleaseEdit, ReleaseId, Releases};
pub use review::{Comment, CommentId, NewPull, Pull, PullEdit, PullState};
pub use run::{Job, Run, RunId, RunQuery};
pub use settings::{Bypass, Hosted, Login, Protection, Rule, RuleKind, TagRuleset, Visible};

use super::WriteError;
use super::registry::Blob;
use crate::model::{Answer, RefName, Unknown};

/// What can be seen at a forge. A forge answers 404 for what a credential may not see, too: the
/// repository itself is read first, and only where that was found is a 404 absence. Every list is
/// read to its last page; one that the forge cuts is unknown.
pub trait ForgeRead: Send + Sync {
    /// The repository, and what this credential may do there.
    fn repository(&self) -> BoxFuture<'_, Answer<Hosted>>;

    /// Who this credential is. Absent: nobody.
    fn viewer(&self) -> BoxFuture<'_, Answer<Login>>;

    /// Every release. One that this port made is looked up by its id and is in the list,
    /// however long the forge's own list lags behind.
    fn releases(&self) -> BoxFuture<'_, Answer<Releases>>;

    /// A release by its id, a draft too.
    fn release(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Release>>;

    /// The published release of a tag: no draft is ever found this way.
    fn published<'a>(&'a self, tag: &'a str) -> BoxFuture<'a, Answer<Release>>;

    /// The tag of the release that is marked as the latest.
    fn latest(&self) -> BoxFuture<'_, Answer<String>>;

    /// Every asset of a release, half-uploaded ones too.
    fn assets(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Vec<Asset>>>;

    /// An asset's bytes, streamed into a new file below `spool`, hashed on the way; more than its
    /// listed size is unknown.
    fn download<'a>(&'a self, asset: &'a Asset, spool: &'a Path) -> BoxFuture<'a, Answer<Blob>>;

    /// Every pull request from a branch of this repository, open or not, newest first.
    fn pulls_from<'a>(&'a self, head: &'a RefName) -> BoxFuture<'a, Answer<Vec<Pull>>>;

    /// One pull request by its number.
    fn pull(&self, number: u64) -> BoxFuture<'_, Answer<Pull>>;

    /// Every comment on a pull request, oldest first.
    fn comments(&self, pull: u64) -> BoxFuture<'_, Answer<Vec<Comment>>>;

    /// The runs of a workflow that fit the query, each one of them, newest first; of one second the one
    /// that was numbered later. Absent: there is no such workflow.
    fn runs<'a>(&'a self, query: &'a RunQuery) -> BoxFuture<'a, Answer<Vec<Run>>>;

    /// The jobs of a run's latest attempt.
    fn jobs(&self, run: RunId) -> BoxFuture<'_, Answer<Vec<Job>>>;

    /// The rules of rulesets that hold for a branch, be it there or not.
    fn branch_rules<'a>(&'a self, branch: &'a RefName) -> BoxFuture<'a, Answer<Vec<Rule>>>;

    /// The active rulesets for tags.
    fn tag_rulesets(&self) -> BoxFuture<'_, Answer<Vec<TagRuleset>>>;

    /// A branch's classic protection. Absent: none.
    fn protection<'a>(&'a self, branch: &'a RefName) -> BoxFuture<'a, Answer<Visible<Protection>>>;
}

/// What can be changed at a forge. No write checks an expectation, for GitHub has no
/// compare-and-set: the interpreter looks right before. A write whose outcome is unclear is
/// [`WriteError::Unknown`], one that a limit turned away [`WriteError::Limited`]; neither is sent twice.
pub trait ForgeWrite: Send + Sync {
    /// Makes a draft. It is found again by its id ([`ForgeRead::releases`]).
    fn create_draft<'a>(&'a self, draft: &'a NewRelease) -> BoxFuture<'a, Result<ReleaseId, WriteError>>;

    /// Changes what the edit names of a release, a draft too; `draft: Some(false)` publishes it.
    fn edit_release<'a>(&'a self, release: ReleaseId, edit: &'a ReleaseEdit) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Deletes a release. One that is gone already is success.
    fn delete_release(&self, release: ReleaseId) -> BoxFuture<'_, Result<(), WriteError>>;

    /// Uploads an asset from memory or from a file, streamed.
    fn upload<'a>(&'a self, release: ReleaseId, name: &'a str, blob: &'a Blob)
    -> BoxFuture<'a, Result<(), WriteError>>;

    /// Deletes an asset. One that is gone already is success.
    fn delete_asset(&self, asset: AssetId) -> BoxFuture<'_, Result<(), WriteError>>;

    /// Opens a pull request; answers its number.
    fn open_pull<'a>(&'a self, pull: &'a NewPull) -> BoxFuture<'a, Result<u64, WriteError>>;

    /// Changes what the edit names of a pull request.
    fn edit_pull<'a>(&'a self, number: u64, edit: &'a PullEdit) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Adds a label, and makes it where the repository has none of that name. One that is there is success.
    fn add_label<'a>(&'a self, number: u64, label: &'a str) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Writes a comment, as this credential's owner.
    fn create_comment<'a>(&'a self, pull: u64, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Changes the text of a comment.
    fn edit_comment<'a>(&'a self, comment: CommentId, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>>;
}

/// A forge that can be read and written.
pub trait Forge: ForgeRead + ForgeWrite {}

impl<T: ForgeRead + ForgeWrite> Forge for T {}

/// The answer of a forge that was asked for and isn't there: a pipeline without one.
pub fn none(what: &str) -> Unknown {
    Unknown::new(what, "this pipeline has no forge (`forge: github`)")
}
