//! The names of the release: free or ours, before the first of them is written.

use super::Findings;
use crate::model::Answer;
use crate::promotion::{Image, PromotionError};
use crate::stage::images::Pulled;
use crate::stage::retag::{self, Name, artifact_taken, taken};
use crate::stage::{Code, Refusal, World, chart, finalize, images};

/// Before the merge no git name of the release can be ours.
fn git(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let names = &world.facts.names;
    for name in names.module_tags.iter().chain([&names.git_tag]) {
        if let Some(listed) = world.facts.listed(name) {
            found.refuse(finalize::foreign_tag(name, listed.peeled, "nothing is merged yet"));
        }
    }
    if let (Some(line), Some(base)) = (world.facts.listed(&names.line), world.facts.base)
        && !world.store.is_ancestor(line.peeled, base)?
    {
        found.refuse(
            Refusal::new(
                Code::LineDiverged,
                format!("{} can't be fast-forwarded to a merge into {}", names.line.short(), names.base.short()),
            )
            .at([format!("{} at {}", names.line, line.peeled)])
            .hint("merge the line into the base, or promote into the line"),
        );
    }
    Ok(())
}

/// Every stable image name is free or ours, and every owned digest can be pulled by digest.
pub(super) async fn images(world: &World<'_>, found: &mut Findings) {
    let wanted = &world.promotion.images;
    if wanted.is_empty() {
        found.refuse(
            Refusal::new(Code::NothingOwned, "the candidate has no owned image: there is nothing to promote")
                .hint("check `references.owned` in the pipeline: sealift refs list shows what is found"),
        );
    }
    let (stable, before) = (world.promotion.candidate.rc.stable, found.refusals.len());
    let mut whole = 0;
    for (image, (name, pulled)) in wanted.iter().zip(images::look(world.sight(), wanted).await) {
        let Image { repository, tag, digest, sources } = image;
        match name {
            Name::Free(_) | Name::Right => {}
            Name::Taken(other) => found.refuse(taken(stable, repository, tag, *digest, other)),
            Name::Unknown(unknown) => found.refuse(unknown),
            Name::Gone => found.refuse(images::gone(repository, *digest, sources)),
        }
        match pulled {
            None => {}
            Some(Pulled::Unknown(unknown)) => found.refuse(unknown),
            Some(Pulled::Gone) => found.refuse(images::gone(repository, *digest, sources)),
            Some(Pulled::There { manifests, missing }) => {
                whole += manifests;
                for (child, unknown) in missing {
                    match unknown {
                        Some(unknown) => found.refuse(unknown),
                        None => found.refuse(images::broken(repository, *digest, child, sources)),
                    }
                }
            }
        }
    }
    if found.refusals.len() == before {
        found.notes.push(format!(
            "{} images and their {whole} manifests are there by digest, and the stable tags are free or right",
            wanted.len()
        ));
    }
}

/// Before the merge neither git names nor the chart can be ours.
pub(super) async fn unwritten(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    git(world, found)?;
    found.refusals.extend(chart::early(world).await?);
    Ok(())
}

/// The stable tag of the packages artifact, before there is an artifact that could have it.
pub(super) async fn artifact(world: &World<'_>, found: &mut Findings) {
    let (repository, tag) = (&world.pipeline.artifact.repository, &world.promotion.stable_tag);
    match world.tagged(repository, tag).await {
        Answer::Found(other) => {
            found.refuse(artifact_taken(world.promotion.candidate.rc.stable, repository, tag, other.digest()));
        }
        Answer::Unknown(unknown) => found.refuse(unknown),
        Answer::Absent => {}
    }
}

/// The names that come last, once a promotion has begun: somebody may have taken one meanwhile, and
/// then no other public name may be written either.
pub(super) async fn still_free(world: &World<'_>, found: &mut Findings) -> anyhow::Result<()> {
    let Some(merge) = world.facts.merged() else {
        taken_meanwhile(world, found).await;
        return Ok(unwritten(world, found).await?);
    };
    let names = &world.facts.names;
    for name in names.module_tags.iter().chain([&names.git_tag]) {
        if let Err(refusal) = finalize::tag(world, name, merge)? {
            found.refuse(refusal);
        }
    }
    if let Err(refusal) = finalize::line(world, merge)? {
        found.refuse(refusal);
    }
    if let chart::Look::Refused(refusal) = chart::look(world, merge).await? {
        found.refuse(refusal);
    }
    Ok(())
}

/// Stable image names that somebody took: a person must not merge what can't be released.
async fn taken_meanwhile(world: &World<'_>, found: &mut Findings) {
    let images = &world.promotion.images;
    let wanted = images.iter().map(|image| (image.repository.clone(), image.tag.clone(), image.digest)).collect();
    let stable = world.promotion.candidate.rc.stable;
    for ((repository, tag, digest), name) in retag::look(world.sight(), wanted).await {
        match name {
            Name::Taken(other) => found.refuse(taken(stable, &repository, &tag, digest, other)),
            Name::Unknown(unknown) => found.refuse(unknown),
            Name::Gone => found.refuse(images::gone(&repository, digest, &[])),
            Name::Free(_) | Name::Right => {}
        }
    }
}
