//! The artifact's config and manifest, byte for byte as Flux 2.8 writes them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::json;
use crate::model::manifest::OCI_MANIFEST;
use crate::model::{Descriptor, Digest, Manifest};

/// The config's media type.
pub const CONFIG_TYPE: &str = "application/vnd.cncf.flux.config.v1+json";
/// The layer's media type.
pub const LAYER_TYPE: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
/// `org.opencontainers.image.created` of a reproducible artifact: always the UTC form.
pub const CREATED: &str = "1970-01-01T00:00:00Z";

/// The config blob, 233 bytes: nothing in it but the digest of the uncompressed tar.
pub fn config_for(diff_id: Digest) -> Vec<u8> {
    format!(
        r#"{{"architecture":"","created":"0001-01-01T00:00:00Z","history":[{{"created":"0001-01-01T00:00:00Z"}}],"os":"","rootfs":{{"type":"layers","diff_ids":["{diff_id}"]}},"config":{{}}}}"#
    )
    .into_bytes()
}

// Field order is the order on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    schema_version: u32,
    media_type: &'a str,
    config: Pointer<'a>,
    layers: [Pointer<'a>; 1],
    annotations: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pointer<'a> {
    media_type: &'a str,
    size: u64,
    digest: Digest,
}

impl<'a> From<&'a Descriptor> for Pointer<'a> {
    fn from(descriptor: &'a Descriptor) -> Self {
        Self { media_type: &descriptor.media_type, size: descriptor.size, digest: descriptor.digest }
    }
}

/// An image manifest with one layer: compact JSON, keys in Flux's order, annotations sorted by bytes.
pub fn manifest_for(config: &Descriptor, layer: &Descriptor, annotations: &BTreeMap<String, String>) -> Manifest {
    let wire = Wire {
        schema_version: 2,
        media_type: OCI_MANIFEST,
        config: config.into(),
        layers: [layer.into()],
        annotations,
    };
    let bytes = json::compact(&wire).expect("strings, numbers and a map with string keys always serialise");
    Manifest::new(bytes, Some(OCI_MANIFEST)).expect("schema version and media type were written right above")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_flux_s() {
        let config = config_for(Digest::of(b""));
        assert_eq!(config.len(), 233);
        assert_eq!(
            String::from_utf8(config.clone()).unwrap(),
            r#"{"architecture":"","created":"0001-01-01T00:00:00Z","history":[{"created":"0001-01-01T00:00:00Z"}],"os":"","rootfs":{"type":"layers","diff_ids":["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]},"config":{}}"#
        );
        let pointer = |media_type: &str, bytes: &[u8]| Descriptor {
            media_type: media_type.into(),
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
            platform: None,
        };
        let annotations = BTreeMap::from([("z".to_owned(), String::new()), ("B".to_owned(), "a&b".to_owned())]);
        let manifest = manifest_for(&pointer(CONFIG_TYPE, &config), &pointer(LAYER_TYPE, b"x"), &annotations);
        let expected = r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.cncf.flux.config.v1+json","size":233,"digest":"CONFIG"},"layers":[{"mediaType":"application/vnd.cncf.flux.content.v1.tar+gzip","size":1,"digest":"LAYER"}],"annotations":{"B":"a\u0026b","z":""}}"#
            .replace("CONFIG", &Digest::of(&config).to_string())
            .replace("LAYER", &Digest::of(b"x").to_string());
        assert_eq!(String::from_utf8_lossy(manifest.bytes()), expected);
    }
}
