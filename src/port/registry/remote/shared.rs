//! What all hosts of a run share: the transport, the credentials, the trusted roots.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::credentials::Credentials;
use super::helper::Helpers;
use super::retry::Pauses;
use super::transport::{Transport, USER_AGENT};
use crate::port::chain;
use crate::port::registry::{Config, ConfigError, Stats};

pub(in crate::port::registry) struct Shared {
    pub(super) transport: Arc<Transport>,
    pub(super) credentials: Arc<Credentials>,
    /// PEM files, for oci-client's own HTTP client.
    pub(super) ca: Arc<[Vec<u8>]>,
}

impl Shared {
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let mut builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(config.timeouts.connect)
            .read_timeout(config.timeouts.read)
            .redirect(reqwest::redirect::Policy::none());
        let mut ca = Vec::new();
        for path in &config.ca {
            let (pem, certificates) = load_ca(path).map_err(|why| ConfigError::Ca { path: path.clone(), why })?;
            builder = builder.tls_certs_merge(certificates);
            ca.push(pem);
        }
        let client = builder.build().map_err(|error| ConfigError::Client(chain(&error)))?;
        let credentials = match &config.docker_config {
            None => Credentials::default(),
            Some(path) => {
                let helpers = Helpers { path: config.helper_path.clone(), timeout: config.helper_timeout };
                Credentials::load(path, helpers).map_err(|why| ConfigError::DockerConfig { path: path.clone(), why })?
            }
        };
        let transport = Transport {
            client,
            policy: config.retry,
            timeouts: config.timeouts,
            pauses: Pauses::default(),
            permits: Semaphore::new(config.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            stats: Arc::default(),
        };
        Ok(Self { transport: Arc::new(transport), credentials: Arc::new(credentials), ca: ca.into() })
    }

    pub fn stats(&self) -> &Stats {
        &self.transport.stats
    }
}

/// A certificate file, each certificate in it tried: junk would be trusted silently as nothing.
fn load_ca(path: &Path) -> Result<(Vec<u8>, Vec<reqwest::Certificate>), String> {
    let pem = std::fs::read(path).map_err(|error| error.to_string())?;
    let certificates = reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| chain(&error))?;
    if certificates.is_empty() {
        return Err("it holds no certificate".into());
    }
    for certificate in &certificates {
        let only = reqwest::Client::builder().tls_certs_only([certificate.clone()]).build();
        only.map_err(|error| format!("a certificate in it can't be read: {}", chain(&error)))?;
    }
    Ok((pem, certificates))
}
