//! A world's registry, pushed to a server.

use sealift::model::{Answer, Digest, Repository, Tag};
use sealift::port::registry::{At, Config, Location, Registries, RegistryRead as _, RegistryWrite as _};

use super::World;
use crate::support::images::blob;

impl World {
    /// Pushes everything in this world's directory to a server.
    pub async fn push_to(&self, url: &str) {
        let locations = self.hosts().map(|host| (host.to_owned(), Location::Url(url.to_owned()))).collect();
        let to = Registries::new(Config { locations, ..Config::default() }).unwrap();
        let from = self.registries();
        let everything = self.snapshot().0;
        let stored = || {
            let blobs = everything.keys().filter_map(|name| name.strip_prefix("blob ")?.split_once('@'));
            blobs.map(|(repository, digest)| {
                (repository.parse::<Repository>().unwrap(), digest.parse::<Digest>().unwrap())
            })
        };
        for (repository, digest) in stored() {
            let layout = self.registry().join(repository.host()).join(repository.path());
            let bytes = std::fs::read(layout.join("blobs/sha256").join(digest.hex())).unwrap();
            to.put_blob(&repository, &blob("application/octet-stream", bytes)).await.unwrap();
        }
        // Images before indexes: a registry takes what it has the parts of.
        for indexes in [false, true] {
            for (repository, digest) in stored() {
                match from.manifest(&repository, &At::Digest(digest)).await {
                    Answer::Found(manifest) if manifest.is_index() == indexes => {
                        to.put_manifest_by_digest(&repository, &manifest).await.unwrap();
                    }
                    _ => {}
                }
            }
        }
        let tags =
            everything.iter().filter_map(|(name, digest)| Some((name.strip_prefix("tag ")?.rsplit_once(':')?, digest)));
        for ((repository, tag), digest) in tags {
            let (repository, tag): (Repository, Tag) = (repository.parse().unwrap(), tag.parse().unwrap());
            let at = At::Digest(digest.parse().unwrap());
            let Answer::Found(manifest) = from.manifest(&repository, &at).await else { panic!("{repository}:{tag}") };
            to.put_manifest(&repository, &tag, &manifest).await.unwrap();
        }
    }
}
