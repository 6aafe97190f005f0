//! The closed set of things sealift can do to the world.
//!
//! Every action is named by what people name (tag, branch, file), says what it expects to
//! find, and leaves a mark that can be seen. Another action needs a sentence in CONTRIBUTING.

use std::fmt;

use serde::Serialize;

use super::record::File;
use crate::model::{CommitId, Digest, Manifest, ObjectId, RefName, Repository, Tag};
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
    /// Make the draft of a git tag's release, named like the tag; expects neither draft nor
    /// release. Mark: the draft.
    CreateDraft { tag: RefName, body: String, target: CommitId },
    /// Give a draft its tag and its body; expects the body whose digest is `expect`. Mark: the body.
    EditDraft { tag: RefName, body: String, expect: Digest },
    /// Delete a draft; expects that it is one. Mark: its absence.
    DeleteDraft { tag: RefName },
    /// Upload a file to a draft; expects what is there under its name. Mark: the asset.
    UploadAsset { tag: RefName, name: String, blob: Blob, expect: There },
    /// Take a file off a draft; expects what is there under its name. Mark: its absence.
    DeleteAsset { tag: RefName, name: String, expect: There },
    /// Open a pull request; expects no open one from that branch. Mark: the pull request.
    OpenPull { head: RefName, base: RefName, title: String, body: String },
    /// Change an open pull request's body; expects the one whose digest is `expect`. Mark: the body.
    EditPull { head: RefName, body: String, expect: Digest },
    /// Put a label on an open pull request; expects nothing. Mark: the label.
    LabelPull { head: RefName, label: String },
    /// Publish a draft, not as the latest; expects the draft with the body whose digest is `expect`, and
    /// with these files alone. Mark: the published release.
    PublishRelease { tag: RefName, body: String, expect: Digest, files: Vec<File> },
    /// Mark a published release as the latest, which `expect` is now. Mark: the mark.
    MarkLatest { tag: RefName, expect: Option<String> },
    /// Put the one comment that carries `marker` on a pull request; expects one whose body has the
    /// digest `expect` (`None`: none). Mark: the comment.
    PutComment { pull: u64, marker: String, body: String, expect: Option<Digest> },
}

/// What is under an asset's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    Nothing,
    /// An upload that never came to its end.
    Half,
    Whole(Digest),
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
pub const VERBS: [&str; 16] = [
    "push-blob",
    "put-manifest",
    "create-ref",
    "update-ref",
    "delete-ref",
    "create-draft",
    "edit-draft",
    "delete-draft",
    "upload-asset",
    "delete-asset",
    "open-pull",
    "edit-pull",
    "label-pull",
    "publish-release",
    "mark-latest",
    "put-comment",
];

impl Action {
    pub fn verb(&self) -> &'static str {
        match self {
            Self::PushBlob { .. } => "push-blob",
            Self::PutManifest { .. } => "put-manifest",
            Self::CreateRef { .. } => "create-ref",
            Self::UpdateRef { .. } => "update-ref",
            Self::DeleteRef { .. } => "delete-ref",
            Self::CreateDraft { .. } => "create-draft",
            Self::EditDraft { .. } => "edit-draft",
            Self::DeleteDraft { .. } => "delete-draft",
            Self::UploadAsset { .. } => "upload-asset",
            Self::DeleteAsset { .. } => "delete-asset",
            Self::OpenPull { .. } => "open-pull",
            Self::EditPull { .. } => "edit-pull",
            Self::LabelPull { .. } => "label-pull",
            Self::PublishRelease { .. } => "publish-release",
            Self::MarkLatest { .. } => "mark-latest",
            Self::PutComment { .. } => "put-comment",
        }
    }

    /// The compare-and-set behind a ref action.
    pub fn ref_update(&self) -> Option<RefUpdate> {
        let (name, expect, target) = match self {
            Self::CreateRef { name, target } => (name, None, Some(*target)),
            Self::UpdateRef { name, expect, target } => (name, Some(*expect), Some(*target)),
            Self::DeleteRef { name, expect } => (name, Some(*expect), None),
            _ => return None,
        };
        Some(RefUpdate { name: name.clone(), expect, target })
    }

    pub fn summary(&self) -> Summary {
        let absent = || Some("absent".to_owned());
        let text = |body: &str| format!("a text of {} lines", body.lines().count());
        let of = |digest: &Digest| Some(format!("the text {}", digest.short()));
        let (target, value, expects) = match self {
            Self::PushBlob { repository, blob } => (repository.to_string(), sized(blob), None),
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
            Self::CreateDraft { tag, target, .. } => (release(tag), format!("a draft at {target}"), absent()),
            Self::EditDraft { tag, body, expect } => (release(tag), text(body), of(expect)),
            Self::DeleteDraft { tag } => (release(tag), "deleted".into(), Some("a draft".into())),
            Self::UploadAsset { tag, name, blob, expect } => (asset(tag, name), sized(blob), Some(expect.to_string())),
            Self::DeleteAsset { tag, name, expect } => (asset(tag, name), "deleted".into(), Some(expect.to_string())),
            Self::OpenPull { head, base, .. } => {
                (format!("pull request from {}", head.short()), format!("into {}", base.short()), absent())
            }
            Self::EditPull { head, body, expect } => {
                (format!("pull request from {}", head.short()), text(body), of(expect))
            }
            Self::LabelPull { head, label } => {
                (format!("pull request from {}", head.short()), format!("label {label}"), None)
            }
            Self::PublishRelease { tag, files, .. } => {
                let draft =
                    if files.is_empty() { "a draft".into() } else { format!("a draft with {} files", files.len()) };
                (release(tag), "published".into(), Some(draft))
            }
            Self::MarkLatest { tag, expect } => {
                (release(tag), "latest".into(), expect.as_ref().map(|tag| format!("latest is {tag}")).or_else(absent))
            }
            Self::PutComment { pull, body, expect, .. } => {
                (format!("comment on #{pull}"), text(body), expect.as_ref().and_then(of).or_else(absent))
            }
        };
        Summary { verb: self.verb(), target, value, expects }
    }
}

fn sized(blob: &Blob) -> String {
    format!("{} ({} bytes)", blob.descriptor.digest, blob.descriptor.size)
}

fn release(tag: &RefName) -> String {
    format!("release {}", tag.short())
}

fn asset(tag: &RefName, name: &str) -> String {
    format!("release {} {name}", tag.short())
}

impl fmt::Display for There {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("absent"),
            Self::Half => f.write_str("a half upload"),
            Self::Whole(digest) => digest.fmt(f),
        }
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
