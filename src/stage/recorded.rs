//! Assets, and the record that says what they must be.

use super::record::{self, File, Record};
use super::{Code, Refusal, World};
use crate::model::{Answer, Content, Digest, Unknown};
use crate::port::forge::{Asset, ForgeRead};

/// Refuses assets that are not what their record says.
pub async fn compared(
    world: &World<'_>,
    forge: &dyn ForgeRead,
    record: &Record,
    there: &[Asset],
) -> Result<(), Refusal> {
    let differences = differences(world, forge, record, there).await?;
    if differences.is_empty() { Ok(()) } else { Err(unlike(world, differences)) }
}

/// The record on a draft or a release, if there is one.
pub async fn recorded(world: &World<'_>, forge: &dyn ForgeRead, there: &[Asset]) -> Result<Option<Record>, Refusal> {
    let Some(asset) = there.iter().find(|asset| asset.name == record::NAME && asset.complete) else { return Ok(None) };
    let unreadable = |why: String| {
        Refusal::new(
            Code::RecordUnreadable,
            format!("{} on {} can't be read: {why}", record::NAME, world.facts.names.git_tag.short()),
        )
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
async fn differences(
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
pub async fn listed(world: &World<'_>, forge: &dyn ForgeRead, there: &[Asset]) -> Result<Vec<File>, Unknown> {
    let mut files = Vec::new();
    for asset in there {
        let sha256 = digest(world, forge, asset).await?;
        files.push(File { name: asset.name.clone(), size: asset.size, sha256 });
    }
    Ok(files)
}

/// What an asset holds: as the forge hashed it, or as it is downloaded and hashed here.
pub async fn digest(world: &World<'_>, forge: &dyn ForgeRead, asset: &Asset) -> Result<Digest, Unknown> {
    match asset.digest {
        Some(digest) => Ok(digest),
        None => match world.asset(forge, asset).await.known()? {
            Some(blob) => Ok(blob.descriptor.digest),
            None => Err(Unknown::new(&asset.name, "it was there a moment ago")),
        },
    }
}

fn unlike(world: &World<'_>, differences: Vec<String>) -> Refusal {
    let tag = world.facts.names.git_tag.short();
    Refusal::new(Code::AssetsChanged, format!("the assets of {tag} are not what its {} says", record::NAME))
        .at(differences)
        .hint(
            "find out who changed them; to upload them again: build from the commit in the record, then \
         sealift run … --assets DIR --replace-assets",
        )
}
