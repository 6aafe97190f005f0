//! abandon: draft and staging branch go, and with the branch its pull request is closed; public names
//! and temporary tags stay where they are.
//!
//! Not one of the stages: what a person asks for when a promotion is not to be.

use futures_util::future::BoxFuture;

use super::{Action, Code, Plan, Refusal, Stage, Step, World, draft};
use crate::model::Unknown;
use crate::port::forge::ForgeRead;

pub struct Abandon {
    /// Whether people's commits on the branch may go with it.
    pub discard: bool,
}

impl Stage for Abandon {
    fn name(&self) -> &'static str {
        "abandon"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world, self.discard))
    }
}

async fn plan(world: &World<'_>, discard: bool) -> anyhow::Result<Plan> {
    let (promotion, facts) = (world.promotion, world.facts);
    let (name, rc) = (&facts.names.staging, promotion.candidate.rc);
    if facts.arrived() {
        return Ok(Refusal::new(Code::AlreadyMerged, format!("v{rc} is merged: there is nothing left to abandon"))
            .hint(format!("finish it (sealift resume v{}), or cut the next release candidate", rc.stable))
            .into());
    }
    let draft = match world.forge {
        Some(forge) => left(world, forge).await,
        None => Ok(None),
    };
    let draft = match draft {
        Ok(draft) => Step::new("draft", draft),
        Err(refusal) => return Ok(refusal.into()),
    };
    let Some(tip) = facts.staging else {
        return Ok(Plan::act(vec![draft]).note(format!("{} does not exist", name.short())));
    };
    if !world.store.is_ancestor(promotion.content, tip)? {
        return Ok(Refusal::new(Code::AnotherCandidate, format!("{} does not hold v{rc}", name.short()))
            .at([format!("{name} at {tip}")])
            .hint("name the candidate it holds: sealift status shows it")
            .into());
    }
    let people = world.history().people(promotion.content, tip, facts.base)?;
    let commits: Vec<String> = people.iter().map(|c| format!("{} {} ({})", c.id, c.summary(), c.author)).collect();
    if !commits.is_empty() && !discard {
        return Ok(Refusal::new(
            Code::CommitsOfPeople,
            format!("{} holds {} commits of people", name.short(), commits.len()),
        )
        .at(commits)
        .hint(format!("keep them elsewhere, or let them go: sealift abandon v{rc} --discard"))
        .into());
    }
    let step = Step::new("branch", [Action::DeleteRef { name: name.clone(), expect: tip }]);
    Ok(Plan::act(vec![draft, step])
        .notes(commits.into_iter().map(|commit| format!("discarded: {commit}")))
        .note("temporary tags in the registry are left to retention"))
}

/// The draft that goes with the promotion.
async fn left(world: &World<'_>, forge: &dyn ForgeRead) -> Result<Option<Action>, Refusal> {
    let tag = &world.facts.names.git_tag;
    let releases = forge.releases().await.known()?.ok_or_else(|| Unknown::new("the releases", "are not known"))?;
    if !releases.drafts_visible {
        return Err(Refusal::new(
            Code::DraftNotVisible,
            format!("whether there is a draft of {} is not visible to this credential", tag.short()),
        )
        .hint("use a credential that may push"));
    }
    Ok(draft::one(&releases, tag)?.map(|_| Action::DeleteDraft { tag: tag.clone() }))
}
