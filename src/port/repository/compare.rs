//! How a compare-and-set on a ref ended, judged by what the ref names and never by words.

use super::RefUpdate;
use crate::model::{ObjectId, RefName, Unknown};
use crate::port::WriteError;

/// An attempt that didn't plainly succeed.
pub(super) enum Attempt {
    /// The other side said no.
    Rejected { status: Option<u16>, detail: String },
    /// It may have been carried out.
    Open(Unknown),
    /// It never left this machine.
    NotMade(Unknown),
}

/// What a failed attempt means, after another look at the ref.
pub(super) fn settle(
    what: &str,
    update: &RefUpdate,
    attempt: Attempt,
    look: impl FnOnce() -> Result<Option<ObjectId>, Unknown>,
) -> Result<(), WriteError> {
    let refused = |status, detail| Err(WriteError::Refused { what: what.to_owned(), status, detail });
    match attempt {
        Attempt::NotMade(unknown) => Err(unknown.into()),
        // A status is about the request as a whole: nobody looked at the ref.
        Attempt::Rejected { status: status @ Some(_), detail } => refused(status, detail),
        // A hook's no and a lost race arrive as the same message; the ref tells them apart.
        Attempt::Rejected { status, detail } => match look() {
            Ok(found) if found == update.target => Ok(()),
            Ok(found) if found != update.expect => Err(lost(what, update, found)),
            Ok(_) | Err(_) => refused(status, detail),
        },
        Attempt::Open(unknown) => match look() {
            Ok(found) if found == update.target => Ok(()),
            // Even an unmoved ref proves nothing: the request may still be under way.
            Ok(_) | Err(_) => Err(unknown.into()),
        },
    }
}

pub(super) fn lost(what: &str, update: &RefUpdate, found: Option<ObjectId>) -> WriteError {
    let show = |id: Option<ObjectId>| id.map_or_else(|| "no such ref".to_owned(), |id| id.to_string());
    WriteError::Lost { what: what.to_owned(), expected: show(update.expect), found: show(found) }
}

/// What was looked at, for messages.
pub(super) fn what(origin: &str, name: Option<&RefName>) -> String {
    name.map_or_else(|| origin.to_owned(), |name| format!("{name} at {origin}"))
}
