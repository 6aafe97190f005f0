//! Writes: blobs, manifests, mounts.

use std::sync::Arc;

use reqwest::Method;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};

use super::auth::Access;
use super::read::{digest_header, name};
use super::transport::{Repeat, Request};
use super::{Remote, words};
use crate::model::{Descriptor, Digest, Hasher, Manifest, Repository, Unknown};
use crate::port::WriteError;
use crate::port::http::is_transient;
use crate::port::registry::{At, Blob, Content, Mount};

impl Remote {
    /// A blob that HEAD shows is not sent again. Anything else proves nothing, but uploading what
    /// is there does no harm.
    pub async fn put_blob(&self, repository: &Repository, blob: &Blob) -> Result<(), WriteError> {
        check_content(repository, blob).await?;
        let digest = blob.descriptor.digest;
        let head = self.head_blob(repository, &digest, &Access::push(repository)).await?;
        match head.status {
            200 if shows(&head.headers, &blob.descriptor) => Ok(()),
            status if is_transient(status) => Err(self.unexpected(&format!("{repository}@{digest}"), &head).into()),
            _ => self.upload(repository, blob).await,
        }
    }

    /// Sent once. 429, which says that nothing was done, is waited out and repeated; after any
    /// other unclear end the caller has to look before it repeats.
    pub async fn put_manifest(&self, repository: &Repository, at: &At, manifest: &Manifest) -> Result<(), WriteError> {
        let what = name(repository, at);
        let last = match at {
            At::Tag(tag) => tag.to_string(),
            At::Digest(digest) => digest.to_string(),
        };
        let mut request = Request::new(Method::PUT, self.url(repository, &format!("manifests/{last}"))?);
        let media_type = HeaderValue::from_str(manifest.media_type()).map_err(|error| WriteError::Refused {
            what: what.clone(),
            status: None,
            detail: error.to_string(),
        })?;
        request.headers.insert(CONTENT_TYPE, media_type);
        request.body = Some(manifest.bytes().into());
        request.repeat = Repeat::Undone;
        let reply = self.call(&what, &Access::push(repository), request).await.map_err(Unknown::from)?;
        match (reply.status, digest_header(&reply.headers)) {
            (201, Some(said)) if said != Ok(manifest.digest()) => {
                let said = said.map_or_else(|error| error, |said| said.to_string());
                let detail = format!("the registry says it stored {said}, sent was {}", manifest.digest());
                Err(Unknown::new(&what, detail).with_status(201).into())
            }
            (201, _) => Ok(()),
            (status @ 400..500, _) if status != 408 => {
                Err(WriteError::Refused { what, status: Some(status), detail: self.auth.words(&words::of(&reply)) })
            }
            _ => Err(self.unexpected(&what, &reply).into()),
        }
    }

    /// 201 mounted, 202 upload it instead (the session it opened is left to expire). A 401 is
    /// answered with a token for both repositories; a second one is a refusal.
    pub async fn mount_blob(
        &self,
        repository: &Repository,
        from: &Repository,
        digest: &Digest,
    ) -> Result<Mount, WriteError> {
        let what = format!("{repository}@{digest}");
        let mut url = self.url(repository, "blobs/uploads/")?;
        url.query_pairs_mut().append_pair("mount", &digest.to_string()).append_pair("from", from.path());
        let request = Request::new(Method::POST, url);
        let reply = self.call(&what, &Access::mount(repository, from), request).await.map_err(Unknown::from)?;
        match (reply.status, digest_header(&reply.headers)) {
            (201, Some(said)) if said != Ok(*digest) => {
                Err(Unknown::new(&what, "the registry says that it mounted another digest").with_status(201).into())
            }
            (201, _) => Ok(Mount::Mounted),
            (202, _) => Ok(Mount::NotMounted),
            (status @ 400..500, _) if !matches!(status, 408 | 429) => {
                Err(WriteError::Refused { what, status: Some(status), detail: self.auth.words(&words::of(&reply)) })
            }
            _ => Err(self.unexpected(&what, &reply).into()),
        }
    }
}

/// Whether a 200 to HEAD is about this blob: it says its digest, or, as that header is optional
/// (distribution-spec, checking if content exists), its size. A page of a proxy says neither.
fn shows(headers: &HeaderMap, blob: &Descriptor) -> bool {
    if let Some(said) = digest_header(headers) {
        return said == Ok(blob.digest);
    }
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let page = text(CONTENT_TYPE).is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"));
    !page && text(CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()) == Some(blob.size)
}

/// Wrong bytes are found here, with the file's name, and not by the registry.
async fn check_content(repository: &Repository, blob: &Blob) -> Result<(), WriteError> {
    let content = blob.content.clone();
    let hashed = tokio::task::spawn_blocking(move || match content {
        Content::Bytes(bytes) => Ok((Digest::of(&bytes), bytes.len() as u64)),
        Content::File(path) => hash_file(&path).map_err(|error| format!("{}: {error}", path.display())),
    });
    let wanted = (blob.descriptor.digest, blob.descriptor.size);
    let detail = match hashed.await.map_err(|error| Unknown::new(repository, error))? {
        Ok(actual) if actual == wanted => return Ok(()),
        Ok((digest, size)) => format!("got {size} bytes of {digest}, expected {} of {}", wanted.1, wanted.0),
        Err(error) => error,
    };
    Err(WriteError::Refused { what: format!("{repository}@{}", wanted.0), status: None, detail })
}

fn hash_file(path: &Arc<tempfile::TempPath>) -> std::io::Result<(Digest, u64)> {
    let mut hasher = Hasher::default();
    std::io::copy(&mut std::fs::File::open(&**path)?, &mut hasher)?;
    let size = hasher.len();
    Ok((hasher.finish(), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_shows_a_blob_by_digest_or_by_size() {
        let digest = Digest::of(b"layer");
        let blob = Descriptor { media_type: "application/octet-stream".into(), size: 5, digest, platform: None };
        let shown = |headers: &[(&'static str, String)]| {
            let pair = |(name, value): &(&'static str, String)| (name.parse().unwrap(), value.parse().unwrap());
            shows(&headers.iter().map(pair).collect(), &blob)
        };
        let said = |digest: String| ("docker-content-digest", digest);
        let length = |length: &str| ("content-length", length.to_owned());
        let kind = |kind: &str| ("content-type", kind.to_owned());
        assert!(shown(&[said(digest.to_string()), kind("text/html")]));
        assert!(shown(&[length("5"), kind("application/octet-stream")]));
        assert!(shown(&[length("5")]));
        for headers in [
            vec![],
            vec![length("6")],
            vec![length("5"), kind("Text/HTML; charset=utf-8")],
            vec![length("5"), said(Digest::of(b"other").to_string())],
            vec![length("5"), said("sha256:x".into())],
        ] {
            assert!(!shown(&headers), "{headers:?}");
        }
    }
}
