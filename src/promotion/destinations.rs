//! Where every owned digest goes: one stable tag each, and no two digests under one.

use std::collections::BTreeMap;

use super::survey::{Fault, FaultKind};
use crate::model::{Digest, Rc, Refusal, Repository, Tag};
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

/// The stable names of a candidate's own images: a version-line tag with the candidate's version
/// replaced, for every other owned tag `v<stable>` (contract §1). Copies inside gzip are no
/// further images. At fault are an owned reference without a digest, and two digests that want
/// one name.
pub fn images(spec: &Spec, occurrences: &[Occurrence], rc: &Rc) -> (Vec<Image>, Vec<Fault>) {
    let mut names: BTreeMap<(Repository, Tag), BTreeMap<Digest, Vec<String>>> = BTreeMap::new();
    let mut faults = Vec::new();
    for occurrence in occurrences {
        let owned = matches!(occurrence.class, Class::VersionLine | Class::ComponentVersioned);
        let (true, None, Some(repository)) = (owned, &occurrence.copy_of, &occurrence.repository) else { continue };
        let place = format!("{}:{}", occurrence.file, occurrence.line);
        let Some(digest) = occurrence.digest else {
            let refusal = Refusal::new(format!("{repository} has a tag and no digest: what it runs was never fixed"))
                .at([place])
                .hint("pin it by digest in the next release candidate");
            faults.push(Fault { kind: FaultKind::Unpinned, refusal });
            continue;
        };
        let stable = occurrence.tag.as_ref().and_then(|tag| refs::with_stable(spec, tag, rc));
        // Three numbers are a tag.
        let Some(stable) = stable.or_else(|| format!("v{}", rc.stable).parse().ok()) else { continue };
        names.entry((repository.clone(), stable)).or_default().entry(digest).or_default().push(place);
    }
    let mut images = Vec::new();
    for ((repository, tag), digests) in names {
        if digests.len() > 1 {
            let places =
                digests.iter().flat_map(|(digest, places)| places.iter().map(move |p| format!("{p}: {digest}")));
            let refusal = Refusal::new(format!("{} digests want the name {repository}:{tag}", digests.len()))
                .at(places)
                .hint("declare a tag prefix for the variants (`references.tag_prefixes`), or stamp one digest");
            faults.push(Fault { kind: FaultKind::Collision, refusal });
            continue;
        }
        images.extend(digests.into_iter().map(|(digest, sources)| Image {
            repository: repository.clone(),
            tag: tag.clone(),
            digest,
            sources,
        }));
    }
    (images, faults)
}
