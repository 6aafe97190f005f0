//! Drafts, their assets, publishing, and the mark of the latest.

use super::expect::{Done, expected, found, is, lost, release, these_alone, unchanged};
use super::{Arm, anew};
use crate::model::{Blob, Digest, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::{Asset, Latest, NewRelease, Release, ReleaseEdit, ReleaseId};
use crate::stage::There;
use crate::stage::record::File;

impl Arm<'_> {
    /// The one draft of a tag. Two are for a person to tell apart.
    async fn draft(&self, tag: &RefName) -> Result<Option<Release>, WriteError> {
        if let Some(&id) = self.hosted.draft.get() {
            return match self.read()?.release(id).await.known()? {
                Some(release) if release.draft => Ok(Some(release)),
                Some(_) => Err(lost(release(tag), "a draft", "a published release")),
                None => Ok(None),
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
                let _ = self.hosted.draft.set(draft.id);
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
            () = tokio::time::sleep(self.hosted.lag) => {}
            () = self.hosted.stop.wait() => return Err(Unknown::new(release(tag), "interrupted before it was made").into()),
        }
        if self.draft(tag).await?.is_some() {
            return Ok(());
        }
        let name = tag.short().to_owned();
        let draft = NewRelease { tag: name.clone(), name, body: body.to_owned(), target: target.to_owned() };
        let made = self.write()?.create_draft(&draft).await?;
        self.keep_first(tag, made).await
    }

    /// Two runners may have looked in vain at the same time: the draft that was made first stays, and
    /// whoever made another takes it back, empty as it still is.
    async fn keep_first(&self, tag: &RefName, made: ReleaseId) -> Done {
        let attempt = async || {
            let releases = found(self.read()?.releases().await, "the releases")?;
            match releases.drafts(tag.short()).any(|draft| draft.id < made) {
                true => self.write()?.delete_release(made).await,
                false => Ok(()),
            }
        };
        anew(attempt, || true).await
    }

    pub(super) async fn edit_draft(&self, tag: &RefName, body: &str, expect: Digest) -> Done {
        let draft = self.must_draft(tag).await?;
        if draft.body == body && draft.tag == tag.short() {
            return Ok(());
        }
        unchanged(release(tag), &draft.body, expect)?;
        let name = Some(tag.short().to_owned());
        let (body, prerelease) = (Some(body.to_owned()), Some(false));
        let edit = ReleaseEdit { tag: name.clone(), name, body, prerelease, ..ReleaseEdit::default() };
        self.write()?.edit_release(draft.id, &edit).await
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
        let draft = self.must_draft(tag).await?;
        if (expect, self.write.is_some()) != (There::Nothing, true)
            && self.makes_room(&draft, tag, name, blob, expect).await?
        {
            return Ok(());
        }
        // Room is made: each further attempt looks at the draft alone.
        let mut seen = Some(draft);
        let attempt = async || {
            let draft = match seen.take() {
                Some(draft) => draft,
                None => self.must_draft(tag).await?,
            };
            match self.write()?.upload(draft.id, name, blob).await {
                Err(refused @ WriteError::Refused { .. }) => {
                    let there = self.makes_room(&draft, tag, name, blob, There::Nothing).await?;
                    if there { Ok(()) } else { Err(refused) }
                }
                done => done,
            }
        };
        anew(attempt, || true).await
    }

    /// Takes what is expected under a file's name off the draft. `true`: the file itself is there.
    async fn makes_room(
        &self,
        draft: &Release,
        tag: &RefName,
        name: &str,
        blob: &Blob,
        expect: There,
    ) -> Result<bool, WriteError> {
        let asset = self.asset(draft, tag, name).await?;
        if asset.as_ref().is_some_and(|asset| is(asset, blob)) {
            return Ok(true);
        }
        expected(format!("{} {name}", release(tag)), asset.as_ref(), expect)?;
        if let Some(asset) = asset {
            self.write()?.delete_asset(asset.id).await?;
        }
        Ok(false)
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
        let assets = found(self.read()?.assets(draft.id).await, &release(tag))?;
        these_alone(release(tag), &assets, files)?;
        let edit = ReleaseEdit {
            tag: Some(tag.short().to_owned()),
            name: None,
            body: Some(body.to_owned()),
            draft: Some(false),
            prerelease: Some(false),
            latest: Some(Latest::No),
        };
        self.write()?.edit_release(draft.id, &edit).await
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
        self.write()?.edit_release(published.id, &edit).await
    }
}
