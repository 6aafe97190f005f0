//! propose: the staging branch, proven, asks to be merged into the base.
//!
//! On plain git the branch is the proposal. What is proposed is proven first, against the
//! staging head, by the same code that guards the public names later.

use futures_util::future::BoxFuture;

use super::{Plan, Stage, World, base, proof};
use crate::stage::Verdict;

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
    let plan = proof::plan(world, tip).await?;
    Ok(match plan.verdict {
        Verdict::Holds => plan.notes(drift.notes).note(format!(
            "{} proposes into {}",
            facts.names.staging.short(),
            facts.names.base.short()
        )),
        _ => plan,
    })
}
