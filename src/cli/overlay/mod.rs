//! overlay: a thin command over the module of the same name, and the only writer of what it plans.

mod show;

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;

use super::args::{Format, OverlayArgs};
use super::environment::Environment;
use super::failure::{Ended, Hinted, told};
use super::promote::Context;
use super::session::registries;
use super::trees::{beside, named};
use crate::engine::State;
use crate::overlay::{self as model, Built, Changed, Overlay, Place, Request, Source, SourceError};
use crate::pipeline::{self, Pipeline};
use crate::refs;
use crate::tree::{DirTree, Tree as _};

/// A plan with what it is of.
struct Planned {
    overlay: Overlay,
    onto: String,
    from: String,
    /// Whether it is only shown.
    dry: bool,
}

pub async fn overlay(args: &OverlayArgs, format: Format, context: &Context<'_>) -> Ended {
    let Context { environment, talk, .. } = context;
    let what = args.clone();
    let (pipeline, built, edited) = beside(move || {
        let pipeline = pipeline::load(&what.pipeline)?;
        Ok((pipeline, built(&what.built)?, edited(what.edited.as_deref())?))
    })
    .await?;
    let source = source(args, &pipeline, environment).await?;
    let what = args.clone();
    let planned = beside(move || plan(&what, &pipeline, source.as_ref(), &built, &edited)).await?;
    let writes = !planned.dry && !planned.overlay.edits.is_empty();
    if writes {
        // From here on without a pause: Ctrl-C finds a directory with all of it, or not touched.
        write(Path::new(&args.onto), &planned.overlay)?;
    }
    let state = match &planned.overlay {
        overlay if !overlay.refusals.is_empty() => State::Refused,
        overlay if planned.dry && !overlay.edits.is_empty() => State::Work,
        _ => State::Holds,
    };
    told(state, show::show(&planned, writes, format, environment, *talk))
}

fn plan(
    args: &OverlayArgs,
    pipeline: &Pipeline,
    source: Option<&Source>,
    built: &Built,
    edited: &Changed,
) -> anyhow::Result<Planned> {
    let directory = Path::new(&args.onto).is_dir();
    let onto = named(&args.onto, &args.repo)?;
    let from = source.map(Source::tree);
    let request = Request {
        pipeline,
        onto: onto.as_ref(),
        from: from.as_deref(),
        built,
        edited,
        if_missing: args.if_missing.into(),
        if_drift: args.if_drift.into(),
    };
    let overlay = model::overlay(&request)?;
    let from = source.map_or_else(|| absent(&args.from), |source| source.name.clone());
    Ok(Planned { overlay, onto: onto.describe(), from, dry: args.plan || !directory })
}

/// What stands for a source that is not there: of an artifact the registry proved it.
fn absent(from: &str) -> String {
    match from.parse() {
        Ok(Place::Directory(_)) => format!("{from}, a directory that is not there"),
        _ => format!("{from}, which the registry doesn't have"),
    }
}

/// Writes the edits and looks again: what stands there must be what was planned.
fn write(onto: &Path, overlay: &Overlay) -> anyhow::Result<()> {
    refs::apply_to_directory(onto, &overlay.edits)?;
    let tree = DirTree::open(onto)?;
    for edit in &overlay.edits {
        if tree.read(edit.path.as_bytes())? != edit.after {
            let message = format!("{}: it is not what was just written", edit.path);
            return Err(Hinted::new(message, "let nothing else write there, and run the same command again").into());
        }
    }
    Ok(())
}

fn built(path: &Path) -> anyhow::Result<Built> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let list = if path == Path::new("-") {
        let mut list = Vec::new();
        std::io::stdin().read_to_end(&mut list).map(|_| list)
    } else {
        std::fs::read(path)
    };
    let list = list.with_context(|| format!("{name}: what was built can't be read"))?;
    Built::parse(&list).map_err(|error| {
        let hint = "give a list such as [\"system/api\"], and [] when nothing was built";
        Hinted::new(format!("{name}: {error}"), hint).into()
    })
}

fn edited(path: Option<&Path>) -> anyhow::Result<Changed> {
    let Some(path) = path else { return Ok(Changed::default()) };
    let list = std::fs::read(path).with_context(|| format!("{}: what was edited can't be read", path.display()))?;
    Changed::parse(&list).map_err(|error| {
        let hint = "write it with `git diff --no-renames --name-only BASE`; say --nothing-edited when that is so";
        Hinted::new(format!("{}: {error}", path.display()), hint).into()
    })
}

/// The published tree; `None` where it is proven absent.
async fn source(args: &OverlayArgs, pipeline: &Pipeline, environment: &Environment) -> anyhow::Result<Option<Source>> {
    let place = match Path::new(&args.from) {
        path if path.is_dir() => Place::Directory(path.to_owned()),
        path if path.exists() => {
            let message = format!("{}: it is no directory, and so no tree", path.display());
            return Err(Hinted::usage(message, "unpack it, and name the directory").into());
        }
        _ => args.from.parse().map_err(|error: SourceError| match error.usage() {
            Some(remedy) => anyhow::Error::from(Hinted::usage(error.to_string(), remedy)),
            None => error.into(),
        })?,
    };
    let root = pipeline.root.clone();
    match place {
        Place::Directory(path) => beside(move || Ok(Source::directory(&path, &root)?)).await,
        Place::Artifact { repository, at } => {
            let here = args.pipeline.parent().unwrap_or(Path::new(""));
            let docker_config = args.registry.client.docker_config.clone().or_else(|| environment.docker_config());
            let registries = registries(pipeline, here, &args.registry, docker_config)?;
            Ok(Source::artifact(&registries, &repository, &at, &root).await?)
        }
    }
}

impl From<super::args::IfMissing> for model::IfMissing {
    fn from(word: super::args::IfMissing) -> Self {
        match word {
            super::args::IfMissing::Refuse => Self::Refuse,
            super::args::IfMissing::Skip => Self::Skip,
        }
    }
}

impl From<super::args::IfDrift> for model::IfDrift {
    fn from(word: super::args::IfDrift) -> Self {
        match word {
            super::args::IfDrift::Report => Self::Report,
            super::args::IfDrift::Refuse => Self::Refuse,
        }
    }
}
