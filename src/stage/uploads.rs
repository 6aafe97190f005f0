//! What is uploaded to a draft: what is missing or half there, and last the record.

use super::assets::Files;
use super::record::{self, File, Record};
use super::recorded::digest;
use super::{Action, Code, Refusal, Step, There, World};
use crate::model::{RefName, Unknown};
use crate::port::forge::{Asset, ForgeRead};

/// Which of the files that are there may go, or be replaced by others.
pub enum Replaceable {
    Nothing,
    /// Those of a record that is another commit's: nobody's any more, with just these bytes.
    Recorded(Vec<File>),
    Everything,
}

impl Replaceable {
    fn has(&self, name: &str, there: There) -> bool {
        match (self, there) {
            (_, There::Nothing | There::Half) | (Self::Everything, _) => true,
            (Self::Recorded(files), There::Whole(digest)) => {
                files.iter().any(|file| file.name == name && file.sha256 == digest)
            }
            (Self::Nothing, There::Whole(_)) => false,
        }
    }
}

/// The uploads that bring a draft to these files and their record. What else is there goes where it is
/// replaceable, and is refused where it isn't. A record of what was there before stays until the new one takes its place: as
/// long as it does, it says of what is half replaced that it isn't right.
pub async fn steps(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    record: &Record,
    there: &[Asset],
    wanted: &Files,
    replaceable: &Replaceable,
) -> Result<Vec<Step>, Vec<Refusal>> {
    let tag = &world.facts.names.git_tag;
    let (mut gone, mut uploads) = (Step::new("assets to replace", []), Step::new("assets", []));
    let mut refusals = Vec::new();
    let own = (record::NAME.to_owned(), record.blob());
    for asset in there {
        if wanted.iter().chain([&own]).any(|(name, _)| *name == asset.name) {
            continue;
        }
        let expect = look(world, forge, there, &asset.name).await.map_err(|unknown| vec![unknown.into()])?;
        if replaceable.has(&asset.name, expect) {
            gone.actions.push(Action::DeleteAsset { tag: tag.clone(), name: asset.name.clone(), expect });
        } else {
            refusals.push(foreign(tag, &asset.name, "is nothing that this release is to have"));
        }
    }
    for (name, blob) in wanted {
        let expect = look(world, forge, there, name).await.map_err(|unknown| vec![unknown.into()])?;
        if expect == There::Whole(blob.descriptor.digest) {
            continue;
        }
        if !replaceable.has(name, expect) {
            refusals.push(foreign(tag, name, "is on the draft with other bytes"));
        }
        uploads.actions.push(Action::UploadAsset { tag: tag.clone(), name: name.clone(), blob: blob.clone(), expect });
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let (name, blob) = own;
    let expect = look(world, forge, there, &name).await.map_err(|unknown| vec![unknown.into()])?;
    let last = (expect != There::Whole(blob.descriptor.digest)).then(|| Action::UploadAsset {
        tag: tag.clone(),
        name,
        blob,
        expect,
    });
    Ok(vec![gone, uploads, Step::new("record", last)])
}

/// What is there under a name.
async fn look(world: &World<'_>, forge: &dyn ForgeRead, there: &[Asset], name: &str) -> Result<There, Unknown> {
    Ok(match there.iter().find(|asset| asset.name == name) {
        None => There::Nothing,
        Some(asset) if !asset.complete => There::Half,
        Some(asset) => There::Whole(digest(world, forge, asset).await?),
    })
}

fn foreign(tag: &RefName, name: &str, what: &str) -> Refusal {
    Refusal::new(Code::AssetForeign, format!("{name} {what}")).at([format!("draft {}", tag.short())]).hint(
        "bring the folder that the draft was begun with, delete the file from the draft, or replace what is there: \
         --replace-assets",
    )
}
