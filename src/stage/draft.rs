//! The draft release, and the files that it is to have.

use super::record::{self, File, Record};
use super::recorded::{compared, listed, recorded};
use super::uploads::{self, Replaceable};
use super::{Action, Code, Plan, Refusal, Step, World, assets, body};
use crate::model::{Digest, RefName};
use crate::port::forge::{Asset, ForgeRead, Release, Releases};
use crate::promotion::history::Pin;

/// What the draft still needs.
#[derive(Default)]
pub struct Draft {
    /// It as it is; nothing where it isn't there yet, or isn't visible.
    pub release: Option<Release>,
    pub steps: Vec<Step>,
    /// Every file that is on it once they are done.
    pub files: Vec<File>,
    pub notes: Vec<String>,
}

/// Looks at the draft of a pinned promotion. `text` is sealift's part of its body. `Err`: a wait, or
/// refusals.
pub async fn plan(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    releases: &Releases,
    pin: Pin,
    text: &str,
) -> anyhow::Result<Result<Draft, Plan>> {
    let tag = &world.facts.names.git_tag;
    if !releases.drafts_visible {
        let note = format!("the draft of {} is not visible to this credential", tag.short());
        return Ok(Ok(Draft { notes: vec![note], ..Draft::default() }));
    }
    let release = match one(releases, tag) {
        Ok(release) => release.cloned(),
        Err(refusal) => return refused(refusal),
    };
    let mut steps = Vec::new();
    match &release {
        None => {
            let (tag, body) = (tag.clone(), body::merged("", text));
            steps.push(Step::new("draft", [Action::CreateDraft { tag, body, target: pin.commit }]));
        }
        // People may have made the text their own: without sealift's place in it, it is left alone.
        Some(release) if body::is_marked(&release.body) && !body::holds(&release.body, text) => {
            steps.push(edit(release, tag, body::merged(&release.body, text)));
        }
        Some(release) if release.tag != tag.short() => steps.push(edit(release, tag, release.body.clone())),
        Some(_) => {}
    }
    let there = match &release {
        None => Vec::new(),
        Some(release) => match forge.assets(release.id).await.there(assets_of(tag)) {
            Ok(assets) => assets,
            Err(unknown) => return refused(unknown),
        },
    };
    let (uploads, files) = match files(world, forge, pin, &there).await? {
        Ok(found) => found,
        Err(plan) => return Ok(Err(plan)),
    };
    steps.extend(uploads);
    Ok(Ok(Draft { release, steps, files, notes: Vec::new() }))
}

/// What a list of assets is called.
pub fn assets_of(tag: &RefName) -> String {
    format!("the assets of {}", tag.short())
}

fn edit(release: &Release, tag: &RefName, body: String) -> Step {
    let expect = Digest::of(release.body.as_bytes());
    Step::new("draft", [Action::EditDraft { tag: tag.clone(), body, expect }])
}

fn refused<T>(refusal: impl Into<Refusal>) -> anyhow::Result<Result<T, Plan>> {
    Ok(Err(refusal.into().into()))
}

/// The one draft of a tag. A published release is somebody else's, until finalize has published it.
pub fn one<'a>(releases: &'a Releases, tag: &'a RefName) -> Result<Option<&'a Release>, Refusal> {
    if let Some(published) = releases.published(tag.short()) {
        return Err(Refusal::new(Code::ReleasePublished, format!("the release {} is published already", tag.short()))
            .at([&published.url])
            .hint("find out who published it: what is public is never replaced; release the next version"));
    }
    let drafts: Vec<&Release> = releases.drafts(tag.short()).collect();
    match drafts.as_slice() {
        [] => Ok(None),
        [draft] => Ok(Some(draft)),
        many => Err(Refusal::new(Code::ManyDrafts, format!("there are {} drafts of {}", many.len(), tag.short()))
            .at(many.iter().map(|draft| format!("draft {} {}", draft.id, draft.url)))
            .hint("delete all but one of them")),
    }
}

/// What is to be uploaded, and what is there then. Once the record is there nothing else is asked: it
/// says what must be.
async fn files(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    pin: Pin,
    there: &[Asset],
) -> anyhow::Result<Result<(Vec<Step>, Vec<File>), Plan>> {
    let record = match recorded(world, forge, there).await {
        Ok(record) => record,
        Err(refusal) => return refused(refusal),
    };
    let replace = replaces(world);
    if let Some(record) = record.as_ref().filter(|record| record.is_of(pin) && !replace) {
        return match compared(world, forge, record, there).await {
            Ok(()) => match listed(world, forge, there).await {
                Ok(files) => Ok(Ok((Vec::new(), files))),
                Err(unknown) => refused(unknown),
            },
            Err(refusal) => refused(refusal),
        };
    }
    let wanted = match assets::wanted(world, forge, pin.commit).await? {
        Ok(wanted) => wanted,
        Err(plan) => return Ok(Err(plan)),
    };
    let replaceable = match record {
        _ if replace => Replaceable::Everything,
        Some(record) => Replaceable::Recorded(record.assets),
        None => Replaceable::Nothing,
    };
    let record = Record::of(world, pin, wanted.iter().map(|(name, blob)| File::of(name, blob)).collect());
    match uploads::steps(world, forge, &record, there, &wanted, &replaceable).await {
        Ok(steps) => {
            let own = File::of(record::NAME, &record.blob());
            Ok(Ok((steps, record.assets.into_iter().chain([own]).collect())))
        }
        Err(refusals) => Ok(Err(Plan::refuse(refusals))),
    }
}

/// Whether the folder that people brought takes the place of what is there.
fn replaces(world: &World<'_>) -> bool {
    world.inputs.replace_assets && world.inputs.assets.is_some()
}
