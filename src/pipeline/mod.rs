//! The pipeline file: what a project is called, where its things are, and what a promotion may touch.
//!
//! Typed all the way: a key nobody knows, a key given twice, a number where text is meant,
//! a name that can't be are refused by [`load`], which says the place and what is expected.

mod check;
mod definition;
mod github;
mod load;
mod names;
mod outline;
mod overlay;
mod paths;
mod problem;
mod producers;
mod rules;
mod schema;
mod shorthand;
mod template;
mod texts;

pub use check::STAGES;
pub use definition::{
    Aliases, ArchiveModes, Artifact, Branches, Chart, ChartStamp, Declared, Exclusion, Forge, GzipCopy, Identity,
    Installer, Lint, LintExclusion, Marker, Pipeline, RcTag, References, Rest, Stages, Tags, Verify,
};
pub use github::{
    AddressError, Assets, EvidenceEvent, EvidenceSource, GitHubRepository, Proposal, Release, asset_name,
};
pub use load::{PipelineError, load, parse};
pub use overlay::{Overlay, Skip};
pub use paths::Globs;
pub use problem::Problem;
pub use producers::DeclaredProducer;
pub use schema::SCHEMA;
pub use template::Template;

use crate::refs;

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

    /// Whether people may change a path, given from the repository's root, on the way to a release.
    pub fn is_allowed(&self, path: &[u8]) -> bool {
        !self.is_below_root(path) && self.allowed_paths.matches(path)
    }

    /// Whether a file, given from `root`, may exist in a candidate's artifact and nowhere else.
    pub fn is_rc_only(&self, path: &[u8]) -> bool {
        self.artifact.rc_only.matches(path)
    }

    /// Whether a path, given from the repository's root, is `root` or lies in it.
    pub fn is_below_root(&self, path: &[u8]) -> bool {
        path.strip_prefix(self.root.as_bytes()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }
}
