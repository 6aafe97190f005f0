//! The draft release and its assets, up to the record that says that all are there.

use super::assets::{self, Files};
use super::record::{self, File, Record};
use super::{Action, Plan, Refusal, Step, There, World, body};
use crate::model::{Answer, Content, RefName, Unknown};
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
        Some(release) => match forge.assets(release.id).await.known() {
            Ok(assets) => assets.unwrap_or_default(),
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

fn edit(release: &Release, tag: &RefName, body: String) -> Step {
    let expect = crate::model::Digest::of(release.body.as_bytes());
    Step::new("draft", [Action::EditDraft { tag: tag.clone(), body, expect }])
}

fn refused<T>(refusal: impl Into<Refusal>) -> anyhow::Result<Result<T, Plan>> {
    Ok(Err(refusal.into().into()))
}

/// The one draft of a tag. A published release is somebody else's, until finalize has published it.
pub fn one<'a>(releases: &'a Releases, tag: &'a RefName) -> Result<Option<&'a Release>, Refusal> {
    if let Some(published) = releases.published(tag.short()) {
        return Err(Refusal::new(format!("the release {} is published already", tag.short()))
            .at([&published.url])
            .hint("find out who published it: what is public is never replaced; release the next version"));
    }
    let drafts: Vec<&Release> = releases.drafts(tag.short()).collect();
    match drafts.as_slice() {
        [] => Ok(None),
        [draft] => Ok(Some(draft)),
        many => Err(Refusal::new(format!("there are {} drafts of {}", many.len(), tag.short()))
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
    // A record of another commit marks assets that are nobody's any more.
    let replace = replace || record.is_some();
    let record = Record::of(world, pin, wanted.iter().map(|(name, blob)| File::of(name, blob)).collect());
    match uploads(world, forge, &record, there, wanted, replace).await {
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

/// Refuses a draft whose assets are not what its record of this promotion says.
pub async fn unchanged(world: &World<'_>, forge: &dyn ForgeRead, pin: Pin, draft: &Release) -> Result<(), Refusal> {
    let there = forge.assets(draft.id).await.known()?.unwrap_or_default();
    match recorded(world, forge, &there).await? {
        Some(record) if record.is_of(pin) && !replaces(world) => compared(world, forge, &record, &there).await,
        _ => Ok(()),
    }
}

async fn compared(world: &World<'_>, forge: &dyn ForgeRead, record: &Record, there: &[Asset]) -> Result<(), Refusal> {
    let differences = differences(world, forge, record, there).await?;
    if differences.is_empty() { Ok(()) } else { Err(unlike(world, differences)) }
}

/// The record on a draft or a release, if there is one.
pub async fn recorded(world: &World<'_>, forge: &dyn ForgeRead, there: &[Asset]) -> Result<Option<Record>, Refusal> {
    let Some(asset) = there.iter().find(|asset| asset.name == record::NAME && asset.complete) else { return Ok(None) };
    let unreadable = |why: String| {
        Refusal::new(format!("{} on {} can't be read: {why}", record::NAME, world.facts.names.git_tag.short()))
            .hint("use the sealift that wrote it, or find out who did; deleted from the draft, it is made anew")
    };
    if asset.size > record::LIMIT {
        return Err(unreadable(format!("it is {} bytes long", asset.size)));
    }
    let blob = match world.asset(forge, asset).await {
        Answer::Found(blob) => blob,
        Answer::Absent => return Ok(None),
        Answer::Unknown(unknown) => return Err(unknown.into()),
    };
    let read = match &blob.content {
        Content::Bytes(bytes) => Record::read(bytes),
        Content::File(path) => crate::port::folder::small(path, record::LIMIT)
            .map_err(|error| error.to_string())
            .and_then(|bytes| Record::read(&bytes)),
    };
    read.map(Some).map_err(unreadable)
}

/// Where assets are not what the record says.
pub async fn differences(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    record: &Record,
    there: &[Asset],
) -> Result<Vec<String>, Unknown> {
    let mut differences = Vec::new();
    for file in &record.assets {
        match there.iter().find(|asset| asset.name == file.name) {
            None => differences.push(format!("{} is not there", file.name)),
            Some(asset) if !asset.complete => differences.push(format!("{} is half-uploaded", file.name)),
            Some(asset) if asset.size != file.size || digest(world, forge, asset).await? != file.sha256 => {
                differences.push(format!("{} is another file than {}", file.name, file.sha256));
            }
            Some(_) => {}
        }
    }
    let recorded = |name: &str| name == record::NAME || record.assets.iter().any(|file| file.name == name);
    differences.extend(
        there.iter().filter(|asset| !recorded(&asset.name)).map(|asset| format!("{} is not recorded", asset.name)),
    );
    Ok(differences)
}

/// Assets as files.
async fn listed(world: &World<'_>, forge: &dyn ForgeRead, there: &[Asset]) -> Result<Vec<File>, Unknown> {
    let mut files = Vec::new();
    for asset in there {
        let sha256 = digest(world, forge, asset).await?;
        files.push(File { name: asset.name.clone(), size: asset.size, sha256 });
    }
    Ok(files)
}

/// What an asset holds: as the forge hashed it, or as it is downloaded and hashed here.
async fn digest(world: &World<'_>, forge: &dyn ForgeRead, asset: &Asset) -> Result<crate::model::Digest, Unknown> {
    match asset.digest {
        Some(digest) => Ok(digest),
        None => match world.asset(forge, asset).await.known()? {
            Some(blob) => Ok(blob.descriptor.digest),
            None => Err(Unknown::new(&asset.name, "it was there a moment ago")),
        },
    }
}

pub fn unlike(world: &World<'_>, differences: Vec<String>) -> Refusal {
    let tag = world.facts.names.git_tag.short();
    Refusal::new(format!("the assets of {tag} are not what its {} says", record::NAME)).at(differences).hint(
        "find out who changed them; to upload them again: build from the commit in the record, then \
         sealift run … --assets DIR --replace-assets",
    )
}

/// Uploads of what is missing or half there, in front of everything else the record's removal, and
/// last the record itself.
async fn uploads(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    record: &Record,
    there: &[Asset],
    wanted: Files,
    replace: bool,
) -> Result<Vec<Step>, Vec<Refusal>> {
    let tag = &world.facts.names.git_tag;
    let (mut gone, mut uploads) = (Step::new("assets to replace", []), Step::new("assets", []));
    let mut refusals = Vec::new();
    for asset in there {
        let on_the_way = asset.name == record::NAME || !wanted.iter().any(|(name, _)| *name == asset.name);
        let expect = match (asset.complete, on_the_way) {
            (false, true) => There::Half,
            (true, true) => match digest(world, forge, asset).await {
                Ok(digest) => There::Whole(digest),
                Err(unknown) => return Err(vec![unknown.into()]),
            },
            (_, false) => continue,
        };
        let may_go = replace || expect == There::Half;
        if may_go && expect != There::Whole(record.blob().descriptor.digest) {
            gone.actions.push(Action::DeleteAsset { tag: tag.clone(), name: asset.name.clone(), expect });
        } else if !may_go {
            refusals.push(foreign(tag, &asset.name, "is nothing that this release is to have"));
        }
    }
    for (name, blob) in &wanted {
        let expect = match there.iter().find(|asset| asset.name == *name) {
            None => There::Nothing,
            Some(asset) if !asset.complete => There::Half,
            Some(asset) => match digest(world, forge, asset).await {
                Ok(digest) if digest == blob.descriptor.digest => continue,
                Ok(digest) => There::Whole(digest),
                Err(unknown) => return Err(vec![unknown.into()]),
            },
        };
        if matches!(expect, There::Whole(_)) && !replace {
            refusals.push(foreign(tag, name, "is on the draft with other bytes"));
        }
        uploads.actions.push(Action::UploadAsset { tag: tag.clone(), name: name.clone(), blob: blob.clone(), expect });
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let blob = record.blob();
    let stays =
        gone.actions.iter().all(|action| !matches!(action, Action::DeleteAsset { name, .. } if name == record::NAME));
    let stays = stays && there.iter().any(|asset| asset.name == record::NAME);
    let last = (!stays).then(|| {
        let (tag, name) = (tag.clone(), record::NAME.to_owned());
        Action::UploadAsset { tag, name, blob, expect: There::Nothing }
    });
    Ok(vec![gone, uploads, Step::new("record", last)])
}

fn foreign(tag: &RefName, name: &str, what: &str) -> Refusal {
    Refusal::new(format!("{name} {what}")).at([format!("draft {}", tag.short())]).hint(
        "bring the folder that the draft was begun with, delete the file from the draft, or replace what is there: \
         --replace-assets",
    )
}
