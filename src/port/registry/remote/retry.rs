//! One retry policy: how often, how long, and how a throttling host is left in peace.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use tokio::time::Instant;

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
    pub(super) fn wait(&self, attempt: u32, elapsed: Duration, asked: Option<Duration>) -> Option<Duration> {
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
pub(super) struct Pauses(Mutex<HashMap<String, Instant>>);

impl Pauses {
    pub fn set(&self, host: &str, pause: Duration) {
        let Some(until) = Instant::now().checked_add(pause) else { return };
        let mut pauses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = pauses.entry(host.to_owned()).or_insert(until);
        *entry = until.max(*entry);
    }

    /// What is left of a host's pause.
    pub fn left(&self, host: &str) -> Duration {
        let pauses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pauses.get(host).map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }
}

/// `Retry-After` (RFC 9110 §10.2.3). A date is read against the answer's own `Date`, so
/// that a wrong clock on either side doesn't matter; without one it says nothing.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let now = http_date(headers.get(DATE)?.to_str().ok()?)?;
    Some(Duration::from_secs(http_date(text)?.saturating_sub(now)))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds since 1970. The two older spellings, which
/// nobody may send any more, are not read.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let parts: Vec<&str> = text.trim().split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = parts.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| name == month)? as u64 + 1;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    // Days from the civil calendar, counted in years that start in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    let (hour, minute, second): (u64, u64, u64) = (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    (hour < 24 && minute < 60 && second <= 60).then_some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_http_dates() {
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        for text in
            ["", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT", "x, 6 Foo 1994 1:1:1 GMT"]
        {
            assert_eq!(http_date(text), None, "{text}");
        }
    }

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
