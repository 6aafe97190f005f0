//! What a stage may look at: read ports, the frozen promotion, and the facts of this moment.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::archive;
use crate::model::{Answer, Blob, CommitId, Digest, Manifest, RefName, Repository, Tag, TreeId};
use crate::pipeline::Pipeline;
use crate::port;
use crate::port::forge::{Asset, AssetId, ForgeRead};
use crate::port::registry::{At, RegistryRead};
use crate::port::repository::{Listed, OriginRead, Refs, Store};
use crate::promotion::history::{History, Merge, Pin};
use crate::promotion::{Names, Promotion};

/// What every stage gets.
pub struct World<'a> {
    pub pipeline: &'a Pipeline,
    pub promotion: &'a Promotion,
    pub facts: &'a Facts,
    /// Brings histories into the store that the facts leave aside.
    pub origin: &'a dyn OriginRead,
    pub registry: &'a dyn RegistryRead,
    /// `None` on plain git.
    pub forge: Option<&'a dyn ForgeRead>,
    pub inputs: &'a Inputs,
    pub store: &'a Arc<Store>,
    pub memory: &'a Memory,
    /// How many looks at a registry may be under way at once.
    pub parallel: usize,
}

/// Registries, and what is remembered of them.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    pub registry: &'a dyn RegistryRead,
    pub memory: &'a Memory,
    /// How many looks may be under way at once.
    pub parallel: usize,
}

/// What people brought to a command.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The folder with the release's built assets.
    pub assets: Option<PathBuf>,
    /// Whether assets that are on the draft already may be replaced by others.
    pub replace_assets: bool,
    /// Why the candidate is promoted without evidence of an end-to-end run.
    pub skip_evidence: Option<String>,
}

/// The origin at one moment, read once for each plan.
#[derive(Clone, Debug)]
pub struct Facts {
    pub refs: Refs,
    pub names: Names,
    /// The staging branch's tip.
    pub staging: Option<CommitId>,
    /// The base branch's tip.
    pub base: Option<CommitId>,
    pub pin: Option<Pin>,
    pub merge: Merge,
    /// Whether the release is published: its git tag is, to the byte, the one that is made once
    /// all before it holds, and on a forge the tag's release is public. A tag at the merge by
    /// another hand is ours, but proves nothing.
    pub published: bool,
    /// A write of this run lost a race: another runner is at work, and nothing of it is overridden.
    pub contested: bool,
}

type Building = tokio::task::JoinHandle<Result<archive::Artifact, crate::promotion::PromotionError>>;

/// What can't change during a run, remembered: content by digest, and the artifact built here.
#[derive(Default)]
pub struct Memory {
    manifests: Mutex<HashMap<(Repository, Digest), Manifest>>,
    built: tokio::sync::OnceCell<archive::Artifact>,
    /// The same while it is being built beside other work.
    building: Mutex<Option<Building>>,
    proven: Mutex<HashMap<(Digest, TreeId), Vec<String>>>,
    /// Assets that were downloaded.
    assets: Mutex<HashMap<AssetId, Blob>>,
    /// The files that people brought, by name.
    brought: tokio::sync::OnceCell<Vec<(String, Blob)>>,
    /// Where files are spooled.
    pub spool: PathBuf,
}

impl Facts {
    pub fn listed(&self, name: &RefName) -> Option<Listed> {
        self.refs.get(name)
    }

    /// M, once the promotion is merged.
    pub fn merged(&self) -> Option<CommitId> {
        match self.merge {
            Merge::Done { commit, .. } => Some(commit),
            _ => None,
        }
    }

    /// Whether the staging branch is on the base, be it with more than it may have.
    pub fn arrived(&self) -> bool {
        matches!(self.merge, Merge::Done { .. } | Merge::Strayed { .. })
    }
}

