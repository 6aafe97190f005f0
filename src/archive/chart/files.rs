//! A chart's archive, unpacked in memory, and what sets two charts apart.

use super::{CONFIG_TYPE, ChartError, Files, LAYER_TYPE};
use crate::archive::gzip::{self, Limits};
use crate::archive::scan::{Writer, scan};
use crate::model::{Descriptor, Manifest};
use crate::tree::show;

/// The layer that holds the chart. A provenance layer beside it is left alone.
pub fn layer_of(manifest: &Manifest) -> Result<&Descriptor, ChartError> {
    let config = manifest.config().map(|c| c.media_type.as_str()).unwrap_or("nothing");
    if config != CONFIG_TYPE {
        return Err(ChartError::Manifest(format!("its config is `{config}`, expected `{CONFIG_TYPE}`")));
    }
    let mut layers = manifest.layers().iter().filter(|l| l.media_type == LAYER_TYPE);
    match (layers.next(), layers.next()) {
        (Some(layer), None) => Ok(layer),
        _ => Err(ChartError::Manifest(format!("it needs exactly one layer `{LAYER_TYPE}`"))),
    }
}

/// Takes a chart's archive apart: whole, plain files only, all in one folder, whose name is
/// dropped as Helm drops it. The bytes' digest is the caller's to check first.
pub fn unpack(layer: &[u8], limits: &Limits) -> Result<Files, ChartError> {
    let data = gzip::unpack(layer, limits)?;
    let mut files = Files::new();
    let mut folder: Option<Vec<u8>> = None;
    for entry in scan(&data, Writer::Helm, limits.entries)? {
        let mut parts = entry.path.splitn(2, |&b| b == b'/');
        let top = parts.next().unwrap_or_default();
        if folder.get_or_insert_with(|| top.to_vec()) != top {
            return Err(ChartError::Content(format!("`{}` lies outside the chart's folder", show(&entry.path))));
        }
        match (entry.directory, parts.next()) {
            (true, _) => {}
            (false, Some(path)) => {
                let content = data.get(entry.content).unwrap_or_default();
                files.insert(path.to_vec(), content.to_vec());
            }
            (false, None) => {
                return Err(ChartError::Content(format!("`{}` lies outside a chart's folder", show(&entry.path))));
            }
        }
    }
    match files.contains_key(b"Chart.yaml".as_slice()) {
        true => Ok(files),
        false => Err(ChartError::Content("it holds no Chart.yaml".into())),
    }
}

/// Whether two charts hold the same files: a chart version is written once, and what is published
/// under it is ours when they do. Modes don't count, since Helm gives every file the same.
pub fn same(ours: &Files, theirs: &Files) -> bool {
    ours == theirs
}
