//! The loop: look, decide, act, look again; a stage that holds lets the next one begin.

use std::collections::BTreeSet;

use super::event::{End, Event, Goal, StageState, State};
use super::ports::{Effects, Looker, Settings};
use super::{apply, log};
use crate::model::{Digest, Refusal, Stable};
use crate::port::repository::Merged;
use crate::promotion::Promotion;
use crate::promotion::locate::Request;
use crate::stage::abandon::Abandon;
use crate::stage::proof;
use crate::stage::{Memory, Plan, STAGES, Stage, Step, Summary, Verdict};
use crate::tree::show;

/// Rounds of looking and acting that one stage may need: races are planned again, but not for ever.
const ROUNDS: u32 = 4;

/// What to run, and how far.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Stop after this stage.
    pub until: Option<String>,
    /// The seal of a reviewed plan: anything else is refused.
    pub seal: Option<Digest>,
}

/// Looks at every stage and acts on none.
pub async fn plan(request: &Request, look: &Looker<'_>, settings: &Settings<'_>) -> anyhow::Result<State> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(State::Refused) };
    let memory = Memory::new(look.spool.clone());
    let facts = look.facts(&promotion, false).await?;
    let mut states = Vec::new();
    for stage in STAGES {
        let plan = stage.plan(&look.world(&promotion, &facts, &memory)).await?;
        let state = StageState::new(stage.name(), &plan.verdict, &plan.notes);
        states.push((state.stage, state.state));
        settings.observer.event(&Event::Stage(state));
    }
    Ok(end(settings, overall(&states), &states))
}

/// Makes the world equal to the promotion, as far as it is somebody's turn but a person's.
pub async fn run(
    request: &Request,
    scope: &Scope,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<State> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(State::Refused) };
    if let Some(seal) = scope.seal.filter(|seal| *seal != promotion.seal()) {
        let refusal = Refusal::new("this is not the promotion that was reviewed")
            .at([format!("reviewed {seal}"), format!("found    {}", promotion.seal())])
            .hint("plan again, review what changed, and run with the new seal");
        return Ok(refuse(settings, vec![refusal]));
    }
    let memory = Memory::new(look.spool.clone());
    let mut states: Vec<(&'static str, State)> = Vec::new();
    for stage in STAGES {
        let state = drive(*stage, &promotion, &memory, look, effects, settings).await?;
        states.push((stage.name(), state));
        if state != State::Holds || scope.until.as_deref() == Some(stage.name()) {
            break;
        }
    }
    let state = states.last().map_or(State::Holds, |(_, state)| *state);
    Ok(end(settings, state, &states))
}

/// Proves the candidate as it stands: against the merge, or, before it, against what a merge of the
/// staging branch into the base would give.
pub async fn verify(request: &Request, look: &Looker<'_>, settings: &Settings<'_>) -> anyhow::Result<State> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(State::Refused) };
    let memory = Memory::new(look.spool.clone());
    let facts = look.facts(&promotion, false).await?;
    let world = look.world(&promotion, &facts, &memory);
    let plan = match (facts.merged(), facts.staging, facts.base) {
        (Some(merge), ..) => proof::plan(&world, merge).await?,
        (None, Some(head), Some(base)) => match look.store.merge_trees(base, head)? {
            Merged::Tree(tree) => proof::against(&world, tree, "the prospective merge").await?,
            Merged::Conflicts(paths) => Refusal::new("the staging branch can't be merged into the base")
                .at(paths.iter().map(|path| show(path)))
                .hint("cut the next release candidate from the base")
                .into(),
        },
        _ => Plan::wait("commit", "there is no staging branch to verify yet"),
    };
    let state = StageState::new("verify", &plan.verdict, &plan.notes);
    let word = state.state;
    settings.observer.event(&Event::Stage(state));
    Ok(end(settings, word, &[("verify", word)]))
}

