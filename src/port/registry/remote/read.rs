//! Reads, each with four answers.

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, RANGE};
use serde::Deserialize;

use super::auth::Access;
use super::transport::{Reply, Request, SMALL_LIMIT};
use super::{Remote, words};
use crate::model::manifest::{DOCKER_LIST, DOCKER_MANIFEST, MANIFEST_LIMIT, OCI_INDEX, OCI_MANIFEST};
use crate::model::{Descriptor, Digest, Manifest, Repository, Tag, Unknown};
use crate::port::http::next_page;
use crate::port::registry::At;

/// All of them, always: with less, an index reads as absent or is replaced by one of its children.
const ACCEPTED: [&str; 4] = [OCI_INDEX, DOCKER_LIST, OCI_MANIFEST, DOCKER_MANIFEST];
const MANIFEST_CODES: [&str; 2] = ["MANIFEST_UNKNOWN", "NAME_UNKNOWN"];
const BLOB_CODES: [&str; 2] = ["BLOB_UNKNOWN", "NAME_UNKNOWN"];
const PAGE: usize = 1000;
const PAGES: usize = 10_000;

#[derive(Deserialize)]
struct TagPage {
    tags: Option<Vec<String>>,
}

pub(super) fn name(repository: &Repository, at: &At) -> String {
    match at {
        At::Tag(tag) => format!("{repository}:{tag}"),
        At::Digest(digest) => format!("{repository}@{digest}"),
    }
}

/// The registry's own idea of the digest, where it says one.
pub(super) fn digest_header(headers: &HeaderMap) -> Option<Result<Digest, String>> {
    let value = headers.get("docker-content-digest")?;
    let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
    Some(text.parse::<Digest>().map_err(|error| format!("Docker-Content-Digest: {error}")))
}

impl Remote {
    pub async fn manifest(&self, repository: &Repository, at: &At) -> Result<Option<Manifest>, Unknown> {
        let what = name(repository, at);
        let last = match at {
            At::Tag(tag) => tag.to_string(),
            At::Digest(digest) => digest.to_string(),
        };
        let mut request = self.get(repository, &format!("manifests/{last}"))?;
        request.limit = MANIFEST_LIMIT;
        request
            .headers
            .insert(ACCEPT, HeaderValue::from_str(&ACCEPTED.join(", ")).map_err(|e| Unknown::new(&what, e))?);
        let reply = self.call(&what, &Access::pull(repository), request).await?;
        match reply.status {
            200 => check_manifest(reply, at).map(Some).map_err(|error| Unknown::new(&what, error).with_status(200)),
            _ if words::proves_absence(&reply, &MANIFEST_CODES) => Ok(None),
            _ => Err(self.unexpected(&what, &reply)),
        }
    }

    pub async fn blob(&self, repository: &Repository, descriptor: &Descriptor) -> Result<Option<Vec<u8>>, Unknown> {
        let what = format!("{repository}@{}", descriptor.digest);
        let mut request = self.get(repository, &format!("blobs/{}", descriptor.digest))?;
        request.limit = descriptor.size;
        let reply = self.call(&what, &Access::pull(repository), request).await?;
        let wrong = |detail: String| Err(Unknown::new(&what, detail).with_status(reply.status));
        match reply.status {
            200 if reply.body.len() as u64 != descriptor.size => {
                wrong(format!("got {} bytes, expected {}", reply.body.len(), descriptor.size))
            }
            200 => match Digest::of(&reply.body) {
                actual if actual == descriptor.digest => Ok(Some(reply.body)),
                actual => wrong(format!("the bytes served hash to {actual}")),
            },
            _ if words::proves_absence(&reply, &BLOB_CODES) => Ok(None),
            _ => Err(self.unexpected(&what, &reply)),
        }
    }

