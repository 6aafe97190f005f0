//! gate: everything later stages will need can be had. Looked at before the first write.

mod hosted;
mod names;
mod rules;
mod source;

use futures_util::future::BoxFuture;

use super::{Plan, Refusal, Stage, Verdict, Wait, World, proof};
use crate::model::CommitId;

pub struct Gate;

impl Stage for Gate {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

#[derive(Default)]
struct Findings {
    refusals: Vec<Refusal>,
    /// Somebody else's turn, before anything may go on.
    wait: Option<Wait>,
    notes: Vec<String>,
}

impl Findings {
    fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.refusals.push(refusal.into());
    }

    /// What a later stage would wait for or refuse stops here.
    fn withhold(&mut self, plan: Plan) {
        match plan.verdict {
            Verdict::Refuse(refusals) => self.refusals.extend(refusals),
            Verdict::Wait(wait) => self.wait = Some(wait),
            Verdict::Holds | Verdict::Act(_) => {}
        }
    }

    fn plan(self) -> Plan {
        let verdict = match (self.refusals.is_empty(), self.wait) {
            (false, _) => Verdict::Refuse(self.refusals),
            (true, Some(wait)) => Verdict::Wait(wait),
            (true, None) => Verdict::Holds,
        };
        Plan { verdict, notes: self.notes }
    }
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let facts = world.facts;
    if world.facts.published {
        let notes = moved(world).into_iter().chain([hosted::evidence_note(world)]);
        return Ok(Plan::holds().note("the release is published").notes(notes));
    }
    let mut found = Findings::default();
    source::ancestry(world, &mut found)?;
    source::artifact(world, &mut found).await?;
    let content = world.promotion.content;
    let has = |tip: CommitId| world.store.is_ancestor(content, tip);
    let begun =
        facts.staging.map(has).transpose()?.unwrap_or(false) || facts.base.map(has).transpose()?.unwrap_or(false);
    if begun {
        names::still_free(world, &mut found).await?;
        if let Some(forge) = world.forge {
            hosted::begun(world, forge, &mut found).await?;
        }
        found.notes.push("the rest passed when this promotion began".into());
        found.notes.extend(moved(world));
    } else {
        source::base(world, &mut found)?;
        names::unwritten(world, &mut found).await?;
        names::images(world, &mut found).await;
        names::artifact(world, &mut found).await;
        if let (Some(forge), Some(declared)) = (world.forge, &world.pipeline.proposal) {
            hosted::early(world, forge, declared, &mut found).await?;
        }
        if found.refusals.is_empty() {
            found.refusals.extend(proof::tested(world).await?);
        }
    }
    found.notes.push(hosted::evidence_note(world));
    Ok(found.plan())
}

/// What the candidate's branch has got since it was frozen, for people.
fn moved(world: &World<'_>) -> Option<String> {
    let branch = &world.facts.names.rc_branch;
    let frozen = world.promotion.candidate.rc_commit;
    let now = world.facts.listed(branch)?.peeled;
    (now != frozen).then(|| format!("{} has moved to {now} since; {frozen} is what is promoted", branch.short()))
}
