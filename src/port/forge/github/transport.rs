//! The one way a request to GitHub leaves: through octocrab, over our own HTTP clients; paced, timed,
//! capped, counted, and repeated by policy.
//!
//! octocrab is given a bare stack: its own would join our absolute addresses with the base path
//! again, send the token by authority alone, call itself `octocrab`, and repeat writes. What of it
//! is used is what a request is made of, GitHub's API version, and the app's JWT.

use std::sync::Arc;

use octocrab::service::middleware::reqwest_connector::ReqwestConnector;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use tokio::time::Instant;

use super::body::{Body, Sink, Stored};
use super::limits::{Pace, limit};
use crate::port::authority::place;
use crate::port::chain;
use crate::port::http::{Clients, Pauses, RetryPolicy, Secret, Stats, Timeouts, is_transient, resolve, retry_after};

/// Answers are read up to here: a hundred releases with the longest bodies GitHub allows.
const LIMIT: u64 = 64 << 20;
/// So much of an error is read.
const WORDS: u64 = 1 << 20;
const REDIRECTS: u32 = 5;

/// Shared by all calls, so that pauses, pace and counting are.
pub(super) struct Transport {
    pub clients: Clients,
    pub policy: RetryPolicy,
    pub timeouts: Timeouts,
    pub pauses: Pauses,
    pub pace: Pace,
    pub stats: Arc<Stats>,
}

/// What an unclear outcome allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Reads: repeating changes nothing.
    Always,
    /// Writes: only what was never sent. What a limit turned away is for the caller to look at again.
    Unsent,
}

pub(super) struct Request {
    pub method: Method,
    pub url: Url,
    pub accept: &'static str,
    pub authorization: Option<Secret>,
    pub body: Body,
    pub repeat: Repeat,
    /// Whether a redirection within the same origin is followed.
    pub follow: bool,
    /// Where a successful body goes, when not into memory.
    pub sink: Option<Sink>,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// Where the answer came from, after redirections.
    pub url: Url,
    /// What went into the sink.
    pub stored: Option<Stored>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Failure {
    /// Without URLs: a redirection's may carry a signature.
    pub detail: String,
    /// Whether the server may have acted.
    pub sent: bool,
    retry: bool,
}

impl Request {
    pub fn get(url: Url) -> Self {
        Self {
            method: Method::GET,
            url,
            accept: "application/vnd.github+json",
            authorization: None,
            body: Body::None,
            repeat: Repeat::Always,
            follow: true,
            sink: None,
        }
    }

    /// Something that changes what people see.
    pub fn write(method: Method, url: Url, body: Body) -> Self {
        Self { method, body, repeat: Repeat::Unsent, follow: false, ..Self::get(url) }
    }
}

impl Failure {
    pub fn lasting(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), sent: true, retry: false }
    }

    pub fn unsent(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), sent: false, retry: false }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let sent = !(error.is_connect() || error.is_builder());
        Self { detail: chain(&error.without_url()), sent, retry: true }
    }
}

/// octocrab wraps what our own client says.
impl From<octocrab::Error> for Failure {
    fn from(error: octocrab::Error) -> Self {
        match error {
            octocrab::Error::Reqwest { source, .. } => source.into(),
            octocrab::Error::Service { source, .. } => match source.downcast::<octocrab::Error>() {
                Ok(error) => Self::from(*error),
                Err(source) => Self::lasting(chain(&*source)),
            },
            error => Self::lasting(chain(&error)),
        }
    }
}

