//! How a command ends: what is done, what is left, and how to go on.

use super::event::{End, Event, StageState, State};
use super::ports::Settings;
use crate::model::Refusal;
use crate::stage::{STAGES, Verdict};

/// Stages in order, and where each stands.
pub(super) type States = Vec<(&'static str, State)>;

/// Says what is done, what is left and how to go on: also where a look was not possible.
/// `None`: a refusal, which has been told.
pub(super) fn ended(
    state: anyhow::Result<Option<State>>,
    settings: &Settings<'_>,
    states: &States,
) -> anyhow::Result<State> {
    match state {
        Ok(Some(state)) => Ok(end(settings, state, states)),
        Ok(None) => Ok(State::Refused),
        // What is known to be wrong counts more than what could not be looked at; both are told.
        Err(error) if states.iter().any(|(_, state)| *state == State::Refused) => {
            settings.observer.event(&Event::Warning { message: format!("{error:#}") });
            Ok(end(settings, State::Refused, states))
        }
        Err(error) => {
            end(settings, State::Failed, states);
            Err(error)
        }
    }
}

/// A refusal before any stage could look: the gate's, as people see it.
pub(super) fn refuse(settings: &Settings<'_>, refusals: Vec<Refusal>) -> State {
    let verdict = Verdict::Refuse(refusals);
    settings.observer.event(&Event::Stage(StageState::new(STAGES[0].name(), &verdict, &[])));
    end(settings, State::Refused, &[(STAGES[0].name(), State::Refused)])
}

/// What is wrong, or could not be looked at, counts at any stage ([`State::and`]). Of work and waiting it is the
/// first stage that doesn't hold, for that is how far a run would come: work behind a person's turn is not
/// work yet.
pub(super) fn overall(states: &[(&'static str, State)]) -> State {
    let first = states.iter().map(|(_, state)| *state).find(|state| *state != State::Holds);
    match states.iter().fold(State::Holds, |all, (_, state)| all.and(*state)) {
        State::Work | State::Waiting => first.unwrap_or(State::Holds),
        state => state,
    }
}

/// The end of something that is done alone: the stages are not its business.
pub(super) fn alone(settings: &Settings<'_>, what: &'static str, state: State) {
    let (done, left) = if state == State::Holds { (vec![what], vec![]) } else { (vec![], vec![what]) };
    let next = (!matches!(state, State::Holds | State::Refused)).then(|| settings.resume.clone());
    settings.observer.event(&Event::End(End { state, done, left, next }));
}

fn end(settings: &Settings<'_>, state: State, states: &[(&'static str, State)]) -> State {
    let holds = |name: &str| states.iter().any(|(stage, state)| *stage == name && *state == State::Holds);
    let names = || STAGES.iter().map(|stage| stage.name());
    let left: Vec<&'static str> = names().filter(|name| !holds(name)).collect();
    let done: Vec<&'static str> = names().filter(|name| holds(name)).collect();
    // Where nothing was begun, the refusal itself says what to do: the same command again is not it.
    let refused_at_once = state == State::Refused && done.is_empty();
    let next = (!refused_at_once && (state != State::Holds || !left.is_empty())).then(|| settings.resume.clone());
    settings.observer.event(&Event::End(End { state, done, left, next }));
    state
}
