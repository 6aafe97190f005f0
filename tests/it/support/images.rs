//! Small images, the same for the same seed.

use std::sync::Arc;

use sealift::model::manifest::{OCI_INDEX, OCI_MANIFEST};
use sealift::model::{Descriptor, Digest, Manifest, Repository, Tag};
use sealift::port::registry::{Blob, Content, RegistryWrite};

pub const CONFIG_TYPE: &str = "application/vnd.oci.image.config.v1+json";
pub const LAYER_TYPE: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

pub fn blob(media_type: &str, bytes: impl Into<Vec<u8>>) -> Blob {
    let bytes = bytes.into();
    let descriptor = Descriptor {
        media_type: media_type.into(),
        size: bytes.len() as u64,
        digest: Digest::of(&bytes),
        platform: None,
    };
    Blob { descriptor, content: Content::Bytes(Arc::from(bytes)) }
}

/// An image of one layer for a platform, and the blobs it points at.
pub fn image(seed: &str, architecture: &str) -> (Manifest, Vec<Blob>) {
    let layer = blob(LAYER_TYPE, format!("layer of {seed} for {architecture}\n"));
    let config = blob(
        CONFIG_TYPE,
        format!(
            r#"{{"architecture":"{architecture}","os":"linux","config":{{"Labels":{{"seed":"{seed}"}}}},"rootfs":{{"type":"layers","diff_ids":["{}"]}}}}"#,
            layer.descriptor.digest
        ),
    );
    let part = |b: &Blob| serde_json::to_string(&b.descriptor).unwrap();
    // Two blanks and a field nobody knows: bytes must survive, not meaning.
    let text = format!(
        r#"{{"schemaVersion":2,  "mediaType":"{OCI_MANIFEST}","config":{},"layers":[{}],"x-unknown":"{seed}"}}"#,
        part(&config),
        part(&layer)
    );
    (Manifest::new(text.into_bytes(), None).unwrap(), vec![config, layer])
}

/// An index over linux/amd64 and linux/arm64, with its two images and their blobs.
pub fn index(seed: &str) -> (Manifest, Vec<(Manifest, Vec<Blob>)>) {
    let images: Vec<_> = ["amd64", "arm64"].map(|architecture| image(seed, architecture)).into();
    let children: Vec<String> = ["amd64", "arm64"]
        .iter()
        .zip(&images)
        .map(|(architecture, (manifest, _))| {
            format!(
                r#"{{"mediaType":"{OCI_MANIFEST}","digest":"{}","size":{},"platform":{{"architecture":"{architecture}","os":"linux"}}}}"#,
                manifest.digest(),
                manifest.bytes().len()
            )
        })
        .collect();
    let text = format!(
        "{{\n \"schemaVersion\": 2,\n \"mediaType\": \"{OCI_INDEX}\",\n \"manifests\": [{}]\n}}\n",
        children.join(",")
    );
    (Manifest::new(text.into_bytes(), None).unwrap(), images)
}

/// Pushes the index of a seed with all it points at, under a tag or by digest alone.
pub async fn push_index(to: &dyn RegistryWrite, repository: &Repository, tag: Option<&str>, seed: &str) -> Digest {
    let (index, images) = index(seed);
    for (manifest, blobs) in &images {
        push_image(to, repository, manifest, blobs).await;
    }
    match tag {
        Some(tag) => {
            let tag: Tag = tag.parse().unwrap();
            to.put_manifest(repository, &tag, &index).await.unwrap();
        }
        None => to.put_manifest_by_digest(repository, &index).await.unwrap(),
    }
    index.digest()
}

/// Pushes an image by digest.
pub async fn push_image(to: &dyn RegistryWrite, repository: &Repository, manifest: &Manifest, blobs: &[Blob]) {
    for blob in blobs {
        to.put_blob(repository, blob).await.unwrap();
    }
    to.put_manifest_by_digest(repository, manifest).await.unwrap();
}
