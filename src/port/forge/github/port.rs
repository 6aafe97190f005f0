//! GitHub behind the forge port.

use std::path::Path;

use futures_util::future::BoxFuture;

use super::GitHub;
use crate::model::{Answer, Blob, RefName};
use crate::port::WriteError;
use crate::port::forge::{
    Asset, AssetId, Comment, CommentId, ForgeRead, ForgeWrite, Hosted, Job, Login, NewPull, NewRelease, Protection,
    Pull, PullEdit, Release, ReleaseEdit, ReleaseId, Releases, Rule, Run, RunId, RunQuery, TagRuleset, Visible,
};

impl ForgeRead for GitHub {
    fn repository(&self) -> BoxFuture<'_, Answer<Hosted>> {
        Box::pin(async { self.client.repository().await.map(Some).into() })
    }

    fn viewer(&self) -> BoxFuture<'_, Answer<Login>> {
        Box::pin(async { self.client.viewer().await.into() })
    }

    fn releases(&self) -> BoxFuture<'_, Answer<Releases>> {
        Box::pin(async { self.list_releases().await.map(Some).into() })
    }

    fn release(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Release>> {
        Box::pin(async move { self.release_by(release).await.into() })
    }

    fn published<'a>(&'a self, tag: &'a str) -> BoxFuture<'a, Answer<Release>> {
        Box::pin(async move { self.release_of(tag).await.into() })
    }

    fn latest(&self) -> BoxFuture<'_, Answer<String>> {
        Box::pin(async { self.latest_tag().await.into() })
    }

    fn assets(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Vec<Asset>>> {
        Box::pin(async move { self.list_assets(release).await.into() })
    }

    fn download<'a>(&'a self, asset: &'a Asset, spool: &'a Path) -> BoxFuture<'a, Answer<Blob>> {
        Box::pin(async move { self.fetch_asset(asset, spool).await.into() })
    }

    fn pulls_from<'a>(&'a self, head: &'a RefName) -> BoxFuture<'a, Answer<Vec<Pull>>> {
        Box::pin(async move { self.list_pulls(head).await.map(Some).into() })
    }

    fn pull(&self, number: u64) -> BoxFuture<'_, Answer<Pull>> {
        Box::pin(async move { self.read_pull(number).await.into() })
    }

    fn comments(&self, pull: u64) -> BoxFuture<'_, Answer<Vec<Comment>>> {
        Box::pin(async move { self.list_comments(pull).await.into() })
    }

    fn runs<'a>(&'a self, query: &'a RunQuery) -> BoxFuture<'a, Answer<Vec<Run>>> {
        Box::pin(async move { self.list_runs(query).await.into() })
    }

    fn jobs(&self, run: RunId) -> BoxFuture<'_, Answer<Vec<Job>>> {
        Box::pin(async move { self.list_jobs(run).await.into() })
    }

    fn branch_rules<'a>(&'a self, branch: &'a RefName) -> BoxFuture<'a, Answer<Vec<Rule>>> {
        Box::pin(async move { self.list_branch_rules(branch).await.map(Some).into() })
    }

    fn tag_rulesets(&self) -> BoxFuture<'_, Answer<Vec<TagRuleset>>> {
        Box::pin(async { self.list_tag_rulesets().await.map(Some).into() })
    }

    fn protection<'a>(&'a self, branch: &'a RefName) -> BoxFuture<'a, Answer<Visible<Protection>>> {
        Box::pin(async move { self.read_protection(branch).await.into() })
    }
}

impl ForgeWrite for GitHub {
    fn create_draft<'a>(&'a self, draft: &'a NewRelease) -> BoxFuture<'a, Result<ReleaseId, WriteError>> {
        Box::pin(self.make_draft(draft))
    }

    fn edit_release<'a>(&'a self, release: ReleaseId, edit: &'a ReleaseEdit) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.change_release(release, edit))
    }

    fn delete_release(&self, release: ReleaseId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(self.remove_release(release))
    }

    fn upload<'a>(
        &'a self,
        release: ReleaseId,
        name: &'a str,
        blob: &'a Blob,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.put_asset(release, name, blob))
    }

    fn delete_asset(&self, asset: AssetId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(self.remove_asset(asset))
    }

    fn open_pull<'a>(&'a self, pull: &'a NewPull) -> BoxFuture<'a, Result<u64, WriteError>> {
        Box::pin(self.make_pull(pull))
    }

    fn edit_pull<'a>(&'a self, number: u64, edit: &'a PullEdit) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.change_pull(number, edit))
    }

    fn add_label<'a>(&'a self, number: u64, label: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.put_label(number, label))
    }

    fn create_comment<'a>(&'a self, pull: u64, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.make_comment(pull, body))
    }

    fn edit_comment<'a>(&'a self, comment: CommentId, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.change_comment(comment, body))
    }
}
