//! Where the candidate comes from: tag, branch, base and artifact say the same.

use super::Findings;
use crate::model::{Answer, Manifest};
use crate::pipeline::RcTag;
use crate::promotion::PromotionError;
use crate::promotion::history::Merge;
use crate::stage::{Code, Refusal, World, base as moving};
use crate::tree::show;

/// The rc commit descends from what its tag names, and nothing but the root and allowed paths
/// changed in between (contract §4).
pub(super) fn ancestry(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let (store, names) = (world.store, &world.facts.names);
    let candidate = &world.promotion.candidate;
    let Some(tag) = world.facts.listed(&names.rc_tag) else {
        found.refuse(
            Refusal::new(Code::NoCandidateTag, format!("the git tag {} does not exist", names.rc_tag.short()))
                .hint("tag the candidate: the tag says which commit was built and tested"),
        );
        return Ok(());
    };
    if !store.is_ancestor(tag.peeled, candidate.rc_commit)? {
        found.refuse(
            Refusal::new(
                Code::CandidateMoved,
                format!("{} is not built on {}", names.rc_branch.short(), names.rc_tag.short()),
            )
            .at([format!("{} is {}, {} is {}", names.rc_branch, candidate.rc_commit, names.rc_tag, tag.peeled)])
            .hint("find out which of the two was moved, and build the candidate again"),
        );
        return Ok(());
    }
    let strays: Vec<String> = store
        .changed_paths(store.tree_of(tag.peeled)?, store.tree_of(candidate.rc_commit)?)?
        .into_iter()
        .filter(|path| !world.pipeline.is_below_root(path) && !world.pipeline.is_allowed(path))
        .map(|path| show(&path))
        .collect();
    if !strays.is_empty() {
        found.refuse(
            Refusal::new(
                Code::CandidateStrays,
                format!(
                    "{} changes more than {} and allowed paths since {}",
                    names.rc_branch.short(),
                    world.pipeline.root,
                    names.rc_tag.short()
                ),
            )
            .at(strays)
            .hint("cut a candidate whose branch holds only what the build stamps"),
        );
    }
    Ok(())
}

/// The base carries what the pipeline says it must, and shares the candidate's history.
pub(super) fn base(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let name = world.facts.names.base.short();
    let Some(base) = world.facts.base else {
        found.refuse(
            Refusal::new(Code::NoBase, format!("the branch {name} does not exist")).hint("create it, then run again"),
        );
        return Ok(());
    };
    let tree = world.store.tree_of(base)?;
    if world.pipeline.base_requires.is_empty() {
        found.notes.push(format!("nothing is declared that {name} must carry (`base_requires`)"));
    }
    for marker in &world.pipeline.base_requires {
        let file = world.store.file(tree, marker.file.as_bytes())?;
        found.refusals.extend(moving::unmarked(marker, file.as_deref(), name));
    }
    if let Merge::Squashed { at } = world.facts.merge {
        found.notes.push(format!("{name} has the promotion's content as {at}: it was squashed or rebased"));
        return Ok(());
    }
    let drift = moving::drift(world, world.promotion.candidate.rc_commit)?;
    found.refusals.extend(drift.refusals);
    found.notes.extend(drift.notes);
    Ok(())
}

/// The rc artifact is what its own tag names, and names the commit of the candidate's git tag.
/// Asked again until the release is published: a branch can hold any commit that calls itself a
/// candidate.
pub(super) async fn artifact(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let repository = &world.pipeline.artifact.repository;
    let candidate = &world.promotion.candidate;
    let rc_tag = format!("v{}", candidate.rc).parse().map_err(|error| PromotionError::Name(format!("{error}")))?;
    match world.tagged(repository, &rc_tag).await {
        Answer::Found(manifest) if manifest.digest() == candidate.rc_artifact => {}
        Answer::Found(manifest) => found.refuse(
            Refusal::new(
                Code::RcTagMoved,
                format!(
                    "{repository}:{rc_tag} names {}, the candidate says {}",
                    manifest.digest(),
                    candidate.rc_artifact
                ),
            )
            .hint("find out which of the two was tested; build the candidate again"),
        ),
        Answer::Unknown(unknown) => found.refuse(unknown),
        Answer::Absent => match &world.pipeline.artifact.rc_tag {
            RcTag::Optional(reason) => found.notes.push(format!("{repository}:{rc_tag} does not exist ({reason})")),
            RcTag::Required => {
                found.refuse(Refusal::new(Code::RcTagMissing, format!("{repository}:{rc_tag} does not exist")).hint(
                    "push the candidate's artifact under its tag, or declare `artifact.rc_tag` optional with a reason",
                ))
            }
        },
    }
    match world.manifest(repository, candidate.rc_artifact).await {
        Answer::Found(manifest) => found.refusals.extend(other_revision(world, &manifest)),
        Answer::Absent => found.refuse(
            Refusal::new(
                Code::RcArtifactGone,
                format!("{repository}@{} is not in the registry", candidate.rc_artifact),
            )
            .hint("push the candidate's artifact again"),
        ),
        Answer::Unknown(unknown) => found.refuse(unknown),
    }
    Ok(())
}

/// A revision that doesn't name the commit of the candidate's tag, as a word of its own.
fn other_revision(world: &World<'_>, manifest: &Manifest) -> Option<Refusal> {
    let rc_tag = &world.facts.names.rc_tag;
    let revision = manifest.annotation("org.opencontainers.image.revision").unwrap_or_default();
    let commit = world.facts.listed(rc_tag).map(|tag| tag.peeled.to_string());
    let mut words = revision.split(|c: char| !c.is_ascii_alphanumeric());
    if commit.as_ref().is_some_and(|commit| words.any(|word| word == commit.as_str())) {
        return None;
    }
    let repository = &world.pipeline.artifact.repository;
    let artifact = world.promotion.candidate.rc_artifact;
    let at = commit.unwrap_or_else(|| "no commit".to_owned());
    Some(
        Refusal::new(Code::RcArtifactForeign, format!("{repository}@{artifact} was not built from {}", rc_tag.short()))
            .at([format!("its `org.opencontainers.image.revision` is `{revision}`, the tag is at {at}")])
            .hint("build the candidate from its tag"),
    )
}
