//! The overlay: references of a published current tree, laid over the packages that a change neither
//! rebuilt nor edited (contract §7).
//!
//! A change's own build makes the images of some packages. The others should run what is current, and
//! not what the last release pinned: their references are taken from a tree that is published, such as
//! the one of the main branch. References are taken and not files: only where two files differ in
//! nothing else.
//!
//! - [`Built`], [`Changed`]: what the change rebuilt and what it edited, as tools list it.
//! - [`Source`]: where the published tree is, and the tree itself, pulled and verified.
//! - [`overlay()`]: looks and yields edits; nothing here writes.

mod compare;
mod conclude;
mod lists;
mod packages;
mod source;
mod verdict;

pub use lists::{Built, Changed, ListError};
pub use source::{Place, Source, SourceError};
pub use verdict::{FileVerdict, Mark, Overlay, Package, State};

use crate::pipeline::Pipeline;
use crate::refs::{self, Problem};
use crate::tree::Tree;

use compare::Compared;
use packages::Packages;

/// What an absent source means: of the whole tree, a package or a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfMissing {
    /// Nothing is taken at all.
    #[default]
    Refuse,
    /// The package or file keeps its references.
    Skip,
}

/// What drift means that leaves references behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfDrift {
    /// The file keeps its references, and that is reported.
    #[default]
    Report,
    /// Nothing is taken at all.
    Refuse,
}

/// What is asked for.
pub struct Request<'a> {
    pub pipeline: &'a Pipeline,
    /// The repository's tree that references are laid over.
    pub onto: &'a dyn Tree,
    /// The published tree, at its place in a repository; `None` where it is proven absent.
    pub from: Option<&'a dyn Tree>,
    pub built: &'a Built,
    pub edited: &'a Changed,
    pub if_missing: IfMissing,
    pub if_drift: IfDrift,
}

/// Why nothing could be looked at.
#[derive(Debug, thiserror::Error)]
#[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct OverlayError {
    pub problems: Vec<Problem>,
}

/// Plans the overlay. What is wrong with the request is a refusal inside; with one there are no edits.
///
/// # Errors
/// A tree that can't be listed, a file among those compared that can't be read or whose references
/// are malformed, in either tree, and a tree that holds no files with references.
pub fn overlay(request: &Request<'_>) -> Result<Overlay, OverlayError> {
    let spec = request.pipeline.spec();
    let failed = |problems| OverlayError { problems };
    let enumeration = refs::enumerate(request.onto, &spec).map_err(failed)?;
    let packages = Packages::find(request.pipeline, &enumeration);
    let mut compared = Compared::new(request, &spec, &enumeration, packages).map_err(failed)?;
    compared.run().map_err(failed)?;
    Ok(compared.conclude())
}
