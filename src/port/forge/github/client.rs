//! Calls with the token that holds, judged: found, proven absent, or unknown; done, refused, or unknown.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use super::address::Address;
use super::limits::limit;
use super::tokens::Identity;
use super::transport::{Failure, Reply, Request, Transport};
use super::words;
use crate::model::Unknown;
use crate::port::WriteError;
use crate::port::forge::Hosted;
use crate::port::http::excerpt;

pub(super) struct Client {
    pub address: Address,
    pub transport: Arc<Transport>,
    pub identity: Identity,
    /// The repository, once it was read: only then does a 404 of anything else mean absence.
    pub seen: OnceCell<Hosted>,
}

#[derive(Deserialize)]
struct Numbered {
    id: Option<u64>,
    number: Option<u64>,
}

impl Client {
    /// `WHAT of OWNER/NAME`
    pub fn name(&self, what: &str) -> String {
        format!("{what} of {}", self.address.full_name())
    }

    /// Sends with the token, which goes to the API and the uploads alone. An app's token that GitHub
    /// doesn't take any more (401: nothing was done) is renewed once.
    pub async fn call(&self, what: &str, mut request: Request) -> Result<Reply, Unknown> {
        let trusted = self.address.trusts(&request.url);
        let mut renewed = false;
        loop {
            request.authorization = if trusted { self.identity.token().await? } else { None };
            let reply = self.transport.send(&request).await.map_err(|failure| self.failed(what, failure))?;
            match &request.authorization {
                Some(token) if reply.status == 401 && !renewed && self.identity.forget(token).await => renewed = true,
                _ => return Ok(reply),
            }
        }
    }

    /// Reads. `None`: proven absent, for the repository was read before.
    pub async fn get(&self, what: &str, request: Request) -> Result<Option<Reply>, Unknown> {
        match self.found(what, request).await? {
            Some(reply) if reply.status >= 300 => Err(self.unexpected(what, &reply)),
            found => Ok(found),
        }
    }

    /// The same, where a redirection is an answer, too.
    pub async fn found(&self, what: &str, request: Request) -> Result<Option<Reply>, Unknown> {
        self.seen().await?;
        let reply = self.call(what, request).await?;
        match reply.status {
            200..400 => Ok(Some(reply)),
            _ if self.is_absent(&reply) => Ok(None),
            _ => Err(self.unexpected(what, &reply)),
        }
    }

    /// Whether an answer proves absence, where the repository was read: a 404, and not for want of a
    /// scope.
    pub fn is_absent(&self, reply: &Reply) -> bool {
        reply.status == 404 && words::hidden(&reply.headers, self.is_public()).is_none()
    }

    /// Reads what must be there.
    pub async fn need(&self, what: &str, request: Request) -> Result<Reply, Unknown> {
        let found = self.get(what, request).await?;
        found.ok_or_else(|| Unknown::new(what, "not found, though the repository is there").with_status(404))
    }

    /// Writes; done is what answers with that status.
    pub async fn write(&self, what: &str, request: Request, done: u16) -> Result<Reply, WriteError> {
        let reply = self.call(what, request).await?;
        self.judge(what, reply, done)
    }

    /// Anything but the one success, a limit, or a clear no leaves open whether a write happened.
    pub fn judge(&self, what: &str, reply: Reply, done: u16) -> Result<Reply, WriteError> {
        match reply.status {
            status if status == done => Ok(reply),
            status if limit(&reply).is_some() => {
                let detail = self.detail(&reply);
                Err(WriteError::Limited { what: what.to_owned(), status: Some(status), detail })
            }
            408 => Err(self.unexpected(what, &reply).into()),
            300..500 => {
                let (what, status) = (what.to_owned(), Some(reply.status));
                Err(WriteError::Refused { what, status, detail: self.detail(&reply) })
            }
            _ => Err(self.unexpected(what, &reply).into()),
        }
    }

    /// Whether what a deletion didn't find is gone: to one who may push and sees that it isn't there.
    pub async fn is_gone(&self, what: &str, reply: &Reply, request: Request) -> Result<bool, Unknown> {
        if reply.status != 404 {
            return Ok(false);
        }
        let push = self.seen().await?.push;
        Ok(push && self.is_absent(reply) && self.get(what, request).await?.is_none())
    }

    pub fn read<T: DeserializeOwned>(&self, what: &str, reply: &Reply) -> Result<T, Unknown> {
        serde_json::from_slice(&reply.body).map_err(|error| {
            let words = if error.is_data() {
                String::new()
            } else {
                format!(": {}", words::of(reply, &self.identity.confided))
            };
            let detail = format!("not the answer that is expected ({error}){words}");
            Unknown::new(what, self.identity.confided.redact(&detail)).with_status(reply.status)
        })
    }

    /// What was made answers with its number (pull requests) or id; nothing else of it is needed.
    pub fn made(&self, what: &str, reply: &Reply) -> Result<u64, Unknown> {
        let made: Numbered = self.read(what, reply)?;
        let number = made.number.or(made.id);
        number.ok_or_else(|| Unknown::new(what, "GitHub's answer doesn't number it").with_status(reply.status))
    }

    /// What was changed answers with itself; a proxy's page does not.
    pub fn same(&self, what: &str, reply: &Reply, number: u64) -> Result<(), WriteError> {
        match self.made(what, reply)? {
            found if found == number => Ok(()),
            found => Err(Unknown::new(what, format!("GitHub answers with {found}")).with_status(reply.status).into()),
        }
    }

    pub fn failed(&self, what: &str, failure: Failure) -> Unknown {
        let unsent = if failure.sent { "" } else { " (nothing was sent)" };
        Unknown::new(what, self.identity.confided.redact(&format!("{}{unsent}", failure.detail)))
    }

    /// An answer that isn't the thing asked for, with what the token lacks.
    pub fn unexpected(&self, what: &str, reply: &Reply) -> Unknown {
        Unknown::new(what, self.detail(reply)).with_status(reply.status)
    }

    fn detail(&self, reply: &Reply) -> String {
        let words = match reply.status {
            300..400 => "redirected: if the repository has moved, name its new address".to_owned(),
            _ => words::of(reply, &self.identity.confided),
        };
        let denied = matches!(reply.status, 403 | 404) && limit(reply).is_none();
        let missing = denied.then(|| words::missing(&reply.headers, self.is_public())).flatten();
        let hint = match (reply.status, missing) {
            (401, _) => "; give a token that is still valid".to_owned(),
            (_, Some(missing)) => format!("; {missing}"),
            _ => String::new(),
        };
        self.identity.confided.redact(&format!("{words}{hint}"))
    }

    /// A server's text, for a message.
    pub fn told(&self, text: &str) -> String {
        excerpt(&self.identity.confided.redact(text))
    }

    fn is_public(&self) -> bool {
        self.seen.get().is_some_and(|hosted| !hosted.private)
    }
}
