//! pin: the installer names the candidate artifact by digest, on the staging branch.

use futures_util::future::BoxFuture;

use super::commit::{self, strayed};
use super::{Action, Code, Plan, Refusal, Stage, Step, World};
use crate::promotion::PromotionError;
use crate::tree::show;

pub struct Pin;

impl Stage for Pin {
    fn name(&self) -> &'static str {
        "pin"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(async move { Ok(plan(world).await?) })
    }

    /// The pin commit changes the installer's values only, and they name the artifact.
    fn invariants<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Vec<Refusal>>> {
        Box::pin(async move {
            let (promotion, store) = (world.promotion, world.store);
            let Some(pin) = world.facts.pin else {
                return Ok(vec![Refusal::new(Code::PinMissing, "the pin is not on the branch")]);
            };
            let wanted = promotion.pinned_tree(world.pipeline, pin.artifact)?;
            if store.tree_of(pin.commit)? == wanted {
                return Ok(Vec::new());
            }
            let changed = store.changed_paths(wanted, store.tree_of(pin.commit)?)?;
            Ok(vec![
                Refusal::new(
                    Code::PinStrays,
                    format!("the pin commit {} holds more than the pin of {}", pin.commit, pin.artifact),
                )
                .at(changed.iter().map(|path| show(path)))
                .hint("abandon this promotion and begin again: sealift abandon"),
            ])
        })
    }
}

async fn plan(world: &World<'_>) -> Result<Plan, PromotionError> {
    let (promotion, facts) = (world.promotion, world.facts);
    if let Some(pin) = facts.pin {
        return Ok(Plan::holds().note(format!("{} pins {}", pin.commit, pin.artifact)));
    }
    if facts.contested {
        match facts.staging {
            None => {
                return Ok(Refusal::new(
                    Code::StagingDeleted,
                    format!("{} was deleted while this ran", facts.names.staging.short()),
                )
                .hint("find out who deleted it, then run sealift again")
                .into());
            }
            Some(tip) if !world.store.is_ancestor(promotion.content, tip)? => return commit::occupied(world, tip),
            Some(_) => {}
        }
    }
    let artifact = world.memory.built(promotion).await?.manifest.digest();
    let pin = promotion.pin_commit(world.pipeline, artifact)?;
    let content = promotion.content;
    // Where the branch isn't there yet, this is what will be done once it is.
    let tip = match facts.staging {
        Some(tip) if world.store.is_ancestor(content, tip)? => tip,
        _ => content,
    };
    // The branch may have moved since the commit stage looked: a join takes in what is allowed only.
    if let Some(refusal) = strayed(world, content, tip)? {
        return Ok(refusal.into());
    }
    let target = if tip == content { pin } else { promotion.join(world.pipeline, pin, tip)? };
    let action = Action::UpdateRef { name: facts.names.staging.clone(), expect: tip, target };
    Ok(Plan::act(vec![Step::new("branch", [action])]))
}
