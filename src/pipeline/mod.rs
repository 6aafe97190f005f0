//! The pipeline file: what a project is called, where its things are, and what a promotion may touch.
//!
//! Typed all the way: a key nobody knows, a key given twice, a number where text is meant
//! are refused with file, line and column by [`load`].

mod load;
mod template;

use serde::Deserialize;

pub use load::{PipelineError, load, parse};
pub use template::Template;

use crate::archive::Modes;
use crate::model::{Prefix, Repository, Tag};
use crate::refs;

/// A pipeline as declared in `pipelines/*.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// The pipeline's name: recorded in every promotion (`Sealift-Pipeline`).
    pub name: String,
    /// The git origin: `https://…`, `file://…` or a path.
    pub repository: String,
    /// Who hosts proposals and releases.
    #[serde(default)]
    pub forge: Forge,
    #[serde(default)]
    pub branches: Branches,
    #[serde(default)]
    pub tags: Tags,
    /// The folder of packages inside the repository.
    pub root: String,
    /// Author, committer and tagger of everything sealift writes to git.
    pub identity: Identity,
    /// Globs of paths outside `root` that people may change on the way (changelogs).
    #[serde(default)]
    pub allowed_paths: Vec<String>,
    pub references: References,
    pub artifact: Artifact,
    pub installer: Installer,
    pub chart: Option<Chart>,
    #[serde(default)]
    pub aliases: Aliases,
    #[serde(default)]
    pub verify: Verify,
    /// What the base must carry before anything is promoted into it.
    #[serde(default)]
    pub base_requires: Vec<Marker>,
    /// The stages, where a pipeline wants to spell them out: all of them, in their order.
    pub stages: Option<Stages>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forge {
    /// Plain git: a branch is the proposal, ancestry the merge, an annotated tag the release.
    #[default]
    Git,
}

/// Names of branches; `{version}` is `X.Y.Z`, `{n}` the candidate's number, `{line}` is `X.Y`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Branches {
    /// Where the build commits a candidate's digests: on top of what the candidate's tag names.
    pub rc: Template,
    pub staging: Template,
    /// The maintenance line; the base of a promotion if it exists.
    pub line: Template,
    /// The base where there is no line yet; without it, the branch the origin's HEAD names.
    pub default: Option<String>,
}

impl Default for Branches {
    fn default() -> Self {
        Self {
            rc: Template::known("release-{version}-rc.{n}"),
            staging: Template::known("release-{version}"),
            line: Template::known("release-{line}"),
            default: None,
        }
    }
}

/// Names of git tags.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tags {
    pub rc: Template,
    pub stable: Template,
    /// Tags of modules in the same repository, for example `api/v1/v{version}`.
    pub modules: Vec<Template>,
}

impl Default for Tags {
    fn default() -> Self {
        Self { rc: Template::known("v{version}-rc.{n}"), stable: Template::known("v{version}"), modules: Vec::new() }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

/// Where references live (contract §2). Globs and paths are relative to `root`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// Namespaces that are the pipeline's own.
    pub owned: Vec<Prefix>,
    #[serde(default)]
    pub tag_prefixes: Vec<String>,
    #[serde(default = "default_values")]
    pub values: Vec<String>,
    #[serde(default = "default_tag_files")]
    pub tag_files: Vec<String>,
    #[serde(default)]
    pub text: Vec<Declared>,
    #[serde(default)]
    pub gzip: Vec<GzipCopy>,
    #[serde(default)]
    pub exclude: Vec<Exclusion>,
}

fn default_values() -> Vec<String> {
    vec!["*/*/values.yaml".into()]
}

fn default_tag_files() -> Vec<String> {
    vec!["*/*/images/*.tag".into()]
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    pub path: String,
    #[serde(default)]
    pub required: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GzipCopy {
    pub path: String,
    pub plain: String,
    #[serde(default)]
    pub required: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    pub path: String,
    pub line: Option<String>,
    pub reason: String,
}

/// The packages artifact: the tree below `root` as a Flux artifact.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// The one trusted repository for candidates and stable artifacts.
    pub repository: Repository,
    /// The `org.opencontainers.image.source` annotation.
    pub source: String,
    /// Permission bits inside the archive.
    #[serde(default)]
    pub modes: ArchiveModes,
    /// Globs, relative to `root`, of files that only a candidate's artifact may hold.
    #[serde(default)]
    pub rc_only: Vec<String>,
    /// Whether a candidate's artifact must carry its own tag in the registry.
    #[serde(default)]
    pub rc_tag: RcTag,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RcTag {
    #[default]
    Required,
    /// `rc_tag: !optional REASON`: a missing tag is reported with this reason.
    Optional(String),
}

/// `as-is`, or three octal numbers written as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveModes(pub Modes);

/// The installer's values, which pin the packages artifact.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installer {
    /// The values file, relative to `root`.
    pub values: String,
    /// The name of the key that holds `oci://<repository>`.
    pub url_key: String,
    /// The name of the key that holds `digest=sha256:…`.
    pub ref_key: String,
}

/// The Helm chart published at the end.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// The chart's folder, relative to `root`.
    pub path: String,
    /// Where it is pushed; the version is the tag.
    pub repository: Repository,
    #[serde(default)]
    pub stamp: Vec<ChartStamp>,
}

/// A value set in the packed chart only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartStamp {
    pub file: String,
    pub key: String,
    pub value: Template,
}

/// Names that always follow the highest published stable.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Aliases {
    /// On every owned image, and on the packages artifact.
    pub images: Vec<Tag>,
    pub chart: Vec<Tag>,
}

/// How the merged repository outside `root` and `allowed_paths` may differ from the candidate (contract §5.6).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Verify {
    pub rest: Rest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rest {
    /// Not at all.
    #[default]
    Refuse,
    /// `rest: !report REASON`: as it likes, listed in every report with the reason.
    Report(String),
}

/// A file the base must carry, and a text it must contain.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    pub file: String,
    pub contains: String,
}

/// A list of stage names, checked against the one order there is.
#[derive(Clone, Debug)]
pub struct Stages(pub Vec<String>);

impl Pipeline {
    /// The place a path below `root` has in the repository.
    pub fn below_root(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    /// The part of the declaration that [`refs`] works from.
    pub fn spec(&self) -> refs::Spec {
        let References { owned, tag_prefixes, values, tag_files, text, gzip, exclude } = self.references.clone();
        refs::Spec {
            root: self.root.clone(),
            owned,
            artifact: self.artifact.repository.clone(),
            pair: refs::Pair { url: self.installer.url_key.clone(), reference: self.installer.ref_key.clone() },
            tag_prefixes,
            values,
            tag_files,
            text: text.into_iter().map(|d| refs::Declared { path: d.path, required: d.required }).collect(),
            gzip: gzip
                .into_iter()
                .map(|g| refs::GzipCopy { path: g.path, plain: g.plain, required: g.required })
                .collect(),
            exclude: exclude
                .into_iter()
                .map(|e| refs::Exclusion { path: e.path, line: e.line, reason: e.reason })
                .collect(),
        }
    }
}

impl<'de> Deserialize<'de> for ArchiveModes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let _ = String::deserialize(deserializer)?;
        Ok(Self::default())
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}
