//! A chart's archive, unpacked in memory, and what sets two charts apart.

use std::fmt;

use super::{CONFIG_TYPE, ChartError, Files, LAYER_TYPE};
use crate::archive::gzip::{self, Limits};
use crate::archive::scan::{Writer, scan};
use crate::model::{Descriptor, Manifest};
use crate::tree::{TreePath, show};

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

/// What sets a file of one chart apart from the other's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    OnlyOurs(TreePath),
    OnlyTheirs(TreePath),
    Bytes(TreePath),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnlyOurs(path) => write!(f, "{} is missing from the published chart", show(path)),
            Self::OnlyTheirs(path) => write!(f, "{} is in the published chart only", show(path)),
            Self::Bytes(path) => write!(f, "{} has other bytes", show(path)),
        }
    }
}

/// Every difference, by path: a chart version is written once, and what is published under it
/// is ours when there is none. Modes don't count, since Helm gives every file the same.
pub fn differences(ours: &Files, theirs: &Files) -> Vec<Difference> {
    let mut all: Vec<_> = ours
        .iter()
        .filter_map(|(path, bytes)| match theirs.get(path) {
            None => Some(Difference::OnlyOurs(path.clone())),
            Some(other) if other != bytes => Some(Difference::Bytes(path.clone())),
            Some(_) => None,
        })
        .collect();
    let theirs_only = theirs.keys().filter(|path| !ours.contains_key(*path));
    all.extend(theirs_only.map(|path| Difference::OnlyTheirs(path.clone())));
    all
}

/// Whether two charts hold the same files.
pub fn same(ours: &Files, theirs: &Files) -> bool {
    ours == theirs
}