/// Takes a promotion back that is not merged: the staging branch goes, nothing else.
pub async fn abandon(
    request: &Request,
    discard: bool,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<State> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(State::Refused) };
    let memory = Memory::new(look.spool.clone());
    let state = drive(&Abandon { discard }, &promotion, &memory, look, effects, settings).await?;
    settings.observer.event(&Event::End(End { state, done: Vec::new(), left: Vec::new(), next: None }));
    Ok(state)
}

/// Versions without a published tag that have a staging branch, or a candidate whose promotion is
/// in a base already.
pub async fn unfinished(look: &Looker<'_>) -> anyhow::Result<Vec<Stable>> {
    let refs = look.origin.refs().await.known()?.unwrap_or_default();
    let short = |name: &crate::model::RefName, space: &str| name.as_str().strip_prefix(space).map(str::to_owned);
    let published = |version: &Stable| {
        let tag = look.pipeline.tags.stable.stable(version);
        refs.refs.keys().any(|name| short(name, "refs/tags/").is_some_and(|name| name == tag))
    };
    let staged =
        refs.refs.keys().filter_map(|name| look.pipeline.branches.staging.version_of(&short(name, "refs/heads/")?));
    let mut versions: BTreeSet<Stable> = staged.filter(|version| !published(version)).collect();
    let tagged = refs.refs.keys().filter_map(|name| look.pipeline.tags.rc.rc_of(&short(name, "refs/tags/")?));
    let tagged: BTreeSet<Stable> = tagged.map(|rc| rc.stable).filter(|version| !published(version)).collect();
    for version in tagged {
        // Hosts delete the staging branch at the merge.
        if !versions.contains(&version) && look.under_way(version).await? {
            versions.insert(version);
        }
    }
    Ok(versions.into_iter().collect())
}

/// Freezes or finds the candidate and computes the promotion. `None`: it was refused, and said so.
async fn goal(request: &Request, look: &Looker<'_>, settings: &Settings<'_>) -> anyhow::Result<Option<Promotion>> {
    match look.promotion(request).await? {
        Ok(promotion) => {
            settings.observer.event(&Event::Goal(Box::new(Goal::from(&promotion))));
            Ok(Some(promotion))
        }
        Err(refusals) => {
            refuse(settings, refusals);
            Ok(None)
        }
    }
}

fn refuse(settings: &Settings<'_>, refusals: Vec<Refusal>) -> State {
    let verdict = Verdict::Refuse(refusals);
    settings.observer.event(&Event::Stage(StageState::new(STAGES[0].name(), &verdict, &[])));
    end(settings, State::Refused, &[(STAGES[0].name(), State::Refused)])
}

