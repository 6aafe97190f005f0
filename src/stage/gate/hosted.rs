//! What the forge must allow: merges, tags, branches, the release, and evidence that the candidate passed.

use super::Findings;
use super::rules;
use crate::model::Answer;
use crate::pipeline::Proposal;
use crate::port::forge::{ForgeRead, Hosted, Protection, Visible};
use crate::promotion::Evidence;
use crate::stage::{Code, Refusal, World, assets, draft, evidence, pull, release};

/// Everything that is looked at before the first write.
pub(super) async fn early(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    declared: &Proposal,
    found: &mut Findings,
) -> anyhow::Result<()> {
    match forge.repository().await.there("the repository") {
        Ok(hosted) => merges(world, &hosted, found),
        Err(unknown) => found.refuse(unknown),
    }
    match pull::credential(world, forge, declared).await {
        Ok(notes) => found.notes.extend(notes),
        Err(refusal) => found.refuse(refusal),
    }
    protection(world, forge, found).await;
    rules::branches(world, forge, found).await;
    rules::tags(world, forge, found).await;
    named(world, forge, found).await?;
    if let Err(refusals) = assets::to_copy(world, forge).await {
        found.refusals.extend(refusals);
    }
    passed(world, forge, found).await;
    Ok(())
}

/// What is looked at of a promotion that has begun.
pub(super) async fn begun(world: &World<'_>, forge: &dyn ForgeRead, found: &mut Findings) -> anyhow::Result<()> {
    named(world, forge, found).await?;
    if let Err(refusal) = pull::finisher(world, forge).await {
        found.refuse(refusal);
    }
    match evidence::recorded(world, forge).await {
        Ok(note) => found.notes.extend(note),
        Err(refusal) => found.refuse(refusal),
    }
    Ok(())
}

/// The release's name: somebody may have published under it meanwhile. Once merged, all that finalize
/// would refuse of the release, or wait for, is so before the first public name.
async fn named(world: &World<'_>, forge: &dyn ForgeRead, found: &mut Findings) -> anyhow::Result<()> {
    let releases = match release::all(forge).await {
        Ok(releases) => releases,
        Err(unknown) => {
            found.refuse(unknown);
            return Ok(());
        }
    };
    let tag = &world.facts.names.git_tag;
    if !releases.drafts_visible {
        found.notes.push(format!("drafts of {} are not visible to this credential", tag.short()));
    }
    match (world.facts.merged(), world.facts.pin) {
        (Some(merge), Some(pin)) => {
            if let Err(plan) = release::plan(world, forge, &releases, pin, merge).await? {
                found.withhold(plan);
            }
        }
        _ => {
            if let Err(refusal) = draft::one(&releases, tag) {
                found.refuse(refusal);
            }
        }
    }
    Ok(())
}

fn merges(world: &World<'_>, hosted: &Hosted, found: &mut Findings) {
    match hosted.merge_commits {
        Visible::Shown(true) => {}
        Visible::Shown(false) => found.refuse(
            Refusal::new(Code::NoMergeCommits, format!("{} allows no merge commits", hosted.full_name)).hint(
                "allow them (Settings, \"Pull Requests\"): a squash or a rebase would lose the promotion's commits",
            ),
        ),
        Visible::Hidden => {
            let base = world.facts.names.base.short();
            found.notes.push(format!("whether {base} takes merge commits is not visible to this credential"));
        }
    }
}

/// The base's classic protection: what it demands that a promotion can't give.
async fn protection(world: &World<'_>, forge: &dyn ForgeRead, found: &mut Findings) {
    let base = &world.facts.names.base;
    let protection = match forge.protection(base).await {
        Answer::Absent => return,
        Answer::Unknown(unknown) => return found.refuse(unknown),
        Answer::Found(Visible::Hidden) => {
            found.notes.push(format!("the classic protection of {} is not visible to this credential", base.short()));
            return;
        }
        Answer::Found(Visible::Shown(protection)) => protection,
    };
    let Protection { linear_history, signatures, .. } = protection;
    for (demanded, what) in [(linear_history, "a linear history"), (signatures, "signed commits")] {
        if demanded {
            found.refuse(rules::demands(base, what, "its branch protection"));
        }
    }
}

/// Evidence of a green end-to-end run, or a reason why none is asked for.
async fn passed(world: &World<'_>, forge: &dyn ForgeRead, found: &mut Findings) {
    let candidate = &world.promotion.candidate;
    if candidate.evidence.is_some() || world.pipeline.evidence.is_empty() {
        return;
    }
    let commit = world.facts.listed(&world.facts.names.rc_tag).map(|listed| listed.peeled);
    let looked = evidence::look(world.pipeline, forge, &candidate.rc, commit).await;
    found.refuse(match looked.found {
        // It goes into the candidate, which was frozen without it.
        Some(_) => Refusal::new(Code::EvidenceLate, "the evidence showed only when it was looked at again")
            .hint("run the same command again: the evidence is recorded when a candidate is frozen"),
        None => evidence::refusal(world.pipeline, &candidate.rc, looked),
    });
}

/// What speaks for the candidate: in every report.
pub(super) fn evidence_note(world: &World<'_>) -> String {
    match &world.promotion.candidate.evidence {
        Some(Evidence::Run(url)) => format!("evidence: a green end-to-end run, {url}"),
        Some(Evidence::Skipped(reason)) => format!("evidence skipped: {reason}"),
        None => evidence::nothing(&world.pipeline.evidence).into(),
    }
}
