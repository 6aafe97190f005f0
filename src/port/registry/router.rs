//! The registries of a run: each host where its location says, else at `https://<host>`.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::remote::{self, Remote, Shared};
use super::{At, Blob, Layout, Location, Mount, RegistryRead, RegistryWrite, WriteError};
use super::{RetryPolicy, Stats, Timeouts};
use crate::model::{Answer, Descriptor, Digest, Manifest, Repository, Tag, Unknown};

/// Everything registries need to know. Nothing is read from the environment.
#[derive(Clone, Debug)]
pub struct Config {
    /// Hosts that are elsewhere than at `https://<host>`.
    pub locations: BTreeMap<String, Location>,
    /// Docker's `config.json`. One that isn't there configures nothing.
    pub docker_config: Option<PathBuf>,
    /// `PATH` for credential helpers, where it is not the process's own.
    pub helper_path: Option<OsString>,
    /// How long a credential helper may take; 30 s if not given.
    pub helper_timeout: Option<Duration>,
    /// PEM files with certificate authorities to trust beside the system's.
    pub ca: Vec<PathBuf>,
    pub retry: RetryPolicy,
    pub timeouts: Timeouts,
    /// Requests in flight at once, over all hosts.
    pub concurrency: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            locations: BTreeMap::new(),
            docker_config: None,
            helper_path: None,
            helper_timeout: None,
            ca: Vec::new(),
            retry: RetryPolicy::default(),
            timeouts: Timeouts::default(),
            concurrency: 16,
        }
    }
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("registry {host}: `{url}`: {why}")]
    Location { host: String, url: String, why: String },
    #[error("{}: {why}", .path.display())]
    DockerConfig { path: PathBuf, why: String },
    #[error("{}: {why}; expected PEM certificates", .path.display())]
    Ca { path: PathBuf, why: String },
    #[error("no HTTP client can be made: {0}")]
    Client(String),
}

/// All registries behind one port.
pub struct Registries {
    layouts: BTreeMap<String, Layout>,
    urls: BTreeMap<String, reqwest::Url>,
    shared: Shared,
    remotes: Mutex<HashMap<String, Arc<Remote>>>,
}

#[derive(Clone)]
enum Backend {
    Layout(Layout),
    Remote(Arc<Remote>),
}

impl Registries {
    pub fn new(mut config: Config) -> Result<Self, ConfigError> {
        let (mut layouts, mut urls) = (BTreeMap::new(), BTreeMap::new());
        for (host, location) in std::mem::take(&mut config.locations) {
            match location {
                Location::Layout(dir) => {
                    layouts.insert(host, Layout::new(dir));
                }
                Location::Url(url) => match remote::parse_url(&url) {
                    Ok(parsed) => {
                        urls.insert(host, parsed);
                    }
                    Err(why) => return Err(ConfigError::Location { host, url: without_userinfo(&url), why }),
                },
            }
        }
        let shared = Shared::new(&config)?;
        Ok(Self { layouts, urls, shared, remotes: Mutex::default() })
    }

    /// What was sent so far, over all remote hosts.
    pub fn stats(&self) -> &Stats {
        self.shared.stats()
    }

    fn backend(&self, repository: &Repository) -> Result<Backend, Unknown> {
        let host = repository.host();
        if let Some(layout) = self.layouts.get(host) {
            return Ok(Backend::Layout(layout.clone()));
        }
        let mut remotes = self.remotes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(remote) = remotes.get(host) {
            return Ok(Backend::Remote(Arc::clone(remote)));
        }
        let unusable = |error: String| Unknown::new(repository, format!("its host can't be asked: {error}"));
        let url = match self.urls.get(host) {
            Some(url) => url.clone(),
            None => remote::parse_url(&remote::default_url(host)).map_err(unusable)?,
        };
        let remote = Arc::new(Remote::new(url, &self.shared));
        remotes.insert(host.to_owned(), Arc::clone(&remote));
        Ok(Backend::Remote(remote))
    }
}

fn without_userinfo(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        _ => url.to_owned(),
    }
}

/// Asks whichever implementation a repository's host is behind.
macro_rules! read {
    ($self:ident, $repository:ident, $method:ident $(, $argument:ident)*) => {
        Box::pin(async move {
            match $self.backend($repository) {
                Ok(Backend::Layout(layout)) => layout.$method($repository $(, $argument)*).await,
                Ok(Backend::Remote(remote)) => Answer::from(remote.$method($repository $(, $argument)*).await),
                Err(unknown) => Answer::Unknown(unknown),
            }
        })
    };
}

impl RegistryRead for Registries {
    fn manifest<'a>(&'a self, repository: &'a Repository, at: &'a At) -> BoxFuture<'a, Answer<Manifest>> {
        read!(self, repository, manifest, at)
    }

    fn blob<'a>(&'a self, repository: &'a Repository, descriptor: &'a Descriptor) -> BoxFuture<'a, Answer<Vec<u8>>> {
        read!(self, repository, blob, descriptor)
    }

    fn has_blob<'a>(&'a self, repository: &'a Repository, digest: &'a Digest) -> BoxFuture<'a, Answer<()>> {
        read!(self, repository, has_blob, digest)
    }

    fn tags<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Answer<Vec<Tag>>> {
        read!(self, repository, tags)
    }
}

impl RegistryWrite for Registries {
    fn put_blob<'a>(&'a self, repository: &'a Repository, blob: &'a Blob) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(async move {
            match self.backend(repository)? {
                Backend::Layout(layout) => layout.put_blob(repository, blob).await,
                Backend::Remote(remote) => remote.put_blob(repository, blob).await,
            }
        })
    }

    fn put_manifest<'a>(
        &'a self,
        repository: &'a Repository,
        tag: &'a Tag,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(async move {
            match self.backend(repository)? {
                Backend::Layout(layout) => layout.put_manifest(repository, tag, manifest).await,
                Backend::Remote(remote) => remote.put_manifest(repository, &At::Tag(tag.clone()), manifest).await,
            }
        })
    }

    fn put_manifest_by_digest<'a>(
        &'a self,
        repository: &'a Repository,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(async move {
            match self.backend(repository)? {
                Backend::Layout(layout) => layout.put_manifest_by_digest(repository, manifest).await,
                Backend::Remote(remote) => {
                    remote.put_manifest(repository, &At::Digest(manifest.digest()), manifest).await
                }
            }
        })
    }

    fn mount_blob<'a>(
        &'a self,
        repository: &'a Repository,
        from: &'a Repository,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Mount, WriteError>> {
        Box::pin(async move {
            match self.backend(repository)? {
                _ if from.host() != repository.host() => Ok(Mount::NotMounted),
                Backend::Layout(layout) => layout.mount_blob(repository, from, digest).await,
                Backend::Remote(remote) => remote.mount_blob(repository, from, digest).await,
            }
        })
    }
}
