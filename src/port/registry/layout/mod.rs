//! OCI image layouts on disk, one per repository: `DIR/<host>/<repository>/` (OCI
//! image-spec, image-layout).
//!
//! A host's `:` is spelled `_` in its folder (`localhost_5000`); no host contains `_`, so no
//! two hosts share a folder. Tags are `org.opencontainers.image.ref.name` annotations in
//! `index.json`, which is replaced by rename under a lock file, so that processes can share a
//! directory and a crash leaves the old index or the new one. Every read is hashed.
//!
//! Absent means: DIR is there and the repository, tag or digest is not in it. A missing DIR
//! is unknown (a mistyped path must not read as an empty registry), and so is any damage.

mod disk;
mod index;

use std::path::PathBuf;

use futures_util::future::BoxFuture;

use self::disk::Place;
use super::{At, Blob, Mount, RegistryRead, RegistryWrite, WriteError};
use crate::model::manifest::{OCI_INDEX, OCI_MANIFEST};
use crate::model::{Answer, Descriptor, Digest, Manifest, Repository, Tag, Unknown};

/// A directory of image layouts. It must exist; repositories in it are made as needed.
#[derive(Clone, Debug)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn place(&self, repository: &Repository) -> Place {
        Place::new(&self.root, repository)
    }
}

/// Runs file work where it may block.
async fn blocking<T, E>(what: &Repository, work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Unknown> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Unknown::new(what, error).into()),
    }
}

fn read_manifest(place: &Place, at: &At) -> Result<Option<Manifest>, Unknown> {
    let Some(index) = place.read_index()? else { return Ok(None) };
    let damaged = |detail: String| Unknown::new(place.name(at), detail);
    let (digest, listed) = match at {
        At::Tag(tag) => match index.tagged(tag).map_err(damaged)? {
            Some(descriptor) => (descriptor.digest, Some(descriptor)),
            None => return Ok(None),
        },
        At::Digest(digest) => (*digest, index.listed(digest).map_err(damaged)?),
    };
    let Some(bytes) = place.read_blob(&digest, listed.as_ref().map(|d| d.size))? else {
        return match listed {
            Some(_) => Err(damaged(format!("index.json lists {digest}, but its file is missing"))),
            None => Ok(None),
        };
    };
    let outside = listed.map(|d| d.media_type).or_else(|| infer(&bytes));
    Manifest::new(bytes, outside.as_deref()).map(Some).map_err(|error| damaged(error.to_string()))
}

/// The type of bytes that say nothing about it and that index.json doesn't list: the spec
/// lets an image's `mediaType` be left out, and then its fields tell.
fn infer(bytes: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    match value.get("mediaType").and_then(|v| v.as_str()) {
        Some(inside) => Some(inside.to_owned()),
        None if value.get("manifests").is_some() => Some(OCI_INDEX.to_owned()),
        None if value.get("layers").is_some() => Some(OCI_MANIFEST.to_owned()),
        None => None,
    }
}

/// Stores a manifest, and names it where a tag is given. Refused, as a registry does, when
/// something it points at is not here.
fn write_manifest(place: &Place, tag: Option<&Tag>, manifest: &Manifest) -> Result<(), WriteError> {
    place.create()?;
    let parts = manifest.manifests().iter().chain(manifest.config()).chain(manifest.layers());
    for part in parts.filter(|part| !is_foreign(&part.media_type)) {
        if !place.has_file(part)? {
            let kind = if manifest.is_index() { "MANIFEST_UNKNOWN" } else { "MANIFEST_BLOB_UNKNOWN" };
            return Err(place.refused(tag, format!("{kind}: it points at {}, which is not in the layout", part.digest)));
        }
    }
    place.write_blob(&manifest.digest(), manifest.bytes().len() as u64, &mut manifest.bytes())?;
    let Some(tag) = tag else { return Ok(()) };
    place.update_index(tag, manifest)
}

/// Layers that by their type live elsewhere and are never pushed.
fn is_foreign(media_type: &str) -> bool {
    media_type.contains(".foreign.") || media_type.contains(".nondistributable.")
}

impl RegistryRead for Layout {
    fn manifest<'a>(&'a self, repository: &'a Repository, at: &'a At) -> BoxFuture<'a, Answer<Manifest>> {
        let (place, at) = (self.place(repository), at.clone());
        Box::pin(async move { blocking(repository, move || read_manifest(&place, &at)).await.into() })
    }

    fn blob<'a>(&'a self, repository: &'a Repository, descriptor: &'a Descriptor) -> BoxFuture<'a, Answer<Vec<u8>>> {
        let (place, wanted) = (self.place(repository), descriptor.clone());
        let work = move || match place.read_index()? {
            Some(_) => place.read_blob(&wanted.digest, Some(wanted.size)),
            None => Ok(None),
        };
        Box::pin(async move { blocking(repository, work).await.into() })
    }

    fn has_blob<'a>(&'a self, repository: &'a Repository, digest: &'a Digest) -> BoxFuture<'a, Answer<()>> {
        let (place, digest) = (self.place(repository), *digest);
        let work = move || match place.read_index()? {
            Some(_) => place.check_blob(&digest),
            None => Ok(None),
        };
        Box::pin(async move { blocking(repository, work).await.into() })
    }

    fn tags<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Answer<Vec<Tag>>> {
        let place = self.place(repository);
        let work = move || Ok(place.read_index()?.map(|index| index.tags()));
        Box::pin(async move { blocking(repository, work).await.into() })
    }
}

impl RegistryWrite for Layout {
    fn put_blob<'a>(&'a self, repository: &'a Repository, blob: &'a Blob) -> BoxFuture<'a, Result<(), WriteError>> {
        let (place, blob) = (self.place(repository), blob.clone());
        let work = move || {
            place.create()?;
            let Descriptor { digest, size, .. } = blob.descriptor;
            match &blob.content {
                super::Content::Bytes(bytes) => place.write_blob(&digest, size, &mut &**bytes),
                super::Content::File(path) => match std::fs::File::open(&**path) {
                    Ok(mut file) => place.write_blob(&digest, size, &mut file),
                    Err(error) => Err(place.refused(None, format!("{}: {error}", path.display()))),
                },
            }
        };
        Box::pin(blocking(repository, work))
    }

    fn put_manifest<'a>(
        &'a self,
        repository: &'a Repository,
        tag: &'a Tag,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        let (place, tag, manifest) = (self.place(repository), tag.clone(), manifest.clone());
        Box::pin(blocking(repository, move || write_manifest(&place, Some(&tag), &manifest)))
    }

    fn put_manifest_by_digest<'a>(
        &'a self,
        repository: &'a Repository,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        let (place, manifest) = (self.place(repository), manifest.clone());
        Box::pin(blocking(repository, move || write_manifest(&place, None, &manifest)))
    }

    fn mount_blob<'a>(
        &'a self,
        repository: &'a Repository,
        from: &'a Repository,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Mount, WriteError>> {
        let (place, source, digest) = (self.place(repository), self.place(from), *digest);
        let work = move || {
            if source.read_index()?.is_none() || source.check_blob(&digest)?.is_none() {
                return Ok(Mount::NotMounted);
            }
            place.create()?;
            place.copy_blob(&source, &digest)?;
            Ok(Mount::Mounted)
        };
        Box::pin(blocking(repository, work))
    }
}
