//! The classes of references, and which tags belong to the version line (contract §1).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Occurrence, Spec};
use crate::model::{Rc, Repository, Stable, Tag, Version};

/// What a reference is to a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Owned, and the tag is the release candidate's: rewritten and retagged.
    VersionLine,
    /// Owned, with any other tag: the text stays, the digest still gets the stable tag.
    ComponentVersioned,
    /// Not owned: never rewritten, retagged or mirrored.
    ThirdParty,
    /// The packages artifact itself.
    PackagesArtifact,
    /// The file doesn't say which repository.
    NoRepository,
}

impl Class {
    pub(super) fn of(spec: &Spec, repository: Option<&Repository>, tag: Option<&Tag>, version: Option<&str>) -> Self {
        match repository {
            None => Self::NoRepository,
            Some(repository) if *repository == spec.artifact => Self::PackagesArtifact,
            Some(repository) if !spec.owns(repository) => Self::ThirdParty,
            Some(_) => match (tag, version) {
                (Some(tag), Some(version)) if carries(spec, tag, version) => Self::VersionLine,
                _ => Self::ComponentVersioned,
            },
        }
    }
}

/// Whether a tag is exactly `v<rc>`, `<prefix>v<rc>` or `<prefix>-v<rc>` with a declared prefix.
pub fn version_line(spec: &Spec, tag: &Tag, rc: &Rc) -> bool {
    carries(spec, tag, &rc.to_string())
}

fn carries(spec: &Spec, tag: &Tag, version: &str) -> bool {
    tag.as_str()
        .strip_suffix(version)
        .and_then(|rest| rest.strip_suffix('v'))
        .is_some_and(|prefix| is_prefix(spec, prefix))
}

/// Whether a tag belongs to the version line of any release candidate of a version.
pub(super) fn any_candidate(spec: &Spec, tag: &Tag, stable: &Stable) -> bool {
    let text = tag.as_str();
    text.rfind(&format!("v{stable}-rc.")).is_some_and(|at| {
        is_prefix(spec, &text[..at]) && text[at + 1..].parse::<Rc>().is_ok_and(|rc| rc.stable == *stable)
    })
}

fn is_prefix(spec: &Spec, prefix: &str) -> bool {
    let declared = |declared: &String| prefix == declared || prefix.strip_suffix('-') == Some(declared);
    prefix.is_empty() || spec.tag_prefixes.iter().any(declared)
}

/// A version-line tag as it reads after the promotion; `None` for any other tag.
pub fn with_stable(spec: &Spec, tag: &Tag, rc: &Rc) -> Option<Tag> {
    if !version_line(spec, tag, rc) {
        return None;
    }
    let prefix = tag.as_str().strip_suffix(&rc.to_string())?;
    format!("{prefix}{}", rc.stable).parse().ok()
}

/// Whether a tag is the stable counterpart of a version-line tag.
pub(super) fn is_stable(spec: &Spec, tag: &Tag, stable: &Stable) -> bool {
    carries(spec, tag, &stable.to_string())
}

/// The release candidates whose version-line tags owned references carry.
pub fn candidates(spec: &Spec, occurrences: &[Occurrence]) -> BTreeSet<Rc> {
    let ours = |found: &&Occurrence| found.repository.as_ref().is_some_and(|r| spec.owns(r) && *r != spec.artifact);
    let tags = occurrences.iter().filter(ours).filter_map(|found| found.tag.as_ref());
    tags.flat_map(|tag| versions(spec, tag)).filter_map(|version| version.parse().ok()).collect()
}

/// What may be the version in a tag: all after a `v` that nothing or a declared prefix stands
/// before. A declared prefix may itself hold a `v`.
fn versions<'a>(spec: &'a Spec, tag: &'a Tag) -> impl Iterator<Item = &'a str> {
    let text = tag.as_str();
    let parts = text.match_indices('v').map(|(at, _)| (&text[..at], &text[at + 1..]));
    parts.filter(|(prefix, version)| is_prefix(spec, prefix) && !version.starts_with('v')).map(|(_, version)| version)
}

/// The version in a tag of the form `v<version>`, `<prefix>v<version>` or `<prefix>-v<version>` with a
/// declared prefix, and whether it has a prefix. The form alone: the version may be a component's own.
pub fn version_in(spec: &Spec, tag: &Tag) -> Option<(Version, bool)> {
    let whole = tag.as_str().len() - 1;
    versions(spec, tag).find_map(|text| Some((text.parse().ok()?, text.len() < whole)))
}

