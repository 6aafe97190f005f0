//! pin: the installer names the candidate artifact by digest, on the staging branch.

use futures_util::future::BoxFuture;

use super::{Action, Plan, Stage, Step, World};
use crate::promotion::PromotionError;

pub struct Pin;

impl Stage for Pin {
    fn name(&self) -> &'static str {
        "pin"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(async move { Ok(plan(world).await?) })
    }
}

async fn plan(world: &World<'_>) -> Result<Plan, PromotionError> {
    let (promotion, facts) = (world.promotion, world.facts);
    if let Some(pin) = facts.pin {
        return Ok(Plan::holds().note(format!("{} pins {}", pin.commit, pin.artifact)));
    }
    let artifact = world.memory.built(promotion).await?.manifest.digest();
    let pin = promotion.pin_commit(world.pipeline, artifact)?;
    let content = promotion.content;
    // Where the branch isn't there yet, this is what will be done once it is.
    let tip = facts.staging.filter(|&tip| world.store.is_ancestor(content, tip).unwrap_or(false)).unwrap_or(content);
    let target = if tip == content { pin } else { promotion.join(world.pipeline, pin, tip)? };
    let action = Action::UpdateRef { name: facts.names.staging.clone(), expect: tip, target };
    Ok(Plan::act(vec![Step::new("branch", [action])]))
}
