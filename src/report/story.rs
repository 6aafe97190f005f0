//! What has happened so far, for reports that need more than the last event.

use super::problem::Problem;
use crate::engine::event::{End, Event, Goal, StageState};
use crate::explain::{Census, Explanation};
use crate::lint::Lint;
use crate::preview::Preview;
use crate::stage::Summary;

#[derive(Default)]
pub struct Story {
    pub lint: Option<Lint>,
    pub census: Option<Census>,
    pub explanation: Option<Explanation>,
    pub preview: Option<Preview>,
    pub goal: Option<Goal>,
    /// Each stage as it was last seen, in order.
    pub stages: Vec<StageState>,
    pub done: Vec<(&'static str, Summary)>,
    pub failed: Vec<Failure>,
    pub warnings: Vec<String>,
    pub problems: Vec<Problem>,
    pub end: Option<End>,
}

pub struct Failure {
    pub stage: &'static str,
    pub action: Summary,
    pub cause: String,
}

impl Story {
    pub fn tell(&mut self, event: &Event) {
        match event {
            Event::Lint(lint) => self.lint = Some(lint.as_ref().clone()),
            Event::Census(census) => self.census = Some(census.as_ref().clone()),
            Event::Explanation(explanation) => self.explanation = Some(explanation.as_ref().clone()),
            Event::Preview(preview) => self.preview = Some(preview.as_ref().clone()),
            Event::Goal(goal) => self.goal = Some(goal.as_ref().clone()),
            Event::Stage(state) => match self.stages.iter_mut().find(|seen| seen.stage == state.stage) {
                Some(seen) => *seen = state.clone(),
                None => self.stages.push(state.clone()),
            },
            Event::Acting { .. } => {}
            Event::Acted { stage, action } => {
                // Tried again and done: no longer a failure.
                self.failed.retain(|failure| failure.action != *action);
                self.done.push((stage, action.clone()));
            }
            Event::Failed { stage, action, cause } => {
                self.failed.retain(|failure| failure.action != *action);
                self.failed.push(Failure { stage, action: action.clone(), cause: cause.clone() });
            }
            Event::Warning { message } => self.warnings.push(message.clone()),
            Event::End(end) => self.end = Some(end.clone()),
        }
    }

    /// Units that can't be known, with the stage that found so.
    pub fn unknown(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let of = |stage: &StageState| stage.stage;
        self.stages
            .iter()
            .flat_map(move |stage| stage.steps.iter().flat_map(move |s| s.unknown.iter().map(move |u| (of(stage), u))))
    }
}

impl Failure {
    pub fn problem(&self) -> Problem {
        Problem::new(format!("{}: {}", self.stage, self.action)).caused_by(&self.cause)
    }
}
