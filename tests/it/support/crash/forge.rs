//! The forge, watched. What is done there is named as the actions name it, and not by the numbers
//! that the forge gives.

use std::collections::BTreeMap;
use std::path::Path;

use futures_util::future::BoxFuture;
use sealift::model::{Answer, Blob, RefName};
use sealift::port::WriteError;
use sealift::port::forge::{
    Asset, AssetId, Comment, CommentId, ForgeRead, ForgeWrite, Hosted, Job, Login, NewPull, NewRelease, Protection,
    Pull, PullEdit, Release, ReleaseEdit, ReleaseId, Releases, Rule, Run, RunId, RunQuery, TagRuleset, Visible,
};

use super::{Looks, Watched, Writes};

/// What was seen under which number.
#[derive(Default)]
pub struct Numbers {
    releases: BTreeMap<ReleaseId, String>,
    assets: BTreeMap<AssetId, (ReleaseId, String)>,
    pulls: BTreeMap<u64, String>,
}

impl Watched<'_> {
    fn release(&self, id: ReleaseId) -> String {
        let numbers = self.numbers.lock().unwrap();
        format!("release {}", numbers.releases.get(&id).map_or("?", String::as_str))
    }

    fn asset(&self, id: AssetId) -> String {
        let known = self.numbers.lock().unwrap().assets.get(&id).cloned();
        known.map_or("an asset".into(), |(release, name)| format!("{} {name}", self.release(release)))
    }

    fn request(&self, number: u64) -> String {
        let numbers = self.numbers.lock().unwrap();
        format!("pull request from {}", numbers.pulls.get(&number).map_or("?", String::as_str))
    }

    fn know(&self, release: &Release) {
        self.numbers.lock().unwrap().releases.insert(release.id, release.tag.clone());
    }

    fn know_pull(&self, pull: &Pull) {
        self.numbers.lock().unwrap().pulls.insert(pull.number, pull.head.short().to_owned());
    }
}

fn found<T>(answer: Answer<T>, know: impl FnOnce(&T)) -> Answer<T> {
    if let Answer::Found(found) = &answer {
        know(found);
    }
    answer
}

macro_rules! look {
    ($self:ident, $what:expr, $look:expr) => {
        Box::pin($self.looked(Looks::Forge, $what, $look))
    };
}

macro_rules! write {
    ($self:ident, $verb:expr, $what:expr, $write:expr) => {
        Box::pin($self.written(Writes::Forge($verb), $what, $write))
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
        Box::pin(async {
            let answer = self.looked(Looks::Forge, "releases".into(), self.real().releases()).await;
            found(answer, |releases| releases.all.iter().for_each(|release| self.know(release)))
        })
    }

    fn release(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Release>> {
        look!(self, "release by id".into(), self.real().release(release))
    }

    fn published<'a>(&'a self, tag: &'a str) -> BoxFuture<'a, Answer<Release>> {
        Box::pin(async move {
            let answer = self.looked(Looks::Forge, format!("release {tag}"), self.real().published(tag)).await;
            found(answer, |release| self.know(release))
        })
    }

    fn latest(&self) -> BoxFuture<'_, Answer<String>> {
        look!(self, "latest release".into(), self.real().latest())
    }

    fn assets(&self, release: ReleaseId) -> BoxFuture<'_, Answer<Vec<Asset>>> {
        Box::pin(async move {
            let what = format!("assets of {}", self.release(release));
            let answer = self.looked(Looks::Forge, what, self.real().assets(release)).await;
            found(answer, |assets| {
                let known = assets.iter().map(|asset| (asset.id, (release, asset.name.clone())));
                self.numbers.lock().unwrap().assets.extend(known);
            })
        })
    }

    fn download<'a>(&'a self, asset: &'a Asset, spool: &'a Path) -> BoxFuture<'a, Answer<Blob>> {
        look!(self, format!("asset {}", asset.name), self.real().download(asset, spool))
    }

    fn pulls_from<'a>(&'a self, head: &'a RefName) -> BoxFuture<'a, Answer<Vec<Pull>>> {
        Box::pin(async move {
            let what = format!("pull requests from {}", head.short());
            let answer = self.looked(Looks::Forge, what, self.real().pulls_from(head)).await;
            found(answer, |pulls| pulls.iter().for_each(|pull| self.know_pull(pull)))
        })
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
        Box::pin(async move {
            let make = async {
                let id = self.real().create_draft(draft).await?;
                self.numbers.lock().unwrap().releases.insert(id, draft.tag.clone());
                Ok(id)
            };
            self.written(Writes::Forge("create-draft"), format!("release {}", draft.tag), make).await
        })
    }

    fn edit_release<'a>(&'a self, release: ReleaseId, edit: &'a ReleaseEdit) -> BoxFuture<'a, Result<(), WriteError>> {
        let verb = match (edit.draft, edit.latest) {
            (Some(false), _) => "publish-release",
            (_, Some(_)) => "mark-latest",
            _ => "edit-draft",
        };
        write!(self, verb, self.release(release), self.real().edit_release(release, edit))
    }

    fn delete_release(&self, release: ReleaseId) -> BoxFuture<'_, Result<(), WriteError>> {
        write!(self, "delete-draft", self.release(release), self.real().delete_release(release))
    }

    fn upload<'a>(
        &'a self,
        release: ReleaseId,
        name: &'a str,
        blob: &'a Blob,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        let what = format!("{} {name}", self.release(release));
        write!(self, "upload-asset", what, self.real().upload(release, name, blob))
    }

    fn delete_asset(&self, asset: AssetId) -> BoxFuture<'_, Result<(), WriteError>> {
        write!(self, "delete-asset", self.asset(asset), self.real().delete_asset(asset))
    }

    fn open_pull<'a>(&'a self, pull: &'a NewPull) -> BoxFuture<'a, Result<u64, WriteError>> {
        Box::pin(async move {
            let open = async {
                let number = self.real().open_pull(pull).await?;
                self.numbers.lock().unwrap().pulls.insert(number, pull.head.short().to_owned());
                Ok(number)
            };
            let what = format!("pull request from {}", pull.head.short());
            self.written(Writes::Forge("open-pull"), what, open).await
        })
    }

    fn edit_pull<'a>(&'a self, number: u64, edit: &'a PullEdit) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "edit-pull", self.request(number), self.real().edit_pull(number, edit))
    }

    fn add_label<'a>(&'a self, number: u64, label: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "label-pull", self.request(number), self.real().add_label(number, label))
    }

    fn create_comment<'a>(&'a self, pull: u64, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "put-comment", format!("comment on #{pull}"), self.real().create_comment(pull, body))
    }

    fn edit_comment<'a>(&'a self, comment: CommentId, body: &'a str) -> BoxFuture<'a, Result<(), WriteError>> {
        write!(self, "put-comment", "comment".into(), self.real().edit_comment(comment, body))
    }
}
