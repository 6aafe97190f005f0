//! Drafts, their assets, publishing, and the mark of the latest.

use super::{Done, Hosted, found, lost, unchanged, unclear};
use crate::model::{Blob, Digest, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::{Asset, Latest, NewRelease, Release, ReleaseEdit};
use crate::stage::There;
use crate::stage::record::File;

impl Hosted<'_> {
    /// The one draft of a tag. Two are for a person to tell apart.
    async fn draft(&self, tag: &RefName) -> Result<Option<Release>, WriteError> {
        if let Some(&id) = self.draft.get() {
            return match self.read()?.release(id).await.known()? {
                Some(release) if release.draft => Ok(Some(release)),
                Some(_) => Err(lost(release(tag), "a draft", "a published release")),
                None => Err(lost(release(tag), "a draft", "nothing")),
            };
        }
        let releases = found(self.read()?.releases().await, "the releases")?;
        if !releases.drafts_visible {
            let hidden = "drafts are not visible to this credential: use one that may push";
            return Err(Unknown::new(release(tag), hidden).into());
        }
        let drafts: Vec<&Release> = releases.drafts(tag.short()).collect();
        match (releases.published(tag.short()), drafts.as_slice()) {
            (None, []) => Ok(None),
            (None, [draft]) => {
                let _ = self.draft.set(draft.id);
                Ok(Some((*draft).clone()))
            }
            (Some(_), _) => Err(lost(release(tag), "a draft", "a published release")),
            (None, many) => Err(lost(release(tag), "one draft", &format!("{} drafts", many.len()))),
        }
    }

    async fn must_draft(&self, tag: &RefName) -> Result<Release, WriteError> {
        self.draft(tag).await?.ok_or_else(|| lost(release(tag), "a draft", "nothing"))
    }

    /// Lists lag behind creations, so absence is read twice.
    pub(super) async fn create_draft(&self, tag: &RefName, body: &str, target: &str) -> Done {
        if self.draft(tag).await?.is_some() {
            return Ok(());
        }
        tokio::select! {
            () = tokio::time::sleep(self.lag) => {}
            () = self.stop.wait() => return Err(Unknown::new(release(tag), "interrupted before it was made").into()),
        }
        if self.draft(tag).await?.is_some() {
            return Ok(());
        }
        let name = tag.short().to_owned();
        let draft = NewRelease { tag: name.clone(), name, body: body.to_owned(), target: target.to_owned() };
        match self.write()?.create_draft(&draft).await {
            // The list may lag: what is in it is there, what isn't may be all the same.
            Err(WriteError::Unknown(unknown)) => match self.draft(tag).await {
                Ok(Some(_)) => Ok(()),
                _ => Err(unclear(unknown).into()),
            },
            done => done.map(drop),
        }
    }

    /// Changes a release, and looks what became of it where that isn't clear.
    async fn edit(&self, there: &Release, edit: &ReleaseEdit, done: impl Fn(&Release) -> bool) -> Done {
        match self.write()?.edit_release(there.id, edit).await {
            Err(WriteError::Unknown(unknown)) => match self.read()?.release(there.id).await.known() {
                Ok(Some(release)) if done(&release) => Ok(()),
                _ => Err(unclear(unknown).into()),
            },
            result => result,
        }
    }

    pub(super) async fn edit_draft(&self, tag: &RefName, body: &str, expect: Digest) -> Done {
        let draft = self.must_draft(tag).await?;
        let is = |draft: &Release| draft.body == body && draft.tag == tag.short();
        if is(&draft) {
            return Ok(());
        }
        unchanged(release(tag), &draft.body, expect)?;
        let name = Some(tag.short().to_owned());
        let edit = ReleaseEdit { tag: name.clone(), name, body: Some(body.to_owned()), ..ReleaseEdit::default() };
        self.edit(&draft, &edit, is).await
    }

    pub(super) async fn delete_draft(&self, tag: &RefName) -> Done {
        match self.draft(tag).await? {
            Some(draft) => self.write()?.delete_release(draft.id).await,
            None => Ok(()),
        }
    }

    /// What is there under an asset's name.
    async fn asset(&self, draft: &Release, tag: &RefName, name: &str) -> Result<Option<Asset>, WriteError> {
        let assets = found(self.read()?.assets(draft.id).await, &release(tag))?;
        Ok(assets.into_iter().find(|asset| asset.name == name))
    }

    /// Where nothing is expected under the name, nothing is looked for first: a forge takes no second
    /// file of a name, which is the one expectation that it checks itself.
    pub(super) async fn upload(&self, tag: &RefName, name: &str, blob: &Blob, expect: There) -> Done {
        let what = || format!("{} {name}", release(tag));
        let draft = self.must_draft(tag).await?;
        if expect != There::Nothing {
            let asset = self.asset(&draft, tag, name).await?;
            if asset.as_ref().is_some_and(|asset| is(asset, blob)) {
                return Ok(());
            }
            expected(what(), asset.as_ref(), expect)?;
            if let Some(asset) = asset {
                self.write()?.delete_asset(asset.id).await?;
            }
        }
        let error = match self.write()?.upload(draft.id, name, blob).await {
            Err(error @ (WriteError::Unknown(_) | WriteError::Refused { .. })) => error,
            done => return done,
        };
        match (self.asset(&draft, tag, name).await, error) {
            (Ok(Some(asset)), _) if is(&asset, blob) => Ok(()),
            (Ok(Some(asset)), WriteError::Refused { .. }) if asset.complete => {
                Err(lost(what(), &There::Nothing.to_string(), "a file"))
            }
            (_, WriteError::Unknown(unknown)) => Err(unclear(unknown).into()),
            (_, error) => Err(error),
        }
    }

    pub(super) async fn delete_asset(&self, tag: &RefName, name: &str, expect: There) -> Done {
        let draft = self.must_draft(tag).await?;
        let Some(asset) = self.asset(&draft, tag, name).await? else { return Ok(()) };
        expected(format!("{} {name}", release(tag)), Some(&asset), expect)?;
        self.write()?.delete_asset(asset.id).await
    }

    /// What becomes public is what was planned on: people may have changed text or files since.
    pub(super) async fn publish(&self, tag: &RefName, body: &str, expect: Digest, files: &[File]) -> Done {
        if self.read()?.published(tag.short()).await.known()?.is_some() {
            return Ok(());
        }
        let draft = self.must_draft(tag).await?;
        unchanged(release(tag), &draft.body, expect)?;
        these_alone(release(tag), &found(self.read()?.assets(draft.id).await, &release(tag))?, files)?;
        let edit = ReleaseEdit {
            tag: Some(tag.short().to_owned()),
            name: None,
            body: Some(body.to_owned()),
            draft: Some(false),
            latest: Some(Latest::No),
        };
        self.edit(&draft, &edit, |release| !release.draft).await
    }

    pub(super) async fn mark_latest(&self, tag: &RefName, expect: Option<&str>) -> Done {
        let latest = self.read()?.latest().await.known()?;
        if latest.as_deref() == Some(tag.short()) {
            return Ok(());
        }
        if latest.as_deref() != expect {
            let show = |tag: Option<&str>| tag.unwrap_or("nothing").to_owned();
            return Err(lost("the latest release".into(), &show(expect), &show(latest.as_deref())));
        }
        let Some(published) = self.read()?.published(tag.short()).await.known()? else {
            return Err(lost(release(tag), "a published release", "none"));
        };
        let edit = ReleaseEdit { latest: Some(Latest::Yes), ..ReleaseEdit::default() };
        match self.write()?.edit_release(published.id, &edit).await {
            Err(WriteError::Unknown(unknown)) => match self.read()?.latest().await.known() {
                Ok(Some(latest)) if latest == tag.short() => Ok(()),
                _ => Err(unclear(unknown).into()),
            },
            done => done,
        }
    }
}

