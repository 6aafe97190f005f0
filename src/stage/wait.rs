//! wait: a person merges the staging branch. sealift never does.

use futures_util::future::BoxFuture;

use super::{Code, Plan, Refusal, Stage, Verdict, Wait as Waiting, World, base, pull};
use crate::port::forge::ForgeRead;
use crate::promotion::PromotionError;
use crate::promotion::history::Merge;

pub struct Wait;

impl Stage for Wait {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let facts = world.facts;
    let (staging, base) = (facts.names.staging.short(), facts.names.base.short());
    if let Some(refusal) = reverted(world)? {
        return Ok(refusal.into());
    }
    let refusal = match &facts.merge {
        Merge::Done { commit, head } if commit == head => {
            return Ok(Plan::holds().note(format!("{base} was fast-forwarded to {commit}")));
        }
        Merge::Done { commit, .. } => return Ok(Plan::holds().note(format!("{base} has it as {commit}"))),
        Merge::Squashed { at } => Refusal::new(
            Code::Squashed,
            format!("{base} has the promotion's content without its commits: it was squashed or rebased"),
        )
        .at([at.to_string()])
        .hint(match world.forge {
            Some(forge) => second(world, forge).await,
            None => format!(
                "propose {staging} a second time and merge it with a merge commit: \
                     git merge --no-ff origin/{staging} (on {base}), then run sealift again"
            ),
        }),
        Merge::Strayed { at, head, paths } => Refusal::new(
            Code::MergeStrays,
            format!("what was merged from {staging} changes more than the promotion and allowed paths"),
        )
        .at([format!("merge {at} of {head}")])
        .at(paths)
        .hint("cut the next release candidate from the base; the version is spent only if something of it is public"),
        Merge::NotYet => {
            let drift = match facts.staging {
                Some(tip) if world.store.is_ancestor(world.promotion.content, tip)? => base::drift(world, tip)?,
                // Another candidate's branch, or none: the gate has judged the base.
                _ => base::Drift::default(),
            };
            if !drift.refusals.is_empty() {
                return Ok(Plan::refuse(drift.refusals).notes(drift.notes));
            }
            let wait = match world.forge {
                Some(forge) => on_the_forge(world, forge).await,
                None => by_hand(staging, base),
            };
            return Ok(Plan { verdict: Verdict::Wait(wait), notes: drift.notes });
        }
    };
    Ok(refusal.into())
}

fn by_hand(staging: &str, base: &str) -> Waiting {
    Waiting {
        on: "merge",
        message: format!("a person merges {staging} into {base} with a merge commit (not a squash, not a rebase)"),
        commands: vec![
            "git fetch origin".into(),
            format!("git switch {base}"),
            // A branch that lies about here may be behind.
            format!("git merge --ff-only origin/{base}"),
            format!("git merge --no-ff --no-edit origin/{staging}"),
            format!("git push origin {base}"),
        ],
        pull_request: None,
    }
}

/// Where to merge. That the pull request can't be shown changes nothing: somebody else's turn it is.
async fn on_the_forge(world: &World<'_>, forge: &dyn ForgeRead) -> Waiting {
    let (where_, pull_request) = match pull::from_staging(world, forge).await {
        Ok(pulls) => match pull::open(&pulls) {
            Some(pull) => (pull.url.clone(), Some(pull.number)),
            None => ("its pull request".to_owned(), None),
        },
        Err(unknown) => (format!("its pull request (which can't be shown: {unknown})"), None),
    };
    let message = format!("a person merges {where_} with a merge commit (not a squash, not a rebase)");
    Waiting { on: "merge", message, commands: Vec::new(), pull_request }
}

/// The way on after a squash or a rebase.
async fn second(world: &World<'_>, forge: &dyn ForgeRead) -> String {
    let staging = world.facts.names.staging.short();
    let pulls = pull::from_staging(world, forge).await.unwrap_or_default();
    match pull::open(&pulls) {
        Some(pull) => {
            format!("merge {}, the second from {staging}, with a merge commit; then run sealift again", pull.url)
        }
        None => format!("run sealift again: it proposes {staging} a second time, to be merged with a merge commit"),
    }
}

/// A merge that people took back on the base: its installer reads as before the promotion again.
/// Until the release is published that is their word; afterwards the names are out.
fn reverted(world: &World<'_>) -> Result<Option<Refusal>, PromotionError> {
    let (Some(merge), Some(base)) = (world.facts.merged(), world.facts.base) else { return Ok(None) };
    if base == merge || world.facts.published {
        return Ok(None);
    }
    let path = world.pipeline.below_root(&world.pipeline.installer.values);
    let values = |commit| world.store.entry(world.store.tree_of(commit)?, path.as_bytes());
    let now = values(base)?;
    let mut before = vec![values(world.promotion.candidate.rc_commit)?, values(world.promotion.content)?];
    if let Some(&parent) = world.store.existing_commit(merge)?.parents.first() {
        before.push(values(parent)?);
    }
    if now == values(merge)? || !before.contains(&now) {
        return Ok(None);
    }
    let name = world.facts.names.base.short();
    Ok(Some(
        Refusal::new(Code::MergeReverted, format!("the merge was taken back: {path} on {name} reads as before it"))
            .at([format!("{name} at {base}"), format!("the merge {merge}")])
            .hint(
                "nothing public exists: cut the next release candidate from the base; to release this one all the \
                 same, revert the revert and run sealift again",
            ),
    ))
}
