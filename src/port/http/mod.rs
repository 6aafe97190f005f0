//! What the HTTP clients of registries and forges have in common: whom they trust, how often they
//! ask, what they count, and what they never print.

mod clients;
mod link;
mod retry;
mod secret;
mod stats;
mod time;
mod words;

pub(in crate::port) use clients::Clients;
pub(in crate::port) use link::{next_page, resolve};
pub(in crate::port) use retry::{Pauses, is_transient, retry_after};
pub(in crate::port) use secret::{Secret, redact};
pub(in crate::port) use time::{http_date, rfc3339};
pub(in crate::port) use words::excerpt;

pub use clients::Timeouts;
pub use retry::RetryPolicy;
pub use stats::{Counts, Stats};

pub(in crate::port) const USER_AGENT: &str = concat!("sealift/", env!("CARGO_PKG_VERSION"));
