//! The Flux artifact: a deterministic archive out, a hardened reader in.
//!
//! - [`build()`] writes the packages artifact of a tree: the uncompressed tar is byte for byte
//!   Flux 2.8's, so its digest ([`diff_id()`]) says what was packed, whoever packed it. The
//!   compressed layer is reproducible with the encoder pinned here.
//! - [`read()`] takes an artifact apart in memory, refusing everything Flux never writes; [`fetch()`]
//!   does so with one in a registry.
//! - [`chart`] packs and unpacks Helm charts with the same tar and gzip.
//!
//! Nothing here knows a clock, a user, a umask, a locale or a directory's own order.

mod beside;
mod block;
mod build;
pub mod chart;
mod fetch;
mod glob;
mod gzip;
mod header;
pub mod ignore;
mod json;
mod manifest;
mod name;
mod read;
mod scan;
mod write;

pub use build::{Artifact, build, diff_id};
pub use fetch::{FetchError, fetch};
pub use gzip::Limits;
pub use ignore::Ignore;
pub use manifest::{CONFIG_TYPE, CREATED, LAYER_TYPE, config_for, manifest_for};
pub use read::{ReadError, Unpacked, read};
pub use write::ArchiveError;

use std::collections::BTreeMap;

/// The permission bits an archive's entries carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// The tree's own, as Flux does.
    AsIs,
    /// Three numbers: plain files, executables, directories.
    Fixed { file: u32, executable: u32, directory: u32 },
}

impl Default for Modes {
    /// What Flux makes of a checkout under umask 022.
    fn default() -> Self {
        Self::Fixed { file: 0o644, executable: 0o755, directory: 0o755 }
    }
}

/// What goes into an artifact besides the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub modes: Modes,
    pub ignore: Ignore,
    /// `org.opencontainers.image.source`.
    pub source: String,
    /// `org.opencontainers.image.revision`.
    pub revision: String,
    /// Further annotations, laid over the three standard ones.
    pub annotations: BTreeMap<String, String>,
}
