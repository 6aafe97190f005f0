//! Errors that end a command: what failed, why, and what to do.

use std::fmt;

use crate::engine::State;
use crate::overlay::OverlayError;
use crate::pipeline::PipelineError;
use crate::refs::{Problem, ProblemKind, RefsError, RewriteError};

/// An error with a hint: a command to run or one imperative sentence.
#[derive(Debug)]
pub struct Hinted {
    pub message: String,
    pub hint: String,
    /// What the command ends with.
    code: u8,
}

/// A verdict that stands, and could not be told.
#[derive(Debug, thiserror::Error)]
#[error("{error:#}")]
pub struct Untold {
    pub state: State,
    pub error: anyhow::Error,
}

/// The exit code of wrong usage.
pub const USAGE: u8 = 2;

/// The exit code where nobody reads standard output any more: what a shell tells of a command that SIGPIPE ended.
pub const BROKEN_PIPE: u8 = 141;

/// A pipeline file that was to be judged, and is wrong. To other commands it is one they can't use.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Wrong(pub PipelineError);

/// What an error ends with: 2 where what was typed is wrong; 5 where it was looked at and is wrong; 1 where it
/// could not be looked at or done.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let wrong = |problems: &[Problem]| problems.iter().any(|problem| problem.kind != ProblemKind::Unreadable);
    let references = |error: &RefsError| wrong(&error.problems);
    let is_wrong = match (error.downcast_ref(), error.downcast_ref(), error.downcast_ref::<OverlayError>()) {
        (Some(RewriteError::Edits(problems) | RewriteError::Survivors(problems)), ..) => wrong(problems),
        (Some(RewriteError::References(error)), ..) => references(error),
        (_, Some(error), _) => references(error),
        (.., Some(error)) => wrong(&error.problems),
        _ => false,
    };
    match error.downcast_ref::<Hinted>() {
        Some(hinted) if hinted.code != State::Failed.exit_code() => hinted.code,
        _ if is_wrong || error.is::<Wrong>() => State::Refused.exit_code(),
        _ => State::Failed.exit_code(),
    }
}

impl Hinted {
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), code: State::Failed.exit_code() }
    }

    /// Of what was typed.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: USAGE, ..Self::new(message, hint) }
    }

    /// Of what was looked at and is wrong.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: State::Refused.exit_code(), ..Self::new(message, hint) }
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// A verdict with what became of telling it.
pub fn told(state: State, told: anyhow::Result<()>) -> Ended {
    told.map(|()| state).map_err(|error| Untold { state, error }.into())
}

/// What a command ends with whose result was lost: `lost`, unless `code` says more.
pub fn undelivered(code: u8, lost: u8) -> u8 {
    let more = [USAGE, State::Refused.exit_code(), State::Interrupted.exit_code()];
    if more.contains(&code) { code } else { lost }
}

/// How a command ended: a state that has been told, or an error that has not.
pub type Ended = anyhow::Result<State>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_result_hides_no_verdict_that_counts_more() {
        use State::{Failed, Holds, Interrupted, Refused, Waiting, Work};
        for lost in [Failed.exit_code(), BROKEN_PIPE] {
            for state in [Holds, Waiting, Work, Failed] {
                assert_eq!(undelivered(state.exit_code(), lost), lost, "{state:?}");
            }
            for code in [USAGE, Refused.exit_code(), Interrupted.exit_code()] {
                assert_eq!(undelivered(code, lost), code);
            }
        }
    }
}
