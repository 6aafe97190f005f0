//! The reader: checks an artifact's bytes against its manifest before it looks into them,
//! and refuses everything that Flux never writes. All in memory; nothing is ever extracted.

use std::io::{self, Read};
use std::ops::Range;

use serde::Deserialize;

use super::gzip::{self, Limits};
use super::manifest::{CONFIG_TYPE, LAYER_TYPE};
use super::scan::{Found, Writer, scan};
use crate::model::manifest::OCI_MANIFEST;
use crate::model::{Descriptor, Digest, Manifest};
use crate::tree::{Entry, Kind, Tree, TreeError, order};

/// Why an artifact was refused.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("the manifest is `{found}`, expected `{OCI_MANIFEST}`: name the artifact's own digest, not an index's")]
    ManifestType { found: String },
    #[error("the manifest has no config, so it is not an artifact of Flux")]
    NoConfig,
    #[error("the manifest has {count} layers, expected one")]
    Layers { count: usize },
    #[error("the {part} is `{found}`, expected `{expected}`")]
    MediaType { part: &'static str, found: String, expected: &'static str },
    #[error("the {part} has {found} bytes, its manifest says {expected}; fetch it again")]
    Size { part: &'static str, found: u64, expected: u64 },
    #[error("the {part} is {found}, its manifest says {expected}; fetch it again, and don't trust where it came from")]
    Digest { part: &'static str, found: Digest, expected: Digest },
    #[error("the config is not readable: {0}")]
    Config(serde_json::Error),
    #[error("the config names {count} diff ids, expected one")]
    DiffIds { count: usize },
    #[error("the uncompressed layer is {found}, the config says {expected}")]
    DiffId { found: Digest, expected: Digest },
    #[error("the layer is not a whole gzip stream: {0}")]
    Gzip(io::Error),
    #[error("the layer has {rest} bytes after the gzip stream")]
    AfterGzip { rest: usize },
    #[error("the layer unpacks to more than {limit} bytes")]
    Bytes { limit: u64 },
    #[error("the layer unpacks to more than {limit} times its size")]
    Ratio { limit: u64 },
    #[error("the layer has more than {limit} entries")]
    Entries { limit: usize },
    #[error("the layer's tar is broken: {0}")]
    Tar(String),
    #[error("the layer's entry `{entry}` is refused: {reason}")]
    Entry { entry: String, reason: String },
}

/// An artifact's tree, in memory. Directories are those that have entries of their own.
pub struct Unpacked {
    data: Vec<u8>,
    /// Sorted by [`order`], as the places are.
    entries: Vec<Entry>,
    places: Vec<Range<usize>>,
    root_mode: u32,
    diff_id: Digest,
    digest: Digest,
}

/// Takes an artifact apart. `config` and `layer` are the blobs the manifest points to.
///
/// Sizes and digests are checked before anything is parsed. The layer is decompressed to its
/// end; a diff id in the config must be the uncompressed bytes' (Flux 2.9 writes none).
/// The tar must hold files and directories only, each once, under clean relative names, with
/// nothing hidden in padding or after its end.
pub fn read(manifest: &Manifest, config: &[u8], layer: &[u8], limits: &Limits) -> Result<Unpacked, ReadError> {
    if manifest.media_type() != OCI_MANIFEST {
        return Err(ReadError::ManifestType { found: manifest.media_type().to_owned() });
    }
    check("config", CONFIG_TYPE, manifest.config().ok_or(ReadError::NoConfig)?, config)?;
    let [descriptor] = manifest.layers() else {
        return Err(ReadError::Layers { count: manifest.layers().len() });
    };
    check("layer", LAYER_TYPE, descriptor, layer)?;

    let expected = diff_id_in(config)?;
    let data = gzip::unpack(layer, limits)?;
    let diff_id = Digest::of(&data);
    if let Some(expected) = expected.filter(|&e| e != diff_id) {
        return Err(ReadError::DiffId { found: diff_id, expected });
    }
    let mut found = scan(&data, Writer::Flux, limits.entries)?;
    found.sort_by(|a, b| order(&a.path, &b.path));
    let mut unpacked = Unpacked {
        data,
        entries: Vec::new(),
        places: Vec::new(),
        root_mode: 0o755,
        diff_id,
        digest: manifest.digest(),
    };
    for Found { path, directory, mode, content } in found {
        if path == b"." {
            unpacked.root_mode = mode;
            continue;
        }
        let kind = if directory { Kind::Directory } else { Kind::File };
        unpacked.entries.push(Entry { path, kind, mode, size: content.len() as u64 });
        unpacked.places.push(content);
    }
    Ok(unpacked)
}

fn check(part: &'static str, media_type: &'static str, says: &Descriptor, bytes: &[u8]) -> Result<(), ReadError> {
    if says.media_type != media_type {
        return Err(ReadError::MediaType { part, found: says.media_type.clone(), expected: media_type });
    }
    if says.size != bytes.len() as u64 {
        return Err(ReadError::Size { part, found: bytes.len() as u64, expected: says.size });
    }
    let found = Digest::of(bytes);
    if says.digest != found {
        return Err(ReadError::Digest { part, found, expected: says.digest });
    }
    Ok(())
}

fn diff_id_in(config: &[u8]) -> Result<Option<Digest>, ReadError> {
    #[derive(Deserialize)]
    struct Config {
        rootfs: Option<RootFs>,
    }
    #[derive(Deserialize)]
    struct RootFs {
        diff_ids: Option<Vec<Digest>>,
    }
    let config: Config = serde_json::from_slice(config).map_err(ReadError::Config)?;
    match config.rootfs.and_then(|r| r.diff_ids).as_deref() {
        None | Some([]) => Ok(None),
        Some([one]) => Ok(Some(*one)),
        Some(more) => Err(ReadError::DiffIds { count: more.len() }),
    }
}

impl Unpacked {
    /// The digest of the uncompressed tar.
    pub fn diff_id(&self) -> Digest {
        self.diff_id
    }

    /// A file's bytes, without copying them. `None`: there is no such file.
    pub fn content(&self, path: &[u8]) -> Option<&[u8]> {
        let at = self.entries.binary_search_by(|e| order(&e.path, path)).ok()?;
        if self.entries.get(at)?.kind != Kind::File {
            return None;
        }
        self.data.get(self.places.get(at)?.clone())
    }
}

impl Tree for Unpacked {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        Ok(self.entries.clone())
    }

    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        let at = self.entries.binary_search_by(|e| order(&e.path, path)).ok();
        Ok(at.and_then(|at| self.entries.get(at)).cloned())
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        match self.content(path) {
            Some(content) => Ok(Box::new(content)),
            None => Err(self.error(path, io::Error::new(io::ErrorKind::NotFound, "no such file in the artifact"))),
        }
    }

    fn root_mode(&self) -> u32 {
        self.root_mode
    }

    fn describe(&self) -> String {
        format!("artifact {}", self.digest)
    }
}

impl std::fmt::Debug for Unpacked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Unpacked({}, {} entries)", self.digest, self.entries.len())
    }
}
