//! Manifests as received: raw bytes first, views second. Nothing is ever written again.

use serde::{Deserialize, Serialize};

use super::digest::Digest;

pub const OCI_INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub const DOCKER_LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";
pub const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";

/// Registries may cut or refuse larger ones; distribution's own cap.
pub const MANIFEST_LIMIT: u64 = 4 * 1024 * 1024;

/// A manifest: its exact bytes, their digest, and the media type it is served under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    bytes: Vec<u8>,
    digest: Digest,
    media_type: String,
    view: View,
}

/// What manifests and indexes have in common; unknown fields stay in the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    schema_version: u32,
    media_type: Option<String>,
    config: Option<Descriptor>,
    layers: Option<Vec<Descriptor>>,
    manifests: Option<Vec<Descriptor>>,
    #[serde(default)]
    annotations: std::collections::BTreeMap<String, String>,
}

/// A pointer to content (OCI image-spec, descriptor).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub media_type: String,
    pub size: u64,
    pub digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    pub os: String,
    pub architecture: String,
}

/// Why bytes are not a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("not a manifest: {0}")]
    Json(#[from] serde_json::Error),
    #[error("not a manifest: schema version {0}, expected 2")]
    Schema(u32),
    #[error("the manifest says it is `{inside}`, but was served as `{outside}`")]
    MediaType { inside: String, outside: String },
    #[error("the manifest says neither in itself nor from outside what type it is")]
    Untyped,
}

impl Manifest {
    /// Takes bytes as they came. `served_as` is the Content-Type or the descriptor's
    /// type; a `mediaType` inside must agree with it (OCI distribution-spec, pull).
    pub fn new(bytes: Vec<u8>, served_as: Option<&str>) -> Result<Self, ManifestError> {
        let view: View = serde_json::from_slice(&bytes)?;
        if view.schema_version != 2 {
            return Err(ManifestError::Schema(view.schema_version));
        }
        let media_type = match (view.media_type.as_deref(), served_as) {
            (Some(inside), Some(outside)) if inside != outside => {
                return Err(ManifestError::MediaType { inside: inside.into(), outside: outside.into() });
            }
            (Some(found), _) | (None, Some(found)) => found.to_owned(),
            (None, None) => return Err(ManifestError::Untyped),
        };
        Ok(Self { digest: Digest::of(&bytes), bytes, media_type, view })
    }

    /// The exact bytes: what is hashed, stored and sent.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    pub fn is_index(&self) -> bool {
        matches!(self.media_type.as_str(), OCI_INDEX | DOCKER_LIST)
    }

    /// The children of an index; empty for a manifest.
    pub fn manifests(&self) -> &[Descriptor] {
        self.view.manifests.as_deref().unwrap_or_default()
    }

    pub fn config(&self) -> Option<&Descriptor> {
        self.view.config.as_ref()
    }

    pub fn layers(&self) -> &[Descriptor] {
        self.view.layers.as_deref().unwrap_or_default()
    }

    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.view.annotations.get(key).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_bytes_and_checks_types() {
        let bytes =
            br#"{ "schemaVersion":2,  "mediaType":"application/vnd.oci.image.index.v1+json","manifests":[],"x":1}"#;
        let manifest = Manifest::new(bytes.to_vec(), Some(OCI_INDEX)).unwrap();
        assert_eq!(manifest.bytes(), bytes);
        assert_eq!(manifest.digest(), Digest::of(bytes));
        assert!(manifest.is_index());
        assert!(Manifest::new(bytes.to_vec(), Some(OCI_MANIFEST)).is_err());
        assert!(Manifest::new(br#"{"schemaVersion":2}"#.to_vec(), None).is_err());
        assert!(Manifest::new(br#"{"schemaVersion":1}"#.to_vec(), Some(OCI_MANIFEST)).is_err());
        assert!(Manifest::new(b"<html>".to_vec(), Some(OCI_MANIFEST)).is_err());
    }
}
