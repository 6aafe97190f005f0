//! What is uploaded to a draft: what is missing or half there, and last the record.

use super::assets::Files;
use super::record::{self, Record};
use super::recorded::digest;
use super::{Action, Refusal, Step, There, World};
use crate::model::{RefName, Unknown};
use crate::port::forge::{Asset, ForgeRead};

/// The uploads that bring a draft to these files and their record. What else is there is refused, or with
/// `replace` taken off. A record of what was there before stays until the new one takes its place: as
/// long as it does, it says of what is half replaced that it isn't right.
pub async fn steps(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    record: &Record,
    there: &[Asset],
    wanted: &Files,
    replace: bool,
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
        if replace || expect == There::Half {
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
        if matches!(expect, There::Whole(_)) && !replace {
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
    Refusal::new(format!("{name} {what}")).at([format!("draft {}", tag.short())]).hint(
        "bring the folder that the draft was begun with, delete the file from the draft, or replace what is there: \
         --replace-assets",
    )
}
