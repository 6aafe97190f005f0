//! Authentication of one host's requests: the challenge of the failing request is answered,
//! tokens are kept per scope, and one request per scope is in flight.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderValue};

use super::challenge::{self, Challenge};
use super::credentials::{Credential, Credentials};
use super::token::{Last, Slots};
use super::transport::Transport;
use crate::model::{Repository, Unknown};
use crate::port::http::{Secret, excerpt, redact};

/// What a request needs to be allowed: the repository whose credentials count, and scopes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Access {
    pub repository: Repository,
    pub(super) scopes: Vec<String>,
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

/// What we need and what a challenge asks for, without scopes that another one covers: a
/// HEAD before an upload is challenged for pull, and the token must do for both.
fn merge(ours: &[String], theirs: &str) -> Vec<String> {
    let covers = |wide: &str, narrow: &str| match (wide.rsplit_once(':'), narrow.rsplit_once(':')) {
        (Some((a, wide)), Some((b, narrow))) => {
            a == b && narrow.split(',').all(|action| wide.split(',').any(|w| w == action))
        }
        _ => wide == narrow,
    };
    let mut scopes: Vec<String> = ours.to_vec();
    for scope in theirs.split_whitespace() {
        if !scopes.iter().any(|wide| covers(wide, scope)) {
            scopes.retain(|narrow| !covers(scope, narrow));
            scopes.push(scope.to_owned());
        }
    }
    scopes
}

/// One host's authentication.
pub(super) struct Auth {
    pub(super) transport: Arc<Transport>,
    credentials: Arc<Credentials>,
    /// The host's last challenge: the next request answers it unasked.
    known: Mutex<Option<Challenge>>,
    /// Scopes the host asked for in place of ours.
    pub(super) learned: Mutex<BTreeMap<Access, Vec<String>>>,
    pub(super) slots: Slots,
    secrets: Mutex<Vec<Secret>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
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
                lock(&self.learned).insert(access.clone(), merge(&access.scopes, scope));
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

    /// A server's words in one line of a bounded length, without anything we told it in confidence: that is taken
    /// out before anything is cut.
    pub fn words(&self, text: &str) -> String {
        excerpt(&self.redact(text))
    }

    /// A text without anything that was told in confidence.
    pub fn redact(&self, text: &str) -> String {
        redact(text, lock(&self.secrets).iter())
    }

    pub(super) fn confide(&self, secret: &Secret) {
        let mut secrets = lock(&self.secrets);
        if !secret.expose().is_empty() && !secrets.contains(secret) {
            secrets.push(secret.clone());
        }
    }

    pub(super) async fn credential(&self, access: &Access) -> Result<Credential, Unknown> {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::registry::Config;
    use crate::port::registry::remote::Shared;

    #[test]
    fn scopes_are_merged_by_what_they_cover() {
        let merged = |ours: &[&str], theirs: &str| {
            merge(&ours.iter().map(|s| s.to_string()).collect::<Vec<_>>(), theirs).join(" ")
        };
        let (pull, push) = ("repository:a/b:pull", "repository:a/b:pull,push");
        assert_eq!(merged(&[push], pull), push);
        assert_eq!(merged(&[push], "repository:a/b:push,pull"), push);
        assert_eq!(merged(&[pull], push), push);
        assert_eq!(merged(&[pull], "registry:catalog:*"), format!("{pull} registry:catalog:*"));
        assert_eq!(
            merged(&[push, "repository:c:pull"], &format!("repository:c:pull {push}")),
            format!("{push} repository:c:pull")
        );
    }

    #[tokio::test]
    async fn an_https_registry_can_not_send_us_to_a_plain_token_endpoint() {
        let shared = Shared::new(&Config::default()).unwrap();
        let auth = Auth::new(shared.transport, shared.credentials);
        let access = Access::pull(&"ghcr.io/a/b".parse().unwrap());
        let value = HeaderValue::from_static(r#"Bearer realm="http://evil.test/token""#);
        let headers: HeaderMap = [(reqwest::header::WWW_AUTHENTICATE, value)].into_iter().collect();
        assert!(auth.challenged(&access, &headers, None, false).await.unwrap_err().contains("not https"));
        assert_eq!(auth.proof(&access).await.unwrap(), None);
        assert!(auth.challenged(&access, &headers, None, true).await.unwrap());
    }
}
