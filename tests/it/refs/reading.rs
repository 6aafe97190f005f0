//! What is found, and what is refused: each rule with a case that passes and one that fails.

use sealift::refs::{self, Class, Shape, Spec};
use sealift::tree::MemTree;

use super::own;
use super::support::*;

#[test]
fn enumerates_by_exact_depth_and_leaves_charts_alone() {
    let mut tree = MemTree::new("test");
    for path in [
        "packages/a/b/values.yaml",
        "packages/a/values.yaml",
        "packages/a/b/c/values.yaml",
        "packages/a/charts/values.yaml",
        "packages/charts/b/values.yaml",
        "values/a/b/values.yaml",
        "packages/a/b/images/x.tag",
        "packages/a/b/images/deep/x.tag",
        "packages/a/b/charts/images/x.tag",
        "packages/a/b/values.yaml.bak",
    ] {
        tree.put(path, 0o644, "");
    }
    let files = refs::enumerate(&tree, &spec()).unwrap().files;
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    // Above a file called so is a folder only when it is one: `a/charts/values.yaml` lies in it.
    assert_eq!(paths, ["packages/a/b/images/x.tag", "packages/a/b/values.yaml"]);
}

#[test]
fn reports_links_and_missing_files() {
    let mut tree = values("a: 1\n");
    tree.symlink("packages/a/link/values.yaml", "../x/values.yaml");
    let mut spec = own();
    spec.text[0].required = false;
    let found = refs::read(&tree, &spec, None).unwrap();
    let notices: Vec<_> = found.notices.iter().map(|notice| notice.file.as_str()).collect();
    assert_eq!(
        notices,
        [
            "packages/a/link/values.yaml",
            "packages/system/net/templates/daemonset.yml",
            "packages/system/provider/files/components.gz"
        ]
    );
    spec.text[0].required = true;
    assert_problem(&problems(&tree, &spec), "packages/system/net/templates/daemonset.yml", 0, "lacks this file");
    // A link in the place of a required file is no file.
    tree.symlink("packages/system/net/templates/daemonset.yml", "x");
    assert_problem(&problems(&tree, &spec), "packages/system/net/templates/daemonset.yml", 0, "lacks this file");
}

#[test]
fn refuses_a_root_or_a_glob_that_is_none() {
    let tree = values("a: 1\n");
    assert!(problems(&tree, &spec()).is_empty());
    let wrong = Spec { root: "pakages".into(), ..spec() };
    assert_problem(&problems(&tree, &wrong), "pakages", 0, "no such directory");
    let wrong = Spec { values: vec!["a/[".into()], ..spec() };
    assert!(!problems(&tree, &wrong).is_empty());
    let whole = Spec { root: ".".into(), values: vec!["*/*/*/values.yaml".into()], ..spec() };
    assert_eq!(refs::read(&tree, &whole, None).unwrap().occurrences.len(), 1);
}

#[test]
fn collecting_nothing_is_an_error() {
    let mut empty = MemTree::new("test");
    empty.put("packages/a/b/values.yaml", 0o644, "a: 1\n");
    assert_problem(&problems(&empty, &spec()), "packages", 0, "not one reference was found in 1 files");
    assert!(refs::census(&empty, &spec()).is_err());
    assert!(refs::rewrite(&empty, &spec(), &rc()).is_err());
}

#[test]
fn reports_every_problem_and_loses_no_other_reference() {
    let long = "t".repeat(129);
    let mut tree = values(&format!(
        "up: OWN/Upper:RC@sha256:HEX\nshort: quay.io/a/b:v1@sha256:abc\nlong: {{repository: OWN/x, tag: {long}, digest: 'sha256:HEX'}}\nfine: OWN/fine:RC@sha256:HEX\nbad: {{repository: a/b, tag: v1, digest: sha256:HEXa}}\n"
    ));
    tree.put("packages/b/yaml/values.yaml", 0o644, "a: [1\nb: {");
    tree.put("packages/b/bytes/values.yaml", 0o644, &b"a: 1\nb: \xff\n"[..]);
    tree.put("packages/b/x/images/empty.tag", 0o644, "\n");
    tree.put("packages/b/x/images/two.tag", 0o644, "a/b:1\na/b:2\n");
    tree.put("packages/b/x/images/bare.tag", 0o644, "a/b\n");
    tree.put("packages/b/x/images/upper.tag", 0o644, "\n  A/b:1\n");
    let error = refs::read(&tree, &spec(), None).unwrap_err();
    let x = "packages/a/x/values.yaml";
    assert_problem(&error.problems, x, 1, "upper-case");
    assert_problem(&error.problems, x, 2, "is not a digest");
    assert_problem(&error.problems, x, 3, "is not a tag");
    assert_problem(&error.problems, x, 5, "is not a digest");
    assert_problem(&error.problems, "packages/b/yaml/values.yaml", 2, "not YAML");
    assert_problem(&error.problems, "packages/b/bytes/values.yaml", 2, "not UTF-8");
    assert_problem(&error.problems, "packages/b/x/images/empty.tag", 1, "empty");
    assert_problem(&error.problems, "packages/b/x/images/two.tag", 2, "more than one line");
    assert_problem(&error.problems, "packages/b/x/images/bare.tag", 1, "neither tag nor digest");
    assert_problem(&error.problems, "packages/b/x/images/upper.tag", 2, "upper-case");
    assert_eq!(error.problems.len(), 10, "{error}");
    let keys: Vec<_> = error.references.occurrences.iter().map(|o| o.key.as_str()).collect();
    assert_eq!(keys, ["image", "long", "fine"]);
    assert!(error.to_string().contains("packages/a/x/values.yaml:1:5: "), "{error}");
}