/// The version that most owned tags carry, for readers who don't know which one is being
/// promoted: of equals the highest. `0.0.0` is no version but a place for one.
pub(super) fn prevailing<'a>(spec: &Spec, tags: impl Iterator<Item = &'a Tag>) -> Option<Version> {
    let mut votes: BTreeMap<Version, usize> = BTreeMap::new();
    let carried = tags.filter_map(|tag| version_in(spec, tag));
    for (version, _) in carried.filter(|(version, _)| !version.is_placeholder()) {
        *votes.entry(version).or_default() += 1;
    }
    votes.into_iter().max_by_key(|(_, count)| *count).map(|(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refs::read::tests::spec;

    #[test]
    fn only_the_exact_tag_belongs_to_the_version_line() {
        let rc = "1.6.0-rc.1".parse().unwrap();
        let stable = |tag: &str| with_stable(&spec(), &tag.parse().unwrap(), &rc).map(|tag| tag.to_string());
        assert_eq!(stable("v1.6.0-rc.1").as_deref(), Some("v1.6.0"));
        assert_eq!(stable("v1.30-v1.6.0-rc.1").as_deref(), Some("v1.30-v1.6.0"));
        assert_eq!(stable("edge-v1.6.0-rc.1").as_deref(), Some("edge-v1.6.0"));
        for tag in [
            "v1.6.0-rc.10",
            "v11.6.0-rc.1",
            "1.6.0-rc.1",
            "v1.6.0",
            "xv1.6.0-rc.1",
            "v1.6.0-rc.1-arm64",
            "v1.31-v1.6.0-rc.1",
            "vv1.6.0-rc.1",
        ] {
            assert_eq!(stable(tag), None, "{tag}");
        }
    }

    #[test]
    fn any_candidate_of_a_version_is_known() {
        let any = |tag: &str| any_candidate(&spec(), &tag.parse().unwrap(), &"1.6.0".parse().unwrap());
        for tag in ["v1.6.0-rc.1", "v1.6.0-rc.10", "v1.30-v1.6.0-rc.2"] {
            assert!(any(tag), "{tag}");
        }
        for tag in ["v1.6.0", "v1.6.1-rc.1", "v11.6.0-rc.1", "v1.6.0-rc.01", "v1.6.0-rc.1-arm64", "x-v1.6.0-rc.1"] {
            assert!(!any(tag), "{tag}");
        }
    }

    #[test]
    fn the_candidates_are_those_of_owned_references() {
        let found = |repository: &str, tag: &str| Occurrence {
            class: Class::ComponentVersioned,
            file: "packages/a/b/values.yaml".into(),
            line: 1,
            column: 1,
            key: "image".into(),
            shape: crate::refs::Shape::String,
            repository: Some(repository.parse().unwrap()),
            tag: Some(tag.parse().unwrap()),
            digest: None,
            copy_of: None,
            spans: Default::default(),
            aliased: false,
        };
        let (own, artifact, third) = ("ghcr.io/org/own/a", "ghcr.io/org/own/own-packages", "quay.io/x/a");
        let all = [
            found(own, "v1.6.2-rc.1"),
            found(own, "v1.30-v1.6.2-rc.10"),
            found(own, "v1.6.2"),
            found(own, "latest"),
            found(own, "vv1.9.9-rc.1"),
            found(own, "v1.31-v1.9.9-rc.2"),
            found(artifact, "v1.9.9-rc.3"),
            found(third, "v1.9.9-rc.4"),
        ];
        let names: Vec<String> = candidates(&spec(), &all).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["1.6.2-rc.1", "1.6.2-rc.10"]);
    }

    #[test]
    fn the_prevailing_version_is_what_most_tags_carry() {
        let tags = |tags: &[&str]| tags.iter().map(|tag| tag.parse().unwrap()).collect::<Vec<Tag>>();
        let find = |list: &[&str]| prevailing(&spec(), tags(list).iter()).map(|version| version.to_string());
        assert_eq!(find(&["v1.6.2-rc.1", "v1.5.0", "v1.30-v1.6.2-rc.1", "latest"]).as_deref(), Some("1.6.2-rc.1"));
        assert_eq!(find(&["v1.6.2", "v1.6.2-rc.9"]).as_deref(), Some("1.6.2"));
        assert_eq!(find(&["v1.6.2-rc.9", "v1.6.2-rc.10"]).as_deref(), Some("1.6.2-rc.10"));
        assert_eq!(find(&["v0.0.0", "v0.0.0", "v1.6.2"]).as_deref(), Some("1.6.2"));
        assert_eq!(find(&["latest", "v0.19.0-own.0", "v0.0.0"]), None);
    }

    #[test]
    fn a_version_in_a_tag_is_a_matter_of_form() {
        let find =
            |tag: &str| version_in(&spec(), &tag.parse().unwrap()).map(|(v, prefixed)| (v.to_string(), prefixed));
        assert_eq!(find("v1.6.2"), Some(("1.6.2".into(), false)));
        assert_eq!(find("v1.30-v1.6.2-rc.1"), Some(("1.6.2-rc.1".into(), true)));
        assert_eq!(find("edge-v0.0.0"), Some(("0.0.0".into(), true)));
        for tag in ["1.6.2", "vv1.6.2", "v1.6.2-arm64", "v1.31-v1.6.2", "v0.19.0-own.0", "v1.3.0-rc1", "v"] {
            assert_eq!(find(tag), None, "{tag}");
        }
    }
}
