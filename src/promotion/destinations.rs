//! Where every owned digest goes: one stable tag each, and no two digests under one.

use std::collections::BTreeMap;

use super::PromotionError;
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
/// further images.
///
/// # Errors
/// Refuses an owned reference without a digest, and two digests that want one name; all at once.
pub fn images(spec: &Spec, occurrences: &[Occurrence], rc: &Rc) -> Result<Vec<Image>, PromotionError> {
    let mut names: BTreeMap<(Repository, Tag), BTreeMap<Digest, Vec<String>>> = BTreeMap::new();
    let mut refusals = Vec::new();
    for occurrence in occurrences {
        let owned = matches!(occurrence.class, Class::VersionLine | Class::ComponentVersioned);
        let (true, None, Some(repository)) = (owned, &occurrence.copy_of, &occurrence.repository) else { continue };
        let place = format!("{}:{}", occurrence.file, occurrence.line);
        let Some(digest) = occurrence.digest else {
            refusals.push(
                Refusal::new(format!("{repository} has a tag and no digest: what it runs was never fixed"))
                    .at([place])
                    .hint("pin it by digest in the next release candidate"),
            );
            continue;
        };
        let stable = match occurrence.tag.as_ref().and_then(|tag| refs::with_stable(spec, tag, rc)) {
            Some(tag) => tag,
            None => format!("v{}", rc.stable).parse().map_err(|e| PromotionError::Name(format!("{e}")))?,
        };
        names.entry((repository.clone(), stable)).or_default().entry(digest).or_default().push(place);
    }
    let mut images = Vec::new();
    for ((repository, tag), digests) in names {
        if digests.len() > 1 {
            let places =
                digests.iter().flat_map(|(digest, places)| places.iter().map(move |p| format!("{p}: {digest}")));
            refusals.push(
                Refusal::new(format!("{} digests want the name {repository}:{tag}", digests.len()))
                    .at(places)
                    .hint("declare a tag prefix for the variants (`references.tag_prefixes`), or stamp one digest"),
            );
            continue;
        }
        images.extend(digests.into_iter().map(|(digest, sources)| Image {
            repository: repository.clone(),
            tag: tag.clone(),
            digest,
            sources,
        }));
    }
    if refusals.is_empty() { Ok(images) } else { Err(PromotionError::Refused(refusals)) }
}