#[test]
fn a_file_that_cant_be_read_is_never_an_absence() {
    let tree = Unreadable(values("image: OWN/x:RC@sha256:HEX\n"), b"packages/a/x/values.yaml");
    assert_problem(&problems(&tree, &spec()), "packages/a/x/values.yaml", 0, "can't be read");
    let tree = Unreadable(self::tree("packages/other.bin", "x"), b"packages/other.bin");
    assert!(problems(&tree, &spec()).is_empty());
    let left = refs::survivors(&tree, &spec(), &rc()).unwrap_err();
    assert_problem(&left, "packages/other.bin", 0, "can't be read");
    let error = refs::census(&tree, &spec()).unwrap_err();
    assert_problem(&error.problems, "packages/other.bin", 0, "can't be read");
}

#[test]
fn an_odd_node_costs_a_notice() {
    let tree = values(
        "n: {repository: a/b, tag: 1.10, digest: 'sha256:HEX'}\nm: {repository: a/b, tag: {x: y}, digest: 'sha256:HEX'}\nr: {registry: [a], repository: a/b, tag: 'v1@sha256:HEX'}\nq: {repository: a/b, tag: '1.10', digest: 'sha256:HEX'}\n",
    );
    let found = refs::read(&tree, &spec(), None).unwrap();
    let of = |key: &str| found.occurrences.iter().find(|o| o.key == key).unwrap();
    assert_eq!(of("n").tag.as_ref().unwrap().as_str(), "1.10");
    assert!(of("m").tag.is_none() && of("m").digest.is_some());
    assert_eq!((of("r").repository.as_ref(), of("r").class), (None, Class::NoRepository));
    assert_eq!(found.notices.iter().map(|n| n.line).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn nothing_without_a_host_or_a_path_is_a_repository() {
    let found =
        refs::read(&values("version: v1.6.0@sha256:HEX\nimage: busybox:1@sha256:HEX\n"), &spec(), None).unwrap();
    let of = |key: &str| found.occurrences.iter().find(|o| o.key == key && o.file != GOOD).unwrap();
    assert_eq!((of("version").repository.as_ref(), of("version").shape), (None, Shape::TagOnly));
    assert_eq!(of("version").tag.as_ref().unwrap().as_str(), "v1.6.0");
    assert_eq!(of("image").repository.as_ref().unwrap().to_string(), "docker.io/library/busybox");
}

#[test]
fn binds_per_map_and_refuses_what_is_ambiguous() {
    let apart = values("a: {repository: OWN/a, tag: RC}\nb: {digest: sha256:HEX}\n");
    let found = refs::read(&apart, &spec(), None).unwrap();
    assert!(found.occurrences.iter().all(|o| o.key != "a" || o.digest.is_none()));
    assert_problem(
        &refs::census(&apart, &spec()).unwrap_err().problems,
        "packages/a/x/values.yaml",
        2,
        "no shape claims",
    );

    for (text, part) in [
        ("a: {repository: OWN/a, image: b/c, tag: RC, digest: 'sha256:HEX'}\n", "both `repository` and `image`"),
        ("a: {repository: b/c, tag: 'v1@sha256:HEX', digest: 'sha256:00HEX'}\n", "is not a digest"),
        ("a: {repository: b/c, tag: \"v1\\x2e0\", digest: 'sha256:HEX'}\n", "spelled with escapes"),
        ("a: \"OWN/\\x61:RC@sha256:HEX\"\n", "spelled with escapes"),
        ("a: b\na: OWN/a:RC@sha256:HEX\n", "stands twice"),
        ("a: {tag: v1, digest: 'sha256:HEX', tag: v2}\n", "stands twice"),
    ] {
        assert_problem(&problems(&values(text), &spec()), "packages/a/x/values.yaml", 1, part);
    }
    let differ = format!("a: {{repository: b/c, tag: 'v1@sha256:HEX', digest: '{}'}}\n", digest("other"));
    assert_problem(&problems(&values(&differ), &spec()), "packages/a/x/values.yaml", 1, "two digests");
    assert!(problems(&values("a: b\na: c\nb: OWN/a:RC@sha256:HEX\n"), &spec()).is_empty());
}

#[test]
fn only_maps_under_global_images_take_the_global_host() {
    let text = "global:\n  registry: {address: OWN}\n  images: {n: {repository: n, tag: 'RC@sha256:HEX', deep: {repository: d/d, tag: 'RC@sha256:HEX'}}}\n  other: {repository: o/o, tag: 'RC@sha256:HEX'}\n";
    let found = refs::read(&values(text), &spec(), None).unwrap();
    let of = |key: &str| found.occurrences.iter().find(|o| o.key == key).unwrap();
    assert_eq!(of("global.images.n").repository.as_ref().unwrap().to_string(), fill("OWN/n"));
    assert_eq!(of("global.images.n").shape, Shape::GlobalRegistry);
    assert_eq!(of("global.images.n.deep").class, Class::ThirdParty);
    assert_eq!(of("global.other").class, Class::ThirdParty);
}

#[test]
fn an_oci_address_is_a_repository_too() {
    let found =
        refs::read(&values("a: {repository: 'oci://OWN/chart', tag: RC}\n"), &spec(), None).unwrap().occurrences;
    assert_eq!(found[1].repository.as_ref().unwrap().to_string(), fill("OWN/chart"));
    let words = values("a: {tag: someone@home, digest: none}\nb: {digest: 'md5:00'}\nc: {tag: v1, digest: ''}\n");
    assert_eq!(problems(&words, &spec()), []);
}
