//! The one way a request leaves: throttled, timed, capped, counted, and repeated by policy.

use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Method, Url};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::port::authority::place;
use crate::port::chain;
use crate::port::http::{Clients, Pauses, RetryPolicy, Stats, Timeouts, is_transient, resolve, retry_after};

/// Error bodies, token answers and tag pages are read up to here.
pub(super) const SMALL_LIMIT: u64 = 1 << 20;
const REDIRECT_LIMIT: u32 = 5;

/// Shared by every host, so that throttling, counting and connections are.
pub(super) struct Transport {
    pub clients: Clients,
    pub policy: RetryPolicy,
    pub timeouts: Timeouts,
    pub pauses: Pauses,
    pub permits: Semaphore,
    pub stats: Arc<Stats>,
}

/// When an unclear outcome allows a repetition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Reads and blob uploads: repeating changes nothing.
    Always,
    /// Only what certainly was not done: never sent, or turned away with 429.
    Undone,
}

#[derive(Clone)]
pub(super) struct Request {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub authorization: Option<HeaderValue>,
    pub body: Option<Arc<[u8]>>,
    /// The largest successful body that is read.
    pub limit: u64,
    /// Leave a successful body unread.
    pub ignore_body: bool,
    pub repeat: Repeat,
}

impl Request {
    pub fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            authorization: None,
            body: None,
            limit: SMALL_LIMIT,
            ignore_body: false,
            repeat: Repeat::Always,
        }
    }
}

#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// Where the answer came from, after redirects.
    pub url: Url,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Failure {
    /// Without URLs: a redirect's may carry a signature.
    pub detail: String,
    /// Whether the server may have acted.
    pub sent: bool,
    retry: bool,
}

impl Failure {
    fn lasting(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), sent: true, retry: false }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let sent = !(error.is_connect() || error.is_builder());
        Self { detail: chain(&error.without_url()), sent, retry: true }
    }
}

impl Transport {
    /// Sends, and repeats by policy. A 429 or 5xx that outlasts the policy is returned as it is.
    pub async fn send(&self, request: &Request) -> Result<Reply, Failure> {
        let host = place(&request.url);
        let (started, mut attempt) = (Instant::now(), 0);
        loop {
            attempt += 1;
            self.wait_out(&host, started).await?;
            let result = self.once(request).await;
            let asked = result.as_ref().ok().filter(|r| is_transient(r.status)).and_then(|r| retry_after(&r.headers));
            if let Some(pause) = asked {
                self.pauses.set(&host, pause);
            }
            let again = match &result {
                Ok(reply) => reply.status == 429 || (is_transient(reply.status) && request.repeat == Repeat::Always),
                Err(failure) => failure.retry && (request.repeat == Repeat::Always || !failure.sent),
            };
            match self.policy.wait(attempt, started.elapsed(), asked) {
                Some(wait) if again => tokio::time::sleep(wait).await,
                _ => return result,
            }
        }
    }

    /// Waits while a host has asked to be left alone.
    pub async fn wait_out(&self, host: &str, started: Instant) -> Result<(), Failure> {
        let waited = self.pauses.wait_out(host, started, &self.policy).await;
        waited.map_err(|detail| Failure { detail, sent: false, retry: false })
    }

    async fn once(&self, request: &Request) -> Result<Reply, Failure> {
        let Ok(_permit) = self.permits.acquire().await else { return Err(Failure::lasting("shut down")) };
        let bytes = request.limit + request.body.as_ref().map_or(0, |b| b.len() as u64);
        match tokio::time::timeout(self.timeouts.deadline(bytes), self.follow(request)).await {
            Ok(result) => result,
            Err(_) => Err(Failure { detail: "timed out".into(), sent: true, retry: true }),
        }
    }

    /// Follows redirects of reads. Credentials stay with the origin they were meant for, and
    /// nothing goes from https to http.
    async fn follow(&self, request: &Request) -> Result<Reply, Failure> {
        let mut url = request.url.clone();
        for _ in 0..=REDIRECT_LIMIT {
            let mut builder =
                self.clients.of(&url).request(request.method.clone(), url.clone()).headers(request.headers.clone());
            if let Some(value) = request.authorization.as_ref().filter(|_| url.origin() == request.url.origin()) {
                builder = builder.header(AUTHORIZATION, value.clone());
            }
            if let Some(body) = &request.body {
                builder = builder.body(body.to_vec());
            }
            let sent = request.body.as_ref().map_or(0, |b| b.len() as u64);
            self.stats.count(request.method.as_str(), sent);
            let response = builder.send().await?;
            let reads = request.method == Method::GET || request.method == Method::HEAD;
            if !(reads && response.status().is_redirection() && response.headers().contains_key(LOCATION)) {
                return self.collect(request, response).await;
            }
            url = resolve(&url, response.headers()).map_err(Failure::lasting)?;
        }
        Err(Failure::lasting(format!("more than {REDIRECT_LIMIT} redirects")))
    }

    async fn collect(&self, request: &Request, mut response: reqwest::Response) -> Result<Reply, Failure> {
        let (status, url) = (response.status(), response.url().clone());
        let headers = response.headers().clone();
        let limit = if status.is_success() { request.limit } else { SMALL_LIMIT };
        let mut body = Vec::new();
        if request.method != Method::HEAD && !(request.ignore_body && status.is_success()) {
            while let Some(chunk) = response.chunk().await? {
                if (body.len() + chunk.len()) as u64 > limit {
                    return Err(Failure::lasting(format!("the answer is larger than the {limit} bytes expected")));
                }
                body.extend_from_slice(&chunk);
            }
        }
        self.stats.received(body.len() as u64);
        Ok(Reply { status: status.as_u16(), headers, body, url })
    }
}