/// Brings one stage to hold, or says why it doesn't.
async fn drive(
    stage: &dyn Stage,
    promotion: &Promotion,
    memory: &Memory,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<State> {
    let mut written: Vec<Summary> = Vec::new();
    let (mut rounds, mut looks, mut contested) = (0, 0, false);
    let state = loop {
        if settings.stop.requested() {
            break State::Interrupted;
        }
        let facts = look.facts(promotion, contested).await?;
        let plan = stage.plan(&look.world(promotion, &facts, memory)).await?;
        let Verdict::Act(steps) = &plan.verdict else {
            let world = look.world(promotion, &facts, memory);
            let broken = match plan.verdict {
                Verdict::Holds => stage.invariants(&world).await?,
                _ => Vec::new(),
            };
            break if broken.is_empty() {
                tell(stage, &plan, settings)
            } else {
                tell(stage, &Plan::refuse(broken), settings)
            };
        };
        let waiting_for_its_own_write = rounds > 0 && !contested && repeats(steps, &written);
        if waiting_for_its_own_write && looks < settings.patience.looks {
            tokio::time::sleep(settings.patience.pause * 2u32.pow(looks)).await;
            looks += 1;
            continue;
        }
        if waiting_for_its_own_write || rounds == ROUNDS {
            let cause = "what was written does not show; it may still appear: run the same command again".to_owned();
            settings.observer.event(&Event::Warning { message: format!("{}: {cause}", stage.name()) });
            break State::Failed;
        }
        tell(stage, &plan, settings);
        rounds += 1;
        let outcome = act(stage, steps, look, effects, settings, &mut written).await;
        match outcome {
            Outcome::Done => {}
            Outcome::Lost => contested = true,
            Outcome::Stopped(state) => break state,
        }
    };
    if !written.is_empty()
        && let Err(why) = log::append(stage.name(), &written, promotion, look, effects, settings).await
    {
        let message = format!("the log of this promotion could not be written: {why}");
        settings.observer.event(&Event::Warning { message });
    }
    Ok(state)
}

enum Outcome {
    Done,
    /// A race was lost: plan again on what is there now.
    Lost,
    Stopped(State),
}

/// Does the steps in order. What failed, or can't be known, withholds every later step.
async fn act(
    stage: &dyn Stage,
    steps: &[Step],
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
    written: &mut Vec<Summary>,
) -> Outcome {
    for step in steps {
        let applied = apply::step(stage.name(), step, look, effects, settings).await;
        written.extend(applied.written.iter().cloned());
        if applied.interrupted {
            return Outcome::Stopped(State::Interrupted);
        }
        if applied.lost() {
            return Outcome::Lost;
        }
        for unknown in &step.unknown {
            let message = format!("{} can't be known: {unknown}", step.kind);
            settings.observer.event(&Event::Warning { message });
        }
        if !applied.failed.is_empty() || !step.unknown.is_empty() {
            return Outcome::Stopped(State::Failed);
        }
    }
    Outcome::Done
}

/// Whether a plan asks for nothing but what was already done.
fn repeats(steps: &[Step], written: &[Summary]) -> bool {
    steps.iter().all(|step| step.unknown.is_empty() && step.actions.iter().all(|a| written.contains(&a.summary())))
}

fn tell(stage: &dyn Stage, plan: &Plan, settings: &Settings<'_>) -> State {
    let state = StageState::new(stage.name(), &plan.verdict, &plan.notes);
    let word = state.state;
    settings.observer.event(&Event::Stage(state));
    word
}

/// A refusal anywhere counts most, then work, then waiting.
fn overall(states: &[(&'static str, State)]) -> State {
    let any = |wanted: State| states.iter().any(|(_, state)| *state == wanted);
    [State::Refused, State::Work, State::Waiting].into_iter().find(|&state| any(state)).unwrap_or(State::Holds)
}

fn end(settings: &Settings<'_>, state: State, states: &[(&'static str, State)]) -> State {
    let holds = |name: &str| states.iter().any(|(stage, state)| *stage == name && *state == State::Holds);
    let names = || STAGES.iter().map(|stage| stage.name());
    let left: Vec<&'static str> = names().filter(|name| !holds(name)).collect();
    let next = (state != State::Holds || !left.is_empty()).then(|| settings.resume.clone());
    settings.observer.event(&Event::End(End { state, done: names().filter(|name| holds(name)).collect(), left, next }));
    state
}

impl From<&Promotion> for Goal {
    fn from(promotion: &Promotion) -> Self {
        let candidate = &promotion.candidate;
        let image =
            |image: &crate::promotion::Image| (format!("{}:{}", image.repository, image.tag), image.digest.to_string());
        Self {
            pipeline: candidate.pipeline.clone(),
            rc: format!("v{}", candidate.rc),
            stable: format!("v{}", candidate.rc.stable),
            rc_commit: candidate.rc_commit.to_string(),
            rc_artifact: candidate.rc_artifact.to_string(),
            base: candidate.base.short().to_owned(),
            seal: promotion.seal().to_string(),
            content_commit: promotion.content.to_string(),
            diff_id: promotion.diff_id.to_string(),
            images: promotion.images.iter().map(image).collect(),
        }
    }
}