impl World<'_> {
    pub fn history(&self) -> History<'_> {
        History { store: self.store, pipeline: self.pipeline }
    }

    /// An asset's bytes: a half-uploaded one gets another id, so each is asked for once in a run.
    pub async fn asset(&self, forge: &dyn ForgeRead, asset: &Asset) -> Answer<Blob> {
        if let Some(found) = self.memory.assets().get(&asset.id) {
            return Answer::Found(found.clone());
        }
        let answer = forge.download(asset, &self.memory.spool).await;
        if let Answer::Found(blob) = &answer {
            self.memory.assets().insert(asset.id, blob.clone());
        }
        answer
    }

    pub fn sight(&self) -> Sight<'_> {
        Sight { registry: self.registry, memory: self.memory, parallel: self.parallel }
    }

    /// See [`Sight::manifest`].
    pub async fn manifest(&self, repository: &Repository, digest: Digest) -> Answer<Manifest> {
        self.sight().manifest(repository, digest).await
    }

    /// See [`Sight::tagged`].
    pub async fn tagged(&self, repository: &Repository, tag: &Tag) -> Answer<Manifest> {
        self.sight().tagged(repository, tag).await
    }
}

impl Sight<'_> {
    /// A manifest by digest: content never changes, so it is asked for once in a run.
    pub async fn manifest(&self, repository: &Repository, digest: Digest) -> Answer<Manifest> {
        let key = (repository.clone(), digest);
        if let Some(found) = self.memory.manifests().get(&key) {
            return Answer::Found(found.clone());
        }
        let answer = self.registry.manifest(repository, &At::Digest(digest)).await;
        if let Answer::Found(manifest) = &answer {
            self.memory.manifests().insert(key, manifest.clone());
        }
        answer
    }

    /// What a tag names now: asked for every time.
    pub async fn tagged(&self, repository: &Repository, tag: &Tag) -> Answer<Manifest> {
        let answer = self.registry.manifest(repository, &At::Tag(tag.clone())).await;
        if let Answer::Found(manifest) = &answer {
            self.memory.manifests().insert((repository.clone(), manifest.digest()), manifest.clone());
        }
        answer
    }
}

impl Memory {
    pub fn new(spool: PathBuf) -> Self {
        Self { spool, ..Self::default() }
    }

    fn manifests(&self) -> std::sync::MutexGuard<'_, HashMap<(Repository, Digest), Manifest>> {
        self.manifests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn assets(&self) -> std::sync::MutexGuard<'_, HashMap<AssetId, Blob>> {
        self.assets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of a folder that people brought, frozen once in a run.
    pub async fn brought(&self, folder: &Path) -> std::io::Result<&[(String, Blob)]> {
        let read = || async { tokio::task::block_in_place(|| port::folder::read(folder, &self.spool)) };
        self.brought.get_or_try_init(read).await.map(Vec::as_slice)
    }

    /// The candidate artifact built from the content tree, once in a run.
    pub async fn built(&self, promotion: &Promotion) -> Result<&archive::Artifact, crate::promotion::PromotionError> {
        let building = self.building.lock().unwrap_or_else(PoisonError::into_inner).take();
        let build = || async {
            match building {
                Some(building) => building.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())),
                None => promotion.build(&self.spool).await,
            }
        };
        self.built.get_or_try_init(build).await
    }

    /// Begins to build the candidate artifact, for [`Memory::built`] to wait for: compressing is one core's work, and
    /// takes longer than all the looks of a plan.
    pub fn begin_building(&self, promotion: &Promotion) {
        let (promotion, spool) = (promotion.clone(), self.spool.clone());
        let build = async move { promotion.build(&spool).await };
        *self.building.lock().unwrap_or_else(PoisonError::into_inner) = Some(tokio::spawn(build));
    }

    /// Remembers what a proof of an artifact against a tree found; an empty list is a proof.
    pub fn remember_proof(&self, artifact: Digest, tree: TreeId, differences: &[String]) {
        self.proofs().insert((artifact, tree), differences.to_vec());
    }

    pub fn proof(&self, artifact: Digest, tree: TreeId) -> Option<Vec<String>> {
        self.proofs().get(&(artifact, tree)).cloned()
    }

    fn proofs(&self) -> std::sync::MutexGuard<'_, HashMap<(Digest, TreeId), Vec<String>>> {
        self.proven.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