fn release(tag: &RefName) -> String {
    format!("release {}", tag.short())
}

/// Whether an asset is a file: by the forge's own digest of it, never by its size alone.
fn is(asset: &Asset, blob: &Blob) -> bool {
    asset.complete && asset.digest == Some(blob.descriptor.digest) && asset.size == blob.descriptor.size
}

/// Whether the assets are these files and no others.
fn these_alone(what: String, assets: &[Asset], files: &[File]) -> Done {
    let is = |asset: &Asset, file: &File| {
        let same = asset.name == file.name && asset.complete && asset.size == file.size;
        same && asset.digest.is_none_or(|digest| digest == file.sha256)
    };
    let other = assets.iter().find(|asset| !files.iter().any(|file| is(asset, file)));
    if other.is_none() && assets.len() == files.len() {
        return Ok(());
    }
    let found = other.map_or("fewer".to_owned(), |asset| format!("another {}", asset.name));
    Err(lost(what, &format!("its {} files", files.len()), &found))
}

fn expected(what: String, asset: Option<&Asset>, expect: There) -> Done {
    let found = match (asset, expect) {
        (None, _) => There::Nothing,
        (Some(asset), _) if !asset.complete => There::Half,
        (Some(Asset { digest: Some(digest), .. }), _) => There::Whole(*digest),
        // Its bytes were looked at when this was planned: a forge without digests says no more.
        (Some(_), There::Whole(digest)) => There::Whole(digest),
        (Some(_), _) => return Err(lost(what, &expect.to_string(), "a file")),
    };
    if found == expect { Ok(()) } else { Err(lost(what, &expect.to_string(), &found.to_string())) }
}
