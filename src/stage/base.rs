//! The base moves while a promotion waits: what that means before the merge.

use super::{Code, Refusal, World};
use crate::model::CommitId;
use crate::pipeline::{Marker, Rest};
use crate::promotion::PromotionError;
use crate::tree::show;

/// What the base has that the candidate doesn't.
#[derive(Default)]
pub struct Drift {
    pub refusals: Vec<Refusal>,
    pub notes: Vec<String>,
}

/// How a merge of `head` into the base as it is now would differ from what was tested
/// (contract §4, "a moving base"; §5 rule 6).
pub fn drift(world: &World<'_>, head: CommitId) -> Result<Drift, PromotionError> {
    let mut drift = Drift::default();
    let Some(base) = world.facts.base else { return Ok(drift) };
    let Some(common) = world.store.merge_base(head, base)? else {
        drift.refusals.push(Refusal::new(
            Code::NoHistory,
            format!("{} shares no history with the staging branch", world.facts.names.base.short()),
        ));
        return Ok(drift);
    };
    let (old, new) = (world.store.tree_of(common)?, world.store.tree_of(base)?);
    let ours = world.store.tree_of(head)?;
    let root = world.pipeline.root.as_bytes();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for difference in world.store.diff(old, new)? {
        let in_root = world.pipeline.is_below_root(&difference.path);
        // The base may already say what the promotion says, as after a squash.
        if in_root && world.store.entry(ours, &difference.path)? != difference.new {
            inside.push(show(&difference.path));
        } else if !in_root && !world.pipeline.is_allowed(&difference.path) {
            outside.push(show(&difference.path));
        }
    }
    let base = world.facts.names.base.short();
    if !inside.is_empty() {
        drift.refusals.push(
            Refusal::new(Code::BaseMoved, format!("{base} changed below {} since the candidate was cut", show(root)))
                .at(inside)
                .hint("cut the next release candidate from the base: what is released must be what was tested"),
        );
    }
    if !outside.is_empty() {
        match &world.pipeline.verify.rest {
            Rest::Refuse => drift.refusals.push(
                Refusal::new(
                    Code::BaseUntested,
                    format!("{base} has changes outside {} that were not tested", show(root)),
                )
                .at(outside)
                .hint(
                    "cut the next release candidate from the base, or declare such paths in `allowed_paths`, \
                         or `verify.rest: {report: REASON}` in the pipeline",
                ),
            ),
            Rest::Report(reason) => drift.notes.push(format!(
                "{} paths outside {} differ from the candidate ({reason}): {}",
                outside.len(),
                show(root),
                outside.join(", ")
            )),
        }
    }
    Ok(drift)
}

/// A file that a base must carry, and doesn't as it must; `base` is what people call it.
pub fn unmarked(marker: &Marker, file: Option<&[u8]>, base: &str) -> Option<Refusal> {
    let there = file.is_some_and(|bytes| String::from_utf8_lossy(bytes).contains(&marker.contains));
    let refusal = || {
        Refusal::new(
            Code::BaseWithoutPipeline,
            format!("{base} does not carry this pipeline: `{}` is not in it", marker.contains),
        )
        .at([format!("{base}:{}", marker.file)])
        .hint(format!("merge the pipeline into {base} first"))
    };
    (!there).then(refusal)
}
