//! What all hosts of a run share: the transport, the credentials, the trusted roots.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::credentials::Credentials;
use super::helper::Helpers;
use super::transport::Transport;
use crate::port::authority::Authorities;
use crate::port::http::{Clients, Pauses, Stats};
use crate::port::registry::{Config, ConfigError};

pub(in crate::port::registry) struct Shared {
    pub(super) transport: Arc<Transport>,
    pub(super) credentials: Arc<Credentials>,
    /// For oci-client's own HTTP client.
    pub(super) authorities: Arc<Authorities>,
}

impl Shared {
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let authorities = Authorities::read(&config.ca)?;
        let clients = Clients::new(&authorities, &config.timeouts).map_err(ConfigError::Client)?;
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
