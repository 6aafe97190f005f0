//! Blob uploads: small ones in one piece by the thin client, large ones in chunks. Repeated
//! from the start, which changes nothing: content is named by its digest.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};
use tokio::time::Instant;

use super::auth::Access;
use super::chunks::CHUNK;
use super::transport::{Repeat, Reply, Request};
use super::{Remote, words};
use crate::model::{Repository, Unknown};
use crate::port::WriteError;
use crate::port::http::{is_transient, resolve};
use crate::port::registry::{Blob, Content};

/// How an attempt at an upload ended, other than well.
pub(super) enum Trouble {
    /// The server won't have it.
    Refused(u16, String),
    /// Worth another attempt from the start; with the wait that was asked for.
    Again(Unknown, Option<Duration>),
    Lasting(WriteError),
}

impl From<Unknown> for Trouble {
    fn from(unknown: Unknown) -> Self {
        Self::Lasting(WriteError::Unknown(unknown))
    }
}

impl Remote {
    /// Uploads a blob whose bytes were checked.
    pub(super) async fn upload(&self, repository: &Repository, blob: &Blob) -> Result<(), WriteError> {
        let what = format!("{repository}@{}", blob.descriptor.digest);
        let (started, mut attempt, mut challenges) = (Instant::now(), 0, 0);
        loop {
            attempt += 1;
            let result = match blob.descriptor.size {
                size if size <= CHUNK => self.in_one_piece(&what, repository, blob).await,
                _ => self.in_chunks(&what, repository, blob).await,
            };
            let (unknown, asked) = match result {
                Ok(()) => return Ok(()),
                // The first challenge, and one token that runs out between chunks.
                Err(Trouble::Refused(401, _)) if challenges < 2 => {
                    challenges += 1;
                    self.open_session(&what, repository).await.map_err(|trouble| self.give_up(&what, trouble))?;
                    continue;
                }
                Err(Trouble::Again(unknown, asked)) => (unknown, asked),
                Err(trouble) => return Err(self.give_up(&what, trouble)),
            };
            match self.transport.policy.wait(attempt, started.elapsed(), asked) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(unknown.into()),
            }
        }
    }

    fn give_up(&self, what: &str, trouble: Trouble) -> WriteError {
        match trouble {
            Trouble::Refused(status, detail) => {
                WriteError::Refused { what: what.to_owned(), status: Some(status), detail }
            }
            Trouble::Again(unknown, _) => unknown.into(),
            Trouble::Lasting(error) => error,
        }
    }

    /// What an answer that isn't the expected one means for the attempt.
    fn trouble(&self, what: &str, reply: &Reply) -> Trouble {
        match reply.status {
            // A session that is gone, or a chunk out of order: start again.
            404 | 408 | 416 => Trouble::Again(self.unexpected(what, reply), None),
            status if is_transient(status) => Trouble::Again(self.unexpected(what, reply), None),
            status @ 400..500 => Trouble::Refused(status, self.auth.words(&words::of(reply))),
            _ => Trouble::from(self.unexpected(what, reply)),
        }
    }

    /// POST, which only opens a session, is repeated by the transport itself.
    async fn open_session(&self, what: &str, repository: &Repository) -> Result<Url, Trouble> {
        let request = Request::new(Method::POST, self.url(repository, "blobs/uploads/")?);
        let reply = self.call(what, &Access::push(repository), request).await.map_err(Unknown::from)?;
        match reply.status {
            202 => resolve(&reply.url, &reply.headers)
                .map_err(|error| Trouble::from(Unknown::new(what, error).with_status(202))),
            // A repository that can't be made, not a session that is gone.
            404 => Err(Trouble::Refused(404, self.auth.words(&words::of(&reply)))),
            // The transport has used up the policy.
            status if is_transient(status) => Err(Trouble::from(self.unexpected(what, &reply))),
            _ => Err(self.trouble(what, &reply)),
        }
    }

    async fn in_one_piece(&self, what: &str, repository: &Repository, blob: &Blob) -> Result<(), Trouble> {
        let bytes: Arc<[u8]> = match &blob.content {
            Content::Bytes(bytes) => Arc::clone(bytes),
            Content::File(path) => match tokio::fs::read(&**path).await {
                Ok(bytes) => bytes.into(),
                Err(error) => return Err(local(what, format!("{}: {error}", path.display()))),
            },
        };
        let mut url = self.open_session(what, repository).await?;
        url.query_pairs_mut().append_pair("digest", &blob.descriptor.digest.to_string());
        let mut request = Request::new(Method::PUT, url);
        request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        request.body = Some(bytes);
        request.repeat = Repeat::Undone;
        let reply = match self.call(what, &Access::push(repository), request).await {
            Ok(reply) => reply,
            Err(error) if error.sent => return Err(Trouble::Again(error.unknown, None)),
            Err(error) => return Err(error.unknown.into()),
        };
        match reply.status {
            201 => Ok(()),
            _ => Err(self.trouble(what, &reply)),
        }
    }
}

/// Our own disk's fault: nothing was stored.
pub(super) fn local(what: &str, detail: String) -> Trouble {
    Trouble::Lasting(WriteError::Refused { what: what.to_owned(), status: None, detail })
}
