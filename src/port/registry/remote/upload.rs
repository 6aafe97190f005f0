//! Blob uploads: small ones in one piece by the thin client, large ones in chunks by oci-client.
//!
//! oci-client shows status and body of a refusal, but no headers. So it is given a token of
//! ours, a 401 is answered by opening a session with the thin client (which sees the
//! challenge), and a 429, whose Retry-After stays unseen, waits the policy's longest wait.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::stream::try_unfold;
use oci_client::client::{Certificate, CertificateEncoding, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use oci_client::{Reference, RegistryOperation};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};
use tokio::io::AsyncReadExt;
use tokio::time::Instant;

use super::auth::{Access, Proof};
use super::transport::{Repeat, Reply, Request, Timeouts, USER_AGENT, host, is_transient, resolve};
use super::{Remote, words};
use crate::model::{Repository, Unknown};
use crate::port::WriteError;
use crate::port::registry::{Blob, Content};

/// One chunk: the largest piece every large registry takes.
pub(super) const CHUNK: u64 = 4 << 20;

/// How an attempt at an upload ended, other than well.
enum Trouble {
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

pub(super) fn client(base: &Url, timeouts: &Timeouts, ca: &[Vec<u8>]) -> Result<oci_client::Client, String> {
    let protocol = match base.scheme() {
        "http" => ClientProtocol::HttpsExcept(vec![authority(base)]),
        _ => ClientProtocol::Https,
    };
    let pem = |data: &Vec<u8>| Certificate { encoding: CertificateEncoding::Pem, data: data.clone() };
    let config = ClientConfig {
        protocol,
        extra_root_certificates: ca.iter().map(pem).collect(),
        read_timeout: Some(timeouts.read),
        connect_timeout: Some(timeouts.connect),
        user_agent: USER_AGENT,
        ..ClientConfig::default()
    };
    // Not `Client::new`: it would fall back to a default client without our roots.
    oci_client::Client::try_from(config).map_err(|error| error.to_string())
}

fn authority(base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

impl Remote {
    /// Uploads a blob whose bytes were checked. Repeated from the start, which changes nothing.
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
            status @ 400..500 => Trouble::Refused(status, self.auth.redact(&words::of(reply))),
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
            404 => Err(Trouble::Refused(404, self.auth.redact(&words::of(&reply)))),
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

    async fn in_chunks(&self, what: &str, repository: &Repository, blob: &Blob) -> Result<(), Trouble> {
        let registry = authority(&self.base);
        // The tag is never used; a reference without one would mean `latest`.
        let target = Reference::with_tag(registry.clone(), repository.path().to_owned(), "unused".to_owned());
        self.lend_proof(&target, &Access::push(repository)).await?;
        let started = Instant::now();
        let wait = self.transport.wait_out(&host(&self.base), started).await;
        wait.map_err(|failure| Trouble::from(Unknown::new(what, failure.detail)))?;
        let size = blob.descriptor.size;
        let digest = blob.descriptor.digest.to_string();
        let push = async {
            let _permit = self.transport.permits.acquire().await;
            let stream = chunks(&blob.content).await.map_err(OciDistributionError::IoError)?;
            let stream = stream.map_ok(Into::into).map_err(OciDistributionError::IoError);
            self.uploads.push_blob_stream(&target, stream, &digest, Some(size)).await
        };
        match tokio::time::timeout(self.transport.deadline(size), push).await {
            Ok(Ok(_)) => {
                self.transport.stats.count("POST", 0);
                (0..size.div_ceil(CHUNK)).for_each(|_| self.transport.stats.count("PATCH", 0));
                self.transport.stats.count("PUT", size);
                Ok(())
            }
            Ok(Err(error)) => Err(self.judge(what, error)),
            Err(_) => Err(Trouble::Again(Unknown::new(what, "timed out"), None)),
        }
    }

    /// Gives oci-client our proof, so that it neither asks for a token nor goes anonymously.
    async fn lend_proof(&self, target: &Reference, access: &Access) -> Result<(), Unknown> {
        use oci_client::token_cache::{RegistryToken, RegistryTokenType};
        let lent = match self.auth.proof(access).await? {
            None => return Ok(()),
            Some(Proof::Basic { user, password }) => RegistryTokenType::Basic(user, password.expose().to_owned()),
            Some(Proof::Bearer(token)) => {
                RegistryTokenType::Bearer(RegistryToken::Token { token: token.expose().to_owned() })
            }
        };
        self.uploads.store_auth_if_needed(target.resolve_registry(), &RegistryAuth::Anonymous).await;
        self.uploads.tokens.insert(target, RegistryOperation::Push, lent).await;
        Ok(())
    }

    fn judge(&self, what: &str, error: OciDistributionError) -> Trouble {
        match error {
            OciDistributionError::ServerError { code, message, .. } => {
                let detail = self.auth.redact(&words::from_body(message.as_bytes()));
                let unknown = Unknown::new(what, &detail).with_status(code);
                match code {
                    429 => Trouble::Again(unknown, Some(self.transport.policy.cap)),
                    404 | 408 | 416 => Trouble::Again(unknown, None),
                    _ if is_transient(code) => Trouble::Again(unknown, None),
                    400..500 => Trouble::Refused(code, detail),
                    _ => unknown.into(),
                }
            }
            OciDistributionError::RequestError(error) => {
                let detail = super::transport::chain(error.without_url());
                Trouble::Again(Unknown::new(what, self.auth.redact(&detail)), None)
            }
            OciDistributionError::IoError(error) => local(what, error.to_string()),
            other => Trouble::from(Unknown::new(what, self.auth.redact(&other.to_string()))),
        }
    }
}

/// Our own disk's fault: nothing was stored.
fn local(what: &str, detail: String) -> Trouble {
    Trouble::Lasting(WriteError::Refused { what: what.to_owned(), status: None, detail })
}

/// Content in pieces of one chunk: oci-client sends one PATCH per piece.
async fn chunks(
    content: &Content,
) -> std::io::Result<futures_util::stream::BoxStream<'static, std::io::Result<Vec<u8>>>> {
    Ok(match content {
        Content::Bytes(bytes) => {
            let (bytes, step) = (Arc::clone(bytes), CHUNK as usize);
            Box::pin(try_unfold(0, move |at: usize| {
                let piece = bytes.get(at..).map(|rest| rest.get(..step).unwrap_or(rest).to_vec()).unwrap_or_default();
                let next = at + piece.len();
                async move { Ok((!piece.is_empty()).then_some((piece, next))) }
            }))
        }
        Content::File(path) => {
            let file = tokio::fs::File::open(&**path).await?;
            // The path is kept by whoever owns the blob for as long as the upload runs.
            Box::pin(try_unfold(file, |mut file| async move {
                let mut piece = Vec::new();
                (&mut file).take(CHUNK).read_to_end(&mut piece).await?;
                Ok((!piece.is_empty()).then_some((piece, file)))
            }))
        }
    })
}
