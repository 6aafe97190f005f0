//! What registries say of a tree's references, looked up once, before any rule looks.
//!
//! A tree is data, and never chooses whom sealift asks. Owned references are below the pipeline's own prefixes;
//! third-party ones are asked of the hosts that somebody named, and without credentials, so that a change can
//! neither send sealift to a host of its own, nor learn through it what a credential can see elsewhere.

mod control;
mod look;
mod public;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use control::Control;
pub use look::Asking;
pub use public::Public;

use crate::model::{Answer, Descriptor, Digest, Manifest, Repository, Tag};
use crate::refs::Occurrence;

/// The answers. Each tag, digest and repository was asked for once.
pub struct Answers {
    /// What owned tags name.
    tags: BTreeMap<(Repository, Tag), Answer<Digest>>,
    /// Pinned digests.
    pins: BTreeMap<(Repository, Digest), Answer<Manifest>>,
    /// The manifests of pinned indexes.
    children: BTreeMap<(Repository, Digest), Answer<Manifest>>,
    /// Owned repositories of which something answered.
    public: BTreeMap<Repository, Public>,
    controls: Vec<Control>,
    /// Hosts of third-party references that were not asked.
    not_asked: BTreeSet<String>,
    /// Pinned digests of which no place says where they are.
    unnamed: usize,
}

/// What was asked, so that nothing found is a fact about registries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Looked {
    pub tags: usize,
    pub digests: usize,
    /// Manifests of pinned indexes.
    pub manifests: usize,
    /// Repositories that were asked without credentials.
    pub repositories: usize,
    /// Pinned digests that could not be asked for: no repository stands beside them.
    pub unnamed: usize,
    pub controls: Vec<Control>,
}

impl Answers {
    /// What the tag of a reference names; `None` where that was not asked.
    pub fn tag(&self, found: &Occurrence) -> Option<&Answer<Digest>> {
        self.tags.get(&tag(found)?)
    }

    /// What a reference pins; `None` where that was not asked.
    pub fn digest(&self, found: &Occurrence) -> Option<&Answer<Manifest>> {
        self.pins.get(&pin(found)?)
    }

    /// A manifest of the index that a reference pins.
    pub fn child(&self, found: &Occurrence, child: &Descriptor) -> Option<&Answer<Manifest>> {
        let key = (found.repository.clone()?, child.digest);
        self.children.get(&key).or_else(|| self.pins.get(&key))
    }

    /// Whether anyone may pull a reference; `None` where nothing of its repository is there.
    pub fn public(&self, found: &Occurrence) -> Option<&Public> {
        self.public.get(found.repository.as_ref()?)
    }

    /// What was asked.
    pub fn looked(&self) -> Looked {
        let asked = |public: &&Public| !matches!(public, Public::Unknown(_));
        Looked {
            tags: self.tags.len(),
            digests: self.pins.len(),
            manifests: self.children.len(),
            repositories: self.public.values().filter(asked).count(),
            unnamed: self.unnamed,
            controls: self.controls.clone(),
        }
    }

    /// What was left out, each in a line.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let hosts: Vec<&str> = self.not_asked.iter().map(String::as_str).collect();
        let hosts = hosts.join(", ");
        let third_party = || format!("third-party references at {hosts} are not asked for (--third-party HOST)");
        let third_party = (!hosts.is_empty()).then(third_party);
        let unnamed = match self.unnamed {
            0 => None,
            1 => Some("1 digest without a repository is not asked for: nothing says where it is".to_owned()),
            n => Some(format!("{n} digests without a repository are not asked for: nothing says where they are")),
        };
        third_party.into_iter().chain(unnamed)
    }
}

fn found<T>(answer: &Answer<T>) -> Option<&T> {
    match answer {
        Answer::Found(found) => Some(found),
        Answer::Absent | Answer::Unknown(_) => None,
    }
}

fn digest_of(answer: Answer<Manifest>) -> Answer<Digest> {
    answer.known().map(|manifest| manifest.map(|manifest| manifest.digest())).into()
}

fn tag(found: &Occurrence) -> Option<(Repository, Tag)> {
    Some((found.repository.clone()?, found.tag.clone()?))
}

fn pin(found: &Occurrence) -> Option<(Repository, Digest)> {
    Some((found.repository.clone()?, found.digest?))
}
