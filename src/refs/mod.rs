//! References: where they live, what they say, and how to change one without touching another byte.

use crate::model::{Prefix, Repository};

/// What a pipeline declares about its references (contract §2). Paths and globs are
/// relative to `root`.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The folder of packages inside the repository, for example `packages`.
    pub root: String,
    /// Namespaces that are the pipeline's own.
    pub owned: Vec<Prefix>,
    /// The packages artifact's repository: owned, and handled by its own stages.
    pub artifact: Repository,
    /// The artifact pair's two key names, for example `platformSourceUrl` and `platformSourceRef`.
    pub pair: Pair,
    /// Declared prefixes of version-line tags, for example `v1.30-`.
    pub tag_prefixes: Vec<String>,
    /// YAML files, by default `*/*/values.yaml`.
    pub values: Vec<String>,
    /// Files that hold one reference, by default `*/*/images/*.tag`.
    pub tag_files: Vec<String>,
    /// Files that embed references in other text.
    pub text: Vec<Declared>,
    /// gzip copies of other files.
    pub gzip: Vec<GzipCopy>,
    /// Findings of the census that are known and explained.
    pub exclude: Vec<Exclusion>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub url: String,
    pub reference: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub path: String,
    /// Whether a tree without it is an error and not only a notice.
    pub required: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GzipCopy {
    pub path: String,
    /// The plain file it is made from, when that is in the tree.
    pub plain: String,
    pub required: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// A glob over paths relative to the root.
    pub path: String,
    /// Text the excluded line contains; without it the whole file is excluded.
    pub line: Option<String>,
    pub reason: String,
}
