//! The interpreter's arms for a forge. GitHub has no compare-and-set: each looks right before it
//! writes, and looks again where the outcome is unclear.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::expect::{Done, expected, found, is, lost, pull_from, release, these_alone, unchanged, unclear};
use super::ports::Stop;
use crate::model::{Blob, Digest, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::{
    Asset, Comment, ForgeRead, ForgeWrite, Latest, NewPull, NewRelease, Pull, PullEdit, PullState, Release,
    ReleaseEdit, none,
};
use crate::stage::record::File;
use crate::stage::{Action, There};

/// A forge to look at and to write to.
pub(super) struct Hosted<'a> {
    pub read: Option<&'a dyn ForgeRead>,
    pub write: Option<&'a dyn ForgeWrite>,
    /// How long after the first look absence is looked at again, before something is created.
    pub lag: Duration,
    pub stop: &'a Stop,
    /// Whether a write was begun.
    pub begun: AtomicBool,
}

impl Hosted<'_> {
    /// Does an action on a forge. Where the outcome of a write is unclear it is looked at once more, by
    /// the same arm with nothing to write with: done is done.
    pub async fn one(&self, action: &Action) -> Done {
        match self.act(action).await {
            Err(WriteError::Unknown(unknown)) if self.begun.load(Ordering::Relaxed) => {
                let only_looking = Hosted { write: None, begun: AtomicBool::default(), ..*self };
                let there = only_looking.act(action).await;
                there.map_err(|_| unclear(unknown).into())
            }
            done => done,
        }
    }

    async fn act(&self, action: &Action) -> Done {
        match action {
            Action::CreateDraft { tag, body, target } => {
                let target = target.to_string();
                let (tag, body) = (tag.short().to_owned(), body.clone());
                self.create_draft(&NewRelease { name: tag.clone(), tag, body, target }).await
            }
            Action::EditDraft { tag, body, expect } => self.edit_draft(tag, body, *expect).await,
            Action::DeleteDraft { tag } => self.delete_draft(tag).await,
            Action::UploadAsset { tag, name, blob, expect } => self.upload(tag, name, blob, *expect).await,
            Action::DeleteAsset { tag, name, expect } => self.delete_asset(tag, name, *expect).await,
            Action::OpenPull { head, base, title, body } => {
                let (title, body) = (title.clone(), body.clone());
                self.open_pull(&NewPull { title, body, head: head.clone(), base: base.clone() }).await
            }
            Action::EditPull { head, body, expect } => self.edit_pull(head, body, *expect).await,
            Action::LabelPull { head, label } => self.label(head, label).await,
            Action::PublishRelease { tag, body, expect, files } => self.publish(tag, body, *expect, files).await,
            Action::MarkLatest { tag, expect } => self.mark_latest(tag, expect.as_deref()).await,
            Action::PutComment { pull, marker, body, expect } => self.comment(*pull, marker, body, *expect).await,
            Action::PushBlob { .. }
            | Action::PutManifest { .. }
            | Action::CreateRef { .. }
            | Action::UpdateRef { .. }
            | Action::DeleteRef { .. } => {
                Err(Unknown::new(action.summary(), "this is nothing that a forge does").into())
            }
        }
    }

    fn read(&self) -> Result<&dyn ForgeRead, Unknown> {
        self.read.ok_or_else(|| none("the forge"))
    }

    fn write(&self) -> Result<&dyn ForgeWrite, Unknown> {
        let write = self.write.ok_or_else(|| none("the forge"))?;
        self.begun.store(true, Ordering::Relaxed);
        Ok(write)
    }

    /// The one draft of a tag. Two are for a person to tell apart.
    async fn draft(&self, tag: &str) -> Result<Option<Release>, WriteError> {
        let releases = found(self.read()?.releases().await, "the releases")?;
        let drafts: Vec<&Release> = releases.drafts(tag).collect();
        match (releases.published(tag), drafts.as_slice()) {
            (None, []) => Ok(None),
            (None, [draft]) => Ok(Some((*draft).clone())),
            (Some(_), _) => Err(lost(release(tag), "a draft", "a published release")),
            (None, many) => Err(lost(release(tag), "one draft", &format!("{} drafts", many.len()))),
        }
    }

    async fn must_draft(&self, tag: &str) -> Result<Release, WriteError> {
        self.draft(tag).await?.ok_or_else(|| lost(release(tag), "a draft", "nothing"))
    }

    /// Lists lag behind creations, so absence is read twice.
    async fn create_draft(&self, draft: &NewRelease) -> Done {
        if self.draft(&draft.tag).await?.is_some() {
            return Ok(());
        }
        tokio::select! {
            () = tokio::time::sleep(self.lag) => {}
            () = self.stop.wait() => return Err(Unknown::new(release(&draft.tag), "interrupted before it was made").into()),
        }
        if self.draft(&draft.tag).await?.is_some() {
            return Ok(());
        }
        self.write()?.create_draft(draft).await.map(drop)
    }

    async fn edit_draft(&self, tag: &RefName, body: &str, expect: Digest) -> Done {
        let draft = self.must_draft(tag.short()).await?;
        if draft.body == body && draft.tag == tag.short() {
            return Ok(());
        }
        unchanged(release(tag.short()), &draft.body, expect)?;
        let edit = ReleaseEdit {
            tag: Some(tag.short().to_owned()),
            name: Some(tag.short().to_owned()),
            body: Some(body.to_owned()),
            ..ReleaseEdit::default()
        };
        self.write()?.edit_release(draft.id, &edit).await
    }

    async fn delete_draft(&self, tag: &RefName) -> Done {
        match self.draft(tag.short()).await? {
            Some(draft) => self.write()?.delete_release(draft.id).await,
            None => Ok(()),
        }
    }

    /// A draft, and what is there under an asset's name.
    async fn asset(&self, tag: &RefName, name: &str) -> Result<(Release, Option<Asset>), WriteError> {
        let draft = self.must_draft(tag.short()).await?;
        let assets = found(self.read()?.assets(draft.id).await, &release(tag.short()))?;
        Ok((draft, assets.into_iter().find(|asset| asset.name == name)))
    }

    async fn upload(&self, tag: &RefName, name: &str, blob: &Blob, expect: There) -> Done {
        let what = || format!("{} {name}", release(tag.short()));
        let (draft, asset) = self.asset(tag, name).await?;
        if asset.as_ref().is_some_and(|asset| is(asset, blob)) {
            return Ok(());
        }
        expected(what(), asset.as_ref(), expect)?;
        if let Some(asset) = asset {
            self.write()?.delete_asset(asset.id).await?;
        }
        self.write()?.upload(draft.id, name, blob).await
    }

    async fn delete_asset(&self, tag: &RefName, name: &str, expect: There) -> Done {
        let (_, asset) = self.asset(tag, name).await?;
        let Some(asset) = asset else { return Ok(()) };
        expected(format!("{} {name}", release(tag.short())), Some(&asset), expect)?;
        self.write()?.delete_asset(asset.id).await
    }

    /// The open pull request from a branch of this repository.
    async fn open(&self, head: &RefName) -> Result<Option<Pull>, WriteError> {
        let pulls = found(self.read()?.pulls_from(head).await, &pull_from(head))?;
        Ok(pulls.into_iter().find(|pull| pull.state == PullState::Open))
    }

    async fn must_open(&self, head: &RefName) -> Result<Pull, WriteError> {
        self.open(head).await?.ok_or_else(|| lost(pull_from(head), "an open one", "none"))
    }

    async fn open_pull(&self, pull: &NewPull) -> Done {
        if self.open(&pull.head).await?.is_some() {
            return Ok(());
        }
        self.write()?.open_pull(pull).await.map(drop)
    }

    async fn edit_pull(&self, head: &RefName, body: &str, expect: Digest) -> Done {
        let pull = self.must_open(head).await?;
        if pull.body == body {
            return Ok(());
        }
        unchanged(pull_from(head), &pull.body, expect)?;
        let edit = PullEdit { body: Some(body.to_owned()), ..PullEdit::default() };
        self.write()?.edit_pull(pull.number, &edit).await
    }

    async fn label(&self, head: &RefName, label: &str) -> Done {
        let pull = self.must_open(head).await?;
        if pull.labels.iter().any(|there| there == label) {
            return Ok(());
        }
        self.write()?.add_label(pull.number, label).await
    }

    /// What becomes public is what was planned on: people may have changed text or files since.
    async fn publish(&self, tag: &RefName, body: &str, expect: Digest, files: &[File]) -> Done {
        if let Some(there) = self.read()?.published(tag.short()).await.known()?
            && !there.draft
        {
            return Ok(());
        }
        let draft = self.must_draft(tag.short()).await?;
        unchanged(release(tag.short()), &draft.body, expect)?;
        let assets = found(self.read()?.assets(draft.id).await, &release(tag.short()))?;
        these_alone(release(tag.short()), &assets, files)?;
        let edit = ReleaseEdit {
            tag: Some(tag.short().to_owned()),
            name: None,
            body: Some(body.to_owned()),
            draft: Some(false),
            latest: Some(Latest::No),
        };
        self.write()?.edit_release(draft.id, &edit).await
    }

    async fn mark_latest(&self, tag: &RefName, expect: Option<&str>) -> Done {
        let latest = self.read()?.latest().await.known()?;
        if latest.as_deref() == Some(tag.short()) {
            return Ok(());
        }
        if latest.as_deref() != expect {
            let show = |tag: Option<&str>| tag.unwrap_or("nothing").to_owned();
            return Err(lost("the latest release".into(), &show(expect), &show(latest.as_deref())));
        }
        let Some(release) = self.read()?.published(tag.short()).await.known()? else {
            return Err(lost(release(tag.short()), "a published release", "none"));
        };
        let edit = ReleaseEdit { latest: Some(Latest::Yes), ..ReleaseEdit::default() };
        self.write()?.edit_release(release.id, &edit).await
    }

    async fn comment(&self, pull: u64, marker: &str, body: &str, expect: Option<Digest>) -> Done {
        let read = self.read()?;
        let mine = read.viewer().await.known()?.ok_or_else(|| Unknown::new("the credential", "it is nobody's"))?;
        let comments = found(read.comments(pull).await, &format!("#{pull}"))?;
        let mine = |comment: &&Comment| {
            comment.author.as_deref().is_some_and(|author| mine.is(author)) && comment.body.starts_with(marker)
        };
        match comments.iter().find(mine) {
            Some(there) if there.body == body => Ok(()),
            Some(there) => {
                let expect = expect.ok_or_else(|| lost(format!("comment on #{pull}"), "nothing", "a comment"))?;
                unchanged(format!("comment on #{pull}"), &there.body, expect)?;
                self.write()?.edit_comment(there.id, body).await
            }
            None => self.write()?.create_comment(pull, body).await,
        }
    }
}
