//! What an origin is opened with. It goes into one request header and nowhere else.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::model::Unknown;
use crate::port::http;

/// A user name and a secret, sent as HTTP Basic.
#[derive(Clone)]
pub struct Credential {
    username: String,
    secret: Secret,
}

#[derive(Clone)]
enum Secret {
    Fixed(String),
    Asked(Arc<Ask>),
}

type Ask = dyn Fn() -> Result<String, Unknown> + Send + Sync;

/// The user name that GitHub documents for tokens; others ignore it.
const TOKEN: &str = "x-access-token";

impl Credential {
    /// A token of a forge.
    pub fn token(token: impl Into<String>) -> Self {
        Self::password(TOKEN, token)
    }

    pub fn password(username: impl Into<String>, secret: impl Into<String>) -> Self {
        Self { username: username.into(), secret: Secret::Fixed(secret.into()) }
    }

    /// A forge's token that is renewed now and then: asked for at the beginning of each operation,
    /// on a thread that may block.
    pub fn asked(token: impl Fn() -> Result<String, Unknown> + Send + Sync + 'static) -> Self {
        Self { username: TOKEN.to_owned(), secret: Secret::Asked(Arc::new(token)) }
    }

    /// As it is for one operation.
    pub(super) fn login(&self) -> Result<Login, Unknown> {
        let secret = match &self.secret {
            Secret::Fixed(secret) => secret.clone(),
            Secret::Asked(ask) => ask()?,
        };
        Ok(Login { username: self.username.clone(), secret })
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("username", &self.username).finish_non_exhaustive()
    }
}

/// A credential during one operation.
#[derive(Clone)]
pub(super) struct Login {
    username: String,
    secret: String,
}

impl Login {
    /// The value of the `Authorization` header.
    pub fn header(&self) -> String {
        format!("Basic {}", self.encoded())
    }

    /// A text without the secret, should a server have sent it back.
    pub fn redact(&self, text: &str) -> String {
        http::redact(text, &[http::Secret::new(self.encoded()), http::Secret::new(self.secret.clone())])
    }

    fn encoded(&self) -> String {
        STANDARD.encode(format!("{}:{}", self.username, self.secret))
    }
}
