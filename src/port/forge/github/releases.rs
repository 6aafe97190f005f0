//! Releases.

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::GitHub;
use super::body::Body;
use super::moment::Moment;
use super::page::Row;
use super::transport::{Reply, Request};
use crate::model::Unknown;
use crate::port::WriteError;
use crate::port::forge::{Latest, NewRelease, Release, ReleaseEdit, ReleaseId, Releases};

#[derive(Deserialize)]
struct Found {
    id: u64,
    tag_name: String,
    name: Option<String>,
    body: Option<String>,
    draft: bool,
    #[serde(default)]
    prerelease: Option<bool>,
    html_url: String,
    upload_url: String,
    published_at: Option<Moment>,
}

impl Row for Found {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }
}

impl From<Found> for Release {
    fn from(found: Found) -> Self {
        Self {
            id: ReleaseId(found.id),
            tag: found.tag_name,
            name: found.name.unwrap_or_default(),
            body: found.body.unwrap_or_default(),
            draft: found.draft,
            prerelease: found.prerelease.unwrap_or(false),
            url: found.html_url,
            published_at: found.published_at.map(|Moment(text)| text),
        }
    }
}

impl GitHub {
    fn release(&self, id: u64) -> Url {
        self.client.address.below(&["releases", &id.to_string()])
    }

    /// The list, without what was deleted here; what was made or changed here is read by its id.
    pub(super) async fn list_releases(&self) -> Result<Releases, Unknown> {
        let what = self.client.name("the releases");
        let list = self.client.list::<Vec<Found>>(&what, self.client.address.below(&["releases"])).await?;
        let mut found = list.ok_or_else(|| Unknown::new(&what, "not found").with_status(404))?;
        let made = self.made_releases.of(&());
        found.retain(|release| !made.contains(&release.id) && !self.made_releases.is_gone(release.id));
        let mut all = Vec::with_capacity(found.len() + made.len());
        for id in made {
            let what = self.client.name(&format!("release {id}, written by this run,"));
            all.push(
                self.client.read::<Found>(&what, &self.client.need(&what, Request::get(self.release(id))).await?)?,
            );
        }
        all.append(&mut found);
        let drafts_visible = self.client.seen().await?.push;
        Ok(Releases { all: all.into_iter().map(|found| self.note(found)).collect(), drafts_visible })
    }

    fn note(&self, found: Found) -> Release {
        self.note_upload(found.id, &found.upload_url);
        found.into()
    }

    pub(super) async fn release_by(&self, id: ReleaseId) -> Result<Option<Release>, Unknown> {
        let what = self.client.name(&format!("release {id}"));
        let Some(reply) = self.client.get(&what, Request::get(self.release(id.0))).await? else { return Ok(None) };
        Ok(Some(self.note(self.client.read::<Found>(&what, &reply)?)))
    }

    pub(super) async fn release_of(&self, tag: &str) -> Result<Option<Release>, Unknown> {
        let what = self.client.name(&format!("the release {tag}"));
        let request = Request::get(self.client.address.below(&["releases", "tags", tag]));
        let Some(reply) = self.client.get(&what, request).await? else { return Ok(None) };
        Ok(Some(self.note(self.client.read::<Found>(&what, &reply)?)))
    }

    pub(super) async fn latest_tag(&self) -> Result<Option<String>, Unknown> {
        let what = self.client.name("the latest release");
        let request = Request::get(self.client.address.below(&["releases", "latest"]));
        let Some(reply) = self.client.get(&what, request).await? else { return Ok(None) };
        Ok(Some(self.client.read::<Found>(&what, &reply)?.tag_name))
    }

    /// The address that takes a release's assets. `None`: there is no such release.
    pub(super) async fn upload_url(&self, what: &str, release: ReleaseId) -> Result<Option<String>, Unknown> {
        if let Some(url) = self.noted_upload(release.0) {
            return Ok(Some(url));
        }
        let found = self.client.get(what, Request::get(self.release(release.0))).await?;
        found.map(|reply| Ok(self.client.read::<Found>(what, &reply)?.upload_url)).transpose()
    }

    pub(super) async fn make_draft(&self, draft: &NewRelease) -> Result<ReleaseId, WriteError> {
        let what = self.client.name(&format!("a draft of the release {}", draft.tag));
        let body = json!({
            "tag_name": draft.tag, "target_commitish": draft.target, "name": draft.name, "body": draft.body,
            "draft": true, "prerelease": false,
        });
        let url = self.client.address.below(&["releases"]);
        let reply = self.client.write(&what, Request::write(Method::POST, url, Body::Json(body)), 201).await?;
        let made: Found = self.client.read(&what, &reply)?;
        self.made_releases.add(made.id, ());
        if !made.draft {
            return Err(Unknown::new(what, "GitHub published it instead").with_status(reply.status).into());
        }
        Ok(self.note(made).id)
    }

    pub(super) async fn change_release(&self, id: ReleaseId, edit: &ReleaseEdit) -> Result<(), WriteError> {
        let what = self.client.name(&format!("release {id}"));
        let mut body = Map::new();
        let texts = [("tag_name", &edit.tag), ("name", &edit.name), ("body", &edit.body)];
        body.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::from(text.clone()?)))));
        let flags = [("draft", edit.draft), ("prerelease", edit.prerelease)];
        body.extend(flags.into_iter().filter_map(|(key, flag)| Some((key.to_owned(), Value::from(flag?)))));
        let latest = |latest| if latest == Latest::Yes { "true" } else { "false" };
        body.extend(edit.latest.map(|said| ("make_latest".to_owned(), latest(said).into())));
        let request = Request::write(Method::PATCH, self.release(id.0), Body::Json(body.into()));
        let result = self.client.write(&what, request, 200).await;
        // Unclear is looked at, too, and not in a list that lags.
        if matches!(result, Ok(_) | Err(WriteError::Unknown(_))) {
            self.made_releases.add(id.0, ());
        }
        self.client.same(&what, &result?, id.0)
    }

    pub(super) async fn remove_release(&self, id: ReleaseId) -> Result<(), WriteError> {
        let what = self.client.name(&format!("release {id}"));
        self.delete(&what, self.release(id.0)).await?;
        self.made_releases.remove(id.0);
        Ok(())
    }

    /// What is gone already was deleted, too.
    pub(super) async fn delete(&self, what: &str, url: Url) -> Result<(), WriteError> {
        let reply: Reply = self.client.call(what, Request::write(Method::DELETE, url.clone(), Body::None)).await?;
        match self.client.is_gone(what, &reply, Request::get(url)).await? {
            true => Ok(()),
            false => self.client.judge(what, reply, 204).map(drop),
        }
    }
}
