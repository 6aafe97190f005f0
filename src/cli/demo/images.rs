//! The demo's images: small, whole, for two platforms, and the same every time.

use std::io::Write as _;

use serde_json::json;

use crate::model::manifest::{OCI_INDEX, OCI_MANIFEST};
use crate::model::{Descriptor, Digest, Manifest, Repository, Tag};
use crate::port::registry::{Blob, Content, RegistryWrite};

const CONFIG_TYPE: &str = "application/vnd.oci.image.config.v1+json";
const LAYER_TYPE: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const PLATFORMS: [&str; 2] = ["amd64", "arm64"];

/// An image that a build of the demo's repository makes.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// What the files call it: `%sha256:NAME%`.
    pub name: &'static str,
    /// Below `registry.example/shop/`.
    pub repository: &'static str,
    pub version: Version,
}

/// Which tag an image has.
#[derive(Clone, Copy, Debug)]
pub enum Version {
    /// The platform's, behind a prefix.
    Line(&'static str),
    /// One of its own.
    Own(&'static str),
}

const fn line(name: &'static str) -> Image {
    Image { name, repository: name, version: Version::Line("") }
}

pub const IMAGES: &[Image] = &[
    line("api"),
    line("cni"),
    Image { name: "csi", repository: "csi", version: Version::Own("v0.9.3") },
    line("ingress"),
    Image { name: "kubelet-1.30", repository: "kubelet", version: Version::Line("v1.30-") },
    Image { name: "kubelet-1.31", repository: "kubelet", version: Version::Line("v1.31-") },
    line("legacy"),
    line("metrics"),
    line("network"),
    line("operator"),
    line("provider"),
    Image { name: "tools", repository: "tools", version: Version::Own("v11.4.2-rc.1") },
    line("web"),
    line("worker"),
];

impl Image {
    /// The tag it has in a build of a version.
    pub fn tag(&self, build: &str) -> String {
        match self.version {
            Version::Line(prefix) => format!("{prefix}{build}"),
            Version::Own(tag) => tag.to_owned(),
        }
    }

    /// What a build of a version makes of it.
    pub fn digest(&self, build: &str) -> anyhow::Result<Digest> {
        let (index, _) = index(&self.seed(build))?;
        Ok(index.digest())
    }

    fn seed(&self, build: &str) -> String {
        format!("{} {}", self.name, self.tag(build))
    }
}

/// Pushes an image of a build, under its own tag and under further ones.
pub async fn push(to: &dyn RegistryWrite, image: &Image, build: &str, further: &[&str]) -> anyhow::Result<()> {
    let own = image.tag(build);
    let tags: Vec<&str> = std::iter::once(own.as_str()).chain(further.iter().copied()).collect();
    push_seed(to, image.repository, &image.seed(build), &tags).await
}

/// Pushes what a seed makes: both platforms' images, then the index under each tag.
pub async fn push_seed(to: &dyn RegistryWrite, repository: &str, seed: &str, tags: &[&str]) -> anyhow::Result<()> {
    let repository: Repository = format!("registry.example/shop/{repository}").parse()?;
    let (index, images) = index(seed)?;
    for (manifest, blobs) in &images {
        for blob in blobs {
            to.put_blob(&repository, blob).await?;
        }
        to.put_manifest_by_digest(&repository, manifest).await?;
    }
    for tag in tags {
        to.put_manifest(&repository, &tag.parse::<Tag>()?, &index).await?;
    }
    Ok(())
}

type Single = (Manifest, [Blob; 2]);

/// An index over the platforms.
fn index(seed: &str) -> anyhow::Result<(Manifest, Vec<Single>)> {
    let images = PLATFORMS.iter().map(|architecture| image(seed, architecture)).collect::<Result<Vec<_>, _>>()?;
    let children: Vec<_> = PLATFORMS
        .iter()
        .zip(&images)
        .map(|(architecture, (manifest, _))| {
            json!({
                "mediaType": OCI_MANIFEST,
                "digest": manifest.digest(),
                "size": manifest.bytes().len(),
                "platform": { "architecture": architecture, "os": "linux" },
            })
        })
        .collect();
    let text = json!({ "schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": children }).to_string();
    Ok((Manifest::new(text.into_bytes(), None)?, images))
}

/// An image of one layer for one platform, with its config and its layer.
fn image(seed: &str, architecture: &str) -> anyhow::Result<Single> {
    let tar = layer(&format!("{seed} for linux/{architecture}\n"))?;
    let config = json!({
        "created": "2026-01-01T00:00:00Z",
        "architecture": architecture,
        "os": "linux",
        "config": { "Labels": { "org.opencontainers.image.title": seed } },
        "rootfs": { "type": "layers", "diff_ids": [Digest::of(&tar)] },
    });
    let config = blob(CONFIG_TYPE, config.to_string().into_bytes());
    let layer = blob(LAYER_TYPE, gzip(&tar)?);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": config.descriptor,
        "layers": [layer.descriptor],
    });
    Ok((Manifest::new(manifest.to_string().into_bytes(), None)?, [config, layer]))
}

/// A tar with one file.
fn layer(content: &str) -> std::io::Result<Vec<u8>> {
    let mut header = tar::Header::new_ustar();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_mtime(0);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_data(&mut header, "image", content.as_bytes())?;
    tar.into_inner()
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn blob(media_type: &str, bytes: Vec<u8>) -> Blob {
    let descriptor = Descriptor {
        media_type: media_type.into(),
        size: bytes.len() as u64,
        digest: Digest::of(&bytes),
        platform: None,
    };
    Blob { descriptor, content: Content::Bytes(bytes.into()) }
}
