//! propose: the staging branch, proven, asks to be merged into the base.
//!
//! On plain git the branch is the proposal; on a forge it is a pull request, beside the draft of the
//! release with its assets. What is proposed is proven first, against the staging head, by the same
//! code that guards the public names later.

use futures_util::future::BoxFuture;

use super::{Plan, Refusal, Stage, Verdict, World, base, body, changelog, draft, proof, pull, release};
use crate::model::CommitId;
use crate::pipeline::Proposal;
use crate::port::forge::ForgeRead;
use crate::promotion::history::Pin;

pub struct Propose;

impl Stage for Propose {
    fn name(&self) -> &'static str {
        "propose"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let facts = world.facts;
    if facts.arrived() {
        return Ok(Plan::holds().note("merged"));
    }
    let (Some(pin), Some(tip)) = (facts.pin, facts.staging) else {
        return Ok(Plan::wait("pin", "the staging branch is proven and proposed once it is pinned"));
    };
    if !world.store.is_ancestor(pin.commit, tip)? {
        return Ok(Plan::wait("pin", "the staging branch is proven and proposed once it has the pin"));
    }
    let drift = base::drift(world, tip)?;
    if !drift.refusals.is_empty() {
        return Ok(Plan::refuse(drift.refusals).notes(drift.notes));
    }
    let proven = proof::plan(world, tip).await?;
    if !matches!(proven.verdict, Verdict::Holds) {
        return Ok(proven);
    }
    let notes = proven.notes.into_iter().chain(drift.notes);
    let plan = match (world.forge, &world.pipeline.proposal) {
        (Some(forge), Some(declared)) => hosted(world, forge, declared, pin, tip).await?,
        _ => {
            let (staging, base) = (facts.names.staging.short(), facts.names.base.short());
            Plan::holds().note(format!("{staging} proposes into {base}"))
        }
    };
    Ok(plan.notes(notes))
}

/// The draft with its assets, then the pull request.
async fn hosted(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    declared: &Proposal,
    pin: Pin,
    tip: CommitId,
) -> anyhow::Result<Plan> {
    let pulls = match pull::from_staging(world, forge).await {
        Ok(pulls) => pulls,
        Err(unknown) => return Ok(Refusal::from(unknown).into()),
    };
    let mut notes = match pull::open(&pulls) {
        // Whoever goes on with it opens none, and may be anybody who may write.
        Some(_) => Vec::new(),
        None => match pull::credential(world, forge, declared).await {
            Ok(notes) => notes,
            Err(refusal) => return Ok(refusal.into()),
        },
    };
    let changelog = changelog::look(world, tip)?;
    let rest = proof::rest_of(world, tip)?;
    let text = body::release(world, pin, &changelog, &rest);
    let releases = match release::all(forge).await {
        Ok(releases) => releases,
        Err(unknown) => return Ok(Refusal::from(unknown).into()),
    };
    let draft = match draft::plan(world, forge, &releases, pin, &text).await? {
        Ok(draft) => draft,
        Err(plan) => return Ok(plan.notes(notes)),
    };
    let pull = match pull::plan(world, declared, &pulls, pin, tip).await? {
        Ok(pull) => pull,
        Err(plan) => return Ok(plan.notes(notes)),
    };
    notes.extend(draft.notes);
    notes.extend(pull.notes);
    Ok(Plan::act(draft.steps.into_iter().chain(pull.steps).collect()).notes(notes))
}
