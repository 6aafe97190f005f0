//! Each rule with a case that passes and one that fails.

use std::io::{self, Read, Write as _};

use sealift::model::{Digest, Rc};
use sealift::refs::{self, Class, Exclusion, GzipCopy, Problem, RewriteError, Shape, Spec};
use sealift::tree::{Entry, MemTree, Tree, TreeError};

use super::own;

const GOOD: &str = "packages/a/good/values.yaml";

fn digest(name: &str) -> Digest {
    Digest::of(name.as_bytes())
}

fn rc() -> Rc {
    "2.3.0-rc.1".parse().unwrap()
}

/// The specification of the fixture without its declared files.
fn spec() -> Spec {
    Spec { text: Vec::new(), gzip: Vec::new(), ..own() }
}

/// A tree with one good reference and a file of the test's; `OWN`, `RC` and `HEX` are filled in.
fn tree(path: &str, text: &str) -> MemTree {
    let mut tree = MemTree::new("test");
    let good = format!("image: OWN/good:RC@{}\n", digest("good"));
    tree.put(GOOD, 0o644, fill(&good)).put(path, 0o644, fill(text));
    tree
}

fn fill(text: &str) -> String {
    let hex = digest("x").hex();
    text.replace("OWN", "registry.example/org/own").replace("RC", "v2.3.0-rc.1").replace("HEX", &hex)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(fill(text).as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn values(text: &str) -> MemTree {
    tree("packages/a/x/values.yaml", text)
}

/// Line and message of each problem.
fn places(problems: &[Problem]) -> Vec<(usize, &str)> {
    problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect()
}

fn problems(tree: &dyn Tree, spec: &Spec) -> Vec<Problem> {
    refs::read(tree, spec, None).err().map(|error| error.problems).unwrap_or_default()
}

fn assert_problem(problems: &[Problem], file: &str, line: usize, part: &str) {
    let found = problems.iter().any(|p| p.file == file && p.line == line && p.message.contains(part));
    assert!(found, "no `{part}` at {file}:{line} in {problems:#?}");
}

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

struct Unreadable(MemTree, &'static [u8]);

impl Tree for Unreadable {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        self.0.entries()
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        match path == self.1 {
            true => Err(self.error(path, io::Error::from(io::ErrorKind::PermissionDenied))),
            false => self.0.open(path),
        }
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
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
    assert_problem(&problems(&values(&differ), &spec()), "packages/a/x/values.yaml", 1, "two digests that differ");
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
    assert_eq!(places(&notices), [(0, "its content is not that of packages/a/x/files/c.yaml")]);
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
    assert_eq!(census.excluded.iter().map(|e| (e.line, e.reason.as_str())).collect::<Vec<_>>(), [(1, "known")]);
    assert_eq!(census.unused, [exclude("a/*/values.yaml", Some("nowhere"))]);
}

fn survivors(path: &str, text: &str) -> Vec<Problem> {
    match refs::rewrite(&tree(path, text), &spec(), &rc()) {
        Ok(_) => Vec::new(),
        Err(RewriteError::Survivors(left)) => left,
        Err(error) => panic!("{path}: {error}"),
    }
}

#[test]
fn a_reference_that_survives_fails_the_rewrite() {
    for (path, text) in [
        ("packages/a/x/Makefile", "one\nIMAGE = OWN/x:RC\n"),
        ("packages/a/x/templates/t.yaml", "{{ if }}\nimage: OWN/x:RC@sha256:HEX\n"),
        ("packages/a/x/templates/u.yaml", "{{ if }}\nimage: {{ .r }}/x:RC\n"),
        ("packages/a/x/templates/v.yaml", "{{ if }}\n  tag: \"RC\" # c\n"),
        ("packages/a/x/run.sh", "one\nrun \"$REGISTRY/x:RC\"\n"),
        ("packages/a/x/y/values.yaml", "a:\n  tag: RC\n  repository: OWN/x\n"),
        ("packages/a/x/y/values.yaml", "a:\n  tag: v1.30-RC\n"),
        ("packages/a/x/values.yaml", "a:\n  tag: RC\n"),
        ("packages/a/x/values.yaml", "a:\n  {tag: RC@sha256:HEX}\n"),
        ("packages/a/x/values.yaml", "a:\n  OWN/key:RC: key\n"),
        ("packages/a/x/data.bin", "\0\u{1}\nOWN/x:RC\0"),
        ("packages/a/x/notes.txt", "one\nit runs OWN/x:RC.\n"),
        ("packages/a/x/split.txt", "one\norg/own/x:RC\n"),
        ("packages/core/installer/values.yaml", "sourceUrl: oci://OWN/own-packages\nsourceRef: tag=RC\n"),
    ] {
        let left = survivors(path, text);
        assert_eq!(left.len(), 1, "{path}: {text}");
        assert_problem(&left, path, 2, "survives the rewrite");
    }
    let mut packed = values("a: 1\n");
    packed.put("packages/a/x/files/c.data", 0o644, gzip("one\nimage: OWN/x:RC\n"));
    let Err(RewriteError::Survivors(left)) = refs::rewrite(&packed, &spec(), &rc()) else { panic!() };
    assert_problem(&left, "packages/a/x/files/c.data", 2, "survives the rewrite");
}

#[test]
fn a_mention_is_no_survivor() {
    for (path, text) in [
        ("packages/a/x/go.sum", "example.org/own RC h1:x=\n"),
        ("packages/a/x/deps.lock", "image: OWN/x:RC\n"),
        ("packages/a/x/Makefile", "# OWN/x:RC\nVERSION = RC\nREF=:RC\n"),
        ("packages/a/x/main.go", "// OWN/x:RC\nv := \"RC\"\n"),
        ("packages/a/x/t.yaml", "a: don't # OWN/x:RC\nversion: RC\nimage: quay.io/a/b:RC\n"),
        ("packages/a/x/values.yaml", "# tag: RC\na: {repository: quay.io/a/b, tag: RC}\n"),
        ("packages/a/x/README.md", "OWN/x:RC\n"),
        ("packages/a/x/charts/c/values.yaml", "image: OWN/x:RC\n"),
        ("packages/a/x/later.sh", "run OWN/x:RC0 OWN/x:v12.3.0-rc.1 OWN/x:RC-arm64 OWN/x:RC.1\n"),
        ("packages/a/x/api.yaml", "apiVersion: x/RC\n"),
        ("docs/x.sh", "run OWN/x:RC\n"),
    ] {
        assert_eq!(survivors(path, text), [], "{path}: {text}");
    }
}

#[test]
fn a_shared_tag_is_refused() {
    let shared = values("a: &t RC\nb: {repository: OWN/x, tag: *t, digest: 'sha256:HEX'}\n");
    let Err(RewriteError::Edits(found)) = refs::rewrite(&shared, &spec(), &rc()) else { panic!() };
    assert_problem(&found, "packages/a/x/values.yaml", 1, "shared by a YAML alias");
    let anchored = values("a: &t OWN/x:RC@sha256:HEX\n");
    assert_eq!(refs::rewrite(&anchored, &spec(), &rc()).unwrap().files.len(), 2);
}

#[test]
fn nothing_to_rewrite_is_an_error_that_tells_a_rewritten_tree() {
    let other: Rc = "2.3.0-rc.2".parse().unwrap();
    let tree = values("a: OWN/x:v2.3.0@sha256:HEX\nb: OWN/y:v1.30-v2.3.0@sha256:HEX\nc: OWN/z:v2.3.1@sha256:HEX\n");
    let nothing = refs::rewrite(&tree, &spec(), &other);
    assert!(matches!(nothing, Err(RewriteError::Nothing { stable: 2, .. })), "{nothing:?}");
    assert!(refs::rewrite(&tree, &spec(), &rc()).is_ok());
}

#[test]
fn the_pin_needs_exactly_one_plain_pair() {
    let file = "packages/a/x/values.yaml";
    let pin = |text: &str| {
        let repository = "registry.example/org/own/own-packages".parse().unwrap();
        refs::pin(&values(text), &spec(), file, &repository, &digest("new"))
    };
    let good = "a:\n  sourceUrl: oci://OWN/own-packages\n  sourceRef: 'digest=sha256:HEX'\n";
    assert_eq!(pin(good).unwrap().edits.len(), 1);
    assert_eq!(pin("{sourceUrl: '', sourceRef: \"tag=latest\"}").unwrap().edits.len(), 2);
    for text in [
        "a: 1\n",
        "sourceUrl: oci://OWN/own-packages\n",
        "a:\n  sourceUrl: oci://OWN/p\nb:\n  sourceRef: digest=sha256:HEX\n",
        "a: {sourceUrl: x, sourceRef: y}\nb: {sourceUrl: x, sourceRef: y}\n",
        "a: {sourceUrl: x, sourceRef: y, sourceRef: z}\n",
        "sourceUrl: &u oci://OWN/p\nsourceRef: *u\n",
        "sourceUrl:\nsourceRef: digest=sha256:HEX\n",
        "sourceUrl: |\n  oci://OWN/p\nsourceRef: digest=sha256:HEX\n",
        "sourceUrl: [oci://OWN/p]\nsourceRef: digest=sha256:HEX\n",
    ] {
        let error = pin(text).expect_err(text);
        assert_eq!((error.problems.len(), error.problems[0].file.as_str()), (1, file));
    }
    let missing = refs::pinned(&values("a: 1\n"), &spec(), "packages/none.yaml").unwrap_err();
    assert_problem(&missing.problems, "packages/none.yaml", 0, "can't be read");
    let pair = &spec().pair;
    for text in
        ["sourceUrl: https://x\nsourceRef: 'digest=sha256:HEX'\n", "sourceUrl: oci://OWN/p\nsourceRef: tag=v1\n"]
    {
        assert!(refs::pinned(&values(text), &spec(), file).is_err(), "{text}");
        assert!(refs::normalise_pin(fill(text).as_bytes(), pair).is_err(), "{text}");
    }
}

#[test]
fn a_gzip_copy_is_packed_again_the_same_way() {
    let mut tree = values("a: 1\n");
    tree.put("packages/a/x/files/c.gz", 0o644, gzip("image: OWN/x:RC\nother: quay.io/a/b:RC@sha256:HEX\n"));
    let copy = GzipCopy { path: "a/x/files/c.gz".into(), plain: "a/x/files/c.yaml".into(), required: true };
    let spec = Spec { gzip: vec![copy], ..spec() };
    let pack = || refs::rewrite(&tree, &spec, &rc()).unwrap().files.pop().unwrap();
    let edit = pack();
    assert_eq!(edit, pack());
    assert_eq!(edit.after[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3], "no name, no time");
    let mut content = String::new();
    flate2::read::GzDecoder::new(edit.after.as_slice()).read_to_string(&mut content).unwrap();
    assert_eq!(content, fill("image: OWN/x:v2.3.0\nother: quay.io/a/b:RC@sha256:HEX\n"));
    tree.put("packages/a/x/files/c.gz", 0o644, "image: plain text\n");
    assert_problem(&problems(&tree, &spec), "packages/a/x/files/c.gz", 0, "can't be decompressed");
}

#[test]
fn the_artifact_and_the_pair_have_a_class_of_their_own() {
    let text = "sourceUrl: oci://OWN/own-packages\nsourceRef: digest=sha256:HEX\nx: OWN/own-packages:RC0@sha256:HEX\ny: {sourceUrl: oci://OWN/other, sourceRef: digest=sha256:HEX}\nz: {sourceUrl: oci://quay.io/a/b, sourceRef: digest=sha256:HEX}\n";
    let found = refs::read(&values(text), &spec(), Some(&rc())).unwrap().occurrences;
    let class = |key: &str| found.iter().find(|o| o.key == key && o.file != GOOD).unwrap().class;
    assert_eq!(class(""), Class::PackagesArtifact);
    assert_eq!(class("x"), Class::PackagesArtifact);
    assert_eq!(class("y"), Class::ComponentVersioned);
    assert_eq!(class("z"), Class::ThirdParty);
    let wrong = "sourceUrl: https://x\nsourceRef: digest=sha256:HEX\n";
    assert_problem(&problems(&values(wrong), &spec()), "packages/a/x/values.yaml", 1, "is not `oci://`");
    let wrong = "sourceUrl: oci://OWN/own-packages\nsourceRef: digest=sha256:HEXX\n";
    assert_problem(&problems(&values(wrong), &spec()), "packages/a/x/values.yaml", 2, "is not a digest");
}
