//! preview: a thin command over the engine, and its comment.

use std::path::Path;

use super::args::PreviewArgs;
use super::failure::Ended;
use super::promote::{Context, now};
use super::session::Session;
use super::trees;
use crate::engine::{self, Asked, Event, Observer, Settings};
use crate::report::Markdown;

/// Everyone who is told, and the comment's own document.
struct Both<'a>(&'a dyn Observer, &'a Markdown);

impl Observer for Both<'_> {
    fn event(&self, event: &Event) {
        self.0.event(event);
        self.1.event(event);
    }
}

pub async fn preview(args: &PreviewArgs, context: &Context<'_>) -> Ended {
    // A directory and its origin are enough for a rehearsal: no forge need stand beside them.
    let rehearsal = args.tree.is_some() && args.world.repo.is_some() && args.world.github.github_api.is_none();
    let session = match rehearsal {
        true => Session::apart(&args.world, context.environment)?,
        false => Session::of(&args.world, context.environment)?,
    };
    let (looker, document) = (session.looker(), Markdown::new());
    let told = Both(context.observer, &document);
    let settings = Settings { observer: &told, ..context.settings(&now, String::new()) };
    let Some(pull) = args.pull_request else {
        let name = args.tree.as_deref().unwrap_or(".");
        // The origin, where it is a directory, has its revisions.
        let repository = args.world.repo.as_deref().map(Path::new).filter(|repo| repo.is_dir());
        let tree = trees::named(name, repository.unwrap_or(Path::new(".")))?;
        return engine::preview(&Asked::Tree(tree.as_ref(), name.to_owned()), args.version, &looker, &settings).await;
    };
    let state = engine::preview(&Asked::Pull(pull), args.version, &looker, &settings).await?;
    if args.comment {
        let marker = format!("<!-- sealift preview: {} -->", session.pipeline.name);
        let body = document.comment(&marker, context.environment.page.as_deref());
        engine::comment(pull, &marker, &body, &looker, &session.effects(), &settings).await;
    }
    Ok(state)
}
