//! An artifact out of a registry: its blobs by the manifest, within limits, and taken apart.

use super::{Limits, ReadError, Unpacked, read};
use crate::model::{Answer, Digest, Manifest, Repository, Unknown};
use crate::port::registry::RegistryRead;

/// Why an artifact could not be had, though its manifest could.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("it is not an artifact with a config and one layer")]
    Shape,
    #[error("its blob {digest} says it has {size} bytes")]
    TooLarge { digest: Digest, size: u64 },
    #[error("its blob {0} is missing")]
    Missing(Digest),
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The bytes are there, and are refused.
    #[error(transparent)]
    Refused(#[from] ReadError),
}

/// Fetches what a manifest points to and takes it apart: sizes and digests are checked before
/// anything is parsed, as [`read()`] does.
///
/// # Errors
/// See [`FetchError`]. Nothing that can't be known is taken for missing.
pub async fn fetch(
    registry: &dyn RegistryRead,
    repository: &Repository,
    manifest: &Manifest,
) -> Result<Unpacked, FetchError> {
    let (Some(config), [layer]) = (manifest.config(), manifest.layers()) else {
        return Err(FetchError::Shape);
    };
    let limits = Limits::default();
    let blob = async |descriptor: &crate::model::Descriptor| {
        if descriptor.size > limits.bytes {
            return Err(FetchError::TooLarge { digest: descriptor.digest, size: descriptor.size });
        }
        match registry.blob(repository, descriptor).await {
            Answer::Found(bytes) => Ok(bytes),
            Answer::Absent => Err(FetchError::Missing(descriptor.digest)),
            Answer::Unknown(unknown) => Err(FetchError::Unknown(unknown)),
        }
    };
    let (config, layer) = (blob(config).await?, blob(layer).await?);
    // On a thread of its own: two artifacts are taken apart at the same time.
    let manifest = manifest.clone();
    let taken = tokio::task::spawn_blocking(move || read(&manifest, &config, &layer, &limits)).await;
    Ok(taken.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?)
}
