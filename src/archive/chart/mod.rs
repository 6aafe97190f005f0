//! Helm charts: packed as `helm package` packs them, pushed as `helm push` shapes them, and
//! compared by what is in them.
//!
//! Where Helm differs from run to run, or writes `Chart.yaml` anew, this doesn't: versions and
//! declared values are stamped into the text, all other bytes are the tree's, and one tree
//! gives one digest. Subcharts under `charts/` are packed as they are.

mod files;
mod helmignore;
mod metadata;
mod pack;
mod scalar;
mod values;

use std::collections::BTreeMap;

pub use files::{layer_of, same, unpack};
pub use pack::pack;

use super::ReadError;
use crate::model::Blob;
use crate::model::reference::ReferenceError;
use crate::model::{Manifest, Tag};
use crate::tree::{TreeError, TreePath};

/// The config's media type.
pub const CONFIG_TYPE: &str = "application/vnd.cncf.helm.config.v1+json";
/// The layer's media type.
pub const LAYER_TYPE: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/// A chart's files by their path in the chart's folder.
pub type Files = BTreeMap<TreePath, Vec<u8>>;

/// What is stamped into a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartSpec {
    /// `version`, SemVer 2 without a `v`.
    pub version: String,
    /// `appVersion`, any text.
    pub app_version: String,
    pub stamps: Vec<Stamp>,
}

/// One value in one file of the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Relative to the chart's folder.
    pub file: String,
    /// Keys and list positions joined by dots: `operator.image`.
    pub key: String,
    pub value: String,
}

/// A packed chart.
#[derive(Clone, Debug)]
pub struct Chart {
    pub name: String,
    pub version: String,
    pub config: Blob,
    pub layer: Blob,
    pub manifest: Manifest,
    /// What is in the layer.
    pub files: Files,
}

/// Why a chart can't be packed or read.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A place in a file, the line where one is known.
    #[error("{file}{}: {reason}", .line.map(|l| format!(":{l}")).unwrap_or_default())]
    Place { file: String, line: Option<usize>, reason: String },
    #[error("`{0}` is not a chart version: write X.Y.Z, with -pre or +build after it where needed, and no `v`")]
    Version(String),
    #[error("the chart's manifest is not one of Helm: {0}")]
    Manifest(String),
    #[error("the chart's archive: {0}")]
    Layer(#[from] ReadError),
    #[error("the chart's archive: {0}")]
    Content(String),
}

/// The tag a chart version is pushed under: a tag can't hold `+`, so Helm writes `_`.
pub fn tag(version: &str) -> Result<Tag, ReferenceError> {
    version.replace('+', "_").parse()
}
