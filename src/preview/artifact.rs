//! The packages artifact that a tree would become.

use std::path::Path;

use serde::Serialize;

use super::{Finding, Topic};
use crate::archive::{self, ArchiveError, Options};
use crate::model::{Code, Digest, Refusal};
use crate::pipeline::Pipeline;
use crate::tree::{Subtree, Tree};

/// What says that two artifacts hold the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Artifact {
    pub repository: String,
    /// Of the uncompressed tar: the same whoever packs it.
    pub diff_id: Digest,
    /// Of the compressed layer, by this program's encoder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Digest>,
    /// Of the manifest. It names the content commit, so there is none before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// Packs a repository's tree as it would be promoted.
///
/// # Errors
/// When the tree can't be read, or there is no room to pack it.
pub fn pack(
    pipeline: &Pipeline,
    tree: &dyn Tree,
    spool: &Path,
    findings: &mut Vec<Finding>,
) -> Result<Option<Artifact>, ArchiveError> {
    let root = pipeline.root.as_bytes();
    if tree.find(root)?.is_none() {
        // The survey says so.
        return Ok(None);
    }
    let options =
        Options { modes: pipeline.artifact.modes.0, source: pipeline.artifact.source.clone(), ..Options::default() };
    let packages = Subtree::new(tree, root)?.named(&pipeline.root);
    match archive::build(&packages, &options, spool) {
        Ok(built) => Ok(Some(Artifact {
            repository: pipeline.artifact.repository.to_string(),
            diff_id: built.diff_id,
            layer: Some(built.layer.descriptor.digest),
            digest: None,
        })),
        Err(error @ (ArchiveError::Name { .. } | ArchiveError::Twice { .. })) => {
            let (ArchiveError::Name { path, .. } | ArchiveError::Twice { path, .. }) = &error else {
                return Err(error);
            };
            let refusal =
                Refusal::new(Code::ArtifactImpossible, format!("the packages artifact can't be made: {error}"))
                    .at([pipeline.below_root(path)])
                    .hint("rename the file");
            findings.push(Finding::refused(Topic::Artifact, refusal));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
