//! The assets of releases: uploaded whole, listed, downloaded from a storage that takes no credentials.

use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::call::{Answer, Call, WEB, error, invalid, invalid_field, not_found, reply};
use super::clock::iso;
use super::state::{Asset, Release, State};
use super::tokens::{Level, Role};
use super::views::node;
use crate::support::http::{Request, Response};

pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

/// GitHub renames files with unusual characters.
fn renamed(name: &str) -> String {
    let usual = |c: char| c.is_ascii_alphanumeric() || "._-+~@".contains(c);
    let text: String = name.chars().map(|c| if usual(c) { c } else { '.' }).collect();
    text.trim_matches('.').to_owned()
}

/// Nothing is put to an immutable release or taken from it.
fn changeable(release: &Release) -> Result<(), Response> {
    if release.immutable { Err(invalid("Cannot upload assets to an immutable release.", &[])) } else { Ok(()) }
}

impl Call<'_> {
    pub fn asset_view(&self, release: &Release, asset: &Asset) -> Value {
        let tag = &release.tag_name;
        json!({
            "url": format!("{}/releases/assets/{}", self.repo(), asset.id), "id": asset.id,
            "node_id": node("RA", asset.id), "name": asset.name, "label": asset.label, "state": asset.state,
            "browser_download_url": format!("{WEB}/{}/releases/download/{tag}/{}", self.state.full_name(), asset.name),
            "content_type": asset.content_type, "size": asset.bytes.len(), "digest": asset.digest,
            "download_count": 0, "created_at": iso(asset.created_at), "updated_at": iso(asset.created_at),
            "uploader": self.user(&asset.uploader),
        })
    }

    /// The release and the place in it of an asset that this token may see.
    fn asset_at(&self) -> Result<(usize, usize), Response> {
        let id = self.number(0)?;
        let places = self.state.releases.iter().enumerate();
        let found = places
            .filter(|(_, release)| !release.draft || self.may_push())
            .find_map(|(index, release)| Some((index, release.assets.iter().position(|asset| asset.id == id)?)));
        found.ok_or_else(not_found)
    }
}

pub fn list(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let release = call.visible_release()?;
    Ok(call.page(&release.assets, |asset| call.asset_view(release, asset)))
}

pub fn upload(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let id = call.visible_release()?.id;
    changeable(call.visible_release()?)?;
    // The storage behind the uploads wants to know beforehand how much comes.
    if call.request.header("content-length").is_none() {
        return Err(error(400, "Bad Content-Length"));
    }
    let Some(content_type) = call.request.header("content-type").map(str::to_owned) else {
        return Err(error(400, "Content-Type is missing"));
    };
    let name = call.request.parameter("name").map(|name| renamed(&name)).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| invalid_field("ReleaseAsset", "name", "missing_field"))?;
    let (asset, now, uploader) = (call.state.id(), call.state.now(), call.login());
    let release = call.state.releases.iter_mut().find(|release| release.id == id).unwrap();
    if release.assets.iter().any(|known| known.name == name) {
        return Err(invalid_field("ReleaseAsset", "name", "already_exists"));
    }
    let broken = call.state.broken_uploads > 0;
    let bytes = if broken { Vec::new() } else { call.request.body.clone() };
    release.assets.push(Asset {
        id: asset,
        name,
        label: Some(call.request.parameter("label").unwrap_or_default()),
        content_type,
        state: if broken { "starter" } else { "uploaded" }.into(),
        digest: (!broken).then(|| digest(&bytes)),
        bytes: Arc::new(bytes),
        uploader,
        created_at: now,
    });
    if broken {
        call.state.broken_uploads -= 1;
        return Err(error(502, "Bad Gateway"));
    }
    let release = call.visible_release()?;
    Ok(reply(201, &call.asset_view(release, release.assets.last().unwrap())))
}

pub fn get(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let (release, asset) = call.asset_at()?;
    let release = &call.state.releases[release];
    let asset = &release.assets[asset];
    if call.request.header("accept").is_some_and(|accept| accept.contains("application/octet-stream")) {
        let digest = asset.digest.as_deref().unwrap_or("none");
        let address = format!("{}/storage/{}?sig={}", call.storage, asset.id, digest.trim_start_matches("sha256:"));
        return Ok(Response::new(302, "").with("location", address));
    }
    Ok(reply(200, &call.asset_view(release, asset)))
}

pub fn update(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let (release, asset) = call.asset_at()?;
    changeable(&call.state.releases[release])?;
    let said = call.json()?;
    let text = |key: &str| said[key].as_str().map(str::to_owned);
    let assets = &mut call.state.releases[release].assets;
    if let Some(name) = text("name").map(|name| renamed(&name)) {
        if assets.iter().enumerate().any(|(at, known)| at != asset && known.name == name) {
            return Err(invalid_field("ReleaseAsset", "name", "already_exists"));
        }
        assets[asset].name = name;
    }
    assets[asset].label = text("label").or(assets[asset].label.take());
    let release = &call.state.releases[release];
    Ok(reply(200, &call.asset_view(release, &release.assets[asset])))
}

pub fn delete(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let (release, asset) = call.asset_at()?;
    changeable(&call.state.releases[release])?;
    call.state.releases[release].assets.remove(asset);
    Ok(Response::new(204, ""))
}

/// The storage: another host, which refuses credentials that it isn't meant to see.
pub fn stored(state: &State, request: &Request) -> Response {
    if request.header("authorization").is_some() {
        return Response::new(400, "InvalidArgument: Only one auth mechanism allowed");
    }
    let id: Option<u64> = request.path().strip_prefix("/storage/").and_then(|id| id.parse().ok());
    let mut assets = state.releases.iter().flat_map(|release| &release.assets);
    match assets.find(|asset| Some(asset.id) == id) {
        Some(asset) if request.parameter("sig").is_some() => {
            Response::new(200, asset.bytes.as_slice()).with("content-type", &asset.content_type)
        }
        _ => Response::new(404, "BlobNotFound"),
    }
}
