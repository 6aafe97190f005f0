//! One retry policy: how often, how long, and how a throttling host is left in peace.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use tokio::time::Instant;

use super::http_date;

/// When a request is repeated after 429, 5xx or a broken connection. All bounds hold for one
/// request: at most `attempts` sends, and no wait that would end later than `budget` after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    pub attempts: u32,
    /// The first wait; each further one doubles, up to `cap`, with jitter of a half.
    pub base: Duration,
    pub cap: Duration,
    pub budget: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 6,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(30),
            budget: Duration::from_secs(300),
        }
    }
}

impl RetryPolicy {
    /// How long to wait after the `attempt`th failure (from 1), or `None` to give up.
    pub(in crate::port) fn wait(&self, attempt: u32, elapsed: Duration, asked: Option<Duration>) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let doubled = self.base.saturating_mul(1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX));
        let wait = doubled.min(self.cap).mul_f64(0.5 + 0.5 * fraction());
        let wait = asked.map_or(wait, |asked| asked.max(wait));
        (elapsed.saturating_add(wait) <= self.budget).then_some(wait)
    }
}

/// Somewhere in 0..1. Std's hasher keys are random per use, and that is random enough here.
fn fraction() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    bits as f64 / (1u64 << 53) as f64
}

/// Until when each host asked not to be asked. Shared by all requests of a run.
#[derive(Debug, Default)]
pub(in crate::port) struct Pauses(Mutex<HashMap<String, Instant>>);

impl Pauses {
    pub fn set(&self, host: &str, pause: Duration) {
        let Some(until) = Instant::now().checked_add(pause) else { return };
        let mut pauses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = pauses.entry(host.to_owned()).or_insert(until);
        *entry = until.max(*entry);
    }

    /// What is left of a host's pause.
    fn left(&self, host: &str) -> Duration {
        let pauses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pauses.get(host).map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Waits while a host has asked to be left alone, if the policy's budget allows; else says so.
    pub async fn wait_out(&self, host: &str, started: Instant, policy: &RetryPolicy) -> Result<(), String> {
        loop {
            let left = self.left(host);
            if left.is_zero() {
                return Ok(());
            }
            if started.elapsed().saturating_add(left) > policy.budget {
                let (left, budget) = (left.as_secs_f32().ceil(), policy.budget.as_secs());
                return Err(format!("{host} asks to wait {left} s more, which is over the limit of {budget} s"));
            }
            tokio::time::sleep(left).await;
        }
    }
}

/// `Retry-After` (RFC 9110 §10.2.3). A date is read against the answer's own `Date`, so
/// that a wrong clock on either side doesn't matter; without one it says nothing.
pub(in crate::port) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let now = http_date(headers.get(DATE)?.to_str().ok()?)?;
    Some(Duration::from_secs(http_date(text)?.saturating_sub(now)))
}

/// 501 and 505 will say the same next time.
pub(in crate::port) fn is_transient(status: u16) -> bool {
    status == 429 || ((500..600).contains(&status) && !matches!(status, 501 | 505))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_retry_after_in_both_spellings() {
        let headers = |after: &str, date: Option<&str>| -> HeaderMap {
            let date = date.map(|d| (DATE, d.parse().unwrap()));
            [(RETRY_AFTER, after.parse().unwrap())].into_iter().chain(date).collect()
        };
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(retry_after(&headers("7", None)), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:50:07 GMT", date)), Some(Duration::from_secs(30)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:00:00 GMT", date)), Some(Duration::ZERO));
        for text in ["Sun, 06 Nov 1994 08:50:07 GMT", "-1", "404", "x"] {
            assert_eq!(retry_after(&headers(text, None)), text.parse().ok().map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn is_bounded_in_attempts_and_in_time() {
        let policy = RetryPolicy::default();
        let waits: Vec<_> = (1..).map_while(|n| policy.wait(n, Duration::ZERO, None)).collect();
        assert_eq!(waits.len(), 5);
        assert!(waits.iter().all(|w| *w <= policy.cap && *w >= policy.base / 2));
        assert_eq!(policy.wait(1, Duration::ZERO, Some(Duration::from_secs(90))), Some(Duration::from_secs(90)));
        assert_eq!(policy.wait(1, Duration::ZERO, Some(Duration::from_secs(3600))), None);
        assert_eq!(policy.wait(1, policy.budget, None), None);
    }
}
