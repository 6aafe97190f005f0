//! One stage: look, decide, act, look again, until it holds or it is not sealift's turn.

use tokio::sync::OnceCell;

use super::event::{Event, StageState, State};
use super::ports::{Effects, Looker, Settings};
use super::run::looked;
use super::{apply, log};
use crate::model::{Code, Refusal};
use crate::promotion::Promotion;
use crate::stage::{Facts, Memory, Plan, Stage, Step, Summary, Verdict};

/// Rounds of looking and acting that one stage may need: races are planned again, but not for ever.
const ROUNDS: u32 = 4;

/// What drives a promotion's stages.
pub(super) struct Driver<'a> {
    pub promotion: &'a Promotion,
    pub memory: &'a Memory,
    pub look: &'a Looker<'a>,
    pub effects: &'a Effects<'a>,
    pub settings: &'a Settings<'a>,
    /// Set once the forge was seen to let this credential write.
    allowed: OnceCell<()>,
}

/// What a stage did: for its log entry.
#[derive(Default)]
pub(super) struct Record {
    pub written: Vec<Summary>,
    /// What failed, or could not be known, with its cause.
    pub failed: Vec<String>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        promotion: &'a Promotion,
        memory: &'a Memory,
        look: &'a Looker<'a>,
        effects: &'a Effects<'a>,
        settings: &'a Settings<'a>,
    ) -> Self {
        Self { promotion, memory, look, effects, settings, allowed: OnceCell::new() }
    }

    /// Brings one stage to hold, or says why it doesn't; what it wrote goes into the log.
    pub(super) async fn drive(&self, stage: &dyn Stage) -> anyhow::Result<State> {
        let mut record = Record::default();
        let state = self.settle(stage, &mut record).await;
        let result = state.as_ref().copied().unwrap_or(State::Failed);
        if !record.written.is_empty()
            && let Err(why) = log::append(stage.name(), &record, result, self).await
        {
            let message = format!("the log of this promotion could not be written: {why}");
            self.settings.observer.event(&Event::Warning { message });
        }
        state
    }

    /// Looks and acts until there is nothing left to do that can be done now.
    async fn settle(&self, stage: &dyn Stage, record: &mut Record) -> anyhow::Result<State> {
        let Self { promotion, memory, look, settings, .. } = *self;
        let (mut rounds, mut looks, mut contested) = (0, 0, false);
        loop {
            if settings.stop.requested() {
                return Ok(State::Interrupted);
            }
            let facts = look.facts(promotion, contested).await?;
            let plan = looked(stage, &look.world(promotion, &facts, memory)).await?;
            let Verdict::Act(steps) = &plan.verdict else { return Ok(tell(stage, &plan, &facts, settings)) };
            let lagging = rounds > 0 && !contested && repeats(steps, &record.written);
            if lagging && looks < settings.patience.looks {
                tokio::select! {
                    () = tokio::time::sleep(settings.patience.pause * 2u32.pow(looks)) => {}
                    () = settings.stop.wait() => {}
                }
                looks += 1;
                continue;
            }
            if lagging || rounds == ROUNDS {
                let why = match lagging {
                    true => "what was written does not show; it may still appear: run the same command again",
                    false => "somebody else writes the same names: find out who, then run the same command again",
                };
                settings.observer.event(&Event::Warning { message: format!("{}: {why}", stage.name()) });
                return Ok(State::Failed);
            }
            if let Err(refusal) = self.allowed.get_or_try_init(|| may_write(look)).await {
                return Ok(tell(stage, &refusal.into(), &facts, settings));
            }
            tell(stage, &plan, &facts, settings);
            rounds += 1;
            match self.act(stage, steps, record).await {
                Outcome::Done => contested = false,
                Outcome::Lost => contested = true,
                Outcome::Stopped(state) => return Ok(state),
            }
        }
    }

    /// Does the steps in order. What failed, or can't be known, withholds every later step.
    async fn act(&self, stage: &dyn Stage, steps: &[Step], record: &mut Record) -> Outcome {
        for step in steps {
            let applied = apply::step(stage.name(), step, self.look, self.effects, self.settings).await;
            record.written.extend(applied.written.iter().cloned());
            record.failed.extend(applied.failed.iter().map(|(action, cause)| format!("{action}: {cause}")));
            if applied.interrupted {
                return Outcome::Stopped(State::Interrupted);
            }
            if applied.lost() {
                return Outcome::Lost;
            }
            for unknown in &step.unknown {
                let message = format!("{} can't be known: {unknown}", step.kind);
                record.failed.push(message.clone());
                self.settings.observer.event(&Event::Warning { message });
            }
            if !applied.failed.is_empty() || !step.unknown.is_empty() {
                return Outcome::Stopped(State::Failed);
            }
        }
        Outcome::Done
    }
}

enum Outcome {
    Done,
    /// A race was lost: plan again on what is there now.
    Lost,
    Stopped(State),
}

/// Whether this credential may write to the repository. Asked right before the first action, since a plan
/// needs no such right, and public names must not go out before a release that it may not publish.
async fn may_write(look: &Looker<'_>) -> Result<(), Refusal> {
    let Some(forge) = look.forge else { return Ok(()) };
    let hosted = forge.repository().await.there("the repository")?;
    if hosted.push {
        return Ok(());
    }
    Err(Refusal::new(Code::MayNotWrite, "this credential may not write, and what is begun here could not be ended")
        .at([hosted.full_name])
        .hint(
            "use one that may: an App with the permission `contents: write`, or a classic token with the scope `repo` \
             of somebody who may push",
        ))
}

/// Whether a plan asks for nothing but what was already done.
fn repeats(steps: &[Step], written: &[Summary]) -> bool {
    steps.iter().all(|step| step.unknown.is_empty() && step.actions.iter().all(|a| written.contains(&a.summary())))
}

/// Tells what a stage found.
fn tell(stage: &dyn Stage, plan: &Plan, facts: &Facts, settings: &Settings<'_>) -> State {
    let state = StageState::new(stage.name(), &plan.verdict, &plan.notes).marked(facts);
    let word = state.state;
    settings.observer.event(&Event::Stage(state));
    word
}
