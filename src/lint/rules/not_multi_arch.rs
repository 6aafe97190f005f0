//! An image that runs on one kind of machine only.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::{Answer, Manifest};
use crate::refs::Class;

/// What every image has to be for.
const PLATFORMS: [(&str, &str); 2] = [("linux", "amd64"), ("linux", "arm64")];

pub const RULE: Rule = Rule {
    id: "not-multi-arch",
    level: Level::Error,
    what: "A pinned image that is no index with linux/amd64 and linux/arm64; attestations (`unknown/unknown`) are no \
           platforms.",
    hint: "build it for both platforms and pin the index, or exclude it with a reason (`lint.exclude`)",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let Some(asked) = &subject.registry else { return Checked::not_asked() };
    let images = subject.pinned().filter(|found| found.class != Class::PackagesArtifact);
    let found = images.filter_map(|found| {
        let (repository, digest) = (found.repository.as_ref()?, found.digest?);
        let Answer::Found(manifest) = asked.digest(found)? else { return None };
        let why = wanting(manifest)?;
        Some(Unplaced::of(found, Spot::digest(found), format!("{repository}@{digest} {why}")))
    });
    found.collect()
}

/// What an image lacks.
fn wanting(manifest: &Manifest) -> Option<String> {
    if !manifest.is_index() {
        return Some("is one image and no index".to_owned());
    }
    let platforms = || manifest.manifests().iter().filter_map(|child| child.platform.as_ref());
    let has = |(os, architecture)| platforms().any(|p| p.os == os && p.architecture == architecture);
    let lacking: Vec<String> =
        PLATFORMS.into_iter().filter(|&wanted| !has(wanted)).map(|(os, arch)| format!("{os}/{arch}")).collect();
    (!lacking.is_empty()).then(|| format!("is an index without {}", lacking.join(" and ")))
}
