//! Large blobs in chunks, by oci-client.
//!
//! oci-client shows status and body of a refusal, but no headers. So it is given a token of
//! ours, a 401 is answered by opening a session with the thin client (which sees the
//! challenge), and a 429, whose Retry-After stays unseen, waits the policy's longest wait.

use std::sync::{Arc, PoisonError};

use futures_util::TryStreamExt;
use futures_util::stream::{BoxStream, try_unfold};
use oci_client::client::{Certificate, CertificateEncoding, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use oci_client::token_cache::{RegistryToken, RegistryTokenType};
use oci_client::{Reference, RegistryOperation};
use reqwest::Url;
use tokio::io::AsyncReadExt;
use tokio::time::Instant;

use super::auth::{Access, Proof};
use super::upload::{Trouble, local};
use super::{Remote, words};
use crate::model::{Repository, Unknown};
use crate::port::authority::{Authorities, place};
use crate::port::chain;
use crate::port::http::{Timeouts, USER_AGENT, is_transient};
use crate::port::registry::{Blob, Content};

/// One chunk: the largest piece every large registry takes.
pub(super) const CHUNK: u64 = 4 << 20;

fn client(base: &Url, timeouts: &Timeouts, authorities: &Authorities) -> Result<oci_client::Client, String> {
    let protocol = match base.scheme() {
        "http" => ClientProtocol::HttpsExcept(vec![authority(base)]),
        _ => ClientProtocol::Https,
    };
    let pem = |data| Certificate { encoding: CertificateEncoding::Pem, data };
    let config = ClientConfig {
        protocol,
        extra_root_certificates: authorities.pems(&place(base)).into_iter().map(pem).collect(),
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
    pub(super) async fn in_chunks(&self, what: &str, repository: &Repository, blob: &Blob) -> Result<(), Trouble> {
        let registry = authority(&self.base);
        // The tag is never used; a reference without one would mean `latest`.
        let target = Reference::with_tag(registry.clone(), repository.path().to_owned(), "unused".to_owned());
        let client = self.chunked().map_err(|error| Trouble::from(Unknown::new(what, error)))?;
        self.lend_proof(&client, &target, &Access::push(repository)).await?;
        let started = Instant::now();
        let wait = self.transport.wait_out(&place(&self.base), started).await;
        wait.map_err(|failure| Trouble::from(Unknown::new(what, failure.detail)))?;
        let size = blob.descriptor.size;
        let digest = blob.descriptor.digest.to_string();
        let push = async {
            let _permit = self.transport.permits.acquire().await;
            let stream = chunks(&blob.content).await.map_err(OciDistributionError::IoError)?;
            let stream = stream.map_ok(Into::into).map_err(OciDistributionError::IoError);
            client.push_blob_stream(&target, stream, &digest, Some(size)).await
        };
        match tokio::time::timeout(self.transport.timeouts.deadline(size), push).await {
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
    async fn lend_proof(
        &self,
        client: &oci_client::Client,
        target: &Reference,
        access: &Access,
    ) -> Result<(), Unknown> {
        let lent = match self.auth.proof(access).await? {
            None => return Ok(()),
            Some(Proof::Basic { user, password }) => RegistryTokenType::Basic(user, password.expose().to_owned()),
            Some(Proof::Bearer(token)) => {
                RegistryTokenType::Bearer(RegistryToken::Token { token: token.expose().to_owned() })
            }
        };
        client.store_auth_if_needed(target.resolve_registry(), &RegistryAuth::Anonymous).await;
        client.tokens.insert(target, RegistryOperation::Push, lent).await;
        Ok(())
    }

    /// Made when first needed: a client of its own reads the system's roots again.
    fn chunked(&self) -> Result<oci_client::Client, String> {
        let mut made = self.chunked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*made {
            return Ok(client.clone());
        }
        let client = client(&self.base, &self.transport.timeouts, &self.authorities)?;
        Ok(made.insert(client).clone())
    }

    fn judge(&self, what: &str, error: OciDistributionError) -> Trouble {
        match error {
            OciDistributionError::ServerError { code, message, .. } => {
                let detail = self.auth.words(&words::from_body(message.as_bytes()));
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
                let detail = chain(&error.without_url());
                Trouble::Again(Unknown::new(what, self.auth.redact(&detail)), None)
            }
            OciDistributionError::IoError(error) => local(what, error.to_string()),
            other => Trouble::from(Unknown::new(what, self.auth.redact(&other.to_string()))),
        }
    }
}

/// Content in pieces of one chunk: oci-client sends one PATCH per piece.
async fn chunks(content: &Content) -> std::io::Result<BoxStream<'static, std::io::Result<Vec<u8>>>> {
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
