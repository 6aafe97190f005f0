//! Where every owned digest goes: one stable tag each, and no two digests under one.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::{Fault, FaultKind};
use crate::model::{Code, Digest, Rc, Refusal, Repository, Tag};
use crate::refs::{self, Class, Occurrence, Spec};

/// An owned image and its stable name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub repository: Repository,
    pub tag: Tag,
    pub digest: Digest,
    /// `file:line` of every reference to it.
    pub sources: Vec<String>,
}

/// The names that a candidate's own images want, and who wants each.
pub type Wanted<'a> = BTreeMap<(Repository, Tag), BTreeMap<Digest, Vec<&'a Occurrence>>>;

/// The stable names that a promotion of `rc` would give: a version-line tag with the candidate's version
/// replaced, for every other owned tag `v<stable>` (contract §1). Copies inside gzip are no further
/// images, and without a digest there is nothing to name.
pub fn wanted<'a>(spec: &Spec, occurrences: &'a [Occurrence], rc: &Rc) -> Wanted<'a> {
    let mut names = Wanted::new();
    for occurrence in occurrences {
        let (Some(repository), Some(digest)) = (image(occurrence), occurrence.digest) else { continue };
        let stable = occurrence.tag.as_ref().and_then(|tag| refs::with_stable(spec, tag, rc));
        // Three numbers are a tag.
        let Some(stable) = stable.or_else(|| format!("v{}", rc.stable).parse().ok()) else { continue };
        names.entry((repository.clone(), stable)).or_default().entry(digest).or_default().push(occurrence);
    }
    names
}

/// The repository of an owned image, as far as the occurrence is one.
fn image(occurrence: &Occurrence) -> Option<&Repository> {
    owned(occurrence).filter(|_| occurrence.copy_of.is_none())
}

fn owned(occurrence: &Occurrence) -> Option<&Repository> {
    let owned = matches!(occurrence.class, Class::VersionLine | Class::ComponentVersioned);
    occurrence.repository.as_ref().filter(|_| owned)
}

/// What a gzip copy refers to and no plain file does: it would ship, and nobody would have proven it or
/// given it a name.
fn alone(occurrences: &[Occurrence]) -> impl Iterator<Item = Fault> {
    let plain: BTreeSet<_> = occurrences.iter().filter_map(|found| Some((image(found)?, found.digest?))).collect();
    occurrences.iter().filter_map(move |found| {
        let (repository, copy_of) = (owned(found)?, found.copy_of.as_ref()?);
        if found.digest.is_some_and(|digest| plain.contains(&(repository, digest))) {
            return None;
        }
        let refusal = Refusal::new(Code::CopyAlone, format!("{} is in a gzip copy alone", found.spelled()))
            .at([place(found)])
            .hint(format!("make the copy again from {copy_of}, and cut the next release candidate"));
        Some(Fault { kind: FaultKind::Copy, refusal })
    })
}

fn place(occurrence: &Occurrence) -> String {
    format!("{}:{}", occurrence.file, occurrence.line)
}

/// The stable names of a candidate's own images. At fault are an owned reference without a digest, two
/// digests that want one name, and what only a gzip copy refers to.
pub fn images(spec: &Spec, occurrences: &[Occurrence], rc: &Rc) -> (Vec<Image>, Vec<Fault>) {
    let unpinned = |occurrence: &Occurrence| {
        let repository = image(occurrence).filter(|_| occurrence.digest.is_none())?;
        let refusal =
            Refusal::new(Code::NoDigest, format!("{repository} has a tag and no digest: what it runs was never fixed"))
                .at([place(occurrence)])
                .hint("pin it by digest in the next release candidate");
        Some(Fault { kind: FaultKind::Unpinned, refusal })
    };
    let mut faults: Vec<Fault> = occurrences.iter().filter_map(unpinned).chain(alone(occurrences)).collect();
    let mut images = Vec::new();
    for ((repository, tag), digests) in wanted(spec, occurrences, rc) {
        if digests.len() > 1 {
            let places = digests
                .iter()
                .flat_map(|(digest, found)| found.iter().map(move |found| format!("{}: {digest}", place(found))));
            let refusal =
                Refusal::new(Code::TagCollision, format!("{} digests want the name {repository}:{tag}", digests.len()))
                    .at(places)
                    .hint("declare a tag prefix for the variants (`references.tag_prefixes`), or stamp one digest");
            faults.push(Fault { kind: FaultKind::Collision, refusal });
            continue;
        }
        images.extend(digests.into_iter().map(|(digest, found)| Image {
            repository: repository.clone(),
            tag: tag.clone(),
            digest,
            sources: found.into_iter().map(place).collect(),
        }));
    }
    (images, faults)
}