impl Transport {
    /// Sends, and repeats by policy. A limit or a 5xx that outlasts the policy is returned as it is.
    pub async fn send(&self, request: &Request) -> Result<Reply, Failure> {
        let host = place(&request.url);
        let (started, mut attempt) = (Instant::now(), 0);
        loop {
            attempt += 1;
            self.pauses.wait_out(&host, started, &self.policy).await.map_err(Failure::unsent)?;
            if request.repeat == Repeat::Unsent {
                self.pace.turn().await;
            }
            let result = self.once(request).await;
            let limited = result.as_ref().ok().and_then(limit);
            let transient = result.as_ref().ok().filter(|reply| is_transient(reply.status));
            let asked = limited.unwrap_or_else(|| transient.and_then(|reply| retry_after(&reply.headers)));
            let repeatable = request.repeat == Repeat::Always;
            // A read that is limited waits by itself; after a write the next look does.
            let unsaid = (limited.is_some() && !repeatable).then_some(self.policy.cap);
            if let Some(pause) = asked.or(unsaid) {
                self.pauses.set(&host, pause);
            }
            let again = match &result {
                Ok(_) => repeatable && (limited.is_some() || transient.is_some()),
                Err(failure) => failure.retry && (repeatable || !failure.sent),
            };
            match self.policy.wait(attempt, started.elapsed(), asked) {
                Some(wait) if again => tokio::time::sleep(wait).await,
                _ => return result,
            }
        }
    }

    async fn once(&self, request: &Request) -> Result<Reply, Failure> {
        let bytes = request.body.len() + request.sink.as_ref().map_or(0, |sink| sink.limit);
        match tokio::time::timeout(self.timeouts.deadline(bytes), self.follow(request)).await {
            Ok(result) => result,
            Err(_) => Err(Failure { detail: "timed out".into(), sent: true, retry: true }),
        }
    }

    /// A redirection to another origin is an answer: what belongs there is for the caller to say.
    async fn follow(&self, request: &Request) -> Result<Reply, Failure> {
        let mut url = request.url.clone();
        for _ in 0..=REDIRECTS {
            let reply = self.exchange(request, url.clone()).await?;
            if !(request.follow && (300..400).contains(&reply.status)) {
                return Ok(reply);
            }
            match resolve(&url, &reply.headers) {
                Ok(next) if next.origin() == request.url.origin() => url = next,
                _ => return Ok(reply),
            }
        }
        Err(Failure::lasting(format!("more than {REDIRECTS} redirections")))
    }

    async fn exchange(&self, request: &Request, url: Url) -> Result<Reply, Failure> {
        let crab = self.crab(&url);
        let builder = http::Request::builder().method(&request.method).uri(url.as_str());
        let mut built = request.body.build(&crab, builder).await?;
        built.headers_mut().insert(ACCEPT, HeaderValue::from_static(request.accept));
        if let Some(secret) = &request.authorization {
            built.headers_mut().insert(AUTHORIZATION, secret.bearer().map_err(Failure::unsent)?);
        }
        self.stats.count(request.method.as_str(), request.body.len());
        let response = crab.execute(built).await?;
        self.collect(request, url, response.map(reqwest::Body::wrap).into()).await
    }

    /// Made for each request: its worker then never outlives the runtime that asks.
    fn crab(&self, url: &Url) -> Octocrab {
        let service = ReqwestConnector::new(self.clients.of(url).clone());
        let built = OctocrabBuilder::new_empty().with_service(service).with_auth(AuthState::None).build();
        built.unwrap_or_else(|never| match never {})
    }

    async fn collect(&self, request: &Request, url: Url, mut response: reqwest::Response) -> Result<Reply, Failure> {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut reply = Reply { status: status.as_u16(), headers, body: Vec::new(), url, stored: None };
        if let Some(sink) = request.sink.as_ref().filter(|_| status.is_success()) {
            let stored = sink.fill(&mut response).await?;
            self.stats.received(stored.size);
            reply.stored = Some(stored);
            return Ok(reply);
        }
        let limit = if status.is_success() { LIMIT } else { WORDS };
        while let Some(chunk) = response.chunk().await? {
            if (reply.body.len() + chunk.len()) as u64 > limit {
                return Err(Failure::lasting(format!("the answer is larger than {limit} bytes")));
            }
            reply.body.extend_from_slice(&chunk);
        }
        self.stats.received(reply.body.len() as u64);
        Ok(reply)
    }
}
