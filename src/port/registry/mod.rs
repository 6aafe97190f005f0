//! Registries: one port, two implementations: remote ones, and OCI image layouts on disk.

pub mod layout;
mod remote;
mod router;

pub use layout::Layout;
pub use remote::HELPER_TIMEOUT;
pub use router::{Config, ConfigError, Registries};

use std::path::PathBuf;

use futures_util::future::BoxFuture;

use super::WriteError;
pub use super::http::{Counts, RetryPolicy, Stats, Timeouts};
pub use crate::model::{Blob, Content};

use crate::model::{Answer, Descriptor, Digest, Manifest, Repository, Tag};

/// How a manifest is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    Tag(Tag),
    Digest(Digest),
}

/// What can be seen in registries. Absence is a GET answered 404 with MANIFEST_UNKNOWN or
/// NAME_UNKNOWN (a layout: no such entry); everything else that isn't the thing is unknown.
pub trait RegistryRead: Send + Sync {
    /// A manifest, its bytes hashed. By digest, other bytes are unknown.
    fn manifest<'a>(&'a self, repository: &'a Repository, at: &'a At) -> BoxFuture<'a, Answer<Manifest>>;

    /// A blob's bytes, their size and digest checked against the descriptor before they are
    /// handed out. They are held in memory: what size is too large is for the caller to say.
    fn blob<'a>(&'a self, repository: &'a Repository, descriptor: &'a Descriptor) -> BoxFuture<'a, Answer<Vec<u8>>>;

    /// Whether a blob is there. A registry that won't say is unknown.
    fn has_blob<'a>(&'a self, repository: &'a Repository, digest: &'a Digest) -> BoxFuture<'a, Answer<()>>;

    /// All tags, over all pages, sorted. A repository nobody ever pushed to is absent.
    fn tags<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Answer<Vec<Tag>>>;
}

/// What can be changed in registries. Neither write checks an expectation: the
/// interpreter looks right before and reads back after (registries have no compare-and-set).
pub trait RegistryWrite: Send + Sync {
    /// Uploads a blob. One that is already there is success without an upload.
    fn put_blob<'a>(&'a self, repository: &'a Repository, blob: &'a Blob) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Puts a manifest's exact bytes under a tag, replacing what the tag named. A registry that
    /// throttles (429: nothing was done) is waited for, up to the retry policy's budget; any
    /// other unclear end is [`WriteError::Unknown`] after a single send.
    fn put_manifest<'a>(
        &'a self,
        repository: &'a Repository,
        tag: &'a Tag,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Puts a manifest's exact bytes under its digest alone: how the children of an index arrive.
    fn put_manifest_by_digest<'a>(
        &'a self,
        repository: &'a Repository,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>>;

    /// Asks for a blob to be made available from another repository of the same registry,
    /// without moving its bytes. Not mounted is not a failure: upload it then.
    fn mount_blob<'a>(
        &'a self,
        repository: &'a Repository,
        from: &'a Repository,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Mount, WriteError>>;
}

/// What became of a mount (OCI distribution-spec, mounting a blob from another repository).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mount {
    Mounted,
    /// The registry asks for an upload instead (202).
    NotMounted,
}

/// Where a host's repositories are, when not at `https://<host>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// `layout:DIR`: OCI image layouts under `DIR/<host>/<repository>/`.
    Layout(PathBuf),
    /// `http://…` or `https://…`, without a path: another address for the same host name.
    Url(String),
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Layout(dir) => write!(f, "layout:{}", dir.display()),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// Why a text is not a location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a registry's location; expected `layout:DIR`, `http://…` or `https://…`")]
pub struct LocationError(pub String);

impl std::str::FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        match text.strip_prefix("layout:") {
            Some(dir) if !dir.is_empty() => Ok(Self::Layout(dir.into())),
            None if text.starts_with("http://") || text.starts_with("https://") => Ok(Self::Url(text.to_owned())),
            _ => Err(LocationError(text.to_owned())),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Location {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
