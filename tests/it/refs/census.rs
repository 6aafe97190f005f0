//! The census: each rule with a case that passes and one that fails.

use sealift::refs::{self, Exclusion, GzipCopy, Spec};

use super::support::*;

#[test]
fn the_census_claims_or_complains() {
    let comment = values("# was sha256:HEX\na: 1\n");
    let error = refs::census(&comment, &spec()).unwrap_err();
    assert_problem(&error.problems, "packages/a/x/values.yaml", 1, "no shape claims");
    assert_eq!(error.problems.len(), 1);
    let key = values("{? 'OWN/key:v1' : 1}\n");
    assert_problem(
        &refs::census(&key, &spec()).unwrap_err().problems,
        "packages/a/x/values.yaml",
        1,
        "owned reference",
    );

    for (path, text) in [
        ("packages/a/x/Makefile", "one\nIMAGE = OWN/x:v1\n"),
        ("packages/a/x/templates/t.yaml", "{{ if }}\nimage: OWN/x@sha256:HEX\n"),
        ("packages/a/x/y/values.yaml", "a:\n  repository: OWN/x\n  tag: v1\n"),
        ("packages/a/x/y/host.yaml", "a:\n  repository: org/own/x\n  registry: registry.example\n  tag: v1\n"),
        ("packages/a/x/data.bin", "\0\u{1}\nOWN/x:v1\0"),
        ("packages/a/x/upper.sh", "#!/bin/sh\nrun OWN/Upper:v1\n"),
    ] {
        let error = refs::census(&tree(path, text), &spec()).expect_err(path);
        assert_problem(&error.problems, path, 2, "doesn't declare");
        assert_eq!(error.problems.len(), 1, "{error}");
    }
    for (path, text) in [
        ("packages/a/x/Makefile", "# IMAGE = OWN/x:v1\nPREFIX = OWN\nNAME = OWN/x\n"),
        ("packages/a/x/tests/t.yaml", "# it's a OWN build, OWN/x:v1@sha256:HEX\npattern: ^OWN/x@\n"),
        ("packages/a/x/charts/c/values.yaml", "image: OWN/x:v1@sha256:HEX\n"),
        ("packages/a/x/README.md", "OWN/x:v1@sha256:HEX\n"),
        ("packages/a/x/other.yaml", "image: quay.io/a/b:v1@sha256:HEX\n"),
        ("docs/x.yaml", "image: OWN/x:v1@sha256:HEX\n"),
    ] {
        refs::census(&tree(path, text), &spec()).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[test]
fn the_census_looks_into_gzip() {
    let mut hidden = values("a: 1\n");
    hidden.put("packages/a/x/files/c.gz", 0o644, gzip("one\nimage: OWN/x:v1\n"));
    assert_problem(
        &refs::census(&hidden, &spec()).unwrap_err().problems,
        "packages/a/x/files/c.gz",
        2,
        "doesn't declare",
    );
    let copy = GzipCopy { path: "a/x/files/c.gz".into(), plain: "a/x/files/c.yaml".into(), required: true };
    let declared = Spec { gzip: vec![copy], ..spec() };
    let census = refs::census(&hidden, &declared).unwrap();
    assert_eq!(census.references.occurrences.len(), 2);
    // A copy that says something else than its source is noticed.
    hidden.put("packages/a/x/files/c.yaml", 0o644, fill("image: OWN/x:v2\n"));
    let notices = refs::read(&hidden, &declared, None).unwrap().notices;
    assert_eq!(places(&notices), [(1, "its content is not that of packages/a/x/files/c.yaml, from here on")]);
    let mut alone = values("a: 1\n");
    alone.put("packages/a/x/files/c.gz", 0o644, gzip("image: OWN/x:v1\n"));
    let notices = refs::read(&alone, &declared, None).unwrap().notices;
    assert!(places(&notices)[0].1.contains("files/c.yaml is not in the tree"), "{notices:?}");
    // What can't be unpacked can't be accounted for.
    hidden.put("packages/a/x/files/d.gz", 0o644, &gzip("image: OWN/x:v1\n")[..20]);
    let error = refs::census(&hidden, &declared).unwrap_err();
    assert_problem(&error.problems, "packages/a/x/files/d.gz", 0, "can't be decompressed");
}

#[test]
fn exclusions_have_reasons_and_unused_ones_are_reported() {
    let exclude = |path: &str, line: Option<&str>| Exclusion {
        path: path.into(),
        line: line.map(str::to_owned),
        reason: "known".into(),
    };
    let tree = values("# was sha256:HEX\nbad: a/b@sha256:abc\nother: 1\n");
    let with = |exclude: Vec<Exclusion>| refs::census(&tree, &Spec { exclude, ..spec() });
    assert!(with(vec![]).is_err());
    assert!(with(vec![exclude("a/x/values.yaml", Some("was sha256"))]).is_err(), "the other line");
    assert!(with(vec![exclude("a/y/*", None)]).is_err());
    let census = with(vec![
        exclude("a/x/values.yaml", Some("was sha256")),
        exclude("*/x/values.yaml", Some("bad:")),
        exclude("a/*/values.yaml", Some("nowhere")),
    ])
    .unwrap();
    assert_eq!(
        census.excluded.iter().map(|e| (e.line, e.reason.as_str())).collect::<Vec<_>>(),
        [(1, "known"), (2, "known")]
    );
    assert_eq!(census.unused, [exclude("a/*/values.yaml", Some("nowhere"))]);
}
