//! The commands: a stage that holds lets the next one begin.

use std::collections::BTreeSet;

use anyhow::Context as _;

use super::drive::Driver;
use super::end::{States, alone, ended, overall, refuse};
use super::event::{Event, Goal, Observer, StageState, State};
use super::ports::{Effects, Looker, Settings};
use crate::model::{Code, Digest, Refusal, Stable};
use crate::port::repository::Merged;
use crate::promotion::Promotion;
use crate::promotion::locate::Request;
use crate::stage::abandon::Abandon;
use crate::stage::{Memory, Plan, STAGES, Stage, Verdict, World};
use crate::stage::{proof, release};
use crate::tree::show;

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
    let mut states = Vec::new();
    let planned = all_planned(request, look, settings, &mut states).await;
    ended(planned, settings, &states)
}

async fn all_planned(
    request: &Request,
    look: &Looker<'_>,
    settings: &Settings<'_>,
    states: &mut States,
) -> anyhow::Result<Option<State>> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(None) };
    let memory = Memory::new(look.spool.clone());
    let facts = look.facts(&promotion, false).await?;
    if facts.pin.is_none() {
        memory.begin_building(&promotion);
    }
    let world = look.world(&promotion, &facts, &memory);
    for stage in STAGES {
        let plan = looked(*stage, &world).await.with_context(|| could_not_look(*stage))?;
        let state = StageState::new(stage.name(), &plan.verdict, &plan.notes).marked(&facts);
        states.push((state.stage, state.state));
        settings.observer.event(&Event::Stage(state));
    }
    Ok(Some(overall(states)))
}

/// Makes the world equal to the promotion, as far as it is somebody's turn but a person's.
pub async fn run(
    request: &Request,
    scope: &Scope,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<State> {
    let mut states = Vec::new();
    let driven = all_driven(request, scope, look, effects, settings, &mut states).await;
    ended(driven, settings, &states)
}

async fn all_driven(
    request: &Request,
    scope: &Scope,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
    states: &mut States,
) -> anyhow::Result<Option<State>> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(None) };
    if let Some(seal) = scope.seal.filter(|seal| *seal != promotion.seal()) {
        let refusal = Refusal::new(Code::NotReviewed, "this is not the promotion that was reviewed")
            .at([format!("reviewed {seal}"), format!("found    {}", promotion.seal())])
            .hint("plan again, review what changed, and run with the new seal");
        refuse(settings, vec![refusal]);
        return Ok(None);
    }
    let memory = Memory::new(look.spool.clone());
    let driver = Driver::new(&promotion, &memory, look, effects, settings);
    for stage in STAGES {
        let state = driver.drive(*stage).await.with_context(|| could_not_look(*stage))?;
        states.push((stage.name(), state));
        if state != State::Holds || scope.until.as_deref() == Some(stage.name()) {
            break;
        }
    }
    Ok(Some(states.last().map_or(State::Holds, |(_, state)| *state)))
}

/// What a stage plans; one that holds must hold its invariants too.
pub(super) async fn looked(stage: &dyn Stage, world: &World<'_>) -> anyhow::Result<Plan> {
    let plan = stage.plan(world).await?;
    let broken = match plan.verdict {
        Verdict::Holds => stage.invariants(world).await?,
        _ => Vec::new(),
    };
    Ok(if broken.is_empty() { plan } else { Plan::refuse(broken) })
}

pub(super) fn could_not_look(stage: &dyn Stage) -> String {
    format!("{}: a look was not possible", stage.name())
}

/// Proves the candidate as it stands: against the merge, or, before it, against what a merge of the
/// staging branch into the base would give.
pub async fn verify(request: &Request, look: &Looker<'_>, settings: &Settings<'_>) -> anyhow::Result<State> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(State::Refused) };
    let memory = Memory::new(look.spool.clone());
    let facts = look.facts(&promotion, false).await?;
    let plan = proven(&look.world(&promotion, &facts, &memory)).await?;
    let state = StageState::new("verify", &plan.verdict, &plan.notes);
    let word = state.state;
    settings.observer.event(&Event::Stage(state));
    alone(settings, "verify", word);
    Ok(word)
}

