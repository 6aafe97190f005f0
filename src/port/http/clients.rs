//! Connections: whom they trust, and how long they may take.

use std::time::Duration;

use reqwest::Url;

use super::USER_AGENT;
use crate::port::authority::{Authorities, covers, place};
use crate::port::chain;

/// How long a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub read: Duration,
    /// For a whole small request; large bodies get more, by their size.
    pub total: Duration,
    /// Bytes per second of the slowest transfer that is still waited for.
    pub slowest: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        let s = Duration::from_secs;
        Self { connect: s(10), read: s(30), total: s(60), slowest: 64 << 10 }
    }
}

impl Timeouts {
    /// The time a transfer may take.
    pub(in crate::port) fn deadline(&self, bytes: u64) -> Duration {
        self.total + Duration::from_secs(bytes / self.slowest.max(1))
    }
}

/// An HTTP client per host that has authorities of its own, and one for all others. None follows
/// redirects by itself.
pub(in crate::port) struct Clients {
    own: Vec<(String, reqwest::Client)>,
    others: reqwest::Client,
}

impl Clients {
    pub fn new(authorities: &Authorities, timeouts: &Timeouts) -> Result<Self, String> {
        let client = |place: &str| {
            let builder = reqwest::Client::builder()
                .user_agent(USER_AGENT)
                .connect_timeout(timeouts.connect)
                .read_timeout(timeouts.read)
                .redirect(reqwest::redirect::Policy::none());
            let built = builder.tls_certs_merge(authorities.certificates(place)).build();
            built.map_err(|error| chain(&error))
        };
        let mut hosts: Vec<&str> = authorities.hosts().collect();
        // A host with its port before the host alone: the first that covers a place is used.
        hosts.sort_by_key(|host| (std::cmp::Reverse(host.len()), *host));
        hosts.dedup();
        let own = hosts.into_iter().map(|host| Ok((host.to_owned(), client(host)?))).collect::<Result<_, String>>()?;
        Ok(Self { own, others: client("")? })
    }

    pub fn of(&self, url: &Url) -> &reqwest::Client {
        let place = place(url);
        self.own.iter().find(|(host, _)| covers(host, &place)).map_or(&self.others, |(_, client)| client)
    }
}
