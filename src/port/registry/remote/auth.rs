//! Authentication of one host's requests: the challenge of the failing request is answered,
//! tokens are kept per scope, and one request per scope is in flight.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use serde::Deserialize;
use tokio::time::Instant;

use super::challenge::{self, Challenge};
use super::credentials::{Credential, Credentials};
use super::secret::Secret;
use super::transport::{Request, Transport};
use super::words;
use crate::model::{Repository, Unknown};

/// What distribution's specification lets a token live when it doesn't say.
const DEFAULT_LIFETIME: u64 = 60;

/// What a request needs to be allowed: the repository whose credentials count, and scopes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Access {
    pub repository: Repository,
    scopes: Vec<String>,
}

impl Access {
    pub fn pull(repository: &Repository) -> Self {
        Self { repository: repository.clone(), scopes: vec![format!("repository:{}:pull", repository.path())] }
    }

    pub fn push(repository: &Repository) -> Self {
        Self { repository: repository.clone(), scopes: vec![format!("repository:{}:pull,push", repository.path())] }
    }

    pub fn mount(repository: &Repository, from: &Repository) -> Self {
        let mut access = Self::push(repository);
        access.scopes.extend(Self::pull(from).scopes);
        access
    }
}

/// What goes into the Authorization header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Basic { user: String, password: Secret },
    Bearer(Secret),
}

impl Proof {
    pub fn header(&self) -> Result<HeaderValue, String> {
        let text = match self {
            Self::Basic { user, password } => {
                format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose())))
            }
            Self::Bearer(token) => format!("Bearer {}", token.expose()),
        };
        let mut value =
            HeaderValue::from_str(&text).map_err(|_| "a credential can't be sent in a header".to_owned())?;
        value.set_sensitive(true);
        Ok(value)
    }
}

#[derive(Clone, Debug)]
struct Token {
    secret: Secret,
    expires: Instant,
}

/// One scope's token. `round` counts answers, so that whoever waited for a failed request
/// shares its failure instead of repeating it.
#[derive(Default)]
struct Slot {
    round: AtomicU64,
    last: tokio::sync::Mutex<Last>,
}

#[derive(Default)]
enum Last {
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

/// Tokens by repository and scopes.
type Slots = HashMap<(Repository, Vec<String>), Arc<Slot>>;

/// One host's authentication.
pub(super) struct Auth {
    transport: Arc<Transport>,
    credentials: Arc<Credentials>,
    /// The host's last challenge: the next request answers it unasked.
    known: Mutex<Option<Challenge>>,
    /// Scopes the host asked for in place of ours.
    learned: Mutex<BTreeMap<Access, Vec<String>>>,
    slots: Mutex<Slots>,
    secrets: Mutex<Vec<Secret>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Auth {
    pub fn new(transport: Arc<Transport>, credentials: Arc<Credentials>) -> Self {
        Self {
            transport,
            credentials,
            known: Mutex::default(),
            learned: Mutex::default(),
            slots: Mutex::default(),
            secrets: Mutex::default(),
        }
    }

    /// The proof for a request, as far as the host's challenge is known.
    pub async fn proof(&self, access: &Access) -> Result<Option<Proof>, Unknown> {
        let Some(challenge) = lock(&self.known).clone() else { return Ok(None) };
        match challenge {
            Challenge::Basic => match self.credential(access).await? {
                Credential::Basic { user, password } => Ok(Some(Proof::Basic { user, password })),
                _ => Ok(None),
            },
            Challenge::Bearer { realm, service, .. } => {
                self.token(access, &realm, service.as_deref()).await.map(|token| Some(Proof::Bearer(token)))
            }
        }
    }

    /// Takes in a 401. Whether another try with a new proof makes sense.
    pub async fn challenged(
        &self,
        access: &Access,
        headers: &HeaderMap,
        used: Option<&Proof>,
        plain: bool,
    ) -> Result<bool, String> {
        let challenge = challenge::read(headers)?;
        if let Challenge::Bearer { realm, scope, .. } = &challenge {
            if realm.scheme() == "http" && !plain {
                return Err(format!("it sends us to {realm} for a token, which is not https"));
            }
            if let Some(scope) = scope {
                let scopes = scope.split_whitespace().map(str::to_owned).collect();
                lock(&self.learned).insert(access.clone(), scopes);
            }
        }
        let basic = challenge == Challenge::Basic;
        *lock(&self.known) = Some(challenge);
        match used {
            None if basic => Ok(matches!(self.credentials.get(&access.repository).await?, Credential::Basic { .. })),
            Some(Proof::Basic { .. }) if basic => Ok(false),
            Some(Proof::Bearer(token)) => {
                self.forget(token).await;
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// Drops a token that a registry no longer takes.
    pub async fn forget(&self, token: &Secret) {
        let slots: Vec<_> = lock(&self.slots).values().cloned().collect();
        for slot in slots {
            let mut last = slot.last.lock().await;
            if matches!(&*last, Last::Token(kept) if kept.secret == *token) {
                *last = Last::Nothing;
            }
        }
    }

    /// A server's words without anything we told it in confidence.
    pub fn redact(&self, text: &str) -> String {
        let secrets = lock(&self.secrets);
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.expose(), "<secret>"))
    }

    fn confide(&self, secret: &Secret) {
        let mut secrets = lock(&self.secrets);
        if !secret.expose().is_empty() && !secrets.contains(secret) {
            secrets.push(secret.clone());
        }
    }

    async fn credential(&self, access: &Access) -> Result<Credential, Unknown> {
        let credential =
            self.credentials.get(&access.repository).await.map_err(|error| Unknown::new(&access.repository, error))?;
        match &credential {
            Credential::Basic { user, password } => {
                self.confide(password);
                self.confide(&Secret::new(STANDARD.encode(format!("{user}:{}", password.expose()))));
            }
            Credential::Identity(token) => self.confide(token),
            Credential::Anonymous => {}
        }
        Ok(credential)
    }

    async fn token(&self, access: &Access, realm: &Url, service: Option<&str>) -> Result<Secret, Unknown> {
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
            return Err(Unknown::new(&what, self.redact(&words::of(&reply))).with_status(reply.status));
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