    /// HEAD, and, since a 404 to HEAD has no code, a GET of one byte before absence is said.
    pub async fn has_blob(&self, repository: &Repository, digest: &Digest) -> Result<Option<()>, Unknown> {
        let what = format!("{repository}@{digest}");
        let head = self.head_blob(repository, digest, &Access::pull(repository)).await?;
        if head.status != 404 {
            return self.there(&what, &head, digest).map(Some);
        }
        let mut request = self.get(repository, &format!("blobs/{digest}"))?;
        request.headers.insert(RANGE, HeaderValue::from_static("bytes=0-0"));
        request.ignore_body = true;
        let reply = self.call(&what, &Access::pull(repository), request).await?;
        match words::proves_absence(&reply, &BLOB_CODES) {
            true => Ok(None),
            false => self.there(&what, &reply, digest).map(Some),
        }
    }

    pub(super) async fn head_blob(
        &self,
        repository: &Repository,
        digest: &Digest,
        access: &Access,
    ) -> Result<Reply, Unknown> {
        let url = self.url(repository, &format!("blobs/{digest}"))?;
        Ok(self.call(&format!("{repository}@{digest}"), access, Request::new(Method::HEAD, url)).await?)
    }

    fn there(&self, what: &str, reply: &Reply, digest: &Digest) -> Result<(), Unknown> {
        match (reply.status, digest_header(&reply.headers)) {
            (200 | 206, Some(Ok(said))) if said != *digest => {
                Err(Unknown::new(what, format!("the registry says its digest is {said}")).with_status(reply.status))
            }
            (200 | 206, _) => Ok(()),
            _ => Err(self.unexpected(what, reply)),
        }
    }

    /// Every page, by `Link` (distribution-spec, listing tags). A full page without one may be
    /// a cap, so it is asked what comes after.
    pub async fn tags(&self, repository: &Repository) -> Result<Option<Vec<Tag>>, Unknown> {
        let what = format!("the tags of {repository}");
        let wrong = |detail: String| Unknown::new(&what, detail).with_status(200);
        let (mut tags, mut seen) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
        let mut next = Some((self.url(repository, &format!("tags/list?n={PAGE}"))?, true));
        while let Some((url, linked)) = next.take() {
            if !seen.insert(url.to_string()) || seen.len() > PAGES {
                return Err(wrong("the listing runs in a circle".into()));
            }
            let mut request = Request::new(Method::GET, url);
            request.limit = 4 * SMALL_LIMIT;
            let reply = self.call(&what, &Access::pull(repository), request).await?;
            if seen.len() == 1 && words::proves_absence(&reply, &["NAME_UNKNOWN"]) {
                return Ok(None);
            }
            if reply.status != 200 {
                return Err(self.unexpected(&what, &reply));
            }
            let page: TagPage =
                serde_json::from_slice(&reply.body).map_err(|error| wrong(format!("not a list of tags: {error}")))?;
            let page = page.tags.unwrap_or_default();
            let (before, last) = (tags.len(), page.last().cloned());
            for tag in &page {
                tags.insert(tag.parse::<Tag>().map_err(|error| wrong(error.to_string()))?);
            }
            next = match (next_page(&reply.url, &reply.headers, &self.base).map_err(wrong)?, last) {
                (Some(url), _) => Some((url, true)),
                (None, Some(last)) if page.len() == PAGE && (linked || tags.len() > before) => {
                    Some((self.url(repository, &format!("tags/list?n={PAGE}&last={last}"))?, false))
                }
                _ => None,
            };
        }
        Ok(Some(tags.into_iter().collect()))
    }
}

/// Only the bytes decide; what the registry says about them must agree.
fn check_manifest(reply: Reply, at: &At) -> Result<Manifest, String> {
    if reply.body.is_empty() {
        return Err("the answer is empty".into());
    }
    let served = reply.headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let served = served.as_deref().map(|text| text.split(';').next().unwrap_or(text).trim());
    if let Some(other) = served.filter(|served| !ACCEPTED.contains(served)) {
        return Err(format!("it was served as `{other}`, which is no manifest"));
    }
    let said = digest_header(&reply.headers).transpose()?;
    let manifest = Manifest::new(reply.body, served).map_err(|error| error.to_string())?;
    if let At::Digest(asked) = at
        && *asked != manifest.digest()
    {
        return Err(format!("the bytes served hash to {}", manifest.digest()));
    }
    match said {
        Some(said) if said != manifest.digest() => {
            Err(format!("the registry says {said}, its bytes hash to {}", manifest.digest()))
        }
        _ => Ok(manifest),
    }
}
