//! The files of releases.

use std::path::Path;
use std::sync::Arc;

use reqwest::{Method, Url};
use serde::Deserialize;

use super::GitHub;
use super::body::{Body, Sink, Stored};
use super::page::Row;
use super::transport::Request;
use crate::model::{Blob, Content, Descriptor, Digest, Unknown};
use crate::port::WriteError;
use crate::port::forge::{Asset, AssetId, ReleaseId};
use crate::port::http::resolve;

const BYTES: &str = "application/octet-stream";

#[derive(Deserialize)]
struct Found {
    id: u64,
    name: String,
    size: u64,
    /// `uploaded`, or `open` and `starter` of an upload that didn't come to its end.
    state: String,
    digest: Option<String>,
}

impl Row for Found {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }
}

impl Found {
    /// What isn't a sha256 is none: the bytes have to be looked at then.
    fn digest(&self) -> Option<Digest> {
        self.digest.as_deref()?.parse().ok()
    }
}

impl From<Found> for Asset {
    fn from(found: Found) -> Self {
        Self {
            id: AssetId(found.id),
            size: found.size,
            digest: found.digest(),
            complete: found.state == "uploaded",
            name: found.name,
        }
    }
}

impl GitHub {
    fn asset(&self, id: u64) -> Url {
        self.client.address.below(&["releases", "assets", &id.to_string()])
    }

    /// The list, without what was deleted here; what was uploaded here and isn't in it is read by its id.
    pub(super) async fn list_assets(&self, release: ReleaseId) -> Result<Option<Vec<Asset>>, Unknown> {
        let what = self.client.name(&format!("the assets of release {release}"));
        let url = self.client.address.below(&["releases", &release.to_string(), "assets"]);
        let Some(mut found) = self.client.list::<Vec<Found>>(&what, url).await? else { return Ok(None) };
        found.retain(|asset| !self.made_assets.is_gone(asset.id));
        for id in self.made_assets.of(&release.0) {
            if !found.iter().any(|asset| asset.id == id) {
                let what = self.client.name(&format!("asset {id}, uploaded by this run,"));
                found.push(self.client.read(&what, &self.client.need(&what, Request::get(self.asset(id))).await?)?);
            }
        }
        Ok(Some(found.into_iter().map(Asset::from).collect()))
    }

    /// GitHub redirects to a storage with a signed address, which is no business of the token's.
    pub(super) async fn fetch_asset(&self, asset: &Asset, spool: &Path) -> Result<Option<Blob>, Unknown> {
        let what = self.client.name(&format!("the asset {}", asset.name));
        let wrong = |detail: String| Unknown::new(&what, detail);
        let spooled = tempfile::Builder::new().prefix("asset-").tempfile_in(spool);
        let path = spooled.map_err(|error| wrong(format!("{}: {error}", spool.display())))?.into_temp_path();
        let sink = || Some(Sink { path: path.to_path_buf(), limit: asset.size });
        let request = Request { accept: BYTES, follow: false, sink: sink(), ..Request::get(self.asset(asset.id.0)) };
        let Some(mut reply) = self.client.found(&what, request).await? else { return Ok(None) };
        if (300..400).contains(&reply.status) {
            let to = resolve(&reply.url, &reply.headers).map_err(wrong)?;
            let request = Request { accept: BYTES, follow: false, sink: sink(), ..Request::get(to) };
            reply = self.client.transport.send(&request).await.map_err(|failure| self.client.failed(&what, failure))?;
        }
        let Some(Stored { digest, size }) = reply.stored.filter(|_| reply.status == 200) else {
            return Err(wrong("its storage doesn't give it".into()).with_status(reply.status));
        };
        if size != asset.size {
            return Err(wrong(format!("got {size} bytes, listed are {}", asset.size)));
        }
        if let Some(listed) = asset.digest.filter(|listed| *listed != digest) {
            return Err(wrong(format!("the bytes hash to {digest}, listed is {listed}")));
        }
        let descriptor = Descriptor { media_type: BYTES.to_owned(), size, digest, platform: None };
        Ok(Some(Blob { descriptor, content: Content::File(Arc::new(path)) }))
    }

    pub(super) async fn put_asset(&self, release: ReleaseId, name: &str, blob: &Blob) -> Result<(), WriteError> {
        let what = self.client.name(&format!("the asset {name}"));
        let wrong = |detail: String| Unknown::new(&what, detail);
        let refused = |status, detail| WriteError::Refused { what: what.clone(), status, detail };
        let Some(given) = self.upload_url(&what, release).await? else {
            return Err(refused(Some(404), format!("there is no release {release}: nothing was sent")));
        };
        let url = given.split('{').next().and_then(|url| Url::parse(url).ok());
        let Some(mut url) = url.filter(|url| self.client.address.trusts(url)) else {
            let given = self.client.told(&given);
            let detail = format!("its uploads go to `{given}`, which isn't the API's host: nothing was sent");
            return Err(refused(None, detail));
        };
        url.query_pairs_mut().append_pair("name", name);
        let Descriptor { size, digest, .. } = blob.descriptor;
        let body = Body::Content(blob.content.clone(), size);
        let reply = self.client.write(&what, Request::write(Method::POST, url, body), 201).await?;
        let stored: Found = self.client.read(&what, &reply)?;
        self.made_assets.add(stored.id, release.0);
        let shown = stored.digest().unwrap_or(digest);
        if stored.name != name || stored.size != size || shown != digest {
            let (name, size) = (self.client.told(&stored.name), stored.size);
            let detail = format!("GitHub stored {name} with {size} bytes of {shown}");
            return Err(wrong(format!("{detail}, sent were {} of {digest}", blob.descriptor.size))
                .with_status(reply.status)
                .into());
        }
        Ok(())
    }

    pub(super) async fn remove_asset(&self, id: AssetId) -> Result<(), WriteError> {
        self.delete(&self.client.name(&format!("asset {id}")), self.asset(id.0)).await?;
        self.made_assets.remove(id.0);
        Ok(())
    }
}
