//! What can go wrong on request: GitHub's limits, broken answers, and hooks around the writes.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::call::{error, reply};
use crate::support::http::{Request, Response};

#[derive(Clone)]
pub enum Act {
    /// Answer this instead; nothing is done.
    Answer(Response),
    /// Do it, then change the answer.
    Change(Arc<dyn Fn(Response) -> Response + Send + Sync>),
    /// Call this first, then do it.
    Before(Arc<dyn Fn() + Send + Sync>),
    /// The same, and the answer is meant to be none of GitHub's.
    Wrong(Box<Act>),
}

impl Act {
    /// The secondary limit, which says when to come back.
    pub fn secondary_limit(seconds: u64) -> Self {
        let words = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        Self::Answer(error(403, words).with("retry-after", seconds))
    }

    /// The primary limit: the remaining calls are used up until a moment (seconds since 1970).
    pub fn primary_limit(reset: i64) -> Self {
        let response = error(403, "API rate limit exceeded for user ID 1.");
        Self::Answer(response.with("x-ratelimit-remaining", 0).with("x-ratelimit-reset", reset))
    }

    pub fn too_many(seconds: u64) -> Self {
        Self::Answer(error(429, "Too many requests.").with("retry-after", seconds))
    }

    /// A failure that did nothing.
    pub fn status(status: u16) -> Self {
        Self::Answer(reply(status, &json!({"message": "Server Error"})))
    }

    /// It is done, and the answer is a failure.
    pub fn done_but(status: u16) -> Self {
        Self::change(move |_| reply(status, &json!({"message": "Server Error"})))
    }

    /// The connection is cut and nothing was done.
    pub fn hang_up() -> Self {
        Self::Answer(Response::hang_up())
    }

    /// It is done, and the connection is cut.
    pub fn done_but_hung_up() -> Self {
        Self::change(|_| Response::hang_up())
    }

    /// The answer ends after so many bytes of its body.
    pub fn cut(at: usize) -> Self {
        Self::change(move |response| {
            let at = at.min(response.body.len());
            response.cut(at)
        })
    }

    pub fn late(delay: Duration) -> Self {
        Self::change(move |response| response.delay(delay))
    }

    /// A proxy's page with status 200.
    pub fn html() -> Self {
        let page = "<!doctype html><title>Sign in to the network</title>";
        Self::Answer(Response::new(200, page).with("content-type", "text/html"))
    }

    pub fn change(change: impl Fn(Response) -> Response + Send + Sync + 'static) -> Self {
        Self::Change(Arc::new(change))
    }

    /// An act whose answer is meant to be other than GitHub describes it. Any other scripted answer
    /// that succeeds is compared with the description, as the fake's own are.
    pub fn wrong(act: Self) -> Self {
        Self::Wrong(Box::new(act))
    }

    /// What is done, and whether its answer is meant to be wrong.
    pub fn plain(&self) -> (&Self, bool) {
        match self {
            Self::Wrong(act) => (act.plain().0, true),
            act => (act, false),
        }
    }

    pub fn before(before: impl Fn() + Send + Sync + 'static) -> Self {
        Self::Before(Arc::new(before))
    }
}

/// Whether a fault is about a request.
pub type Fits = Box<dyn Fn(&Request) -> bool + Send>;

struct Fault {
    fits: Fits,
    times: RangeInclusive<usize>,
    seen: usize,
    act: Act,
}

/// Answers whether the server goes on with the request; otherwise the connection is cut.
pub type Hook = Arc<dyn Fn() -> bool + Send + Sync>;

/// The script: what happens at which request.
#[derive(Default)]
pub struct Script {
    faults: Vec<Fault>,
    hooks: Vec<(usize, bool, Hook)>,
    writes: usize,
}

impl Script {
    pub fn fault(&mut self, fits: Fits, times: RangeInclusive<usize>, act: Act) {
        self.faults.push(Fault { fits, times, seen: 0, act });
    }

    pub fn heal(&mut self) {
        self.faults.clear();
        self.hooks.clear();
    }

    pub fn hook(&mut self, nth: usize, after: bool, hook: Hook) {
        self.hooks.push((self.writes + nth, after, hook));
    }

    pub fn writes(&self) -> usize {
        self.writes
    }

    /// What is planned for this request.
    pub fn acts(&mut self, request: &Request) -> Vec<Act> {
        let mut acts = Vec::new();
        for fault in &mut self.faults {
            if (fault.fits)(request) {
                fault.seen += 1;
                if fault.times.contains(&fault.seen) {
                    acts.push(fault.act.clone());
                }
            }
        }
        acts
    }

    /// The hooks before and after this request, when it writes.
    pub fn hooks(&mut self, request: &Request) -> (Vec<Hook>, Vec<Hook>) {
        if !is_write(request) {
            return Default::default();
        }
        self.writes += 1;
        let of = |after: bool| {
            let due = self.hooks.iter().filter(|(nth, when, _)| *nth == self.writes && *when == after);
            due.map(|(_, _, hook)| Arc::clone(hook)).collect()
        };
        (of(false), of(true))
    }
}

/// Whether people could see a difference afterwards.
pub fn is_write(request: &Request) -> bool {
    let asks = request.path().ends_with("/graphql") || request.path().ends_with("/access_tokens");
    matches!(request.method.as_str(), "POST" | "PATCH" | "PUT" | "DELETE") && !asks
}

/// Whether a target contains the pattern, whose `*` stand for anything.
pub fn matches(pattern: &str, target: &str) -> bool {
    let mut rest = target;
    pattern.split('*').all(|part| {
        let found = rest.find(part);
        rest = found.map_or("", |at| &rest[at + part.len()..]);
        found.is_some()
    })
}
