//! Aliases: names that are copies of the highest published stable's, over all pages.

use futures_util::StreamExt;

use super::{Action, Step, World, chart, release};
use crate::model::{Answer, CommitId, Digest, RefName, Repository, Stable, Tag, Unknown};

/// What an alias is a name of.
#[derive(Clone, Copy)]
enum Of {
    Image,
    Chart,
}

/// What one alias needs.
enum Alias {
    Right,
    Move(Box<Action>),
    /// The highest stable has no such name here: nothing to copy.
    NoSource(String),
    Unknown(Unknown),
}

/// The alias steps, and notes. An older line never drags an alias back: every alias follows the
/// highest stable that is published, this one counted as published (it is, by then).
pub async fn steps(world: &World<'_>, merge: CommitId) -> anyhow::Result<(Vec<Step>, Vec<String>)> {
    let own = world.promotion.candidate.rc.stable;
    let published = match published(world).await {
        Ok(published) => published,
        Err(unknown) => {
            let step = Step { unknown: vec![unknown], ..Step::new("aliases", []) };
            return Ok((vec![step], Vec::new()));
        }
    };
    let highest = published.into_iter().chain([own]).max().unwrap_or(own);
    let mut wanted: Vec<(Of, Repository, Tag, String)> = Vec::new();
    let mut repositories: Vec<&Repository> = world.promotion.images.iter().map(|image| &image.repository).collect();
    repositories.push(&world.pipeline.artifact.repository);
    repositories.sort();
    repositories.dedup();
    for repository in repositories {
        for alias in &world.pipeline.aliases.images {
            wanted.push((Of::Image, repository.clone(), alias.clone(), format!("v{highest}")));
        }
    }
    if let Some(chart) = &world.pipeline.chart {
        for alias in &world.pipeline.aliases.chart {
            wanted.push((Of::Chart, chart.repository.clone(), alias.clone(), highest.to_string()));
        }
    }
    let mut notes = Vec::new();
    if highest != own && !wanted.is_empty() {
        notes.push(format!("aliases follow v{highest}, the highest published stable"));
    }
    let (mut images, mut charts) = (Step::new("image aliases", []), Step::new("chart aliases", []));
    let looked: Vec<(Of, Alias)> = futures_util::stream::iter(wanted)
        .map(|(of, repository, alias, source)| async move {
            (of, one(world, of, &repository, &alias, &source, highest, merge).await)
        })
        .buffered(world.parallel)
        .collect()
        .await;
    for (of, alias) in looked {
        let step = match of {
            Of::Image => &mut images,
            Of::Chart => &mut charts,
        };
        match alias {
            Alias::Right => {}
            Alias::Move(action) => step.actions.push(*action),
            Alias::NoSource(note) => notes.push(note),
            Alias::Unknown(unknown) => step.unknown.push(unknown),
        }
    }
    let mut steps = vec![images, charts];
    if let Some(forge) = world.forge {
        steps.push(release::latest(world, forge, highest).await?);
    }
    Ok((steps, notes))
}

/// Every stable version that is published: by its release, or on plain git by its tag.
async fn published(world: &World<'_>) -> Result<Vec<Stable>, Unknown> {
    let template = &world.pipeline.tags.stable;
    let tagged = |name: &RefName| template.version_of(name.as_str().strip_prefix("refs/tags/")?);
    match world.forge {
        Some(forge) => release::stables(world.pipeline, forge).await,
        None => Ok(world.facts.refs.refs.keys().filter_map(tagged).collect()),
    }
}

async fn one(
    world: &World<'_>,
    of: Of,
    repository: &Repository,
    alias: &Tag,
    source: &str,
    highest: Stable,
    merge: CommitId,
) -> Alias {
    let what = format!("{repository}:{source}");
    let Ok(source) = source.parse::<Tag>() else {
        return Alias::Unknown(Unknown::new(what, "not a tag"));
    };
    let mine = highest == world.promotion.candidate.rc.stable;
    let none = || Alias::NoSource(format!("{repository} has no {source} to copy {alias} from"));
    let (digest, wanted) = match of {
        // Only what this promotion proved: a stranger's tag of that name is no source.
        Of::Image if mine => match own(world, repository, &source) {
            Some(digest) => (digest, None),
            None => return none(),
        },
        Of::Image | Of::Chart => match world.tagged(repository, &source).await {
            Answer::Found(manifest) => (manifest.digest(), Some(manifest)),
            Answer::Unknown(unknown) => return Alias::Unknown(unknown),
            // Not written yet: the plan is made before the chart is pushed.
            Answer::Absent if mine => match planned(world, repository, &source, merge) {
                Answer::Found(manifest) => (manifest.digest(), Some(manifest)),
                Answer::Unknown(unknown) => return Alias::Unknown(unknown),
                Answer::Absent => return none(),
            },
            Answer::Absent => return Alias::NoSource(format!("{repository} has no {source}: {alias} is left alone")),
        },
    };
    let expect = match world.tagged(repository, alias).await {
        Answer::Found(manifest) if manifest.digest() == digest => return Alias::Right,
        Answer::Found(manifest) => Some(manifest.digest()),
        Answer::Absent => None,
        Answer::Unknown(unknown) => return Alias::Unknown(unknown),
    };
    let wanted = match wanted {
        Some(manifest) => manifest,
        None => match world.manifest(repository, digest).await {
            Answer::Found(manifest) => manifest,
            Answer::Absent => return Alias::Unknown(Unknown::new(format!("{repository}@{digest}"), "is gone")),
            Answer::Unknown(unknown) => return Alias::Unknown(unknown),
        },
    };
    Alias::Move(Box::new(Action::PutManifest {
        repository: repository.clone(),
        tag: alias.clone(),
        manifest: Box::new(wanted),
        expect,
    }))
}

/// What this promotion's own stable name of an image or of the artifact is, without a look: it
/// was seen under that name when retag held, and finalize doesn't begin before.
fn own(world: &World<'_>, repository: &Repository, tag: &Tag) -> Option<Digest> {
    let named = |image: &&crate::promotion::Image| image.repository == *repository && image.tag == *tag;
    let artifact = *repository == world.pipeline.artifact.repository && *tag == world.promotion.stable_tag;
    match world.promotion.images.iter().find(named) {
        Some(image) => Some(image.digest),
        None => world.facts.pin.filter(|_| artifact).map(|pin| pin.artifact),
    }
}

/// The chart that this promotion is going to push.
fn planned(world: &World<'_>, repository: &Repository, tag: &Tag, merge: CommitId) -> Answer<crate::model::Manifest> {
    match chart::pack(world, merge) {
        Ok(Some((chart_repository, chart_tag, chart))) if chart_repository == *repository && chart_tag == *tag => {
            Answer::Found(chart.manifest)
        }
        Ok(_) => Answer::Absent,
        Err(error) => Answer::Unknown(Unknown::new(format!("{repository}:{tag}"), error)),
    }
}
