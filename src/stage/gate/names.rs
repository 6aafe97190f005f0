//! The names of the release: free or ours, before the first of them is written.

use futures_util::StreamExt;

use super::Findings;
use crate::model::{Answer, Digest, Repository};
use crate::promotion::{Image, PromotionError};
use crate::stage::retag::{Name, look, taken};
use crate::stage::{Refusal, World, chart, finalize};

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
            Refusal::new(format!(
                "{} can't be fast-forwarded to a merge into {}",
                names.line.short(),
                names.base.short()
            ))
            .at([format!("{} at {}", names.line, line.peeled)])
            .hint("merge the line into the base, or promote into the line"),
        );
    }
    Ok(())
}

/// Every stable image name is free or ours, and every owned digest can be pulled by digest.
pub(super) async fn images(world: &World<'_>, found: &mut Findings) {
    let wanted: Vec<_> = world
        .promotion
        .images
        .iter()
        .map(|image| (image.repository.clone(), image.tag.clone(), image.digest))
        .collect();
    if wanted.is_empty() {
        found.refuse(
            Refusal::new("the candidate has no owned image: there is nothing to promote")
                .hint("check `references.owned` in the pipeline: sealift refs list shows what is found"),
        );
    }
    let (count, before) = (wanted.len(), found.refusals.len());
    let mut platforms = Vec::new();
    for ((repository, tag, digest), name) in look(world, wanted).await {
        match name {
            // It was pulled to know that, and is remembered.
            Name::Free(_) | Name::Right => match world.manifest(&repository, digest).await {
                Answer::Found(index) => {
                    platforms.extend(index.manifests().iter().map(|child| (repository.clone(), digest, child.digest)));
                }
                Answer::Absent => found.refuse(gone(world, &repository, digest)),
                Answer::Unknown(unknown) => found.refuse(unknown),
            },
            Name::Taken(other) => found.refuse(taken(world, &repository, &tag, digest, other)),
            Name::Unknown(unknown) => found.refuse(unknown),
            Name::Gone => found.refuse(gone(world, &repository, digest)),
        }
    }
    let manifests = platforms.len();
    absent_platforms(world, platforms, found).await;
    if found.refusals.len() == before {
        found.notes.push(format!(
            "{count} images and their {manifests} manifests are there by digest, and the stable tags are free or right"
        ));
    }
}

/// An index whose manifests are gone can be read and not pulled.
async fn absent_platforms(world: &World<'_>, platforms: Vec<(Repository, Digest, Digest)>, found: &mut Findings) {
    let answers: Vec<_> = futures_util::stream::iter(platforms)
        .map(|(repository, index, child)| async move {
            let answer = world.manifest(&repository, child).await;
            (repository, index, child, answer)
        })
        .buffered(world.parallel)
        .collect()
        .await;
    for (repository, index, child, answer) in answers {
        match answer {
            Answer::Found(_) => {}
            Answer::Unknown(unknown) => found.refuse(unknown),
            Answer::Absent => found.refuse(
                Refusal::new(format!("{repository}@{index} can't be pulled: its manifest {child} is not there"))
                    .at(places(world, &repository, index))
                    .hint("build and push the candidate again"),
            ),
        }
    }
}

fn gone(world: &World<'_>, repository: &Repository, digest: Digest) -> Refusal {
    Refusal::new(format!("{repository}@{digest} can't be pulled: it is not there"))
        .at(places(world, repository, digest))
        .hint("build and push the candidate again")
}

fn places(world: &World<'_>, repository: &Repository, digest: Digest) -> Vec<String> {
    let image = |image: &&Image| image.repository == *repository && image.digest == digest;
    world.promotion.images.iter().find(image).map(|image| image.sources.clone()).unwrap_or_default()
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
            let stable = world.promotion.candidate.rc.stable;
            found.refuse(
                Refusal::new(format!("v{stable} is spent: {repository}:{tag} already names {}", other.digest()))
                    .hint(format!("a published tag is never moved: release v{} instead", stable.next_patch())),
            );
        }
        Answer::Unknown(unknown) => found.refuse(unknown),
        Answer::Absent => {}
    }
}

/// The names that come last, once a promotion has begun: somebody may have taken one meanwhile, and
/// then no other public name may be written either.
pub(super) async fn still_free(world: &World<'_>, found: &mut Findings) -> anyhow::Result<()> {
    let Some(merge) = world.facts.merged() else { return Ok(unwritten(world, found).await?) };
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
