//! retag: every owned digest has its stable tag, and so has the candidate artifact. Write-once.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;

use super::{Action, Code, Plan, Refusal, Sight, Stage, Step, World};
use crate::model::{Answer, Digest, Repository, Stable, Tag, Unknown};

pub struct Retag;

impl Stage for Retag {
    fn name(&self) -> &'static str {
        "retag"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

/// One stable name and what a look at it found.
pub enum Name {
    Right,
    Free(Box<Action>),
    Taken(Digest),
    Gone,
    Unknown(Unknown),
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let promotion = world.promotion;
    let mut wanted: Vec<(Repository, Tag, Digest)> =
        promotion.images.iter().map(|image| (image.repository.clone(), image.tag.clone(), image.digest)).collect();
    if let Some(pin) = world.facts.pin {
        wanted.push((world.pipeline.artifact.repository.clone(), promotion.stable_tag.clone(), pin.artifact));
    }
    let mut step = Step::new("images", []);
    let mut refusals = Vec::new();
    for ((repository, tag, digest), name) in look(world.sight(), wanted).await {
        match name {
            Name::Right => {}
            Name::Free(action) => step.actions.push(*action),
            Name::Unknown(unknown) => step.unknown.push(unknown),
            Name::Taken(found) => refusals.push(taken(promotion.candidate.rc.stable, &repository, &tag, digest, found)),
            Name::Gone => refusals.push(
                Refusal::new(Code::ImageGone, format!("{repository}@{digest} is gone from the registry"))
                    .hint("restore the image: it is what was tested"),
            ),
        }
    }
    let plan = if refusals.is_empty() { Plan::act(vec![step]) } else { Plan::refuse(refusals) };
    let unpinned = world.facts.pin.is_none();
    Ok(plan.notes(unpinned.then(|| {
        format!("{}:{} too, once the artifact is pinned", world.pipeline.artifact.repository, promotion.stable_tag)
    })))
}

/// A stable name that carries another digest: the version is spent.
pub fn taken(stable: Stable, repository: &Repository, tag: &Tag, wanted: Digest, found: Digest) -> Refusal {
    Refusal::new(
        Code::VersionSpent,
        format!("v{stable} is spent: {repository}:{tag} already names {found}, this candidate has {wanted}"),
    )
    .hint(format!("a published tag is never moved: release v{} instead", stable.next_patch()))
}

/// The same of the packages artifact, before there is one that could have the name.
pub fn artifact_taken(stable: Stable, repository: &Repository, tag: &Tag, found: Digest) -> Refusal {
    Refusal::new(Code::VersionSpent, format!("v{stable} is spent: {repository}:{tag} already names {found}"))
        .hint(format!("a published tag is never moved: release v{} instead", stable.next_patch()))
}

/// Looks at many stable names at once, answers in the order asked: a name that is right costs one
/// request, a free one two.
pub async fn look(sight: Sight<'_>, wanted: Vec<(Repository, Tag, Digest)>) -> Vec<((Repository, Tag, Digest), Name)> {
    futures_util::stream::iter(wanted)
        .map(|(repository, tag, digest)| async move {
            let name = one(sight, &repository, &tag, digest).await;
            ((repository, tag, digest), name)
        })
        .buffered(sight.parallel)
        .collect()
        .await
}

async fn one(sight: Sight<'_>, repository: &Repository, tag: &Tag, digest: Digest) -> Name {
    match sight.tagged(repository, tag).await {
        Answer::Found(manifest) if manifest.digest() == digest => return Name::Right,
        Answer::Found(manifest) => return Name::Taken(manifest.digest()),
        Answer::Unknown(unknown) => return Name::Unknown(unknown),
        Answer::Absent => {}
    }
    match sight.manifest(repository, digest).await {
        Answer::Found(manifest) => Name::Free(Box::new(Action::PutManifest {
            repository: repository.clone(),
            tag: tag.clone(),
            manifest: Box::new(manifest),
            expect: None,
        })),
        Answer::Absent => Name::Gone,
        Answer::Unknown(unknown) => Name::Unknown(unknown),
    }
}
