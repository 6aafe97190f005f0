//! abandon: the staging branch goes; public names and temporary tags stay where they are.
//!
//! Not one of the stages: what a person asks for when a promotion is not to be.

use futures_util::future::BoxFuture;

use super::{Action, Plan, Refusal, Stage, Step, World};
use crate::promotion::PromotionError;

pub struct Abandon {
    /// Whether people's commits on the branch may go with it.
    pub discard: bool,
}

impl Stage for Abandon {
    fn name(&self) -> &'static str {
        "abandon"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(async move { Ok(plan(world, self.discard)?) })
    }
}

fn plan(world: &World<'_>, discard: bool) -> Result<Plan, PromotionError> {
    let (promotion, facts) = (world.promotion, world.facts);
    let (name, rc) = (&facts.names.staging, promotion.candidate.rc);
    if facts.arrived() {
        return Ok(Refusal::new(format!("v{rc} is merged: there is nothing left to abandon"))
            .hint(format!("finish it (sealift resume v{}), or cut the next release candidate", rc.stable))
            .into());
    }
    let Some(tip) = facts.staging else {
        return Ok(Plan::holds().note(format!("{} does not exist", name.short())));
    };
    if !world.store.is_ancestor(promotion.content, tip)? {
        return Ok(Refusal::new(format!("{} does not hold v{rc}", name.short()))
            .at([format!("{name} at {tip}")])
            .hint("name the candidate it holds: sealift status shows it")
            .into());
    }
    let people = world.history().people(promotion.content, tip, facts.base)?;
    let commits: Vec<String> = people.iter().map(|c| format!("{} {} ({})", c.id, c.summary(), c.author)).collect();
    if !commits.is_empty() && !discard {
        return Ok(Refusal::new(format!("{} holds {} commits of people", name.short(), commits.len()))
            .at(commits)
            .hint(format!("keep them elsewhere, or let them go: sealift abandon v{rc} --discard"))
            .into());
    }
    let step = Step::new("branch", [Action::DeleteRef { name: name.clone(), expect: tip }]);
    Ok(Plan::act(vec![step])
        .notes(commits.into_iter().map(|commit| format!("discarded: {commit}")))
        .note("temporary tags in the registry are left to retention"))
}