/// The proof against the merge, or the prospective one.
pub(super) async fn proven(world: &World<'_>) -> anyhow::Result<Plan> {
    let facts = world.facts;
    Ok(match (facts.merged(), facts.staging, facts.base) {
        (Some(merge), ..) => proof::plan(world, merge).await?,
        (None, Some(head), Some(base)) => match world.store.merge_trees(base, head)? {
            Merged::Tree(tree) => proof::against(world, tree, "the prospective merge").await?,
            Merged::Conflicts(paths) => {
                Refusal::new(Code::MergeConflict, "the staging branch can't be merged into the base")
                    .at(paths.iter().map(|path| show(path)))
                    .hint("cut the next release candidate from the base")
                    .into()
            }
        },
        _ => Plan::wait("commit", "there is no staging branch to verify yet"),
    })
}

/// Takes a promotion back that is not merged: its draft release and its staging branch go, nothing else.
pub async fn abandon(
    request: &Request,
    discard: bool,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<State> {
    let Some(promotion) = goal(request, look, settings).await? else { return Ok(State::Refused) };
    let memory = Memory::new(look.spool.clone());
    let driver = Driver::new(&promotion, &memory, look, effects, settings);
    let state = driver.drive(&Abandon { discard }).await?;
    alone(settings, "abandon", state);
    Ok(state)
}

/// Versions without a published tag that have a staging branch, or a candidate whose promotion is
/// in a base already; and the highest published one, where not all of its names are right.
pub async fn unfinished(look: &Looker<'_>, settings: &Settings<'_>) -> anyhow::Result<Vec<Stable>> {
    let refs = look.listed().await?;
    let short = |name: &crate::model::RefName, space: &str| name.as_str().strip_prefix(space).map(str::to_owned);
    let template = &look.pipeline.tags.stable;
    let tagged = refs.refs.keys().filter_map(|name| template.version_of(&short(name, "refs/tags/")?));
    let releases = match look.forge {
        Some(forge) => Some(release::stables(look.pipeline, forge).await?),
        None => None,
    };
    // A tag whose release is not public yet is a promotion that ended half-way.
    let stables: BTreeSet<Stable> = match releases {
        Some(releases) => releases.into_iter().collect(),
        None => tagged.clone().collect(),
    };
    let published = |version: &Stable| stables.contains(version);
    let staged =
        refs.refs.keys().filter_map(|name| look.pipeline.branches.staging.version_of(&short(name, "refs/heads/")?));
    let mut versions: BTreeSet<Stable> = staged.filter(|version| !published(version)).collect();
    let candidates = refs.refs.keys().filter_map(|name| look.pipeline.tags.rc.rc_of(&short(name, "refs/tags/")?));
    let candidates: BTreeSet<Stable> = candidates.map(|rc| rc.stable).filter(|version| !published(version)).collect();
    for version in candidates {
        // Hosts delete the staging branch at the merge.
        if !versions.contains(&version) && look.under_way(version).await? {
            versions.insert(version);
        }
    }
    let highest = tagged.max();
    if let Some(version) = highest
        && look.under_way(version).await?
    {
        let (stop, now, patience) = (settings.stop.clone(), settings.now, settings.patience);
        let quiet = Settings { observer: &Silent, patience, stop, now, operator: String::new(), resume: String::new() };
        if plan(&Request::Version(version), look, &quiet).await? != State::Holds {
            versions.insert(version);
        }
    }
    Ok(versions.into_iter().collect())
}

/// Nobody is told.
struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event) {}
}

/// Freezes or finds the candidate and computes the promotion. `None`: it was refused, and said so.
async fn goal(request: &Request, look: &Looker<'_>, settings: &Settings<'_>) -> anyhow::Result<Option<Promotion>> {
    match look.promotion(request).await? {
        Ok(promotion) => {
            settings.observer.event(&Event::Goal(Box::new(Goal::of(&promotion, look.pipeline))));
            Ok(Some(promotion))
        }
        Err(refusals) => {
            refuse(settings, refusals);
            Ok(None)
        }
    }
}
