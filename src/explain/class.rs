//! Why a reference is of its class, and why a place is claimed as it is.

use crate::lint::Subject;
use crate::refs::{Claim, Class, Occurrence, version_in};

/// Why a reference is of its class (contract: the three classes of tags).
pub fn reason(subject: &Subject<'_>, found: &Occurrence) -> String {
    let Some(repository) = &found.repository else {
        return "the file doesn't say which repository it is of".to_owned();
    };
    let prefix = subject.spec.owned.iter().find(|prefix| prefix.owns(repository));
    let owned = prefix.map(|prefix| format!("`{repository}` is below `{prefix}`, which is owned"));
    let tag = found.tag.as_ref();
    match (found.class, owned) {
        (Class::NoRepository, _) => "the file doesn't say which repository it is of".to_owned(),
        (Class::PackagesArtifact, _) => format!("`{repository}` is the packages artifact, which has stages of its own"),
        (_, None) => format!("`{repository}` is below none of the owned prefixes"),
        (Class::VersionLine, Some(owned)) => {
            let prefixed = tag.is_some_and(|tag| version_in(&subject.spec, tag).is_some_and(|(_, prefixed)| prefixed));
            let how = if prefixed { ", behind a declared prefix" } else { "" };
            format!("{owned}, and its tag carries the tree's version{how}")
        }
        (_, Some(owned)) => match (tag, subject.version) {
            (None, _) => format!("{owned}, and it has no tag"),
            (Some(tag), Some(version)) => format!("{owned}, and `{tag}` is not the tree's v{version}"),
            (Some(_), None) => format!("{owned}, and no owned tag of the tree carries a version"),
        },
    }
}

/// Why a place is claimed as it is.
pub fn because(claim: &Claim) -> String {
    match claim {
        Claim::Shape { .. } => "a shape claims it".to_owned(),
        Claim::Exclusion { reason } => format!("the pipeline excludes it: {reason}"),
        Claim::ThirdParty => {
            "it is not owned, and stands in a file without declared references: nothing moves it".to_owned()
        }
        Claim::Vendored => {
            "it is upstream's: below a folder called `charts`, or in a packed chart, nothing that a promotion does \
             reaches it"
                .to_owned()
        }
        Claim::Prose => "it stands in Markdown, which is prose".to_owned(),
        Claim::Mention { why } => format!("it is a mention: {why}"),
        Claim::Unclaimed => {
            "nobody claims it, and the census refuses it: declare where it lives, or exclude it with a reason"
                .to_owned()
        }
        Claim::Overlooked { why } => format!("nobody claims it, and no promotion sees it: {why}"),
    }
}
