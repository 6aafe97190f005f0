//! Where the published tree is: a directory, or an artifact in a registry.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::archive::{self, FetchError};
use crate::model::{Answer, Digest, Reference, Repository, Unknown};
use crate::port::registry::{At, RegistryRead};
use crate::tree::{DirTree, Edited, Kind, Mounted, Tree, TreeError};

const SCHEME: &str = "oci://";

/// Where a published tree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Directory(PathBuf),
    Artifact { repository: Repository, at: At },
}

/// Why a published tree could not be had; that it is absent is no error.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("`{text}` names no artifact: {why}")]
    Place { text: String, why: String },
    #[error(transparent)]
    Unknown(#[from] Unknown),
    #[error("{name} is not an artifact to take references from: {error}")]
    Fetch { name: String, error: FetchError },
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl FromStr for Place {
    type Err = SourceError;

    /// `oci://` and a reference, or the same without `oci://`: its host is spelled, and it has a tag or a
    /// digest. What can only be a path is a directory, there or not. A caller asks first whether there is a
    /// directory of that name.
    ///
    /// # Errors
    /// What may be meant as either and is neither: it never counts as a source that is absent.
    fn from_str(text: &str) -> Result<Self, SourceError> {
        let spelled = text.strip_prefix(SCHEME);
        if spelled.is_none() && is_path(text) {
            return Ok(Self::Directory(text.into()));
        }
        let failed = |why: String| SourceError::Place { text: text.to_owned(), why };
        let named = spelled.unwrap_or(text);
        if !named.split_once('/').is_some_and(|(first, _)| is_host(first)) {
            return Err(failed("its host is not spelled".into()));
        }
        let Reference { repository, tag, digest, .. } =
            named.parse::<Reference>().map_err(|error| failed(error.to_string()))?;
        match (digest, tag) {
            (Some(digest), _) => Ok(Self::Artifact { repository, at: At::Digest(digest) }),
            (None, Some(tag)) => Ok(Self::Artifact { repository, at: At::Tag(tag) }),
            (None, None) => Err(failed("it has neither a tag nor a digest".into())),
        }
    }
}

impl SourceError {
    /// What to do, where it is what was typed that is wrong.
    pub fn usage(&self) -> Option<&'static str> {
        let place = "name an artifact as HOST/REPOSITORY:TAG or HOST/REPOSITORY@sha256:…, and a directory as ./DIR";
        matches!(self, Self::Place { .. }).then_some(place)
    }
}

/// The first component of a reference that is a host (Docker's grammar).
fn is_host(first: &str) -> bool {
    first.contains(['.', ':']) || first == "localhost"
}

/// What no reference looks like: it begins as paths do, or has neither a host nor a tag nor a digest.
fn is_path(text: &str) -> bool {
    let first = text.split_once('/').map(|(first, _)| first);
    matches!(first, Some("" | "." | "..")) || !(text.contains([':', '@']) || first.is_some_and(is_host))
}

/// A published tree.
pub struct Source {
    tree: Box<dyn Tree>,
    /// Where its paths begin in the repository: the root, when it holds the packages alone.
    folder: String,
    /// What it is, with the digest of an artifact.
    pub name: String,
    /// Of an artifact's manifest.
    pub digest: Option<Digest>,
}

impl Source {
    /// The tree in a directory: a repository's, or the packages alone, as an unpacked artifact has
    /// them. It is a repository's when the pipeline's root is a folder in it. `None`: there is nothing
    /// of that name.
    ///
    /// # Errors
    /// A directory that can't be opened.
    pub fn directory(path: &Path, root: &str) -> Result<Option<Self>, SourceError> {
        let tree = match DirTree::open(path) {
            Ok(tree) => tree,
            Err(error) if error.source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let repository = tree.find(root.as_bytes())?.is_some_and(|entry| entry.kind == Kind::Directory);
        let folder = if repository { String::new() } else { root.to_owned() };
        let name = tree.describe();
        Ok(Some(Self { tree: Box::new(tree), folder, name, digest: None }))
    }

    /// The tree in an artifact: manifest, config and layer hashed and sized before anything is parsed.
    /// `None`: the registry proves that it has none.
    ///
    /// # Errors
    /// What can't be known, and an artifact that is not whole or not one of Flux's.
    pub async fn artifact(
        registry: &dyn RegistryRead,
        repository: &Repository,
        at: &At,
        root: &str,
    ) -> Result<Option<Self>, SourceError> {
        let Some(manifest) = Answer::known(registry.manifest(repository, at).await)? else { return Ok(None) };
        let (digest, name) = (manifest.digest(), format!("{repository}@{}", manifest.digest()));
        match archive::fetch(registry, repository, &manifest).await {
            Ok(tree) => Ok(Some(Self { tree: Box::new(tree), folder: root.to_owned(), name, digest: Some(digest) })),
            Err(FetchError::Unknown(unknown)) => Err(unknown.into()),
            Err(error) => Err(SourceError::Fetch { name, error }),
        }
    }

    /// The tree with its paths as the repository has them.
    pub fn tree(&self) -> Box<dyn Tree + '_> {
        match self.folder.as_str() {
            // As it is: it knows how to list one folder alone.
            "" => Box::new(Edited::new(self.tree.as_ref(), [])),
            folder => Box::new(Mounted::new(self.tree.as_ref(), folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_artifact_only_where_its_host_is_spelled() {
        let digest = Digest::of(b"x");
        let artifact = |text: &str| match text.parse::<Place>().unwrap() {
            Place::Artifact { repository, at: At::Tag(tag) } => format!("{repository} {tag:?}"),
            Place::Artifact { repository, at: At::Digest(digest) } => format!("{repository} {digest}"),
            Place::Directory(dir) => format!("directory {}", dir.display()),
        };
        let pinned = format!("ghcr.io/a/b {digest}");
        assert_eq!(artifact(&format!("oci://ghcr.io/a/b@{digest}")), pinned);
        assert_eq!(artifact(&format!("ghcr.io/a/b:main@{digest}")), pinned);
        assert_eq!(artifact("localhost:5000/b:main"), "localhost:5000/b Tag(\"main\")");
        for text in ["published", "a/b", "./published:1", "../a:1", "/tmp/x.y/z:1", "published.old", ".", ".."] {
            assert_eq!(artifact(text), format!("directory {text}"));
        }
        for text in ["oci://", "oci://a/b:main", "oci://ghcr.io/a/b", "oci://ghcr.io/A/b:main", "oci://ghcr.io/a@x"] {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
        // A tag that was forgotten, or a host, must not pass for a directory that isn't there.
        for text in
            ["ghcr.io/a/b", "a/b:main", "main:latest", "ghcr.io/A/b:main", "ghcr.io/a/b@sha256:1", "v1.2/packages"]
        {
            let error = text.parse::<Place>().unwrap_err();
            assert!(error.usage().is_some(), "{text}: {error}");
        }
    }
}
