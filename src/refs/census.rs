//! The census: nothing that looks like a reference is overlooked (contract §2).

use serde::Serialize;

use super::count::{Counted, count};
use super::read::{Reading, References, RefsError};
use super::scope::Scope;
use super::{Exclusion, Spec};
use crate::tree::Tree;

/// A complete account of what looks like a reference.
#[derive(Clone, Debug, Default)]
pub struct Census {
    pub references: References,
    /// Digests and owned references that a shape claims.
    pub claimed: usize,
    /// What a declared exclusion explains.
    pub excluded: Vec<Excluded>,
    /// Exclusions that explain nothing: they should go.
    pub unused: Vec<Exclusion>,
}

/// A find that is known and explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excluded {
    pub file: String,
    /// Counted from 1; 0 where it is a file that can't be read.
    pub line: usize,
    pub reason: String,
}

/// Accounts for
/// - every `sha256:` in an enumerated file, comments included (a gzip copy is unpacked);
/// - every owned reference with a tag or a digest anywhere else below the root, in YAML
///   shapes too, gzip looked into, outside comments; folders called `charts` and Markdown are
///   upstream's and prose.
///
/// Each must be claimed by a shape or by an exclusion with a reason. A bare mention of an owned
/// repository, without tag and digest, is nothing to account for.
///
/// Errors: everything [`super::read`] refuses and everything unclaimed, together.
pub fn census(tree: &dyn Tree, spec: &Spec) -> Result<Census, RefsError> {
    let (reading, mut problems) = Reading::of(tree, spec);
    let counted = count(tree, spec, &reading, Scope::Promotion, None);
    problems.extend(counted.found);
    let references = reading.references(spec, None);
    if problems.is_empty() {
        let Counted { claimed, excluded, unused, .. } = counted;
        Ok(Census { references, claimed, excluded, unused })
    } else {
        Err(RefsError { problems, references: Box::new(references) })
    }
}
