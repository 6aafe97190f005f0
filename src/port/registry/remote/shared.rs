//! What all hosts of a run share: the transport, the credentials, the trusted roots.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::credentials::Credentials;
use super::helper::Helpers;
use super::retry::Pauses;
use super::transport::{Clients, Transport, USER_AGENT};
use crate::port::authority::Authorities;
use crate::port::chain;
use crate::port::registry::{Config, ConfigError, Stats};

pub(in crate::port::registry) struct Shared {
    pub(super) transport: Arc<Transport>,
    pub(super) credentials: Arc<Credentials>,
    /// For oci-client's own HTTP client.
    pub(super) authorities: Arc<Authorities>,
}

impl Shared {
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let authorities = Authorities::read(&config.ca)?;
        let client = |place: &str| {
            let builder = reqwest::Client::builder()
                .user_agent(USER_AGENT)
                .connect_timeout(config.timeouts.connect)
                .read_timeout(config.timeouts.read)
                .redirect(reqwest::redirect::Policy::none());
            let built = builder.tls_certs_merge(authorities.certificates(place)).build();
            built.map_err(|error| ConfigError::Client(chain(&error)))
        };
        let mut hosts: Vec<&str> = authorities.hosts().collect();
        // A host with its port before the host alone: the first that covers a place is used.
        hosts.sort_by_key(|host| (std::cmp::Reverse(host.len()), *host));
        hosts.dedup();
        let own =
            hosts.into_iter().map(|host| Ok((host.to_owned(), client(host)?))).collect::<Result<_, ConfigError>>()?;
        let clients = Clients { own, others: client("")? };
        let credentials = match &config.docker_config {
            None => Credentials::default(),
            Some(path) => {
                let helpers = Helpers { path: config.helper_path.clone(), timeout: config.helper_timeout };
                Credentials::load(path, helpers).map_err(|why| ConfigError::DockerConfig { path: path.clone(), why })?
            }
        };
        let transport = Transport {
            clients,
            policy: config.retry,
            timeouts: config.timeouts,
            pauses: Pauses::default(),
            permits: Semaphore::new(config.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            stats: Arc::default(),
        };
        Ok(Self {
            transport: Arc::new(transport),
            credentials: Arc::new(credentials),
            authorities: Arc::new(authorities),
        })
    }

    pub fn stats(&self) -> &Stats {
        &self.transport.stats
    }
}
