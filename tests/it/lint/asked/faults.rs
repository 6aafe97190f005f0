//! Each rule's fault and near misses, over every kind of registry.

use super::*;
use crate::support::docker_registry::DockerRegistry;

/// What stands in the tree, and what is found on its line; `{name}` is the digest of that seed, or of what was pushed.
const ROWS: &[(&str, &[&str])] = &[
    ("right: OWN/right:RC@{right}", &[]),
    ("again: OWN/right:RC@{right}", &[]),
    ("bare: OWN/right:RC", &[]),
    ("digest: OWN/right@{right}", &[]),
    // unpublished
    ("never: OWN/never:RC@{never}", &["unpublished error"]),
    ("bare: OWN/never:RC", &["unpublished error"]),
    ("prefixed: OWN/never:v1.30-RC@{never}", &["unpublished error"]),
    ("longer: OWN/right:RC0@{right}", &["unpublished info"]),
    ("component: OWN/right:v0.5.0-own.0@{right}", &["unpublished info"]),
    ("stale: OWN/right:v2.2.0@{right}", &["unpublished info"]),
    // tag-moved
    ("moved: OWN/moved:RC@{before}", &["tag-moved error"]),
    ("moved: OWN/moved:v0.5.0@{before}", &["tag-moved info"]),
    ("after: OWN/moved:RC@{after}", &[]),
    ("bare: OWN/moved:RC", &[]),
    // digest-gone
    ("gone: OWN/moved@{gone}", &["digest-gone error"]),
    ("other: OWN/never@{right}", &["digest-gone error"]),
    ("both: OWN/moved:RC@{gone}", &["digest-gone error", "tag-moved error"]),
    ("nothing: OWN/no-such:RC@{gone}", &["digest-gone error", "unpublished error"]),
    (
        "parts: {registry: '', repository: OWN/right, tag: RC, digest: '{gone}'}",
        &["digest-gone error", "tag-moved error"],
    ),
    // not-multi-arch
    ("single: OWN/single@{single}", &["not-multi-arch error"]),
    ("half: OWN/half@{half}", &["not-multi-arch error"]),
    ("windows: OWN/windows@{windows}", &["not-multi-arch error"]),
    ("attested: OWN/attested@{attested}", &[]),
    ("artifact: {sourceUrl: 'oci://OWN/own-packages', sourceRef: 'digest={artifact}'}", &[]),
    ("artifact: {sourceUrl: 'oci://OWN/own-packages', sourceRef: 'digest={gone}'}", &["digest-gone error"]),
    // Neither owned nor told, and nowhere.
    ("other: quay.example/x/y:1@{gone}", &[]),
    ("unpinned: quay.example/x/y:1", &[]),
    ("nowhere: {tag: 'RC@{gone}'}", &[]),
];

/// Fills a registry; what was pushed by name.
async fn fill(to: &dyn RegistryWrite) -> BTreeMap<&'static str, Digest> {
    push(to, "right", "RC", "right").await;
    images::push_index(to, &repository("never"), None, "never").await;
    images::push_index(to, &repository("moved"), None, "before").await;
    push(to, "moved", "RC", "after").await;
    push(to, "moved", "v0.5.0", "after").await;
    let mut pushed: BTreeMap<_, _> =
        ["right", "never", "before", "after", "gone"].map(|seed| (seed, digest(seed))).into();
    for name in ["single", "artifact"] {
        let (manifest, blobs) = images::image(name, "amd64");
        let place = repository(if name == "artifact" { "own-packages" } else { name });
        images::push_image(to, &place, &manifest, &blobs).await;
        pushed.insert(name, manifest.digest());
    }
    let indexes: [(&str, &[&str]); 3] = [
        ("half", &["linux/amd64", "unknown/unknown"]),
        ("windows", &["windows/amd64", "linux/arm64", "linux/arm"]),
        ("attested", &["linux/amd64", "linux/arm64", "unknown/unknown", "linux/s390x"]),
    ];
    for (name, platforms) in indexes {
        pushed.insert(name, push_for(to, name, platforms).await);
    }
    pushed
}

