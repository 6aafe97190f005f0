//! The forge, watched.

use std::path::Path;

use futures_util::future::BoxFuture;
use sealift::model::{Answer, Blob, RefName};
use sealift::port::WriteError;
use sealift::port::forge::{
    Asset, AssetId, Comment, CommentId, ForgeRead, ForgeWrite, Hosted, Job, Login, NewPull, NewRelease, Protection,
    Pull, PullEdit, Release, ReleaseEdit, ReleaseId, Releases, Rule, Run, RunId, RunQuery, TagRuleset, Visible,
};

use super::{Looks, Watched, Writes};

macro_rules! look {
    ($self:ident, $what:expr, $look:expr) => {
        Box::pin($self.looked(Looks::Forge, $what, $look))
    };
}

macro_rules! write {
    ($self:ident, $what:expr, $write:expr) => {
        Box::pin($self.written(Writes::Forge, $what, $write))
    };
}

impl ForgeRead for Watched<'_> {
    fn repository(&self) -> BoxFuture<'_, Answer<Hosted>> {
        look!(self, "repository".into(), self.real().repository())
    }

    fn viewer(&self) -> BoxFuture<'_, Answer<Login>> {
        look!(self, "viewer".into(), self.real().viewer())
    }

    fn releases(&self) -> BoxFuture<'_, Answer<Releases>> {
        look!(self, "releases".into(), self.real().releases())
    }

    fn release(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Release>> {
        look!(self, "release by id".into(), self.real().release(release))
    }

    fn published<'a>(&'a self, tag: &'a str) -> BoxFuture<'a, Answer<Release>> {
        look!(self, format!("release {tag}"), self.real().published(tag))
    }

    fn latest(&self) -> BoxFuture<'_, Answer<String>> {
        look!(self, "latest release".into(), self.real().latest())
    }

    fn assets(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Vec<Asset>>> {
        look!(self, "assets".into(), self.real().assets(release))
    }

    fn download<'a>(&'a self, asset: &'a Asset, spool: &'a Path) -> BoxFuture<'a, Answer<Blob>> {
        look!(self, format!("asset {}", asset.name), self.real().download(asset, spool))
    }

    fn pulls_from<'a>(&'a self, head: &'a RefName) -> BoxFuture<'a, Answer<Vec<Pull>>> {
        look!(self, format!("pull requests from {}", head.short()), self.real().pulls_from(head))
    }

    fn pull(&self, number: u64) -> BoxFuture<'_, Answer<Pull>> {
        look!(self, format!("pull request {number}"), self.real().pull(number))
    }

    fn comments(&self, pull: u64) -> BoxFuture<'_, Answer<Vec<Comment>>> {
        look!(self, format!("comments on {pull}"), self.real().comments(pull))
    }

    fn runs<'a>(&'a self, query: &'a RunQuery) -> BoxFuture<'a, Answer<Vec<Run>>> {
        look!(self, format!("runs of {}", query.workflow), self.real().runs(query))
    }

    fn jobs(&self, run: RunId) -> BoxFuture<'_, Answer<Vec<Job>>> {
        look!(self, "jobs".into(), self.real().jobs(run))
    }

    fn branch_rules<'a>(&'a self, branch: &'a RefName) -> BoxFuture<'a, Answer<Vec<Rule>>> {
        look!(self, format!("rules of {}", branch.short()), self.real().branch_rules(branch))
    }

    fn tag_rulesets(&self) -> BoxFuture<'_, Answer<Vec<TagRuleset>>> {
        look!(self, "tag rulesets".into(), self.real().tag_rulesets())
    }

    fn protection<'a>(&'a self, branch: &'a RefName) -> BoxFuture<'a, Answer<Visible<Protection>>> {
        look!(self, format!("protection of {}", branch.short()), self.real().protection(branch))
    }
}

impl ForgeWrite for Watched<'_> {
    fn create_draft<'a>(&'a self, draft: &'a NewRelease) -> BoxFuture<'a, Result<ReleaseId, WriteError>> {
        write!(self, format!("draft {}", draft.tag), self.real().create_draft(draft))
    }

    fn edit_release<'a>(&'a self, release: ReleaseId, edit: &'a ReleaseEdit) -> BoxFuture<'a, Result<(), WriteError>> {
        let what = match (edit.draft, edit.latest) {
            (Some(false), _) => "publish the release",
            (_, Some(_)) => "mark the latest release",
            _ => "edit the release",
        };
        write!(self, what.into(), self.real().edit_release(release, edit))
    }

    fn delete_release(&self, release: ReleaseId) -> BoxFuture<'_, Result<(), WriteError>> {
        write!(self, "delete the draft".into(), self.real().delete_release(release))
    }

    fn upload<'a>(
        &'a self,
        release: ReleaseId,
        name: &'a str,
        blob: &'a Blob,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, format!("asset {name}"), self.real().upload(release, name, blob))
    }

    fn delete_asset(&self, asset: AssetId) -> BoxFuture<'_, Result<(), WriteError>> {
        write!(self, "delete an asset".into(), self.real().delete_asset(asset))
    }

    fn open_pull<'a>(&'a self, pull: &'a NewPull) -> BoxFuture<'a, Result<u64, WriteError>> {
        write!(self, format!("pull request from {}", pull.head.short()), self.real().open_pull(pull))
    }

    fn edit_pull<'a>(&'a self, number: u64, edit: &'a PullEdit) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "edit the pull request".into(), self.real().edit_pull(number, edit))
    }

    fn add_label<'a>(&'a self, number: u64, label: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, format!("label {label}"), self.real().add_label(number, label))
    }

    fn create_comment<'a>(&'a self, pull: u64, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "comment".into(), self.real().create_comment(pull, body))
    }

    fn edit_comment<'a>(&'a self, comment: CommentId, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "edit the comment".into(), self.real().edit_comment(comment, body))
    }
}
