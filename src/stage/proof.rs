//! Pulling what is compared, and the verdict of the comparison: one code for the gate, before
//! proposing, on the pull request, and after the merge.

use super::{Code, Plan, Refusal, World};
use crate::archive::{self, FetchError, Unpacked};
use crate::model::{Answer, CommitId, Digest, TreeId};
use crate::pipeline::Rest;
use crate::promotion::proof::{Difference, Proof};
use crate::promotion::{PromotionError, packages};
use crate::tree::show;

/// Proves the pinned candidate against a commit: the staging head, or the merge.
pub async fn plan(world: &World<'_>, commit: CommitId) -> anyhow::Result<Plan> {
    against(world, world.store.tree_of(commit)?, &commit.to_string()).await
}

/// Proves the pinned candidate against a tree of the repository, which `name` stands for.
pub async fn against(world: &World<'_>, tree: TreeId, name: &str) -> anyhow::Result<Plan> {
    let Some(pin) = world.facts.pin else {
        return Ok(Plan::wait("pin", "the candidate is proven once it is pinned"));
    };
    let (mut refusals, notes) = rest(world, tree, name)?;
    let places = match world.memory.proof(pin.artifact, tree) {
        Some(places) => Ok(places),
        None => differences(world, pin.artifact, tree).await?,
    };
    match places {
        Ok(places) if places.is_empty() => {}
        Ok(places) => {
            refusals
                .push(Refusal::new(Code::NotProven, format!("the candidate {} is not proven by {name}", pin.artifact)).at(places).hint(
                "cut the next release candidate from the base; the version is spent only if something of it is public",
            ))
        }
        Err(refusal) => refusals.push(refusal),
    }
    if !refusals.is_empty() {
        return Ok(Plan::refuse(refusals).notes(notes));
    }
    Ok(Plan::holds().note(format!("{} is what was tested and what {name} holds", pin.artifact)).notes(notes))
}

/// Rule 3 in the gate: the rc artifact holds the rc commit's tree.
pub async fn tested(world: &World<'_>) -> anyhow::Result<Vec<Refusal>> {
    let candidate = &world.promotion.candidate;
    let tested = match pull(world, candidate.rc_artifact).await {
        Ok(tested) => tested,
        Err(refusal) => return Ok(vec![refusal]),
    };
    let found = tokio::task::block_in_place(|| -> Result<Vec<Difference>, PromotionError> {
        let commit = packages(world.store, world.store.tree_of(candidate.rc_commit)?, &world.pipeline.root)?;
        let proof = Proof {
            pipeline: world.pipeline,
            rc: &candidate.rc,
            tested: (&tested, candidate.rc_artifact),
            candidate: (&tested, candidate.rc_artifact),
            merged: &commit,
        };
        proof.tested_tree()
    });
    let found = match found {
        Ok(found) => found,
        Err(PromotionError::Refused(refusals)) => return Ok(refusals),
        Err(error) => return Err(error.into()),
    };
    if found.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![
        Refusal::new(Code::RcArtifactDiffers, "the rc artifact does not hold what the candidate's branch holds")
            .at(found)
            .hint("build the candidate again, or declare build leftovers in `artifact.rc_only`"),
    ])
}

async fn differences(
    world: &World<'_>,
    artifact: Digest,
    tree: TreeId,
) -> anyhow::Result<Result<Vec<String>, Refusal>> {
    let candidate = &world.promotion.candidate;
    let both = futures_util::future::join(pull(world, candidate.rc_artifact), pull(world, artifact));
    let (tested, pinned) = match both.await {
        (Ok(tested), Ok(pinned)) => (tested, pinned),
        (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
    };
    let found = tokio::task::block_in_place(|| {
        let merged = packages(world.store, tree, &world.pipeline.root)?;
        let proof = Proof {
            pipeline: world.pipeline,
            rc: &candidate.rc,
            tested: (&tested, candidate.rc_artifact),
            candidate: (&pinned, artifact),
            merged: &merged,
        };
        proof.differences()
    });
    let places: Vec<String> = match found {
        Ok(found) => found.iter().map(ToString::to_string).collect(),
        Err(PromotionError::Refused(refusals)) => {
            refusals.into_iter().map(|r| format!("{}: {}", r.places.join(", "), r.message)).collect()
        }
        Err(error) => return Err(error.into()),
    };
    world.memory.remember_proof(artifact, tree, &places);
    Ok(Ok(places))
}

/// How the rest of a commit differs from what was tested, where the pipeline lets it: for the release.
pub fn rest_of(world: &World<'_>, commit: CommitId) -> Result<Vec<String>, PromotionError> {
    Ok(rest(world, world.store.tree_of(commit)?, "the release")?.1)
}

/// Rule 6: outside the root the merged repository differs from the rc commit in allowed paths only.
fn rest(world: &World<'_>, tree: TreeId, name: &str) -> Result<(Vec<Refusal>, Vec<String>), PromotionError> {
    let old = world.store.tree_of(world.promotion.candidate.rc_commit)?;
    let paths: Vec<String> = world
        .store
        .changed_paths(old, tree)?
        .into_iter()
        .filter(|path| !world.pipeline.is_below_root(path) && !world.pipeline.is_allowed(path))
        .map(|path| show(&path))
        .collect();
    if paths.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    Ok(match &world.pipeline.verify.rest {
        Rest::Refuse => {
            let refusal = Refusal::new(
                Code::RestDiffers,
                format!(
                    "{name} differs from what was tested outside {} and allowed paths (rule 6)",
                    world.pipeline.root
                ),
            )
            .at(paths)
            .hint("cut the next release candidate from the base, or declare such paths in the pipeline");
            (vec![refusal], Vec::new())
        }
        Rest::Report(reason) => {
            let note = format!("differs from what was tested, as declared ({reason}): {}", paths.join(", "));
            (Vec::new(), vec![note])
        }
    })
}

/// An artifact by digest: manifest, config and layer hashed and sized before anything is parsed.
async fn pull(world: &World<'_>, digest: Digest) -> Result<Unpacked, Refusal> {
    let repository = &world.pipeline.artifact.repository;
    let name = format!("{repository}@{digest}");
    let gone = |what: &str| {
        Refusal::new(Code::ArtifactUnreadable, format!("{name} can't be read: {what}"))
            .hint("restore it, or cut the next release candidate")
    };
    let manifest = match world.manifest(repository, digest).await {
        Answer::Found(manifest) => manifest,
        Answer::Absent => return Err(gone("it is not in the registry")),
        Answer::Unknown(unknown) => return Err(unknown.into()),
    };
    archive::fetch(world.registry, repository, &manifest).await.map_err(|error| match error {
        FetchError::Unknown(unknown) => unknown.into(),
        FetchError::Refused(error) => {
            Refusal::new(Code::ArtifactUntrusted, format!("{name} is not an artifact to trust: {error}"))
                .hint("find out who pushed it; cut the next release candidate")
        }
        error => gone(&error.to_string()),
    })
}
