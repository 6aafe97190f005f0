//! The interpreter's arms for a forge. GitHub has no compare-and-set: each looks right before it
//! writes, and looks again where the outcome is unclear.

mod expect;
mod pull;
mod release;

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;

use super::ports::Stop;
use crate::model::Unknown;
use crate::port::WriteError;
use crate::port::forge::{ForgeRead, ForgeWrite, ReleaseId, none};
use crate::stage::Action;
use expect::{Done, unclear};

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

/// One action under way.
struct Arm<'a> {
    hosted: &'a Hosted<'a>,
    /// Nothing, where it is only looked at what became of it.
    write: Option<&'a dyn ForgeWrite>,
    /// Writes that were begun.
    begun: AtomicU32,
}

/// So often a write is tried that a limit turns away.
const TRIES: u32 = 5;

/// Makes an attempt, which is a look and a write. One whose write a limit turned away is made anew, where it is
/// as if it had not been made: the look waits the limit out, and sees what others wrote meanwhile.
async fn anew(mut attempt: impl AsyncFnMut() -> Done, repeatable: impl Fn() -> bool) -> Done {
    let mut tries = 1;
    loop {
        match attempt().await {
            Err(WriteError::Limited { .. }) if tries < TRIES && repeatable() => tries += 1,
            done => return done,
        }
    }
}

impl Hosted<'_> {
    /// Does an action on a forge: anew, where a limit turned its first write away.
    pub async fn one(&self, action: &Action) -> Done {
        let begun = Cell::new(0);
        let attempt = async || {
            let arm = Arm { hosted: self, write: self.write, begun: AtomicU32::default() };
            let done = arm.act(action).await;
            begun.set(arm.begun());
            arm.settled(action, done).await
        };
        anew(attempt, || begun.get() == 1).await
    }
}

impl Arm<'_> {
    /// What came of it. Where the outcome of a write is unclear, or another runner may have been faster,
    /// it is looked at once more, by the same arm with nothing to write with: done is done.
    async fn settled(&self, action: &Action, done: Done) -> Done {
        let error = match done {
            Ok(()) => return Ok(()),
            Err(error @ (WriteError::Lost { .. } | WriteError::Limited { .. })) => return Err(error),
            Err(error) if self.begun() == 0 => return Err(error),
            Err(error) => error,
        };
        let only_looking = Arm { hosted: self.hosted, write: None, begun: AtomicU32::default() };
        match (only_looking.act(action).await, error) {
            (Ok(()), _) => Ok(()),
            (_, WriteError::Unknown(unknown)) => Err(unclear(unknown).into()),
            (_, error) => Err(error),
        }
    }

    fn begun(&self) -> u32 {
        self.begun.load(Ordering::Relaxed)
    }

    async fn act(&self, action: &Action) -> Done {
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
        self.hosted.read.ok_or_else(|| none("the forge"))
    }

    fn write(&self) -> Result<&dyn ForgeWrite, Unknown> {
        let write = self.write.ok_or_else(|| none("the forge"))?;
        self.begun.fetch_add(1, Ordering::Relaxed);
        Ok(write)
    }
}
