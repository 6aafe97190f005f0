//! Who we are to GitHub: nobody, a token, or an app that asks for one.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::app::{App, Issued};
use super::transport::Transport;
use super::{Config, GitHubError};
use crate::model::Unknown;
use crate::port::http::{Secret, redact};

/// Where tokens come from.
#[derive(Clone, Debug, Default)]
pub enum Tokens {
    /// What anybody may see.
    #[default]
    Anonymous,
    /// One token for the whole run.
    Token(Token),
    /// A GitHub App's installation in the repository: tokens of an hour, renewed before they end.
    App(AppKey),
}

/// A token that can't be printed.
#[derive(Clone, Debug)]
pub struct Token(Secret);

/// A GitHub App: its number, and its private key as PEM.
#[derive(Clone, Debug)]
pub struct AppKey {
    pub(super) id: u64,
    pub(super) pem: Secret,
}

impl Tokens {
    /// A token as it was given, white space around it left out. An empty one is none.
    pub fn token(text: &str) -> Self {
        match text.trim() {
            "" => Self::Anonymous,
            text => Self::Token(Token(Secret::new(text))),
        }
    }

    /// An app by its number and RSA key.
    pub fn app(id: u64, pem: impl Into<String>) -> Self {
        Self::App(AppKey { id, pem: Secret::new(pem) })
    }
}

/// Secrets that were used, to be taken out of what a server says.
#[derive(Default)]
pub(super) struct Confided(Mutex<Vec<Secret>>);

impl Confided {
    pub fn add(&self, secret: &Secret) {
        let mut secrets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // As git sends it, too.
        let basic = Secret::new(STANDARD.encode(format!("x-access-token:{}", secret.expose())));
        for secret in [secret.clone(), basic] {
            if !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
    }

    pub fn redact(&self, text: &str) -> String {
        redact(text, self.0.lock().unwrap_or_else(PoisonError::into_inner).iter())
    }
}

/// The token that holds now.
pub(super) struct Identity {
    source: Source,
    pub confided: Arc<Confided>,
}

enum Source {
    Anonymous,
    Token(Secret),
    App(Box<App>),
}

impl Identity {
    pub fn new(config: &Config, transport: &Arc<Transport>) -> Result<Self, GitHubError> {
        let confided = Arc::new(Confided::default());
        let source = match &config.tokens {
            Tokens::Anonymous => Source::Anonymous,
            Tokens::Token(Token(secret)) => {
                confided.add(secret);
                if secret.expose().contains(char::is_whitespace) || secret.bearer().is_err() {
                    return Err(GitHubError::Token);
                }
                Source::Token(secret.clone())
            }
            Tokens::App(key) => {
                let (transport, confided) = (Arc::clone(transport), Arc::clone(&confided));
                let app = App::new(key, config.renew, config.address.clone(), transport, confided)?;
                Source::App(Box::new(app))
            }
        };
        Ok(Self { source, confided })
    }

    pub fn is_anonymous(&self) -> bool {
        matches!(self.source, Source::Anonymous)
    }

    pub async fn token(&self) -> Result<Option<Secret>, Unknown> {
        match &self.source {
            Source::Anonymous => Ok(None),
            Source::Token(secret) => Ok(Some(secret.clone())),
            Source::App(app) => Ok(Some(app.current().await?.token)),
        }
    }

    /// Drops a token that GitHub no longer takes. Whether there may be another one.
    pub async fn forget(&self, token: &Secret) -> bool {
        match &self.source {
            Source::App(app) => app.forget(token).await,
            Source::Anonymous | Source::Token(_) => false,
        }
    }

    /// What an app's token was given, by the names of permissions; of other tokens nobody says.
    pub async fn issued(&self) -> Result<Option<Issued>, Unknown> {
        match &self.source {
            Source::App(app) => app.current().await.map(Some),
            Source::Anonymous | Source::Token(_) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_prints_a_secret() {
        for tokens in [Tokens::token(" ghs_s3cret\n"), Tokens::app(7, "s3cret key")] {
            assert!(!format!("{tokens:?}").contains("s3cret"));
        }
        let confided = Confided::default();
        confided.add(&Secret::new("ghs_s3cret"));
        let basic = STANDARD.encode("x-access-token:ghs_s3cret");
        let said = confided.redact(&format!("Bearer ghs_s3cret and Basic {basic}"));
        assert_eq!(said, "Bearer <secret> and Basic <secret>");
    }
}
