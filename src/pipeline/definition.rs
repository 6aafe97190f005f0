//! The keys of a pipeline file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{DeclaredProducer, EvidenceSource, Globs, Overlay, Proposal, Release, Template};
use crate::archive::Modes;
use crate::model::{Prefix, Repository, Tag};
use crate::port::registry::Location;

/// A pipeline as declared in `pipelines/*.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "the keys of a pipeline")]
pub struct Pipeline {
    /// The pipeline's name: recorded in every promotion (`Sealift-Pipeline`), so keep it once it is used.
    pub name: String,
    /// The git origin: `https://…`, `file://…` or a path, which starts at the pipeline file.
    pub repository: String,
    /// Registries that are not at `https://<host>`: `layout:DIR` or another address, by host.
    /// Relative directories start at the pipeline file.
    #[serde(default)]
    pub registries: BTreeMap<String, Location>,
    /// Who hosts proposals and releases.
    #[serde(default)]
    pub forge: Forge,
    /// Names of branches; `{version}` is `X.Y.Z`, `{n}` the candidate's number, `{line}` is `X.Y`.
    #[serde(default)]
    pub branches: Branches,
    /// Names of git tags, with the same placeholders as those of branches.
    #[serde(default)]
    pub tags: Tags,
    /// The folder of packages inside the repository.
    pub root: String,
    /// Author, committer and tagger of everything sealift writes to git.
    pub identity: Identity,
    /// Globs of paths outside `root` that people may change on the way (changelogs);
    /// relative to the repository.
    #[serde(default)]
    pub allowed_paths: Globs,
    /// Which references are yours, and where references live. Globs and paths are relative to `root`.
    pub references: References,
    pub artifact: Artifact,
    pub installer: Installer,
    pub chart: Option<Chart>,
    #[serde(default)]
    pub aliases: Aliases,
    /// How the merged repository outside `root` and `allowed_paths` may differ from the candidate.
    #[serde(default)]
    pub verify: Verify,
    /// What `sealift overlay` lays a published tree's references over.
    #[serde(default)]
    pub overlay: Overlay,
    /// What `sealift lint` is told beyond the references.
    #[serde(default)]
    pub lint: Lint,
    /// What stamps references, where reading the Makefiles can't know.
    #[serde(default)]
    pub producers: Vec<DeclaredProducer>,
    /// What the base must carry before anything is promoted into it.
    #[serde(default)]
    pub base_requires: Vec<Marker>,
    /// Where a green end-to-end run of the candidate is looked for; nowhere if empty. GitHub only.
    #[serde(default)]
    pub evidence: Vec<EvidenceSource>,
    /// The pull request that proposes a promotion. GitHub only, and needed there.
    pub proposal: Option<Proposal>,
    /// What the release has beyond its tag. GitHub only.
    #[serde(default)]
    pub release: Release,
    /// The stages, where a pipeline wants to spell them out: all of them, in their order.
    pub stages: Option<Stages>,
}

/// Who hosts proposals and releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Forge {
    /// Plain git: a branch is the proposal, ancestry the merge, an annotated tag the release.
    #[default]
    Git,
    /// GitHub: pull requests, releases, runs of workflows.
    GitHub,
}

