//! rewrite: version-line tags in the tree read stable, and no digest moved.
//!
//! The rewritten tree is a value of the promotion: where it can't be made, there is no
//! promotion to plan. What is left to do here is to say what it changes.

use futures_util::future::BoxFuture;

use super::{Plan, Refusal, Stage, World};
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
                promotion.changed_files.len(),
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
    let (spec, rc) = (world.pipeline.spec(), &promotion.candidate.rc);
    let digests = |tree: TreeId| -> Result<Vec<_>, PromotionError> {
        let tree = GitTree::new(world.store.clone(), tree);
        let places = refs::read(&tree, &spec, Some(rc))?.occurrences.into_iter();
        Ok(places.map(|place| (place.file, place.key, place.digest)).collect())
    };
    let before = digests(world.store.tree_of(promotion.candidate.rc_commit)?)?;
    let after = digests(promotion.content_tree)?;
    let moved: Vec<String> = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after)
        .map(|((file, key, _), _)| format!("{file} {key}"))
        .collect();
    if moved.is_empty() && before.len() == after.len() {
        return Ok(Vec::new());
    }
    Ok(vec![Refusal::new("the rewrite moved a digest").at(moved).hint("report this: a rewrite changes tags only")])
}
