//! Bearer tokens (distribution's token specification): kept per scope until they expire, and
//! fetched by one request at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};
use serde::Deserialize;
use tokio::time::Instant;

use super::auth::{Access, Auth, Proof, lock};
use super::credentials::Credential;
use super::transport::Request;
use super::words;
use crate::model::{Repository, Unknown};
use crate::port::http::Secret;

/// What distribution's specification lets a token live when it doesn't say.
const DEFAULT_LIFETIME: u64 = 60;

/// By whose credentials, and for which scopes.
pub(super) type Slots = Mutex<HashMap<(Repository, Vec<String>), Arc<Slot>>>;

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub secret: Secret,
    expires: Instant,
}

/// One scope's token. `round` counts answers, so that whoever waited for a failed request
/// shares its failure instead of repeating it.
#[derive(Default)]
pub(super) struct Slot {
    round: AtomicU64,
    pub last: tokio::sync::Mutex<Last>,
}

#[derive(Default)]
pub(super) enum Last {
    #[default]
    Nothing,
    Token(Token),
    Failure(Unknown),
}

#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u64>,
}

impl Auth {
    pub(super) async fn token(&self, access: &Access, realm: &Url, service: Option<&str>) -> Result<Secret, Unknown> {
        let scopes = lock(&self.learned).get(access).cloned().unwrap_or_else(|| access.scopes.clone());
        let slot = Arc::clone(lock(&self.slots).entry((access.repository.clone(), scopes.clone())).or_default());
        let before = slot.round.load(SeqCst);
        let mut last = slot.last.lock().await;
        match &*last {
            Last::Token(token) if token.expires > Instant::now() => return Ok(token.secret.clone()),
            Last::Failure(failure) if slot.round.load(SeqCst) > before => return Err(failure.clone()),
            _ => {}
        }
        let result = self.fetch(access, &scopes, realm, service).await;
        slot.round.fetch_add(1, SeqCst);
        *last = match &result {
            Ok(token) => Last::Token(token.clone()),
            Err(failure) => Last::Failure(failure.clone()),
        };
        result.map(|token| token.secret)
    }

    /// Distribution's token endpoint: GET with Basic or without, POST for identity tokens.
    async fn fetch(
        &self,
        access: &Access,
        scopes: &[String],
        realm: &Url,
        service: Option<&str>,
    ) -> Result<Token, Unknown> {
        let what = format!("a token for {}", access.repository);
        let mut request = Request::new(Method::GET, realm.clone());
        match self.credential(access).await? {
            Credential::Identity(refresh) => {
                // Only for its encoding of key=value pairs.
                let mut form = Url::parse("http://form/").map_err(|error| Unknown::new(&what, error))?;
                form.query_pairs_mut()
                    .append_pair("grant_type", "refresh_token")
                    .append_pair("client_id", "sealift")
                    .append_pair("service", service.unwrap_or_default())
                    .append_pair("scope", &scopes.join(" "))
                    .append_pair("refresh_token", refresh.expose());
                request.method = Method::POST;
                request.body = Some(form.query().unwrap_or_default().as_bytes().into());
                request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
            }
            credential => {
                let mut query = request.url.query_pairs_mut();
                service.map(|service| query.append_pair("service", service));
                for scope in scopes {
                    query.append_pair("scope", scope);
                }
                drop(query);
                if let Credential::Basic { user, password } = credential {
                    let header = Proof::Basic { user, password }.header();
                    request.authorization = Some(header.map_err(|error| Unknown::new(&what, error))?);
                }
            }
        }
        let asked = Instant::now();
        let reply = self.transport.send(&request).await.map_err(|failure| Unknown::new(&what, failure.detail))?;
        if reply.status != 200 {
            return Err(Unknown::new(&what, self.words(&words::of(&reply))).with_status(reply.status));
        }
        // Not serde's own text: it may quote the token.
        let answer: TokenAnswer = serde_json::from_slice(&reply.body)
            .map_err(|_| Unknown::new(&what, "the token endpoint's answer is not a token").with_status(200))?;
        let text = answer.token.filter(|t| !t.is_empty()).or(answer.access_token.filter(|t| !t.is_empty()));
        let Some(text) = text else {
            return Err(Unknown::new(&what, "the token endpoint's answer holds no token").with_status(200));
        };
        let secret = Secret::new(text);
        self.confide(&secret);
        // A tenth early, so that a token doesn't run out on the way.
        let lifetime = Duration::from_secs(answer.expires_in.unwrap_or(DEFAULT_LIFETIME)).mul_f32(0.9);
        let expires = asked.checked_add(lifetime).unwrap_or(asked);
        Ok(Token { secret, expires })
    }
}