/// Names of branches; `{version}` is `X.Y.Z`, `{n}` the candidate's number, `{line}` is `X.Y`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map of branch names")]
pub struct Branches {
    /// Where the build commits a candidate's digests: on top of what the candidate's tag names.
    pub rc: Template,
    /// Where a promotion's commits go: the checkpoint and the lock.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map of tag names")]
pub struct Tags {
    /// The candidate's tag, which says what was built and tested.
    pub rc: Template,
    /// The release's tag: made last, on the merge.
    pub stable: Template,
    /// Tags of modules in the same repository, for example `api/v1/v{version}`.
    pub modules: Vec<Template>,
}

impl Default for Tags {
    fn default() -> Self {
        Self { rc: Template::known("v{version}-rc.{n}"), stable: Template::known("v{version}"), modules: Vec::new() }
    }
}

/// An author, committer or tagger, as git spells one: `name <email>`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `name` and `email`")]
pub struct Identity {
    /// A bare name, without `<` and `>`.
    pub name: String,
    /// A bare address, without `<` and `>`.
    pub email: String,
}

/// Where references live (contract §2). Globs and paths are relative to `root`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `owned` and where references live")]
pub struct References {
    /// Namespaces that are the pipeline's own.
    pub owned: Vec<Prefix>,
    /// Prefixes of version-line tags, for example `v1.30-` for `v1.30-v1.6.2`.
    #[serde(default)]
    pub tag_prefixes: Vec<String>,
    /// Globs of YAML files that pin images.
    #[serde(default = "default_values")]
    pub values: Vec<String>,
    /// Globs of files that hold one reference each.
    #[serde(default = "default_tag_files")]
    pub tag_files: Vec<String>,
    /// Files that embed references in other text.
    #[serde(default)]
    pub text: Vec<Declared>,
    /// Gzip copies beside their plain sources, rewritten together with them.
    #[serde(default)]
    pub gzip: Vec<GzipCopy>,
    /// Findings of the census that are known and explained.
    #[serde(default)]
    pub exclude: Vec<Exclusion>,
}

fn default_values() -> Vec<String> {
    vec!["*/*/values.yaml".into()]
}

fn default_tag_files() -> Vec<String> {
    vec!["*/*/images/*.tag".into()]
}

/// A file that embeds references in other text.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `path`")]
pub struct Declared {
    /// The file.
    pub path: String,
    /// Whether a tree without it is an error and not only a notice.
    #[serde(default)]
    pub required: bool,
}

/// A gzip copy beside its plain source.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `path` and `plain`")]
pub struct GzipCopy {
    /// The copy.
    pub path: String,
    /// The plain file it is made from.
    pub plain: String,
    /// Whether a tree without the copy is an error and not only a notice.
    #[serde(default)]
    pub required: bool,
}

/// A finding of the census that is known and explained.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `path` and `reason`")]
pub struct Exclusion {
    /// A glob of files.
    pub path: String,
    /// Text the excluded line contains; without it the whole file is excluded.
    pub line: Option<String>,
    /// Why this is not a reference to promote.
    pub reason: String,
}

/// The packages artifact: the tree below `root` as a Flux artifact.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `repository` and `source`")]
pub struct Artifact {
    /// The one trusted repository for candidates and stable artifacts.
    pub repository: Repository,
    /// The `org.opencontainers.image.source` annotation.
    pub source: String,
    /// Permission bits inside the archive: `as-is`, or three octal numbers, quoted, which is the default.
    #[serde(default)]
    pub modes: ArchiveModes,
    /// Globs, relative to `root`, of files that only a candidate's artifact may hold.
    #[serde(default)]
    pub rc_only: Globs,
    /// Whether a candidate's artifact must carry its own tag in the registry: `required` (the default), or
    /// `{optional: "reason"}`.
    #[serde(default)]
    pub rc_tag: RcTag,
}

/// `required`, or `{optional: "reason"}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RcTag {
    #[default]
    Required,
    /// A missing tag is reported with this reason.
    Optional(String),
}

/// `as-is`, or three octal numbers written as text:
/// `{file: "0644", executable: "0755", directory: "0755"}`, which are also the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveModes(pub Modes);

/// The installer's values, which pin the packages artifact.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `values`, `url_key` and `ref_key`")]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `path` and `repository`")]
pub struct Chart {
    /// The chart's folder, relative to `root`.
    pub path: String,
    /// Where it is pushed; the version is the tag.
    pub repository: Repository,
    /// Values set in the packed chart only, never in the tree.
    #[serde(default)]
    pub stamp: Vec<ChartStamp>,
}

/// A value set in the packed chart only.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `file`, `key` and `value`")]
pub struct ChartStamp {
    /// The file, relative to the chart's folder.
    pub file: String,
    /// The dotted path of the key.
    pub key: String,
    /// What it becomes, for example `v{version}`.
    pub value: Template,
}

/// Names that always follow the highest published stable.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map with `images` and `chart`")]
pub struct Aliases {
    /// On every owned image, and on the packages artifact.
    pub images: Vec<Tag>,
    /// On the chart.
    pub chart: Vec<Tag>,
}

/// How the merged repository outside `root` and `allowed_paths` may differ from the candidate (contract §5.6).
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map with `rest`")]
pub struct Verify {
    /// `refuse` any difference (the default), or `{report: "reason"}` and list it in every report.
    pub rest: Rest,
}

/// `refuse`, or `{report: "reason"}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// Not at all.
    #[default]
    Refuse,
    /// As it likes, listed in every report with the reason.
    Report(String),
}

/// What lint is told beyond the references.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map with `exclude`")]
pub struct Lint {
    /// Findings that are known and explained.
    pub exclude: Vec<LintExclusion>,
}

/// A finding of lint that is known and explained.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `rule`, `path` and `reason`")]
pub struct LintExclusion {
    /// The rule's id.
    pub rule: String,
    /// A glob of files, relative to the repository.
    pub path: String,
    /// Text the excluded line contains; without it the whole file is excluded.
    pub line: Option<String>,
    /// Why this is right as it is.
    pub reason: String,
}

/// A file the base must carry, and a text it must contain.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `file` and `contains`")]
pub struct Marker {
    /// The file, relative to the repository.
    pub file: String,
    /// A text of one line.
    pub contains: String,
}

/// A list of stage names, checked against the one order there is.
#[derive(Clone, Debug)]
pub struct Stages(pub Vec<String>);
