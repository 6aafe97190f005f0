//! The installer chart of the release: packed from the merged tree, written once, ours by content.

use super::{Action, Refusal, Step, World};
use crate::archive::Limits;
use crate::archive::chart::{self, Chart, ChartSpec, Stamp};
use crate::model::{Answer, CommitId, Repository, Tag};
use crate::promotion::PromotionError;
use crate::tree::{GitTree, show};

/// What a look at the chart's name found.
pub enum Look {
    /// The pipeline publishes no chart.
    None,
    /// The name carries our files, whoever compressed them.
    Ours,
    Free(Step),
    Refused(Refusal),
}

/// The chart as it is at a commit.
pub fn pack(world: &World<'_>, commit: CommitId) -> Result<Option<(Repository, Tag, Chart)>, PromotionError> {
    let Some(declared) = &world.pipeline.chart else { return Ok(None) };
    let path = world.pipeline.below_root(&declared.path);
    let tree = world.store.tree_of(commit)?;
    let Some(folder) = world.store.subtree(tree, path.as_bytes())? else {
        return Err(PromotionError::Refused(vec![
            Refusal::new(format!("there is no chart at {path}"))
                .at([format!("commit {commit}")])
                .hint("correct `chart.path` in the pipeline"),
        ]));
    };
    let version = world.promotion.candidate.rc.stable;
    let stamps = declared
        .stamp
        .iter()
        .map(|stamp| Stamp { file: stamp.file.clone(), key: stamp.key.clone(), value: stamp.value.stable(&version) })
        .collect();
    let spec = ChartSpec { version: version.to_string(), app_version: format!("v{version}"), stamps };
    let tree = GitTree::new(world.store.clone(), folder).named(show(path.as_bytes()));
    let chart = chart::pack(&tree, &spec)?;
    let tag = chart::tag(&chart.version).map_err(|error| PromotionError::Name(format!("{error}")))?;
    Ok(Some((declared.repository.clone(), tag, chart)))
}

/// Before the merge no chart of this version can be ours, and it must be possible to pack one.
pub async fn early(world: &World<'_>) -> Result<Option<Refusal>, PromotionError> {
    let packed = match pack(world, world.promotion.content) {
        Ok(packed) => packed,
        Err(PromotionError::Chart(error)) => {
            let refusal = Refusal::new(format!("the chart can't be packed: {error}"));
            return Ok(Some(
                refusal.hint("correct the chart, or `chart` in the pipeline, in the next release candidate"),
            ));
        }
        Err(error) => return Err(error),
    };
    let Some((repository, tag, _)) = packed else { return Ok(None) };
    Ok(match world.tagged(&repository, &tag).await {
        Answer::Absent => None,
        Answer::Unknown(unknown) => Some(unknown.into()),
        Answer::Found(_) => Some(foreign(&repository, &tag, "nothing is merged yet")),
    })
}

/// Whether the chart's name is free, ours, or somebody else's.
pub async fn look(world: &World<'_>, commit: CommitId) -> anyhow::Result<Look> {
    let Some((repository, tag, chart)) = pack(world, commit)? else { return Ok(Look::None) };
    let found = match world.tagged(&repository, &tag).await {
        Answer::Unknown(unknown) => return Ok(Look::Refused(unknown.into())),
        Answer::Found(manifest) => manifest,
        Answer::Absent => {
            let blobs = [&chart.config, &chart.layer]
                .map(|blob| Action::PushBlob { repository: repository.clone(), blob: blob.clone() });
            let manifest = Box::new(chart.manifest.clone());
            let mut step = Step::new("chart", blobs);
            step.actions.push(Action::PutManifest { repository, tag, manifest, expect: None });
            return Ok(Look::Free(step));
        }
    };
    if found.digest() == chart.manifest.digest() {
        return Ok(Look::Ours);
    }
    let limits = Limits::default();
    let layer = match chart::layer_of(&found) {
        Ok(layer) => layer,
        Err(error) => return Ok(Look::Refused(foreign(&repository, &tag, &error.to_string()))),
    };
    if layer.size > limits.bytes {
        return Ok(Look::Refused(foreign(&repository, &tag, &format!("its layer says it has {} bytes", layer.size))));
    }
    Ok(match world.registry.blob(&repository, layer).await {
        Answer::Unknown(unknown) => Look::Refused(unknown.into()),
        Answer::Absent => Look::Refused(foreign(&repository, &tag, "its layer is missing")),
        Answer::Found(bytes) => match chart::unpack(&bytes, &limits) {
            Ok(files) if chart::same(&chart.files, &files) => Look::Ours,
            Ok(_) => Look::Refused(foreign(&repository, &tag, "its files differ from the release's")),
            Err(error) => Look::Refused(foreign(&repository, &tag, &error.to_string())),
        },
    })
}

fn foreign(repository: &Repository, tag: &Tag, why: &str) -> Refusal {
    Refusal::new(format!("the chart {repository}:{tag} exists and is not this release's: {why}"))
        .hint("a published chart is never replaced: find out who pushed it, or release the next version")
}
