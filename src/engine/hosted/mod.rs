//! The interpreter's arms for a forge. GitHub has no compare-and-set: each looks right before it
//! writes, and looks again where the outcome is unclear.

mod pull;
mod release;

use std::time::Duration;

use tokio::sync::OnceCell;

use super::ports::Stop;
use crate::model::{Answer, Digest, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::{ForgeRead, ForgeWrite, ReleaseId, none};
use crate::stage::Action;

/// A forge to look at and to write to, for the actions of one step.
pub(super) struct Hosted<'a> {
    pub read: Option<&'a dyn ForgeRead>,
    pub write: Option<&'a dyn ForgeWrite>,
    /// How long after the first look absence is looked at again, before something is created.
    pub lag: Duration,
    pub stop: &'a Stop,
    /// The draft that the step is about: found once, then looked at by its id before each write.
    pub draft: OnceCell<ReleaseId>,
}

type Done = Result<(), WriteError>;

impl Hosted<'_> {
    /// Does an action on a forge.
    pub async fn one(&self, action: &Action) -> Done {
        match action {
            Action::CreateDraft { tag, body, target } => self.create_draft(tag, body, &target.to_string()).await,
            Action::EditDraft { tag, body, expect } => self.edit_draft(tag, body, *expect).await,
            Action::DeleteDraft { tag } => self.delete_draft(tag).await,
            Action::UploadAsset { tag, name, blob, expect } => self.upload(tag, name, blob, *expect).await,
            Action::DeleteAsset { tag, name, expect } => self.delete_asset(tag, name, *expect).await,
            Action::OpenPull { head, base, title, body } => self.open_pull(head, base, title, body).await,
            Action::EditPull { head, body, expect } => self.edit_pull(head, body, *expect).await,
            Action::LabelPull { head, label } => self.label(head, label).await,
            Action::PublishRelease { tag, body, expect, files } => self.publish(tag, body, *expect, files).await,
            Action::MarkLatest { tag, expect } => self.mark_latest(tag, expect.as_deref()).await,
            Action::PutComment { pull, marker, body, expect } => self.comment(*pull, marker, body, *expect).await,
            Action::PushBlob { .. }
            | Action::PutManifest { .. }
            | Action::CreateRef { .. }
            | Action::UpdateRef { .. }
            | Action::DeleteRef { .. } => {
                Err(Unknown::new(action.summary(), "this is nothing that a forge does").into())
            }
        }
    }

    fn read(&self) -> Result<&dyn ForgeRead, Unknown> {
        self.read.ok_or_else(|| none("the forge"))
    }

    fn write(&self) -> Result<&dyn ForgeWrite, Unknown> {
        self.write.ok_or_else(|| none("the forge"))
    }
}

fn pull_from(head: &RefName) -> String {
    format!("pull request from {}", head.short())
}

/// What can't be absent, like a list of something that is there.
fn found<T>(answer: Answer<T>, what: &str) -> Result<T, WriteError> {
    Ok(answer.known()?.ok_or_else(|| Unknown::new(what, "the forge does not know it"))?)
}

fn lost(what: String, expected: &str, found: &str) -> WriteError {
    WriteError::Lost { what, expected: expected.to_owned(), found: found.to_owned() }
}

fn unclear(unknown: Unknown) -> Unknown {
    Unknown { detail: format!("{}; whether it was written can't be known", unknown.detail), ..unknown }
}

/// Whether a text is the one that was planned on.
fn unchanged(what: String, text: &str, expect: Digest) -> Done {
    let found = Digest::of(text.as_bytes());
    let show = |digest: Digest| format!("the text {}", digest.short());
    if found == expect { Ok(()) } else { Err(lost(what, &show(expect), &show(found))) }
}
