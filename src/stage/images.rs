//! Owned images: where their stable names stand, and whether their digests can be pulled whole.

use futures_util::StreamExt;

use super::retag::{self, Name};
use super::{Code, Refusal, Sight};
use crate::model::{Answer, Digest, Repository, Unknown};
use crate::promotion::Image;

/// Whether a digest can be pulled.
pub enum Pulled {
    There {
        /// The manifests of its index that can be pulled.
        manifests: usize,
        /// Those that can't: an index without them can be read and not pulled.
        missing: Vec<(Digest, Option<Unknown>)>,
    },
    Gone,
    Unknown(Unknown),
}

/// Looks at the stable name of every image, and at its digest where the name is free or right;
/// answers in the order asked. That costs two requests at most, and one for each manifest of an index.
pub async fn look(sight: Sight<'_>, images: &[Image]) -> Vec<(Name, Option<Pulled>)> {
    let wanted = images.iter().map(|image| (image.repository.clone(), image.tag.clone(), image.digest)).collect();
    let names = retag::look(sight, wanted).await;
    let there = |name: &Name| matches!(name, Name::Free(_) | Name::Right);
    // They were pulled to know that, and are remembered.
    let digests: Vec<_> = names.iter().filter(|(_, name)| there(name)).map(|((r, _, d), _)| (r.clone(), *d)).collect();
    let mut pulled = pull(sight, &digests).await.into_iter();
    let with_pull = |(_, name): (_, Name)| {
        let pulled = if there(&name) { pulled.next() } else { None };
        (name, pulled)
    };
    names.into_iter().map(with_pull).collect()
}

/// Looks at digests, and at every manifest of those that are indexes.
pub async fn pull(sight: Sight<'_>, wanted: &[(Repository, Digest)]) -> Vec<Pulled> {
    let indexes: Vec<_> = futures_util::stream::iter(wanted.to_vec())
        .map(|(repository, digest)| async move { sight.manifest(&repository, digest).await })
        .buffered(sight.parallel)
        .collect()
        .await;
    let (mut pulled, mut children) = (Vec::new(), Vec::new());
    for (at, ((repository, _), answer)) in wanted.iter().zip(indexes).enumerate() {
        pulled.push(match answer {
            Answer::Found(index) => {
                children.extend(index.manifests().iter().map(|child| (at, repository.clone(), child.digest)));
                Pulled::There { manifests: 0, missing: Vec::new() }
            }
            Answer::Absent => Pulled::Gone,
            Answer::Unknown(unknown) => Pulled::Unknown(unknown),
        });
    }
    let mut answers = futures_util::stream::iter(children)
        .map(|(at, repository, child)| async move { (at, child, sight.manifest(&repository, child).await) })
        .buffered(sight.parallel);
    while let Some((at, child, answer)) = answers.next().await {
        let Some(Pulled::There { manifests, missing }) = pulled.get_mut(at) else { continue };
        match answer {
            Answer::Found(_) => *manifests += 1,
            Answer::Absent => missing.push((child, None)),
            Answer::Unknown(unknown) => missing.push((child, Some(unknown))),
        }
    }
    pulled
}

/// A digest that is not in the registry.
pub fn gone(repository: &Repository, digest: Digest, sources: &[String]) -> Refusal {
    Refusal::new(Code::ImageGone, format!("{repository}@{digest} can't be pulled: it is not there"))
        .at(sources)
        .hint("build and push the candidate again")
}

/// An index without one of its manifests.
pub fn broken(repository: &Repository, digest: Digest, child: Digest, sources: &[String]) -> Refusal {
    Refusal::new(Code::ImageGone, format!("{repository}@{digest} can't be pulled: its manifest {child} is not there"))
        .at(sources)
        .hint("build and push the candidate again")
}
