//! The closed set of things sealift can do to the world.
//!
//! Every action is named by what people name (tag, branch, file), says what it expects to
//! find, and leaves a mark that can be seen. Another action needs a sentence in CONTRIBUTING.

use std::fmt;

use serde::Serialize;

use crate::model::{Digest, Manifest, ObjectId, RefName, Repository, Tag};
use crate::port::registry::Blob;
use crate::port::repository::RefUpdate;

#[derive(Clone, Debug)]
pub enum Action {
    /// Upload a blob; expects nothing, since content is its own name. Mark: the blob.
    PushBlob { repository: Repository, blob: Blob },
    /// Put a manifest under a tag that names `expect` (`None`: nothing). Mark: the tag.
    PutManifest { repository: Repository, tag: Tag, manifest: Box<Manifest>, expect: Option<Digest> },
    /// Create a ref that does not exist. Mark: the ref.
    CreateRef { name: RefName, target: ObjectId },
    /// Move a ref from what it names now. Mark: the ref.
    UpdateRef { name: RefName, expect: ObjectId, target: ObjectId },
    /// Delete a ref that names `expect`. Mark: its absence.
    DeleteRef { name: RefName, expect: ObjectId },
}

/// What an action shows in plans, logs and reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub verb: &'static str,
    pub target: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expects: Option<String>,
}

/// Every action there is, by verb: what the documentation and the tests enumerate.
pub const VERBS: [&str; 5] = ["push-blob", "put-manifest", "create-ref", "update-ref", "delete-ref"];

impl Action {
    pub fn verb(&self) -> &'static str {
        match self {
            Self::PushBlob { .. } => "push-blob",
            Self::PutManifest { .. } => "put-manifest",
            Self::CreateRef { .. } => "create-ref",
            Self::UpdateRef { .. } => "update-ref",
            Self::DeleteRef { .. } => "delete-ref",
        }
    }

    /// The compare-and-set behind a ref action.
    pub fn ref_update(&self) -> Option<RefUpdate> {
        let (name, expect, target) = match self {
            Self::CreateRef { name, target } => (name, None, Some(*target)),
            Self::UpdateRef { name, expect, target } => (name, Some(*expect), Some(*target)),
            Self::DeleteRef { name, expect } => (name, Some(*expect), None),
            Self::PushBlob { .. } | Self::PutManifest { .. } => return None,
        };
        Some(RefUpdate { name: name.clone(), expect, target })
    }

    pub fn summary(&self) -> Summary {
        let absent = || Some("absent".to_owned());
        let (target, value, expects) = match self {
            Self::PushBlob { repository, blob } => {
                (repository.to_string(), format!("{} ({} bytes)", blob.descriptor.digest, blob.descriptor.size), None)
            }
            Self::PutManifest { repository, tag, manifest, expect } => (
                format!("{repository}:{tag}"),
                manifest.digest().to_string(),
                expect.map(|digest| digest.to_string()).or_else(absent),
            ),
            Self::CreateRef { name, target } => (name.to_string(), target.to_string(), absent()),
            Self::UpdateRef { name, expect, target } => {
                (name.to_string(), target.to_string(), Some(expect.to_string()))
            }
            Self::DeleteRef { name, expect } => (name.to_string(), "deleted".into(), Some(expect.to_string())),
        };
        Summary { verb: self.verb(), target, value, expects }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {}", self.verb, self.target, self.value)?;
        match &self.expects {
            Some(expects) => write!(f, " (expects {expects})"),
            None => Ok(()),
        }
    }
}
