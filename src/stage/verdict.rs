//! What a stage can find: it holds, there is work, somebody else's turn, or no.

use serde::Serialize;

use super::action::Action;
use crate::model::{Refusal, Unknown};

/// A stage's answer, and what it saw on the way.
#[derive(Clone, Debug)]
pub struct Plan {
    pub verdict: Verdict,
    /// Facts worth a line in every report.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Verdict {
    /// The world already is as this stage wants it.
    Holds,
    /// What is left to do, in order.
    Act(Vec<Step>),
    /// Somebody else's turn.
    Wait(Wait),
    /// No, or it can't be known. At least one reason.
    Refuse(Vec<Refusal>),
}

/// Actions of one kind. Units that can't be known withhold everything after their kind,
/// but not the others of it (contract §4).
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What the actions are about, in the plural: `images`, `tags`.
    pub kind: &'static str,
    pub actions: Vec<Action>,
    pub unknown: Vec<Unknown>,
}

/// What has to happen first, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// One word: `merge`, `push`.
    pub on: &'static str,
    pub message: String,
    /// What a person types.
    pub commands: Vec<String>,
    /// The pull request that it is about, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
}

impl Plan {
    pub fn holds() -> Self {
        Self { verdict: Verdict::Holds, notes: Vec::new() }
    }

    /// Work, or holding when there is none.
    pub fn act(steps: Vec<Step>) -> Self {
        let steps: Vec<Step> = steps.into_iter().filter(|step| !step.is_empty()).collect();
        let verdict = if steps.is_empty() { Verdict::Holds } else { Verdict::Act(steps) };
        Self { verdict, notes: Vec::new() }
    }

    pub fn wait(on: &'static str, message: impl Into<String>) -> Self {
        let wait = Wait { on, message: message.into(), commands: Vec::new(), pull_request: None };
        Self { verdict: Verdict::Wait(wait), notes: Vec::new() }
    }

    pub fn refuse(refusals: impl IntoIterator<Item = Refusal>) -> Self {
        Self { verdict: Verdict::Refuse(refusals.into_iter().collect()), notes: Vec::new() }
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

impl From<Refusal> for Plan {
    fn from(refusal: Refusal) -> Self {
        Self::refuse([refusal])
    }
}

impl Step {
    pub fn new(kind: &'static str, actions: impl IntoIterator<Item = Action>) -> Self {
        Self { kind, actions: actions.into_iter().collect(), unknown: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.actions.is_empty() && self.unknown.is_empty()
    }
}
