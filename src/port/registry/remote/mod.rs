//! Registries over HTTP (OCI distribution-spec).
//!
//! Reads and manifests go through a thin client of our own, which keeps status, error code
//! and headers apart; large blobs go through oci-client, which chunks them. Both use one
//! transport's rules and one token cache.

mod auth;
mod challenge;
mod chunks;
mod credentials;
mod helper;
mod read;
mod shared;
mod token;
mod transport;
mod upload;
mod words;
mod write;

use std::sync::{Arc, Mutex};

use reqwest::{Method, Url};

use self::auth::{Access, Auth};
pub use self::helper::TIMEOUT as HELPER_TIMEOUT;
pub(super) use self::shared::Shared;
use self::transport::{Failure, Reply, Request, Transport};
use crate::model::{Repository, Unknown};
use crate::port::authority::Authorities;

/// One registry host.
pub(super) struct Remote {
    base: Url,
    transport: Arc<Transport>,
    auth: Auth,
    authorities: Arc<Authorities>,
    chunked: Mutex<Option<oci_client::Client>>,
}

/// The address of a host that has no other: https, and Docker Hub's API host for its name.
pub(super) fn default_url(host: &str) -> String {
    match host {
        "docker.io" => "https://registry-1.docker.io".into(),
        host => format!("https://{host}"),
    }
}

/// A registry's address: scheme and authority, nothing else.
pub(super) fn parse_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("expected http:// or https:// and a host".into());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("credentials belong into the Docker configuration, not into a URL".into());
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err("expected an address without a path".into());
    }
    Ok(url)
}

impl Remote {
    pub fn new(base: Url, shared: &Shared) -> Self {
        let transport = Arc::clone(&shared.transport);
        let auth = Auth::new(Arc::clone(&transport), Arc::clone(&shared.credentials));
        Self { base, transport, auth, authorities: Arc::clone(&shared.authorities), chunked: Mutex::default() }
    }

    /// `/v2/<repository>/<rest>`; `rest` may bring a query.
    fn url(&self, repository: &Repository, rest: &str) -> Result<Url, Unknown> {
        self.base
            .join(&format!("/v2/{}/{rest}", repository.path()))
            .map_err(|error| Unknown::new(repository, format!("no URL can be made of it: {error}")))
    }

    fn get(&self, repository: &Repository, rest: &str) -> Result<Request, Unknown> {
        Ok(Request::new(Method::GET, self.url(repository, rest)?))
    }

    /// Sends a request with what authentication it turns out to need. A 401 is answered once:
    /// the first time by its challenge, in mid-run by one fresh token.
    async fn call(&self, what: &str, access: &Access, mut request: Request) -> Result<Reply, CallError> {
        let own = request.url.origin() == self.base.origin();
        let mut answered = false;
        loop {
            let proof = if own { self.auth.proof(access).await? } else { None };
            request.authorization =
                proof.as_ref().map(|p| p.header()).transpose().map_err(|error| Unknown::new(what, error))?;
            let reply = self.transport.send(&request).await.map_err(|failure| self.failed(what, failure))?;
            if reply.status != 401 || answered || !own || reply.url.origin() != self.base.origin() {
                return Ok(reply);
            }
            answered = true;
            let plain = self.base.scheme() == "http";
            match self.auth.challenged(access, &reply.headers, proof.as_ref(), plain).await {
                Ok(true) => {}
                Ok(false) => return Ok(reply),
                Err(error) => {
                    // It may quote a challenge, which is the server's own, too.
                    let detail = format!("{}; {}", self.auth.words(&words::of(&reply)), self.auth.words(&error));
                    let detail = detail.trim_start_matches("; ");
                    return Err(CallError { unknown: Unknown::new(what, detail).with_status(401), sent: false });
                }
            }
        }
    }

    fn failed(&self, what: &str, failure: Failure) -> CallError {
        CallError { unknown: Unknown::new(what, self.auth.redact(&failure.detail)), sent: failure.sent }
    }

    /// An answer that isn't the thing asked for.
    fn unexpected(&self, what: &str, reply: &Reply) -> Unknown {
        Unknown::new(what, self.auth.words(&words::of(reply))).with_status(reply.status)
    }
}

/// No answer: why, and whether the server may have acted.
struct CallError {
    unknown: Unknown,
    sent: bool,
}

impl From<Unknown> for CallError {
    /// From before the request was sent.
    fn from(unknown: Unknown) -> Self {
        Self { unknown, sent: false }
    }
}

impl From<CallError> for Unknown {
    fn from(error: CallError) -> Self {
        error.unknown
    }
}
