//! verify: the candidate artifact is what was merged and what was tested (contract §5).

use futures_util::future::BoxFuture;

use super::{Plan, Stage, World, proof};

pub struct Verify;

impl Stage for Verify {
    fn name(&self) -> &'static str {
        "verify"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(async move {
            if world.facts.published {
                return Ok(Plan::holds().note("the release is published"));
            }
            match world.facts.merged() {
                Some(merge) => proof::plan(world, merge).await,
                None => {
                    Ok(Plan::wait("merge", "the candidate is proven against the merge before any public name exists"))
                }
            }
        })
    }
}
