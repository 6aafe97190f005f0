//! What an origin is opened with. It goes into one request header and nowhere else.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A user name and a secret, sent as HTTP Basic.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    username: String,
    secret: String,
}

impl Credential {
    /// A token of a forge: the user name is the one GitHub documents for tokens, others ignore it.
    pub fn token(token: impl Into<String>) -> Self {
        Self::password("x-access-token", token)
    }

    pub fn password(username: impl Into<String>, secret: impl Into<String>) -> Self {
        Self { username: username.into(), secret: secret.into() }
    }

    /// The value of the `Authorization` header.
    pub(super) fn header(&self) -> String {
        format!("Basic {}", self.encoded())
    }

    /// A text without the secret, should a server have sent it back.
    pub(super) fn redact(&self, text: &str) -> String {
        let secrets = [self.encoded(), self.secret.clone()];
        secrets
            .iter()
            .filter(|secret| !secret.is_empty())
            .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    fn encoded(&self) -> String {
        STANDARD.encode(format!("{}:{}", self.username, self.secret))
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("username", &self.username).finish_non_exhaustive()
    }
}
