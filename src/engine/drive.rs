//! One stage: look, decide, act, look again, until it holds or it is not sealift's turn.

use super::event::{Event, StageState, State};
use super::ports::{Effects, Looker, Settings};
use super::{apply, log};
use crate::promotion::Promotion;
use crate::stage::{Memory, Plan, Stage, Step, Summary, Verdict};

/// Rounds of looking and acting that one stage may need: races are planned again, but not for ever.
const ROUNDS: u32 = 4;

/// What drives a promotion's stages.
pub(super) struct Driver<'a> {
    pub promotion: &'a Promotion,
    pub memory: &'a Memory,
    pub look: &'a Looker<'a>,
    pub effects: &'a Effects<'a>,
    pub settings: &'a Settings<'a>,
}

impl Driver<'_> {
    /// Brings one stage to hold, or says why it doesn't; what it wrote goes into the log.
    pub(super) async fn drive(&self, stage: &dyn Stage) -> anyhow::Result<State> {
        let mut written: Vec<Summary> = Vec::new();
        let state = self.settle(stage, &mut written).await;
        if !written.is_empty()
            && let Err(why) = log::append(stage.name(), &written, self).await
        {
            let message = format!("the log of this promotion could not be written: {why}");
            self.settings.observer.event(&Event::Warning { message });
        }
        state
    }

    /// Looks and acts until there is nothing left to do that can be done now.
    async fn settle(&self, stage: &dyn Stage, written: &mut Vec<Summary>) -> anyhow::Result<State> {
        let Self { promotion, memory, look, settings, .. } = *self;
        let (mut rounds, mut looks, mut contested) = (0, 0, false);
        loop {
            if settings.stop.requested() {
                return Ok(State::Interrupted);
            }
            let facts = look.facts(promotion, contested).await?;
            let plan = stage.plan(&look.world(promotion, &facts, memory)).await?;
            let Verdict::Act(steps) = &plan.verdict else {
                let world = look.world(promotion, &facts, memory);
                let broken = match plan.verdict {
                    Verdict::Holds => stage.invariants(&world).await?,
                    _ => Vec::new(),
                };
                let told = if broken.is_empty() { plan } else { Plan::refuse(broken) };
                return Ok(tell(stage, &told, settings));
            };
            let waiting_for_its_own_write = rounds > 0 && !contested && repeats(steps, written);
            if waiting_for_its_own_write && looks < settings.patience.looks {
                tokio::time::sleep(settings.patience.pause * 2u32.pow(looks)).await;
                looks += 1;
                continue;
            }
            if waiting_for_its_own_write || rounds == ROUNDS {
                let cause =
                    "what was written does not show; it may still appear: run the same command again".to_owned();
                settings.observer.event(&Event::Warning { message: format!("{}: {cause}", stage.name()) });
                return Ok(State::Failed);
            }
            tell(stage, &plan, settings);
            rounds += 1;
            match self.act(stage, steps, written).await {
                Outcome::Done => {}
                Outcome::Lost => contested = true,
                Outcome::Stopped(state) => return Ok(state),
            }
        }
    }

    /// Does the steps in order. What failed, or can't be known, withholds every later step.
    async fn act(&self, stage: &dyn Stage, steps: &[Step], written: &mut Vec<Summary>) -> Outcome {
        for step in steps {
            let applied = apply::step(stage.name(), step, self.look, self.effects, self.settings).await;
            written.extend(applied.written.iter().cloned());
            if applied.interrupted {
                return Outcome::Stopped(State::Interrupted);
            }
            if applied.lost() {
                return Outcome::Lost;
            }
            for unknown in &step.unknown {
                let message = format!("{} can't be known: {unknown}", step.kind);
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

/// Whether a plan asks for nothing but what was already done.
fn repeats(steps: &[Step], written: &[Summary]) -> bool {
    steps.iter().all(|step| step.unknown.is_empty() && step.actions.iter().all(|a| written.contains(&a.summary())))
}

/// Tells what a stage found.
fn tell(stage: &dyn Stage, plan: &Plan, settings: &Settings<'_>) -> State {
    let state = StageState::new(stage.name(), &plan.verdict, &plan.notes);
    let word = state.state;
    settings.observer.event(&Event::Stage(state));
    word
}
