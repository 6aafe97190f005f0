//! push: the packages tree of the content commit is in the registry, under a temporary tag.

use futures_util::future::BoxFuture;

use super::{Action, Code, Plan, Refusal, Stage, Step, World};
use crate::model::Answer;

pub struct Push;

impl Stage for Push {
    fn name(&self) -> &'static str {
        "push"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let (promotion, repository) = (world.promotion, &world.pipeline.artifact.repository);
    let digest = match world.facts.pin {
        Some(pin) => pin.artifact,
        None => world.memory.built(promotion).await?.manifest.digest(),
    };
    match world.manifest(repository, digest).await {
        Answer::Found(manifest) => {
            return Ok(match promotion.is_candidate(&manifest) {
                Ok(()) => Plan::holds().note(format!("{repository}@{digest}")),
                Err(why) => Refusal::new(
                    Code::PinForeign,
                    format!("{repository}@{digest} is not this promotion's artifact: {why}"),
                )
                .hint("take the pin off the staging branch, or abandon the promotion: sealift abandon")
                .into(),
            });
        }
        Answer::Unknown(unknown) => return Ok(Refusal::from(unknown).into()),
        Answer::Absent => {}
    }
    let artifact = world.memory.built(promotion).await?;
    if artifact.manifest.digest() != digest {
        return Ok(Refusal::new(
            Code::ArtifactGone,
            format!("the pinned artifact {repository}@{digest} is gone from the registry"),
        )
        .hint(
            "it was compressed by another encoder and can't be made again here: restore it, \
                   or abandon the promotion: sealift abandon",
        )
        .into());
    }
    let tag = promotion.temporary_tag(digest)?;
    match world.tagged(repository, &tag).await {
        // Another runner was quicker between the two looks.
        Answer::Found(same) if same.digest() == digest => {
            return Ok(Plan::holds().note(format!("{repository}@{digest}")));
        }
        Answer::Found(other) => {
            return Ok(Refusal::new(Code::TemporaryTagTaken, format!("{repository}:{tag} exists with other bytes"))
                .at([other.digest()])
                .hint("find out who pushed it, then delete that tag")
                .into());
        }
        Answer::Unknown(unknown) => return Ok(Refusal::from(unknown).into()),
        Answer::Absent => {}
    }
    let repository = repository.clone();
    Ok(Plan::act(vec![
        Step::new(
            "blobs",
            [&artifact.config, &artifact.layer]
                .map(|blob| Action::PushBlob { repository: repository.clone(), blob: blob.clone() }),
        ),
        Step::new(
            "artifact",
            [Action::PutManifest { repository, tag, manifest: Box::new(artifact.manifest.clone()), expect: None }],
        ),
    ]))
}
