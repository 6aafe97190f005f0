//! The release on a forge: published from its draft, then marked as the latest if it is.

use super::record::{self, Record};
use super::recorded::{compared, recorded};
use super::{Action, Code, Plan, Refusal, Step, World, body, changelog, draft, proof, pull};
use crate::model::{Answer, CommitId, Digest, Stable, Unknown};
use crate::pipeline::Pipeline;
use crate::port::forge::{ForgeRead, Release, Releases};
use crate::promotion::history::Pin;

/// What the release still needs, in order.
#[derive(Default)]
pub struct Published {
    pub steps: Vec<Step>,
    pub notes: Vec<String>,
}

/// Looks at the release of a merged promotion among those there are. `Err`: a wait, or refusals. The
/// gate asks the same, before the first public name.
pub async fn plan(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    releases: &Releases,
    pin: Pin,
    merge: CommitId,
) -> anyhow::Result<Result<Published, Plan>> {
    let tag = &world.facts.names.git_tag;
    if let Some(published) = releases.published(tag.short()) {
        return Ok(match ours(world, forge, pin, published).await {
            Ok(()) => Ok(Published { steps: Vec::new(), notes: leftovers(releases, tag.short()) }),
            Err(refusal) => Err(refusal.into()),
        });
    }
    let changelog = changelog::look(world, merge)?;
    let rest = proof::rest_of(world, merge)?;
    let text = body::release(world, pin, &changelog, &rest);
    let draft = match draft::plan(world, forge, releases, pin, &text).await? {
        Ok(draft) => draft,
        Err(plan) => return Ok(Err(plan)),
    };
    let mut notes = draft.notes;
    notes.extend(pull::at_merge(&changelog));
    // Where the draft isn't visible, that it isn't published is.
    let made = body::merged("", &text);
    let before = draft.release.as_ref().map_or(made.as_str(), |release| release.body.as_str());
    let theirs = !before.trim().is_empty() && !body::is_marked(before);
    if theirs {
        notes.push("people wrote the release's text: it is published as it is".into());
    }
    let body = if theirs { before.to_owned() } else { body::merged(before, &text) };
    // What is published is published with its text: a draft is not edited first.
    let edited = |step: &Step| step.actions.iter().all(|action| matches!(action, Action::EditDraft { .. }));
    let mut steps: Vec<Step> = draft.steps.into_iter().filter(|step| step.is_empty() || !edited(step)).collect();
    let (tag, expect, files) = (tag.clone(), Digest::of(before.as_bytes()), draft.files);
    steps.push(Step::new("release", [Action::PublishRelease { tag, body, expect, files }]));
    Ok(Ok(Published { steps, notes }))
}

/// Every release that the credential sees.
pub async fn all(forge: &dyn ForgeRead) -> Result<Releases, Unknown> {
    forge.releases().await.there("the releases")
}

/// A published release is ours when its assets are what its record says, and the record is of this
/// promotion (contract §4, "ours").
async fn ours(world: &World<'_>, forge: &dyn ForgeRead, pin: Pin, release: &Release) -> Result<(), Refusal> {
    let tag = world.facts.names.git_tag.short();
    let foreign = |why: String| {
        Refusal::new(Code::ReleaseTaken, format!("the release {tag} is published and is not this promotion's: {why}"))
            .at([&release.url])
            .hint("find out who published it: what is public is never replaced; release the next version")
    };
    let there = forge.assets(release.id).await.there(draft::assets_of(&world.facts.names.git_tag))?;
    let record: Record = match recorded(world, forge, &there).await? {
        Some(record) if record.is_of(pin) => record,
        Some(record) => return Err(foreign(format!("its record is of {}", record.commit))),
        None => return Err(foreign(format!("it has no {}", record::NAME))),
    };
    compared(world, forge, &record, &there).await
}

fn leftovers(releases: &Releases, tag: &str) -> Vec<String> {
    releases.drafts(tag).map(|draft| format!("a draft of {tag} is left over: {}", draft.url)).collect()
}

/// Stable versions whose releases are public, over all pages.
pub async fn stables(pipeline: &Pipeline, forge: &dyn ForgeRead) -> Result<Vec<Stable>, Unknown> {
    let public = |release: &&Release| !release.draft && !release.prerelease;
    let releases = all(forge).await?;
    Ok(releases.all.iter().filter(public).filter_map(|r| pipeline.tags.stable.version_of(&r.tag)).collect())
}

/// The mark of the latest release: the highest published stable has it, this one counted as
/// published (it is, by then).
pub async fn latest(world: &World<'_>, forge: &dyn ForgeRead, highest: Stable) -> anyhow::Result<Step> {
    let mut step = Step::new("latest release", []);
    let tag = crate::model::RefName::tag(&world.pipeline.tags.stable.stable(&highest))?;
    match forge.latest().await {
        Answer::Found(latest) if latest == tag.short() => {}
        Answer::Found(latest) => step.actions.push(Action::MarkLatest { tag, expect: Some(latest) }),
        Answer::Absent => step.actions.push(Action::MarkLatest { tag, expect: None }),
        Answer::Unknown(unknown) => step.unknown.push(unknown),
    }
    Ok(step)
}

/// Whether the workflow that the tag's push must start has a run: for people. It may still come.
pub async fn started(world: &World<'_>, forge: &dyn ForgeRead, merge: CommitId) -> Option<String> {
    let workflow = world.pipeline.release.starts.as_ref()?;
    let tag = world.facts.names.git_tag.short();
    let query = crate::port::forge::RunQuery {
        workflow: workflow.clone(),
        event: "push".into(),
        head_commit: Some(merge),
        since: None,
    };
    Some(match forge.runs(&query).await {
        Answer::Found(runs) => match runs.iter().find(|run| run.head_branch.as_deref() == Some(tag)) {
            Some(run) => format!("the tag started {workflow}: {}", run.url),
            None => format!("the push of {tag} has started no run of {workflow} yet: look at the Actions tab"),
        },
        Answer::Absent => format!("there is no workflow {workflow} for the push of {tag} to start"),
        Answer::Unknown(unknown) => format!("whether {tag} started {workflow} can't be known: {unknown}"),
    })
}
