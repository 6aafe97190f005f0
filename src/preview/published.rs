//! References that name what no registry has.

use std::collections::BTreeMap;

use futures_util::StreamExt;

use super::{Finding, Topic};
use crate::model::{Answer, Code, Digest, Refusal, Repository, Tag, Unknown};
use crate::refs::{Class, Occurrence};
use crate::stage::{Sight, images};

type Sources = Vec<String>;

/// Looks whether the tags that the version line carries are published as the tree pins them. A
/// promotion copies by digest, so this costs it nothing; people who pull by tag it does.
pub async fn tags(sight: Sight<'_>, occurrences: &[Occurrence]) -> Vec<Finding> {
    let mut wanted: BTreeMap<(Repository, Tag, Digest), Sources> = BTreeMap::new();
    for found in occurrences.iter().filter(|found| found.class == Class::VersionLine) {
        if let (Some(repository), Some(tag), Some(digest)) = (&found.repository, &found.tag, found.digest) {
            wanted.entry((repository.clone(), tag.clone(), digest)).or_default().push(place(found));
        }
    }
    let looks = futures_util::stream::iter(wanted).map(|((repository, tag, digest), sources)| async move {
        let refusal = match sight.tagged(&repository, &tag).await {
            Answer::Found(manifest) if manifest.digest() == digest => return None,
            Answer::Found(other) => Refusal::new(
                Code::TagElsewhere,
                format!("{repository}:{tag} is published as {}, the tree pins {digest}", other.digest()),
            )
            .hint("find out which of the two was built; stamp the tree again"),
            Answer::Absent => Refusal::new(Code::NotPublished, format!("{repository}:{tag} is not published"))
                .hint("push the candidate's images under their tags, or stamp the tree again"),
            Answer::Unknown(unknown) => Refusal::new(
                Code::Unknown,
                format!("whether {repository}:{tag} is published can't be known: {unknown}"),
            ),
        };
        Some(Finding::warning(Topic::Unpublished, refusal.at(sources)))
    });
    looks.buffered(sight.parallel).filter_map(std::future::ready).collect().await
}

/// Looks whether every owned digest can be pulled, where no name is known that it would get.
/// The findings, and a line that says what was looked at.
pub async fn digests(sight: Sight<'_>, occurrences: &[Occurrence]) -> (Vec<Finding>, String) {
    let mut wanted: BTreeMap<(Repository, Digest), Sources> = BTreeMap::new();
    for found in occurrences {
        let owned = matches!(found.class, Class::VersionLine | Class::ComponentVersioned);
        if let (true, None, Some(repository), Some(digest)) = (owned, &found.copy_of, &found.repository, found.digest) {
            wanted.entry((repository.clone(), digest)).or_default().push(place(found));
        }
    }
    let (keys, sources): (Vec<(Repository, Digest)>, Vec<Sources>) = wanted.into_iter().unzip();
    let (mut findings, mut whole) = (Vec::new(), 0);
    for (((repository, digest), sources), pulled) in keys.iter().zip(sources).zip(images::pull(sight, &keys).await) {
        let before = findings.len();
        findings.extend(unpullable(repository, *digest, &sources, pulled));
        whole += usize::from(findings.len() == before);
    }
    (findings, format!("{whole} of {} owned digests can be pulled whole", keys.len()))
}

/// What stands against a digest.
pub fn unpullable(repository: &Repository, digest: Digest, sources: &[String], pulled: images::Pulled) -> Vec<Finding> {
    let unknown = |unknown: Unknown| {
        let mut finding = Finding::unknown(Topic::Unpullable, unknown);
        finding.refusal = finding.refusal.at(sources);
        finding
    };
    let refused = |refusal: Refusal| Finding::refused(Topic::Unpullable, refusal);
    match pulled {
        images::Pulled::Gone => vec![refused(images::gone(repository, digest, sources))],
        images::Pulled::Unknown(why) => vec![unknown(why)],
        images::Pulled::There { missing, .. } => {
            let finding = |(child, why): (Digest, Option<Unknown>)| match why {
                Some(why) => unknown(why),
                None => refused(images::broken(repository, digest, child, sources)),
            };
            missing.into_iter().map(finding).collect()
        }
    }
}

fn place(found: &Occurrence) -> String {
    format!("{}:{}", found.file, found.line)
}