async fn check(location: Location) {
    let registries = at(&location);
    let pushed = fill(&registries).await;
    let mut text: String = ROWS.iter().map(|(line, _)| format!("{line}\n")).collect();
    for (name, digest) in &pushed {
        text = text.replace(&format!("{{{name}}}"), &digest.to_string());
    }
    // Keys of one map, each its own.
    let text: String = text.lines().enumerate().map(|(n, line)| format!("k{n}-{line}\n")).collect();
    let lint = lint_at(&at(&location), &at(&location), &text, &Told::default()).await;
    let rows = ROWS.iter().enumerate();
    let expected: Vec<String> =
        rows.flat_map(|(n, (_, found))| found.iter().map(move |found| format!("{} {found}", n + 1))).collect();
    assert_eq!(found(&lint), expected);
    assert!(lint.findings.iter().all(|finding| finding.level != Level::Unknown));
}

#[tokio::test]
async fn a_layout() {
    let dir = tempfile::tempdir().unwrap();
    check(Location::Layout(dir.path().to_owned())).await;
}

#[tokio::test]
async fn a_server() {
    check(url(&RegistryServer::start())).await;
}

#[tokio::test]
async fn docker_registry() {
    let Some(server) = DockerRegistry::start() else { return };
    check(Location::Url(server.url())).await;
}

#[test]
fn every_rule_has_a_fault_and_a_near_miss() {
    for rule in RULES {
        let found = ROWS.iter().any(|(_, found)| found.iter().any(|line| line.starts_with(rule)));
        assert!(found || rule == "not-public", "{rule} is in no row, and a file of its own has not-public");
    }
}

#[tokio::test]
async fn an_index_without_one_of_its_manifests_is_gone_too() {
    let two = Two::with(async |to| {
        push(to, "x", "RC", "x").await;
    })
    .await;
    let child = images::index("x").1[1].0.digest();
    let gone = crate::support::registry_server::oci_error(404, "MANIFEST_UNKNOWN", "manifest unknown");
    let act = crate::support::registry_server::Act::Answer(gone);
    two.ours.fault("GET", &child.to_string(), 1..=usize::MAX, act);
    let lint = two.lint(&format!("a: OWN/x:RC@{}\n", digest("x"))).await;
    assert_eq!(found(&lint), ["1 digest-gone error"]);
    assert!(messages(&lint, "digest-gone")[0].ends_with(&format!("is there, and its manifest {child} is not")));
}

#[tokio::test]
async fn one_platform_is_excluded_with_a_reason() {
    let two = Two::with(async |to| {
        push_for(to, "gpu", &["linux/amd64"]).await;
    })
    .await;
    let digest = push_for(&at(&url(&two.ours)), "gpu", &["linux/amd64"]).await;
    let pipeline = format!(
        "lint: {{exclude: [{{rule: not-multi-arch, path: {VALUES}, reason: The driver exists for amd64 only.}}]}}\n"
    );
    let text = format!("a: OWN/gpu@{digest}\n");
    let lint = two.lint_by(&text, &Told { pipeline: &pipeline, ..Told::default() }).await;
    assert_eq!((found(&lint).len(), lint.suppressed.len(), lint.left_over.len()), (0, 1, 0));
    assert!(messages(&two.lint(&text).await, "not-multi-arch")[0].ends_with("is an index without linux/arm64"));
    // Where nobody asks, the exclusion and a baseline are not left over.
    let (of_file, tree) = (super::pipeline(&pipeline), tree(&text));
    let offline = super::super::lint_by(&of_file, &tree, Some(&Baseline::of(&two.lint(&text).await)));
    assert_eq!((offline.left_over, offline.registry), (Vec::<String>::new(), None));
}
