//! Where a release's assets come from: copied from the candidate's release, or brought in a folder.

use std::path::Path;

use super::{Code, Plan, Refusal, World, draft, record};
use crate::model::{Answer, Blob, CommitId};
use crate::pipeline::{Globs, asset_name};
use crate::port::forge::{Asset, ForgeRead};

/// Assets by name, sorted.
pub type Files = Vec<(String, Blob)>;

/// Every file that the release is to have. `Err`: a wait, or refusals.
pub async fn wanted(world: &World<'_>, forge: &dyn ForgeRead, commit: CommitId) -> anyhow::Result<Result<Files, Plan>> {
    let mut files = match brought(world, commit).await {
        Ok(files) => files,
        Err(plan) => return Ok(Err(plan)),
    };
    match copied(world, forge).await {
        Ok(copies) => files.extend(copies),
        Err(refusals) => return Ok(Err(Plan::refuse(refusals))),
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(Ok(files))
}

/// The files that are built from the pinned tree: sealift builds nothing.
async fn brought(world: &World<'_>, commit: CommitId) -> Result<Files, Plan> {
    let globs = &world.pipeline.release.assets.built;
    match (&world.inputs.assets, globs.is_empty()) {
        (None, true) => Ok(Vec::new()),
        (None, false) => Err(needed(world, commit)),
        (Some(folder), true) => Err(Refusal::new(Code::NoBuiltAssets, "this pipeline declares no built assets")
            .at([folder.display()])
            .hint("leave --assets out, or declare `release.assets.built`")
            .into()),
        (Some(folder), false) => from(world, folder).await.map_err(Plan::refuse),
    }
}

/// Somebody else's turn: whoever can build.
fn needed(world: &World<'_>, commit: CommitId) -> Plan {
    let staging = world.facts.names.staging.short();
    let globs = world.pipeline.release.assets.built.join("`, `");
    let message = format!("`{globs}` are built from {commit} (on {staging}) and brought in a folder: --assets DIR");
    let mut plan = Plan::wait("assets", message);
    if let super::Verdict::Wait(wait) = &mut plan.verdict {
        wait.commands = vec![format!("git fetch origin {staging}"), format!("git checkout --detach {commit}")];
    }
    plan
}

async fn from(world: &World<'_>, folder: &Path) -> Result<Files, Vec<Refusal>> {
    let globs = &world.pipeline.release.assets.built;
    let files = match world.memory.brought(folder).await {
        Ok(files) => files.to_vec(),
        Err(error) => {
            let refusal = Refusal::new(Code::AssetsUnreadable, format!("the assets can't be read: {error}"));
            return Err(vec![refusal.hint("name a folder that holds the built assets, and nothing else")]);
        }
    };
    let matches = |glob: &str, name: &str| Globs::one(glob, name) == Some(true);
    let mut refusals = Vec::new();
    for (name, _) in &files {
        if name == record::NAME || !globs.matches(name.as_bytes()) {
            let refusal =
                Refusal::new(Code::AssetNotDeclared, format!("{name} is no asset that this pipeline declares"));
            refusals.push(refusal.at([folder.join(name).display()]).hint(format!(
                "take it out of the folder, or declare it: `release.assets.built` is `{}`",
                globs.join("`, `")
            )));
        } else if let Err(why) = asset_name(name) {
            let refusal = Refusal::new(Code::AssetName, why).at([folder.join(name).display()]);
            refusals.push(refusal.hint("have the build give it another name"));
        }
    }
    for glob in globs.iter() {
        if !files.iter().any(|(name, _)| matches(glob, name)) {
            let refusal = Refusal::new(Code::AssetMissing, format!("no file in the folder is a `{glob}`"));
            refusals.push(refusal.at([folder.display()]).hint("build every declared asset from the pinned commit"));
        }
    }
    if refusals.is_empty() { Ok(files) } else { Err(refusals) }
}

/// The files that are the candidate's own.
async fn copied(world: &World<'_>, forge: &dyn ForgeRead) -> Result<Files, Vec<Refusal>> {
    let (mut files, mut refusals) = (Vec::new(), Vec::new());
    for asset in to_copy(world, forge).await? {
        match world.asset(forge, &asset).await {
            Answer::Found(blob) => files.push((asset.name, blob)),
            Answer::Unknown(unknown) => refusals.push(unknown.into()),
            Answer::Absent => refusals.push(missing(format!("{} is no asset of the candidate any more", asset.name))),
        }
    }
    if refusals.is_empty() { Ok(files) } else { Err(refusals) }
}

/// The assets of the candidate's release that are copied: the gate asks whether they are there.
pub async fn to_copy(world: &World<'_>, forge: &dyn ForgeRead) -> Result<Vec<Asset>, Vec<Refusal>> {
    let names = &world.pipeline.release.assets.copied;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let tag = world.facts.names.rc_tag.short();
    let release = match forge.published(tag).await {
        Answer::Found(release) => release,
        Answer::Unknown(unknown) => return Err(vec![unknown.into()]),
        Answer::Absent => return Err(vec![missing(format!("{tag} has no release to copy assets from"))]),
    };
    let assets = forge.assets(release.id).await.there(draft::assets_of(&world.facts.names.rc_tag));
    let assets = assets.map_err(|unknown| vec![unknown.into()])?;
    let (mut found, mut refusals) = (Vec::new(), Vec::new());
    for name in names {
        match assets.iter().find(|asset| asset.name == *name && asset.complete) {
            Some(asset) => found.push(asset.clone()),
            None => refusals.push(missing(format!("the release {tag} has no asset {name}")).at([&release.url])),
        }
    }
    if refusals.is_empty() { Ok(found) } else { Err(refusals) }
}

fn missing(message: String) -> Refusal {
    Refusal::new(Code::CopiedAssetMissing, message)
        .hint("publish the candidate with it, or correct `release.assets.copied` in the pipeline")
}
