//! GitHub's limits: which answers mean that nothing was done, and how fast writes may follow each other.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::transport::Reply;
use crate::port::http::{http_date, retry_after};

/// Whether an answer says no more than that too much was asked, and how long to wait where it says
/// so (GitHub, "Rate limits for the REST API"): 429, or 403 with `Retry-After` or without any
/// requests left. Nothing was done then. Told by status and headers, never by words.
pub(super) fn limit(reply: &Reply) -> Option<Option<Duration>> {
    let wait = retry_after(&reply.headers).or_else(|| reset(&reply.headers));
    match reply.status {
        429 => Some(wait),
        403 if wait.is_some() || is_used_up(&reply.headers) => Some(wait),
        _ => None,
    }
}

fn is_used_up(headers: &HeaderMap) -> bool {
    number(headers, "x-ratelimit-remaining") == Some(0)
}

/// When the limit starts anew, read against the answer's own `Date`: no clock of ours is asked.
fn reset(headers: &HeaderMap) -> Option<Duration> {
    let at = number(headers, "x-ratelimit-reset").filter(|_| is_used_up(headers))?;
    let now = http_date(headers.get(DATE)?.to_str().ok()?)?;
    Some(Duration::from_secs(at.saturating_sub(now)))
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// GitHub wants about a second between writes (GitHub, "Best practices for using the REST API").
pub(super) struct Pace {
    pause: Duration,
    last: Mutex<Option<Instant>>,
}

impl Pace {
    pub fn new(pause: Duration) -> Self {
        Self { pause, last: Mutex::new(None) }
    }

    /// Waits for this write's turn. All writes of a port stand in one line.
    pub async fn turn(&self) {
        let mut last = self.last.lock().await;
        if let Some(next) = last.and_then(|last| last.checked_add(self.pause)) {
            tokio::time::sleep_until(next).await;
        }
        *last = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, list: &[(&'static str, &str)]) -> Option<Option<Duration>> {
        let headers = list.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let url = reqwest::Url::parse("http://x/").unwrap();
        // Words alone are no limit, and a limit needs no words.
        limit(&Reply { status, headers, body: b"secondary rate limit".to_vec(), url, stored: None })
    }

    #[test]
    fn a_limit_is_told_by_status_and_headers() {
        let seconds = |seconds| Some(Some(Duration::from_secs(seconds)));
        let date = ("date", "Thu, 01 Jan 1970 00:10:00 GMT");
        let (used_up, left) = (("x-ratelimit-remaining", "0"), ("x-ratelimit-remaining", "7"));
        assert_eq!(answer(429, &[]), Some(None));
        assert_eq!(answer(429, &[("retry-after", "3")]), seconds(3));
        assert_eq!(answer(403, &[("retry-after", "3"), left]), seconds(3));
        assert_eq!(answer(403, &[used_up, ("x-ratelimit-reset", "660"), date]), seconds(60));
        assert_eq!(answer(403, &[used_up, ("x-ratelimit-reset", "660")]), Some(None));
        assert_eq!(answer(403, &[left, ("x-ratelimit-reset", "660"), date]), None);
        for status in [200, 401, 403, 404, 422, 503] {
            assert_eq!(answer(status, &[]), None);
        }
    }

    #[tokio::test]
    async fn writes_follow_each_other_with_a_pause() {
        let (pace, started) = (Pace::new(Duration::from_millis(20)), Instant::now());
        futures_util::future::join_all((0..4).map(|_| pace.turn())).await;
        assert!(started.elapsed() >= Duration::from_millis(60));
    }
}
