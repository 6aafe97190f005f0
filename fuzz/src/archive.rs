//! The archive reader: it refuses or reads whatever a layer holds, within its limits; and what it read,
//! packed again, reads the same.

use std::io::Write as _;

use sealift::archive::{self, Limits, Options};
use sealift::model::{Blob, Content, Digest, Manifest};
use sealift::tree::{MemTree, Tree as _};

pub fn check(data: &[u8]) {
    is_read(data);
}

/// Whether it was read, packed and read again. The first byte says whether the rest is a layer, or a tar that
/// is packed into one.
pub fn is_read(data: &[u8]) -> bool {
    let Some((kind, rest)) = data.split_first() else { return false };
    let layer = if kind % 4 == 0 { rest.to_vec() } else { compressed(rest) };
    let limits = Limits { bytes: 1 << 22, ..Limits::default() };
    let Ok(unpacked) = archive::read(&manifest(&layer), b"{}", &layer, &limits) else { return false };
    let Ok(copy) = MemTree::copy_of(&unpacked) else { return false };
    let options =
        Options { source: "https://git.example/x".into(), revision: "v1@sha1:0".into(), ..Options::default() };
    let Ok(built) = archive::build(&copy, &options, &std::env::temp_dir()) else { return false };
    let (config, layer) = (bytes(&built.config), bytes(&built.layer));
    let again = archive::read(&built.manifest, &config, &layer, &limits).expect("what was built is read");
    for entry in again.entries().unwrap() {
        assert_eq!(again.content(&entry.path), unpacked.content(&entry.path), "{:?}", entry.path);
    }
    true
}

fn bytes(blob: &Blob) -> Vec<u8> {
    match &blob.content {
        Content::Bytes(bytes) => bytes.to_vec(),
        Content::File(path) => std::fs::read(path.to_path_buf()).unwrap(),
    }
}

fn compressed(tar: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(tar).unwrap();
    gzip.finish().unwrap()
}

/// A manifest that names just this layer.
fn manifest(layer: &[u8]) -> Manifest {
    let (config, digest, size) = (Digest::of(b"{}"), Digest::of(layer), layer.len());
    let text = format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
        "config":{{"mediaType":"application/vnd.cncf.flux.config.v1+json","size":2,"digest":"{config}"}},
        "layers":[{{"mediaType":"application/vnd.cncf.flux.content.v1.tar+gzip","size":{size},"digest":"{digest}"}}]}}"#
    );
    Manifest::new(text.into_bytes(), None).unwrap()
}
