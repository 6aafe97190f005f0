//! rewrite: version-line tags in the tree read stable, and no digest moved.
//!
//! The rewritten tree is a value of the promotion: where it can't be made, there is no
//! promotion to plan. What is left to do here is to say what it changes.

use futures_util::future::BoxFuture;

use super::{Code, Plan, Refusal, Stage, World};
use crate::model::TreeId;
use crate::promotion::PromotionError;
use crate::refs;
use crate::tree::GitTree;

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
                promotion.changes.len(),
                promotion.candidate.rc.stable
            );
            Ok(Plan::holds().note(note).notes(promotion.notices.clone()))
        })
    }

    /// No digest moved: every place has the digest it had.
    fn invariants<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Vec<Refusal>>> {
        Box::pin(async move { Ok(digests_stay(world)?) })
    }
}

fn digests_stay(world: &World<'_>) -> Result<Vec<Refusal>, PromotionError> {
    let promotion = world.promotion;
    let references = |tree: TreeId| {
        let tree = GitTree::new(world.store.clone(), tree);
        refs::read(&tree, &world.pipeline.spec(), Some(&promotion.candidate.rc))
    };
    let before = references(world.store.tree_of(promotion.candidate.rc_commit)?)?;
    let moved = refs::compare_digests(&before, &references(promotion.content_tree)?);
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![
        Refusal::new(Code::DigestMoved, "the rewrite moved a digest")
            .at(moved)
            .hint("report this: a rewrite changes tags only"),
    ])
}
