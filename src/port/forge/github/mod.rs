//! GitHub, by its REST API.
//!
//! Requests go through octocrab's client, over our own connections. Answers are read into types of our
//! own, which ask for no more than is used and tolerate every null that GitHub's description allows.
//! octocrab's calls are not used where they were measured to lie: deletions that succeed on a 404,
//! names that aren't encoded, models that refuse a null, retries of a POST.

mod address;
mod app;
mod assets;
mod body;
mod client;
mod comments;
mod limits;
mod made;
mod moment;
mod page;
mod port;
mod pulls;
mod releases;
mod repository;
mod rules;
mod runs;
mod tokens;
mod transport;
mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::OnceCell;

pub use address::Address;
pub use tokens::Tokens;

use self::client::Client;
use self::limits::Pace;
use self::made::Made;
use self::tokens::Identity;
use self::transport::Transport;
use crate::model::Unknown;
use crate::port::authority::Authorities;
use crate::port::http::{Clients, Pauses, RetryPolicy, Stats, Timeouts};
use crate::port::repository::Credential;
use crate::port::{Authority, AuthorityError};

/// Everything the port needs to know. Nothing is read from the environment.
#[derive(Clone, Debug)]
pub struct Config {
    pub address: Address,
    pub tokens: Tokens,
    /// Certificate authorities to trust beside the system's.
    pub ca: Vec<Authority>,
    pub retry: RetryPolicy,
    pub timeouts: Timeouts,
    /// Between the beginnings of two writes.
    pub pause: Duration,
    /// How long before its end an app's token is renewed.
    pub renew: Duration,
}

impl Config {
    pub fn new(address: Address, tokens: Tokens) -> Self {
        Self {
            address,
            tokens,
            ca: Vec::new(),
            retry: RetryPolicy::default(),
            timeouts: Timeouts::default(),
            pause: Duration::from_secs(1),
            renew: Duration::from_secs(300),
        }
    }
}

/// What is wrong with a configuration. No message repeats a secret.
#[derive(Debug, thiserror::Error)]
pub enum GitHubError {
    #[error("`{0}` is no repository on GitHub: expected `https://HOST/OWNER/NAME`")]
    Repository(String),
    #[error("`{url}` is no address of GitHub's API: {why}")]
    Api { url: String, why: String },
    #[error("the token has characters that no token has: give the token alone")]
    Token,
    #[error("the key of the GitHub App {0} can't be read: give its RSA private key as GitHub made it, in PEM")]
    Key(u64),
    #[error(transparent)]
    Ca(#[from] AuthorityError),
    #[error("no HTTP client can be made: {0}")]
    Client(String),
}

/// A repository on GitHub: what is there besides its git.
pub struct GitHub {
    client: Arc<Client>,
    made_releases: Made<()>,
    made_assets: Made<u64>,
    made_pulls: Made<()>,
    made_comments: Made<()>,
    /// Where each release takes its assets, as GitHub said.
    uploads: Mutex<BTreeMap<u64, String>>,
}

impl GitHub {
    /// Asks nothing yet.
    pub fn open(config: Config) -> Result<Self, GitHubError> {
        let authorities = Authorities::read(&config.ca)?;
        let transport = Arc::new(Transport {
            clients: Clients::new(&authorities, &config.timeouts).map_err(GitHubError::Client)?,
            policy: config.retry,
            timeouts: config.timeouts,
            pauses: Pauses::default(),
            pace: Pace::new(config.pause),
            stats: Arc::default(),
        });
        let identity = Identity::new(&config, &transport)?;
        let client = Client { address: config.address, transport, identity, seen: OnceCell::new() };
        Ok(Self {
            client: Arc::new(client),
            made_releases: Made::default(),
            made_assets: Made::default(),
            made_pulls: Made::default(),
            made_comments: Made::default(),
            uploads: Mutex::default(),
        })
    }

    /// What was sent so far, requests for tokens included.
    pub fn stats(&self) -> &Stats {
        &self.client.transport.stats
    }

    /// The same token for git: an app's is renewed in time for each operation. `None`: anonymous.
    pub fn credential(&self) -> Option<Credential> {
        let client = Arc::clone(&self.client);
        let ask = move || {
            let what = "the forge's token for git";
            let handle = Handle::try_current().map_err(|error| Unknown::new(what, error))?;
            let token = handle.block_on(client.identity.token())?;
            token.map(|token| token.expose().to_owned()).ok_or_else(|| Unknown::new(what, "there is none"))
        };
        (!self.client.identity.is_anonymous()).then(|| Credential::asked(ask))
    }

    fn note_upload(&self, release: u64, url: &str) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).insert(release, url.to_owned());
    }

    fn noted_upload(&self, release: u64) -> Option<String> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).get(&release).cloned()
    }
}
