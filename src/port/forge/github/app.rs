//! A GitHub App's installation tokens: asked for when needed, kept, and renewed before they end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use octocrab::auth::{EncodingKey, create_jwt};
use octocrab::models::AppId;
use reqwest::header::DATE;
use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::GitHubError;
use super::address::Address;
use super::body::Body;
use super::tokens::{AppKey, Confided};
use super::transport::{Reply, Request, Transport};
use super::words;
use crate::model::Unknown;
use crate::port::http::{Secret, http_date, rfc3339};

/// What GitHub documents, for an answer that doesn't tell it.
const HOUR: Duration = Duration::from_secs(3600);

pub(super) struct App {
    id: u64,
    key: EncodingKey,
    renew: Duration,
    address: Address,
    transport: Arc<Transport>,
    confided: Arc<Confided>,
    /// One request for a token at a time: the others wait for its answer.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    installation: Option<u64>,
    issued: Option<Issued>,
}

/// An installation token as it was given out.
#[derive(Clone, Debug)]
pub(super) struct Issued {
    pub token: Secret,
    /// What it may do: `contents` → `write`.
    pub permissions: BTreeMap<String, String>,
    ends: Instant,
}

#[derive(Deserialize)]
struct Installation {
    id: u64,
}

#[derive(Deserialize)]
struct AccessToken {
    token: String,
    expires_at: String,
    permissions: Option<BTreeMap<String, String>>,
}

impl App {
    pub fn new(
        key: &AppKey,
        renew: Duration,
        address: Address,
        transport: Arc<Transport>,
        confided: Arc<Confided>,
    ) -> Result<Self, GitHubError> {
        // The error's own words say nothing about the key.
        let encoding = EncodingKey::from_rsa_pem(key.pem.expose().as_bytes()).map_err(|_| GitHubError::Key(key.id))?;
        Ok(Self { id: key.id, key: encoding, renew, address, transport, confided, state: Mutex::default() })
    }

    /// A token that lasts some minutes more. One that can't be renewed is used to its end.
    pub async fn current(&self) -> Result<Issued, Unknown> {
        let mut state = self.state.lock().await;
        let left = |issued: &Issued| issued.ends.saturating_duration_since(Instant::now());
        if let Some(issued) = state.issued.as_ref().filter(|issued| left(issued) > self.renew) {
            return Ok(issued.clone());
        }
        match self.issue(&mut state.installation).await {
            Ok(issued) => Ok(state.issued.insert(issued).clone()),
            Err(unknown) => state.issued.clone().filter(|issued| !left(issued).is_zero()).ok_or(unknown),
        }
    }

    /// Drops a token that GitHub no longer takes; another one can be had.
    pub async fn forget(&self, token: &Secret) -> bool {
        let mut state = self.state.lock().await;
        state.issued.take_if(|issued| issued.token == *token);
        true
    }

    async fn issue(&self, installation: &mut Option<u64>) -> Result<Issued, Unknown> {
        let what = format!("a token of the GitHub App {} for {}", self.id, self.address.full_name());
        let id = match *installation {
            Some(id) => id,
            None => {
                let url = self.address.below(&["installation"]);
                let reply = self.ask(&what, Request::get(url)).await?;
                let found: Installation = self.read(&what, &reply)?;
                *installation.insert(found.id)
            }
        };
        let url: Url = self.address.path(["app", "installations", &id.to_string(), "access_tokens"]);
        let body = Body::Json(json!({ "repositories": [self.address.name] }));
        let reply = self.ask(&what, Request { method: Method::POST, body, ..Request::get(url) }).await?;
        let given: AccessToken = self.read(&what, &reply)?;
        let token = Secret::new(given.token);
        self.confided.add(&token);
        // Both ends are GitHub's own clock; what passes in between is told by ours.
        let now = reply.headers.get(DATE).and_then(|date| http_date(date.to_str().ok()?));
        let lasts = match (now, rfc3339(&given.expires_at)) {
            (Some(now), Some(end)) => Duration::from_secs(end.saturating_sub(now)),
            _ => HOUR,
        };
        let ends = Instant::now().checked_add(lasts).unwrap_or_else(Instant::now);
        Ok(Issued { token, permissions: given.permissions.unwrap_or_default(), ends })
    }

    /// As the app itself, for which a JWT of some minutes is made (GitHub, "Authenticating as a
    /// GitHub App").
    async fn ask(&self, what: &str, mut request: Request) -> Result<Reply, Unknown> {
        let jwt = create_jwt(AppId(self.id), &self.key)
            .map_err(|error| Unknown::new(what, format!("the app's key can't sign: {error}")))?;
        let jwt = Secret::new(jwt);
        self.confided.add(&jwt);
        request.authorization = Some(jwt);
        let sent = self.transport.send(&request).await;
        sent.map_err(|failure| Unknown::new(what, self.confided.redact(&failure.detail)))
    }

    fn read<T: serde::de::DeserializeOwned>(&self, what: &str, reply: &Reply) -> Result<T, Unknown> {
        let unknown = |detail: String| Unknown::new(what, self.confided.redact(&detail)).with_status(reply.status);
        match reply.status {
            // What it says instead may be a token.
            200 | 201 => {
                serde_json::from_slice(&reply.body).map_err(|_| unknown("not the answer that is expected".into()))
            }
            401 => Err(unknown(format!("{}; check the app's number and key", words::of(reply, &self.confided)))),
            404 => {
                Err(unknown(format!("{}; is the app installed in the repository?", words::of(reply, &self.confided))))
            }
            _ => Err(unknown(words::of(reply, &self.confided))),
        }
    }
}
