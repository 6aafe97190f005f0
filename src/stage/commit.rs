//! commit: the content commit exists, and the staging branch has it. The durable checkpoint, and the lock.

use super::{Action, Code, Plan, Refusal, Stage, Step, World};
use crate::model::CommitId;
use crate::promotion::history::Content;
use crate::promotion::{Candidate, PromotionError};
use crate::tree::{TreePath, show};
use futures_util::future::BoxFuture;

pub struct Commit;

impl Stage for Commit {
    fn name(&self) -> &'static str {
        "commit"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(async move { Ok(plan(world)?) })
    }

    /// The content commit changes what the rewrite changes, and nothing else.
    fn invariants<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Vec<Refusal>>> {
        Box::pin(async move {
            let promotion = world.promotion;
            let before = world.store.tree_of(promotion.candidate.rc_commit)?;
            let changed = world.store.changed_paths(before, world.store.tree_of(promotion.content)?)?;
            let changed: Vec<String> = changed.iter().map(|path| show(path)).collect();
            if changed.iter().eq(promotion.changes.iter().map(|change| &change.file)) {
                return Ok(Vec::new());
            }
            Ok(vec![
                Refusal::new(Code::ContentChanged, "the content commit changes other files than the rewrite")
                    .at(changed),
            ])
        })
    }
}

fn plan(world: &World<'_>) -> Result<Plan, PromotionError> {
    let (promotion, facts) = (world.promotion, world.facts);
    let content = promotion.content;
    if facts.arrived() {
        return Ok(Plan::holds().note("the promotion is on the base"));
    }
    let name = facts.names.staging.clone();
    let Some(tip) = facts.staging else {
        return Ok(Plan::act(vec![Step::new("branch", [Action::CreateRef { name, target: content }])]));
    };
    if !world.store.is_ancestor(content, tip)? {
        return occupied(world, tip);
    }
    let from = facts.pin.map_or(content, |pin| pin.commit);
    Ok(strayed(world, from, tip)?.map_or_else(Plan::holds, Plan::from))
}

/// A branch with more on it, since `from`, than people may put there.
pub fn strayed(world: &World<'_>, from: CommitId, tip: CommitId) -> Result<Option<Refusal>, PromotionError> {
    let name = &world.facts.names.staging;
    let strays = world.history().strays(from, tip, world.facts.base)?;
    if strays.is_empty() {
        return Ok(None);
    }
    let refusal = Refusal::new(
        Code::StagingStrays,
        format!("{} holds more than the promotion and allowed paths", name.short()),
    )
    .at(strays.iter().map(|path| show(path)))
    .hint(format!(
        "take those changes off the branch: what is released must be what was tested; to drop every commit on top: \
             git push --force-with-lease={0}:{tip} <origin> {from}:{1}",
        name.short(),
        name
    ));
    Ok(Some(refusal))
}

/// The branch is there and does not hold this content: another candidate's, or nobody's.
pub fn occupied(world: &World<'_>, tip: CommitId) -> Result<Plan, PromotionError> {
    let (promotion, facts) = (world.promotion, world.facts);
    let name = &facts.names.staging;
    let ours = &promotion.candidate;
    let found = world.history().content_below(tip, &ours.rc.stable)?;
    let Some(Content { commit, candidate: Ok(theirs) }) = found else {
        return Ok(Refusal::new(
            Code::StagingForeign,
            format!("{} exists and is not a promotion of v{}", name.short(), ours.rc.stable),
        )
        .at([format!("{name} at {tip}")])
        .hint("rename or delete that branch, or declare another `branches.staging` in the pipeline")
        .into());
    };
    if theirs.rc_commit == ours.rc_commit || commit.parents != [theirs.rc_commit] {
        return Ok(rebased(world, tip, commit.id).into());
    }
    if theirs.rc >= ours.rc || facts.contested {
        return Ok(contested(world, &theirs, tip).into());
    }
    let pin = world.history().pin(tip, commit.id)?;
    let from = pin.map_or(commit.id, |pin| pin.commit);
    let strays = world.history().strays(from, tip, facts.base)?;
    if !strays.is_empty() {
        return Ok(uncarried(world, &theirs, &strays).into());
    }
    let target = match promotion.carry(world.pipeline, from, tip)? {
        Ok(target) => target,
        Err(conflicts) => return Ok(uncarried(world, &theirs, &conflicts).into()),
    };
    let action = Action::UpdateRef { name: name.clone(), expect: tip, target };
    let note = format!("v{} supersedes v{} on {}", ours.rc, theirs.rc, name.short());
    Ok(Plan::act(vec![Step::new("branch", [action])]).note(note))
}

fn uncarried(world: &World<'_>, theirs: &Candidate, paths: &[TreePath]) -> Refusal {
    let name = &world.facts.names.staging;
    Refusal::new(
        Code::StagingNotCarried,
        format!("{} holds v{} and changes that can't be carried over", name.short(), theirs.rc),
    )
    .at(paths.iter().map(|path| show(path)))
    .hint(format!("move those changes elsewhere, or discard them: sealift abandon v{} --discard", theirs.rc))
}

fn rebased(world: &World<'_>, tip: CommitId, copy: CommitId) -> Refusal {
    let name = &world.facts.names.staging;
    let content = world.promotion.content;
    Refusal::new(
        Code::StagingRebased,
        format!("{} was rebased: it holds copies of the promotion's commits, not the commits themselves", name.short()),
    )
    .at([format!("{copy} is a copy of {content}")])
    .hint(format!(
        "delete the branch (git push --delete --force-with-lease={0}:{tip} <origin> {0}), run sealift again, and put \
         people's commits on top of what it makes; to take in the base, merge it instead of rebasing",
        name.short()
    ))
}

fn contested(world: &World<'_>, theirs: &Candidate, tip: CommitId) -> Refusal {
    let name = &world.facts.names.staging;
    let ours = &world.promotion.candidate;
    let hint = if theirs.rc > ours.rc {
        format!("promote v{}, or take it back first: sealift abandon v{}", theirs.rc, theirs.rc)
    } else {
        "decide which candidate is promoted, then run that one again".to_owned()
    };
    Refusal::new(Code::StagingHeld, format!("{} is held by the promotion of v{}", name.short(), theirs.rc))
        .at([format!("{name} at {tip}, from {}", theirs.rc_commit)])
        .hint(hint)
}
