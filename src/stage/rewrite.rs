//! rewrite: version-line tags in the tree read stable, and no digest moved.
//!
//! The rewritten tree is a value of the promotion: where it can't be made, there is no
//! promotion to plan. What is left to do here is to say what it changes.

use futures_util::future::BoxFuture;

use super::{Plan, Stage, World};

pub struct Rewrite;

impl Stage for Rewrite {
    fn name(&self) -> &'static str {
        "rewrite"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(async move {
            let promotion = world.promotion;
            let note = format!(
                "{} lines in {} files read v{}",
                promotion.changed_lines,
                promotion.changed_files.len(),
                promotion.candidate.rc.stable
            );
            Ok(Plan::holds().note(note).notes(promotion.notices.clone()))
        })
    }
}
