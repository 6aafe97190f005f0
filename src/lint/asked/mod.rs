//! What registries say of a tree's references, looked up once, before any rule looks.
//!
//! A tree is data, and never chooses whom sealift asks. Owned references are below the pipeline's own prefixes;
//! third-party ones are asked of the hosts that somebody named, and without credentials, so that a change can
//! neither send sealift to a host of its own, nor learn through it what a credential can see elsewhere.

mod control;

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt;
use serde::Serialize;

pub use control::Control;

use super::subject::Subject;
use crate::model::{Answer, Descriptor, Digest, Manifest, Reference, Repository, Tag, Unknown};
use crate::port::registry::{At, RegistryRead};
use crate::refs::{Class, Occurrence, Spec};
use crate::stage::{Memory, Sight};

/// Who is asked, and for what beyond what is owned.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// With the credentials that there are: what is owned is asked here.
    pub registry: &'a dyn RegistryRead,
    /// Without any.
    pub anonymous: &'a dyn RegistryRead,
    /// How many looks may be under way at once.
    pub parallel: usize,
    /// Hosts whose third-party references are looked at, too.
    pub third_party: &'a BTreeSet<String>,
    /// References that must answer, each for its host.
    pub controls: &'a [Reference],
}

/// The answers. Each tag, digest and repository was asked for once.
pub struct Asked {
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

/// Whether anyone may pull from a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Public {
    Yes,
    /// Only with credentials: without, this is the answer.
    Refused(String),
    Unknown(Unknown),
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

/// The two clients, each with a memory of its own: what one sees, the other may not.
#[derive(Clone, Copy)]
struct Sides<'a> {
    spec: &'a Spec,
    ours: Sight<'a>,
    anonymous: Sight<'a>,
}

impl<'a> Sides<'a> {
    fn of(self, repository: &Repository) -> Sight<'a> {
        if self.spec.owns(repository) { self.ours } else { self.anonymous }
    }
}

impl Asked {
    /// Asks: tags first, since a tag that names the pinned digest answers for both.
    pub async fn look(subject: &Subject<'_>, asking: Asking<'_>) -> Self {
        let (known, public) = (Memory::default(), Memory::default());
        let Asking { parallel, third_party, controls, .. } = asking;
        let sides = Sides {
            spec: &subject.spec,
            ours: Sight { registry: asking.registry, memory: &known, parallel },
            anonymous: Sight { registry: asking.anonymous, memory: &public, parallel },
        };
        let told = |found: &&Occurrence| {
            let host = found.repository.as_ref().map(Repository::host);
            found.class != Class::ThirdParty || host.is_some_and(|host| third_party.contains(host))
        };
        let mut tags: BTreeSet<(Repository, Tag)> = subject.images().filter_map(tag).collect();
        let mut digests: BTreeSet<(Repository, Digest)> = subject.pinned().filter(told).filter_map(pin).collect();
        for Reference { repository, tag, digest, .. } in controls {
            match (digest, tag) {
                (Some(digest), _) => drop(digests.insert((repository.clone(), *digest))),
                (None, Some(tag)) => drop(tags.insert((repository.clone(), tag.clone()))),
                (None, None) => {}
            }
        }
        let tagged = async |(repository, tag): &(Repository, Tag)| sides.of(repository).tagged(repository, tag).await;
        let tags = each(parallel, tags, tagged).await;
        let manifest = async |(repository, digest): &(Repository, Digest)| {
            sides.of(repository).manifest(repository, *digest).await
        };
        let pins = each(parallel, digests, manifest).await;
        let of_index = |((repository, _), answer): (&(Repository, Digest), &Answer<Manifest>)| {
            let children = found(answer).map(Manifest::manifests).unwrap_or_default();
            children.iter().map(|child| (repository.clone(), child.digest)).collect::<Vec<_>>()
        };
        let children = pins.iter().flat_map(of_index).filter(|key| !pins.contains_key(key)).collect();
        let children = each(parallel, children, manifest).await;
        let tags = tags.into_iter().map(|(key, answer)| (key, digest_of(answer))).collect();
        let left = subject.pinned().filter(|found| !told(found));
        let not_asked = left.filter_map(|found| Some(found.repository.as_ref()?.host().to_owned())).collect();
        let (public, controls, unnamed) = (BTreeMap::new(), Vec::new(), subject.unnamed().len());
        let mut asked = Self { tags, pins, children, public, controls, not_asked, unnamed };
        asked.public = asked.pulled_by_anyone(subject, asking).await;
        asked.controls = control::choose(subject, &asked, asking.controls);
        asked
    }

    /// Asks every owned repository without credentials, for what it has just shown with them.
    async fn pulled_by_anyone(&self, subject: &Subject<'_>, asking: Asking<'_>) -> BTreeMap<Repository, Public> {
        let (mut there, mut public) = (BTreeMap::new(), BTreeMap::new());
        for occurrence in subject.owned() {
            let Some(repository) = &occurrence.repository else { continue };
            let digest = self.digest(occurrence).cloned().map(digest_of);
            for answer in digest.into_iter().chain(self.tag(occurrence).cloned()) {
                match answer {
                    Answer::Found(digest) => drop(there.entry(repository.clone()).or_insert(digest)),
                    Answer::Absent => {}
                    Answer::Unknown(why) => drop(public.entry(repository.clone()).or_insert(Public::Unknown(why))),
                }
            }
        }
        let look = async |(repository, digest): &(Repository, Digest)| {
            asking.anonymous.manifest(repository, &At::Digest(*digest)).await
        };
        let answers = each(asking.parallel, there.into_iter().collect(), look).await;
        public.extend(answers.into_iter().map(|((repository, _), answer)| (repository, Public::of(answer))));
        public
    }

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

impl Public {
    /// 401 and 403 refuse; hosts also hide what is private behind "not there". Anything else is no answer.
    fn of(answer: Answer<Manifest>) -> Self {
        match answer {
            Answer::Found(_) => Self::Yes,
            Answer::Absent => Self::Refused("it is said not to be there".to_owned()),
            Answer::Unknown(why) if matches!(why.status, Some(401 | 403)) => Self::Refused(why.to_string()),
            Answer::Unknown(why) => Self::Unknown(why),
        }
    }
}

/// Asks for each key once, so many at a time.
async fn each<'a, K: Ord, T, F>(parallel: usize, keys: BTreeSet<K>, look: F) -> BTreeMap<K, Answer<T>>
where
    F: AsyncFn(&K) -> Answer<T> + 'a,
{
    let looks = futures_util::stream::iter(keys).map(|key| async {
        let answer = look(&key).await;
        (key, answer)
    });
    looks.buffered(parallel.max(1)).collect().await
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
