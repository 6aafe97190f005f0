//! The one interpreter: does an action, or finds it done, and never more than it says.

use futures_util::StreamExt;
use tokio::sync::OnceCell;

use super::event::Event;
use super::hosted::Hosted;
use super::ports::{Effects, Looker, Settings};
use crate::model::{Answer, Unknown};
use crate::port::WriteError;
use crate::port::registry::At;
use crate::stage::{Action, Step};

/// How a step went.
#[derive(Debug, Default)]
pub struct Applied {
    pub written: Vec<crate::stage::Summary>,
    pub failed: Vec<(crate::stage::Summary, WriteError)>,
    pub interrupted: bool,
}

impl Applied {
    /// Whether a write found something else than it expected: the plan is stale.
    pub fn lost(&self) -> bool {
        self.failed.iter().any(|(_, error)| matches!(error, WriteError::Lost { .. }))
    }
}

/// Does a step's actions: manifests of one kind many at a time, everything else one by one.
/// A failed unit doesn't stop the others of its kind when they are independent of it.
pub async fn step(
    stage: &'static str,
    step: &Step,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> Applied {
    let manifests = step.actions.iter().all(|action| matches!(action, Action::PutManifest { .. }));
    let separate = |action: &Action| matches!(action, Action::CreateRef { .. } | Action::UploadAsset { .. });
    let independent = manifests || step.actions.iter().all(separate);
    let at_once = if manifests { look.parallel } else { 1 };
    let hosted = &hosted(look, effects, settings);
    let mut applied = Applied::default();
    let mut results = futures_util::stream::iter(&step.actions)
        .map(|action| async move {
            if settings.stop.requested() {
                return (action.summary(), None);
            }
            settings.observer.event(&Event::Acting { stage, action: action.summary() });
            (action.summary(), Some(one(action, look, effects, hosted).await))
        })
        .buffered(at_once.max(1));
    while let Some((action, result)) = results.next().await {
        match result {
            None => applied.interrupted = true,
            Some(Ok(())) => {
                settings.observer.event(&Event::Acted { stage, action: action.clone() });
                applied.written.push(action);
            }
            Some(Err(error)) => {
                let cause = error.to_string();
                settings.observer.event(&Event::Failed { stage, action: action.clone(), cause });
                applied.failed.push((action, error));
                if !independent {
                    break;
                }
            }
        }
    }
    applied
}

/// Does one action, and tells nobody of it.
pub async fn alone(
    action: &Action,
    look: &Looker<'_>,
    effects: &Effects<'_>,
    settings: &Settings<'_>,
) -> Result<(), WriteError> {
    one(action, look, effects, &hosted(look, effects, settings)).await
}

fn hosted<'a>(look: &'a Looker<'_>, effects: &'a Effects<'_>, settings: &'a Settings<'_>) -> Hosted<'a> {
    let (lag, stop) = (settings.patience.lag, &settings.stop);
    Hosted { read: look.forge, write: effects.forge, lag, stop, draft: OnceCell::new() }
}

/// Does one action. Its expectation is looked at right before; an outcome that can't be known is
/// looked at before anything is said about it.
async fn one(action: &Action, look: &Looker<'_>, effects: &Effects<'_>, hosted: &Hosted<'_>) -> Result<(), WriteError> {
    if let Some(update) = action.ref_update() {
        return effects.origin.update(&update).await;
    }
    match action {
        Action::PushBlob { repository, blob } => effects.registry.put_blob(repository, blob).await,
        Action::PutManifest { repository, tag, manifest, expect } => {
            let name = format!("{repository}:{tag}");
            let at = At::Tag(tag.clone());
            let found = match look.registry.manifest(repository, &at).await {
                Answer::Found(found) => Some(found.digest()),
                Answer::Absent => None,
                Answer::Unknown(unknown) => return Err(WriteError::Unknown(unknown)),
            };
            if found == Some(manifest.digest()) {
                return Ok(());
            }
            if found != *expect {
                let show = |digest: Option<crate::model::Digest>| digest.map_or("nothing".into(), |d| d.to_string());
                return Err(WriteError::Lost { what: name, expected: show(*expect), found: show(found) });
            }
            match effects.registry.put_manifest(repository, tag, manifest).await {
                Err(WriteError::Unknown(unknown)) => match look.registry.manifest(repository, &at).await {
                    Answer::Found(found) if found.digest() == manifest.digest() => Ok(()),
                    _ => Err(WriteError::Unknown(Unknown {
                        detail: format!("{}; whether it was written can't be known", unknown.detail),
                        ..unknown
                    })),
                },
                result => result,
            }
        }
        _ => hosted.one(action).await,
    }
}
