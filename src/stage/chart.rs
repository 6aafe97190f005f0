//! The installer chart of the release: packed from the merged tree, written once, ours by content.

use super::{Action, Code, Refusal, Step, World};
use crate::archive::Limits;
use crate::archive::chart::{self, Chart, ChartError, ChartSpec, Stamp};
use crate::model::{Answer, CommitId, Repository, Stable, Tag};
use crate::pipeline::Pipeline;
use crate::promotion::PromotionError;
use crate::tree::{GitTree, Kind, Subtree, Tree};

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
    let tree = GitTree::new(world.store.clone(), world.store.tree_of(commit)?).named(format!("commit {commit}"));
    pack_tree(world.pipeline, &tree, &world.promotion.candidate.rc.stable)
}

/// The chart of a version as it is in a repository's tree.
pub fn pack_tree(
    pipeline: &Pipeline,
    tree: &dyn Tree,
    version: &Stable,
) -> Result<Option<(Repository, Tag, Chart)>, PromotionError> {
    let Some(declared) = &pipeline.chart else { return Ok(None) };
    let path = pipeline.below_root(&declared.path);
    let folder = tree.find(path.as_bytes())?;
    if folder.is_none_or(|entry| entry.kind != Kind::Directory) {
        return Err(PromotionError::Refused(vec![
            Refusal::new(Code::NoChart, format!("there is no chart at {path}"))
                .at([tree.describe()])
                .hint("correct `chart.path` in the pipeline"),
        ]));
    }
    let stamps = declared
        .stamp
        .iter()
        .map(|stamp| Stamp { file: stamp.file.clone(), key: stamp.key.clone(), value: stamp.value.stable(version) })
        .collect();
    let spec = ChartSpec { version: version.to_string(), app_version: format!("v{version}"), stamps };
    let chart = chart::pack(&Subtree::new(tree, &path)?.named(path), &spec)?;
    let tag = chart::tag(&chart.version).map_err(|error| PromotionError::Name(format!("{error}")))?;
    Ok(Some((declared.repository.clone(), tag, chart)))
}

/// A chart that can't be packed.
pub fn unpackable(error: &ChartError) -> Refusal {
    let refusal = Refusal::new(Code::ChartUnpackable, format!("the chart can't be packed: {error}"))
        .hint("correct the chart, or `chart` in the pipeline, in the next release candidate");
    match error {
        ChartError::Place { file, line: Some(line), .. } => refusal.at([format!("{file}:{line}")]),
        ChartError::Place { file, line: None, .. } => refusal.at([file]),
        _ => refusal,
    }
}

/// Before the merge no chart of this version can be ours, and it must be possible to pack one.
pub async fn early(world: &World<'_>) -> Result<Option<Refusal>, PromotionError> {
    let packed = match pack(world, world.promotion.content) {
        Ok(packed) => packed,
        Err(PromotionError::Chart(error)) => return Ok(Some(unpackable(&error))),
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

pub fn foreign(repository: &Repository, tag: &Tag, why: &str) -> Refusal {
    Refusal::new(Code::ChartTaken, format!("the chart {repository}:{tag} exists and is not this release's: {why}"))
        .hint("a published chart is never replaced: find out who pushed it, or release the next version")
}
