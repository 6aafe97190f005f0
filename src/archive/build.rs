//! A tree's artifact: one pass over the tree, constant memory.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use super::Options;
use super::beside::beside;
use super::gzip::Gzip;
use super::manifest::{CONFIG_TYPE, CREATED, LAYER_TYPE, config_for, manifest_for};
use super::write::{self, ArchiveError};
use crate::model::{Blob, Content};
use crate::model::{Descriptor, Digest, Hasher, Manifest};
use crate::tree::Tree;

/// Everything a registry needs of an artifact, and what it is compared by.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The compressed tar, in a temporary file that lives as long as the blob.
    pub layer: Blob,
    /// The digest of the uncompressed tar: what says that two artifacts hold the same, when
    /// their encoders differ.
    pub diff_id: Digest,
    pub config: Blob,
    pub manifest: Manifest,
}

/// Builds the artifact of a tree, rooted at the packages folder. The layer is spooled to a new
/// file in `spool_dir`; on an error nothing stays there.
pub fn build(tree: &dyn Tree, options: &Options, spool_dir: &Path) -> Result<Artifact, ArchiveError> {
    let spool_error = |source| ArchiveError::Spool { path: spool_dir.to_owned(), source };
    let file =
        tempfile::Builder::new().prefix("sealift-layer-").suffix(".tgz").tempfile_in(spool_dir).map_err(spool_error)?;
    let layer = Hashed { hasher: Hasher::default(), sink: BufWriter::new(file) };
    let (content, layer) = beside(Gzip::new(layer), |sink| {
        let mut content = write::tar(tree, options, Hashed { hasher: Hasher::default(), sink })?;
        content.flush().map_err(Err)?;
        Ok(content.hasher)
    });
    // Where the other thread failed, this one only knows that nobody listens any more.
    let layer = match (&content, layer) {
        (Ok(_) | Err(Err(_)), Err(source)) => return Err(spool_error(source)),
        (_, layer) => layer,
    };
    let content: Result<Hasher, Result<ArchiveError, io::Error>> = content;
    let diff_id = content.map_err(|e| e.unwrap_or_else(spool_error))?.finish();
    let layer = layer.and_then(Gzip::finish).map_err(spool_error)?;
    let file = layer.sink.into_inner().map_err(|e| spool_error(e.into_error()))?;
    let layer = Blob {
        descriptor: Descriptor {
            media_type: LAYER_TYPE.to_owned(),
            size: layer.hasher.len(),
            digest: layer.hasher.finish(),
            platform: None,
        },
        content: Content::File(Arc::new(file.into_temp_path())),
    };
    let config = blob(CONFIG_TYPE, config_for(diff_id));
    let mut annotations: std::collections::BTreeMap<_, _> = [
        ("org.opencontainers.image.created", CREATED),
        ("org.opencontainers.image.revision", options.revision.as_str()),
        ("org.opencontainers.image.source", options.source.as_str()),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into();
    annotations.extend(options.annotations.clone());
    let manifest = manifest_for(&config.descriptor, &layer.descriptor, &annotations);
    Ok(Artifact { layer, diff_id, config, manifest })
}

/// The digest of the uncompressed tar alone: what an artifact of the tree is compared by.
pub fn diff_id(tree: &dyn Tree, options: &Options) -> Result<Digest, ArchiveError> {
    let written = write::tar(tree, options, Hasher::default());
    // A hasher takes every write, so the sink can't be at fault.
    let hasher = written.map_err(|e| e.unwrap_or_else(|source| ArchiveError::Spool { path: "hash".into(), source }))?;
    Ok(hasher.finish())
}

/// A blob of bytes in memory.
pub(super) fn blob(media_type: &str, bytes: Vec<u8>) -> Blob {
    Blob {
        descriptor: Descriptor {
            media_type: media_type.to_owned(),
            size: bytes.len() as u64,
            digest: Digest::of(&bytes),
            platform: None,
        },
        content: Content::Bytes(bytes.into()),
    }
}

/// Hashes what passes through.
struct Hashed<W> {
    hasher: Hasher,
    sink: W,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or(bytes));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
