//! The one comment that a preview keeps on a pull request.

use super::apply;
use super::event::Event;
use super::ports::{Effects, Looker, Settings};
use crate::model::{Digest, Unknown};
use crate::port::WriteError;
use crate::port::forge;
use crate::stage::Action;

/// Another run may put the same comment at the same moment: then it is looked at once more.
const LOOKS: u32 = 3;

/// Puts `body`, which begins with `marker`, on a pull request: into this credential's own comment that
/// begins so, or a new one. Nobody else's comment is touched, whatever it begins with. What keeps it
/// from being written is told as a warning, for everything else was looked at without it.
pub async fn comment(
    pull: u64,
    marker: &str,
    body: &str,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) {
    let mut cause = String::new();
    for _ in 0..LOOKS {
        let action = match plan(pull, marker, body, look).await {
            Ok(None) => return,
            Ok(Some(action)) => action,
            Err(unknown) => {
                cause = unknown.to_string();
                break;
            }
        };
        match apply::alone(&action, look, effects, settings).await {
            Ok(()) => {
                settings.observer.event(&Event::Acted { stage: "comment", action: action.summary() });
                return;
            }
            Err(error) => {
                cause = error.to_string();
                if !matches!(error, WriteError::Lost { .. }) {
                    break;
                }
            }
        }
    }
    let message = format!("the comment on #{pull} was not written, the rest of this report is whole: {cause}");
    settings.observer.event(&Event::Warning { message });
}

/// What is left to do for the comment to be right.
async fn plan(pull: u64, marker: &str, body: &str, look: &Looker<'_>) -> Result<Option<Action>, Unknown> {
    let forge = look.forge.ok_or_else(|| forge::none("the comment"))?;
    let viewer = forge.viewer().await.known()?;
    let viewer = viewer.ok_or_else(|| Unknown::new("the credential", "there is none, and nobody can't comment"))?;
    let comments = forge.comments(pull).await.known()?;
    let comments = comments.ok_or_else(|| Unknown::new(format!("the comments on #{pull}"), "there are none to see"))?;
    let mine = comments.iter().find(|comment| comment.is_of(&viewer, marker));
    if mine.is_some_and(|comment| comment.body == body) {
        return Ok(None);
    }
    let expect = mine.map(|comment| Digest::of(comment.body.as_bytes()));
    Ok(Some(Action::PutComment { pull, marker: marker.to_owned(), body: body.to_owned(), expect }))
}
