//! The repository itself, and who asks.

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::body::Body;
use super::client::Client;
use super::limits::limit;
use super::transport::{Reply, Request};
use super::words;
use crate::model::Unknown;
use crate::port::forge::{Hosted, Login, Visible};

#[derive(Deserialize)]
struct Repository {
    full_name: String,
    default_branch: String,
    private: bool,
    permissions: Option<Permissions>,
    /// Shown to those alone who may push.
    allow_merge_commit: Option<bool>,
}

/// What a person may; for apps all of it is false, whatever they may.
#[derive(Deserialize)]
struct Permissions {
    admin: Option<bool>,
}

#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    viewer: Option<Viewer>,
}

#[derive(Deserialize)]
struct Viewer {
    login: String,
}

impl Client {
    /// The repository as it was when it was first read.
    pub async fn seen(&self) -> Result<&Hosted, Unknown> {
        self.seen.get_or_try_init(|| self.hosted()).await
    }

    /// Never absent: to whom a repository isn't shown, it looks the same.
    pub async fn repository(&self) -> Result<Hosted, Unknown> {
        let hosted = self.hosted().await?;
        // The first look stays: both say that it is there.
        let _ = self.seen.set(hosted.clone());
        Ok(hosted)
    }

    async fn hosted(&self) -> Result<Hosted, Unknown> {
        let what = self.address.full_name();
        let reply = self.call(&what, Request::get(self.address.below(&[]))).await?;
        if reply.status != 200 {
            let mut unknown = self.unexpected(&what, &reply);
            if reply.status == 404 {
                unknown.detail.push_str("; it isn't there, or this token isn't shown it");
            }
            return Err(unknown);
        }
        let found: Repository = self.read(&what, &reply)?;
        if !found.full_name.eq_ignore_ascii_case(&what) {
            let detail = format!("it has moved to {}: name that one", self.told(&found.full_name));
            return Err(Unknown::new(what, detail).with_status(200));
        }
        Ok(Hosted {
            push: found.allow_merge_commit.is_some() && !words::lacks_repo_scope(&reply.headers, found.private),
            admin: self.administers(&found, &reply).await?,
            full_name: found.full_name,
            default_branch: found.default_branch,
            private: found.private,
            merge_commits: found.allow_merge_commit.map_or(Visible::Hidden, Visible::Shown),
        })
    }

    async fn administers(&self, found: &Repository, reply: &Reply) -> Result<bool, Unknown> {
        if let Some(issued) = self.identity.issued().await? {
            return Ok(issued.permissions.contains_key("administration"));
        }
        let person = found.permissions.as_ref().and_then(|permissions| permissions.admin).unwrap_or(false);
        Ok(person && !words::lacks_repo_scope(&reply.headers, found.private))
    }

    /// By GraphQL, the one way that every kind of token has; else as a person. `None`: nobody.
    pub async fn viewer(&self) -> Result<Option<Login>, Unknown> {
        if self.identity.is_anonymous() {
            return Ok(None);
        }
        let what = "who this token is";
        let body = Body::Json(json!({ "query": "{ viewer { login } }" }));
        let request = Request { method: Method::POST, body, ..Request::get(self.address.graphql.clone()) };
        let reply = self.call(what, request).await?;
        let found = match reply.status {
            200 => self.read::<Answer>(what, &reply)?.data.and_then(|data| data.viewer),
            403 | 404 if limit(&reply).is_none() => None,
            _ => return Err(self.unexpected(what, &reply)),
        };
        if let Some(viewer) = found {
            return Ok(Some(Login(viewer.login)));
        }
        let reply = self.call(what, Request::get(self.address.path(["user"]))).await?;
        match reply.status {
            200 => self.read::<Viewer>(what, &reply).map(|viewer| Some(Login(viewer.login))),
            _ => Err(self.unexpected(what, &reply)),
        }
    }
}
