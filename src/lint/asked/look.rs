//! Asking: each tag, digest and repository once, with and without credentials.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt;

use super::{Answers, Public, control, digest_of, found, pin, tag};
use crate::lint::subject::Subject;
use crate::model::{Answer, Digest, Manifest, Reference, Repository, Tag};
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

impl Answers {
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
