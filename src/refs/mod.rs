//! References: where they live, what they say, and how to change one without touching another byte.
//!
//! Everything here works over a [`crate::tree::Tree`] that is the repository's root; the
//! packages lie in `Spec::root`, and paths in findings are those of the repository. One
//! enumeration ([`enumerate()`]) serves every function, so that no two of them can disagree
//! about which files hold references.
//!
//! - [`read`]: every reference, with its place, shape and class.
//! - [`census`]: proof that nothing that looks like a reference was overlooked.
//! - [`account()`]: both of them, from one reading, and with an [`Item`] for each place where that is asked for.
//! - [`rewrite()`]: version-line tags to stable, proven by reading again.
//! - [`survivors`], [`survivors_of`]: what is left of a release candidate, looked for more widely.
//! - [`compare_digests`]: the same digest at every place of two trees.
//! - [`pin`], [`pinned`], [`normalise_pin`]: the installer's self-reference.
//! - [`Taker`]: a file's references, taken from the same file of another tree.
//! - [`apply_to_directory`]: the only function that writes.

mod account;
mod apply;
mod bind;
mod census;
mod class;
mod comments;
mod compare;
mod copies;
mod count;
mod edit;
mod enumerate;
mod exclusions;
mod file;
mod gzip;
mod inventory;
mod mask;
mod pin;
mod problem;
mod read;
mod rewrite;
mod scope;
mod shapes;
mod spelled;
mod storage;
mod survivors;
mod take;
mod text;
mod untagged;

use std::ops::Range;

use serde::Serialize;

pub use account::{Account, account};
pub use apply::{ApplyError, apply_to_directory};
pub use census::{Census, Excluded, census};
pub use class::{Class, candidates, version_in, version_line, with_stable};
pub use compare::compare_digests;
pub use edit::{Edit, FileEdit, edited};
pub use enumerate::{Enumeration, File, Storage, enumerate, in_charts};
pub use inventory::{Claim, Item, What};
pub use mask::Drift;
pub use pin::{normalise_pin, pin, pinned};
pub use problem::{Problem, ProblemKind};
pub use read::{References, RefsError, read};
pub use rewrite::{Rewrite, RewriteError, edits, rewrite};
pub use scope::Scope;
pub use shapes::Shape;
pub use survivors::{survivors, survivors_of};
pub use take::{Take, Taker, problems_in};

use crate::model::{Digest, Prefix, Repository, Tag};

/// What a pipeline declares about its references (contract §2). Paths and globs are
/// relative to `root`.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The folder of packages inside the repository, for example `packages`; empty or `.`
    /// is the whole repository.
    pub root: String,
    /// Namespaces that are the pipeline's own.
    pub owned: Vec<Prefix>,
    /// The packages artifact's repository: owned, and handled by its own stages.
    pub artifact: Repository,
    /// The artifact pair's two key names, for example `platformSourceUrl` and `platformSourceRef`.
    pub pair: Pair,
    /// Declared prefixes of version-line tags, for example `v1.30-`.
    pub tag_prefixes: Vec<String>,
    /// YAML files, by default `*/*/values.yaml`. `*` never crosses a `/`, and nothing below
    /// a folder called `charts` is enumerated.
    pub values: Vec<String>,
    /// Files that hold one reference, by default `*/*/images/*.tag`.
    pub tag_files: Vec<String>,
    /// Files that embed references in other text.
    pub text: Vec<Declared>,
    /// gzip copies of other files.
    pub gzip: Vec<GzipCopy>,
    /// Findings that are known and explained.
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
    /// The plain file it is made from, read as text when it is in the tree.
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

/// A reference at its place. Serialises as a row for people's tools; byte spans are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    pub class: Class,
    /// The path in the repository.
    pub file: String,
    /// Counted from 1, where the tag is (failing that the digest, failing that the name).
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// Dotted path of the map or scalar, list positions as numbers; `line N` outside YAML.
    pub key: String,
    pub shape: Shape,
    /// `None`: the file doesn't say which one.
    pub repository: Option<Repository>,
    pub tag: Option<Tag>,
    pub digest: Option<Digest>,
    /// The plain file, when this is inside a gzip copy: then it is no further image.
    pub copy_of: Option<String>,
    /// Where the parts are in the file's content (of a gzip copy: in its decompressed content).
    #[serde(skip)]
    pub spans: Spans,
    /// Whether the tag's bytes are shared with another place by a YAML alias.
    #[serde(skip)]
    pub aliased: bool,
}

/// Byte ranges of a reference's parts in its file's content, without quotes and separators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Where the host is spelled; with a `registry` key it is that key's value.
    pub host: Option<Range<usize>>,
    /// The repository as spelled beside the tag.
    pub name: Option<Range<usize>>,
    pub tag: Option<Range<usize>>,
    pub digest: Option<Range<usize>>,
}

impl Spec {
    /// The root without slashes at its ends; empty for the whole repository.
    pub(crate) fn root(&self) -> &str {
        match self.root.trim_matches('/') {
            "." => "",
            root => root.trim_start_matches("./"),
        }
    }

    /// A path in the repository, from one relative to the root.
    pub(crate) fn in_repository(&self, path: &str) -> String {
        if self.root().is_empty() { path.to_owned() } else { format!("{}/{path}", self.root()) }
    }

    /// Whether a repository lies in a namespace of the pipeline's own.
    pub fn owns(&self, repository: &Repository) -> bool {
        self.owned.iter().any(|prefix| prefix.owns(repository))
    }
}
