//! What people were told, and what is asserted of it.

use sealift::engine::{Event, State};
use sealift::model::Refusal;
use sealift::stage::Wait;

use crate::support::world::{Ran, World, WorldSnapshot};

pub fn said(refusal: &Refusal) -> String {
    let hint = refusal.hint.clone().unwrap_or_default();
    format!("{}\n{}\n{hint}", refusal.message, refusal.places.join("\n"))
}

/// The refusals of a stage, in one text that says all of `texts`.
#[track_caller]
pub fn refused(ran: &Ran, stage: &str, texts: &[&str]) -> String {
    ran.must_be(State::Refused);
    let Some(state) = ran.stage(stage) else { panic!("{stage} was never reached\n{}", ran.told()) };
    assert_eq!(state.state, State::Refused, "{stage}\n{}", ran.told());
    let all: Vec<String> = state.refusals.iter().map(said).collect();
    let all = all.join("\n");
    for text in texts {
        assert!(all.contains(text), "`{text}` is not in:\n{all}");
    }
    assert!(state.refusals.iter().all(|refusal| refusal.hint.is_some()), "one says nothing of what to do:\n{all}");
    all
}

/// Refused by one refusal, and nothing was written anywhere.
#[track_caller]
pub fn refused_untouched(ran: &Ran, stage: &str, texts: &[&str], before: &WorldSnapshot, world: &World) {
    refused(ran, stage, texts);
    let refusals = ran.stage(stage).unwrap().refusals.len();
    assert_eq!(refusals, 1, "{}", ran.told());
    assert_eq!(ran.acted(), Vec::<String>::new());
    before.assert_same(&world.snapshot(), "refused");
}

/// Somebody else's turn, as a stage says.
#[track_caller]
pub fn waits<'a>(ran: &'a Ran, stage: &str, on: &str, texts: &[&str]) -> &'a Wait {
    ran.must_be(State::Waiting);
    let wait = ran.stage(stage).and_then(|state| state.wait.as_ref());
    let wait = wait.unwrap_or_else(|| panic!("{stage} doesn't wait\n{}", ran.told()));
    assert_eq!(wait.on, on, "{wait:?}");
    let all = format!("{}\n{}", wait.message, wait.commands.join("\n"));
    for text in texts {
        assert!(all.contains(text), "`{text}` is not in:\n{all}");
    }
    wait
}

/// A note that a stage gave.
#[track_caller]
pub fn noted(ran: &Ran, stage: &str, text: &str) {
    let notes = &ran.stage(stage).unwrap_or_else(|| panic!("{stage}\n{}", ran.told())).notes;
    assert!(notes.iter().any(|note| note.contains(text)), "`{text}` is not in {notes:?}");
}

#[track_caller]
pub fn not_noted(ran: &Ran, text: &str) {
    assert!(!ran.told().contains(text), "`{text}` is in\n{}", ran.told());
}

/// It could not be done, and the cause says all of `texts`.
#[track_caller]
pub fn failed(ran: &Ran, texts: &[&str]) {
    ran.must_be(State::Failed);
    let all = trouble(ran);
    for text in texts {
        assert!(all.contains(text), "`{text}` is not in:\n{all}");
    }
}

/// What people are told of actions that failed, and warnings.
pub fn trouble(ran: &Ran) -> String {
    let told = ran.events.iter().filter_map(|event| match event {
        Event::Failed { action, cause, .. } => Some(format!("{action}: {cause}\n")),
        Event::Warning { message } => Some(format!("{message}\n")),
        _ => None,
    });
    told.collect()
}
