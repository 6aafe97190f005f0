//! What happens, as data: reports are made of events and nothing else.

use serde::Serialize;

use crate::explain::{Census, Explanation};
use crate::lint::Lint;
use crate::model::Unknown;
use crate::pipeline::Pipeline;
use crate::preview::Preview;
use crate::promotion::{Change, Image, Promotion};
use crate::stage::{Facts, Refusal, Step, Summary, Verdict, Wait};

/// Somebody who is told. Called from the engine, in order.
pub trait Observer: Send + Sync {
    fn event(&self, event: &Event);
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// What a promotion of a tree would do, before anything is frozen.
    Preview(Box<Preview>),
    /// What is wrong with the references of a tree.
    Lint(Box<Lint>),
    /// Who claims each place of a tree.
    Census(Box<Census>),
    /// What one line of a tree is, or one file.
    Explanation(Box<Explanation>),
    /// The goal, once frozen.
    Goal(Box<Goal>),
    /// A stage has looked.
    Stage(StageState),
    /// An action begins.
    Acting { stage: &'static str, action: Summary },
    /// An action has been done, or was found done.
    Acted { stage: &'static str, action: Summary },
    /// An action failed.
    Failed { stage: &'static str, action: Summary, cause: String },
    /// Something a person should know, though nothing was decided by it.
    Warning { message: String },
    /// The end, with what to do next.
    End(End),
}

/// What is promoted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Goal {
    pub pipeline: String,
    pub rc: String,
    pub stable: String,
    pub rc_commit: String,
    pub rc_artifact: String,
    pub base: String,
    /// The branch that asks to be merged into the base.
    pub staging: String,
    pub seal: String,
    pub content_commit: String,
    pub diff_id: String,
    /// `repository:tag` and digest of every image.
    pub images: Vec<(String, String)>,
    /// What the content commit changes.
    pub changes: Vec<Change>,
}

/// A stage and what it found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageState {
    pub stage: &'static str,
    pub state: State,
    /// The commit that is its mark, once it holds: the pin's, which a release's files are built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepState {
    pub kind: &'static str,
    pub actions: Vec<Summary>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// One word for where a stage, or a whole promotion, stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Holds,
    Work,
    Waiting,
    Refused,
    /// An action failed, or a look was not possible.
    Failed,
    Interrupted,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    pub state: State,
    /// Stages that hold.
    pub done: Vec<&'static str>,
    /// Stages that don't.
    pub left: Vec<&'static str>,
    /// The command that goes on, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl State {
    /// The word that events carry.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Work => "work",
            Self::Waiting => "waiting",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// What two things say together: Ctrl-C, then what is known to be wrong, then what could not be looked at
    /// or done, then what can be done now, then what has to be waited for (README, exit codes).
    pub fn and(self, other: Self) -> Self {
        let weight = |state| match state {
            Self::Holds => 0,
            Self::Waiting => 1,
            Self::Work => 2,
            Self::Failed => 3,
            Self::Refused => 4,
            Self::Interrupted => 5,
        };
        if weight(other) > weight(self) { other } else { self }
    }

    /// The process's exit code (design: 0 holds, 1 error, 3 work, 4 waiting, 5 refused, 130 interrupted).
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Failed => 1,
            Self::Work => 3,
            Self::Waiting => 4,
            Self::Refused => 5,
            Self::Interrupted => 130,
        }
    }
}

impl StageState {
    pub fn new(stage: &'static str, verdict: &Verdict, notes: &[String]) -> Self {
        let mut state = Self {
            stage,
            state: State::Holds,
            commit: None,
            steps: Vec::new(),
            wait: None,
            refusals: Vec::new(),
            notes: notes.to_vec(),
        };
        match verdict {
            Verdict::Holds => {}
            Verdict::Act(steps) => {
                // Units that can't be known will fail a run: a plan says so.
                let known = steps.iter().all(|step| step.unknown.is_empty());
                state.state = if known { State::Work } else { State::Failed };
                state.steps = steps.iter().map(StepState::from).collect();
            }
            Verdict::Wait(wait) => {
                state.state = State::Waiting;
                state.wait = Some(wait.clone());
            }
            Verdict::Refuse(refusals) => {
                state.state = State::Refused;
                state.refusals = refusals.clone();
            }
        }
        state
    }

    /// With its mark among these facts.
    pub fn marked(self, facts: &Facts) -> Self {
        let pin = facts.pin.filter(|_| self.stage == "pin" && self.state == State::Holds);
        Self { commit: pin.map(|pin| pin.commit.to_string()), ..self }
    }
}

impl From<&Step> for StepState {
    fn from(step: &Step) -> Self {
        Self {
            kind: step.kind,
            actions: step.actions.iter().map(crate::stage::Action::summary).collect(),
            unknown: step.unknown.iter().map(Unknown::to_string).collect(),
        }
    }
}

impl Goal {
    pub fn of(promotion: &Promotion, pipeline: &Pipeline) -> Self {
        let candidate = &promotion.candidate;
        let image = |image: &Image| (format!("{}:{}", image.repository, image.tag), image.digest.to_string());
        Self {
            pipeline: candidate.pipeline.clone(),
            rc: format!("v{}", candidate.rc),
            stable: format!("v{}", candidate.rc.stable),
            rc_commit: candidate.rc_commit.to_string(),
            rc_artifact: candidate.rc_artifact.to_string(),
            base: candidate.base.short().to_owned(),
            staging: pipeline.branches.staging.stable(&candidate.rc.stable),
            seal: promotion.seal().to_string(),
            content_commit: promotion.content.to_string(),
            diff_id: promotion.diff_id.to_string(),
            images: promotion.images.iter().map(image).collect(),
            changes: promotion.changes.clone(),
        }
    }
}
