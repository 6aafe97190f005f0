//! The whole account: who claims each digest and each owned reference, in every kind of file, and what nobody claims.

use std::time::{Duration, Instant};

use sealift::refs::{self, Account, Claim, Exclusion, Item, Scope, Spec};
use sealift::tree::{MemTree, Tree};

use super::support::*;
use super::{fixture, own};
use crate::support::counting::Counting;

const VALUES: &str = "packages/a/x/values.yaml";

fn account(tree: &dyn Tree, spec: &Spec) -> Account {
    refs::account(tree, spec, None, Scope::Whole)
}

/// `kind line[ member] text` of one file.
fn shown(account: &Account, file: &str) -> Vec<String> {
    let items = account.items.iter().filter(|item| item.file == file);
    let one = |item: &Item| {
        let member = item.member.as_ref().map(|member| format!(" {member}")).unwrap_or_default();
        let text = item.text.replace("registry.example/org/own", "OWN").replace(&digest("x").hex(), "HEX");
        format!("{} {}{member} {text}", item.claim.kind(), item.line)
    };
    items.map(one).collect()
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(shown(&account(&tree(path, text), &spec()), path), expected, "{path}: {text}");
}

/// A tar with plain headers.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_file_with_references_shows_shapes_mentions_and_what_nobody_claims() {
    check(
        VALUES,
        "a: OWN/x:v1@sha256:HEX\nb: {repository: OWN/y, tag: v2}\n# OWN/z:v3\nc: OWN\nd: sha256:HEX\ne: q/r:1\n",
        &[
            "shape 1 OWN/x:v1@sha256:HEX",
            "shape 2 OWN/y:v2",
            "mention 3 OWN/z:v3",
            "mention 4 OWN",
            "unclaimed 5 sha256:HEX",
        ],
    );
    check("packages/a/x/images/x.tag", "OWN/x:v1@sha256:HEX\n", &["shape 1 OWN/x:v1@sha256:HEX"]);
    check(VALUES, "a: q/r:1@sha256:HEX\n", &["shape 1 docker.io/q/r:1@sha256:HEX"]);
}

#[test]
fn what_the_census_refuses_is_exactly_what_is_unclaimed() {
    for (path, text) in [
        (VALUES, "# was sha256:HEX\na: 1\n"),
        (VALUES, "{? 'OWN/key:v1' : 1}\n"),
        ("packages/a/x/Makefile", "one\nIMAGE = OWN/x:v1\nTWO = OWN/x:v1 OWN/y:v2\n"),
        ("packages/a/x/y/values.yaml", "a:\n  repository: OWN/x\n  tag: v1\n"),
        ("packages/a/x/y/host.yaml", "a:\n  repository: org/own/x\n  registry: registry.example\n  tag: v1\n"),
        ("packages/a/x/data.bin", "\0\u{1}\nOWN/x:v1\0"),
        ("packages/a/x/upper.sh", "#!/bin/sh\nrun OWN/Upper:v1 don't # OWN/y:v1\n"),
        ("packages/a/x/x.go", "const a = \"OWN/x:v1\"\n// OWN/y:v2\n"),
        ("packages/a/x/Dockerfile", "FROM OWN/x:v1\nCOPY --from=OWN/y:v2@sha256:HEX / /\n"),
    ] {
        let tree = tree(path, text);
        let refused = refs::census(&tree, &spec()).unwrap_err().problems;
        let account = account(&tree, &spec());
        assert_eq!(account.problems, refused, "{path}");
        let mut lines: Vec<usize> = refused.iter().map(|problem| problem.line).collect();
        let items = account.items.iter().filter(|item| item.file == path && item.claim == Claim::Unclaimed);
        let mut found: Vec<usize> = items.map(|item| item.line).collect();
        found.dedup();
        lines.dedup();
        assert_eq!(found, lines, "{path}: {:#?}", account.items);
    }
}

#[test]
fn other_files_show_third_party_mentions_prose_and_upstream() {
    check(
        "packages/a/x/Dockerfile",
        "FROM golang:1.22@sha256:HEX\n# OWN/x:v1\nLABEL a=OWN/x\nRUN echo sha256:HEX\n",
        &["third-party 1 golang:1.22@sha256:HEX", "mention 2 OWN/x:v1", "mention 3 OWN/x", "mention 4 sha256:HEX"],
    );
    check("packages/a/x/README.md", "OWN/x:v1\n", &["prose 1 OWN/x:v1"]);
    check(
        "packages/a/x/charts/c/values.yaml",
        "a: {repository: OWN/c, tag: v1}\nb: q/r@sha256:HEX\n",
        &["vendored 1 OWN/c:v1", "vendored 2 q/r@sha256:HEX"],
    );
    // Neither a digest nor an owned name: nothing to account for.
    check("packages/a/x/plain.txt", "golang:1.22 registry.example/org/own-ui/x:v1 sha512:HEX\n", &[]);
    check("docs/x.yaml", "OWN/x:v1\n", &[]);
}

#[test]
fn a_dockerfile_shows_what_arguments_come_to() {
    check(
        "packages/a/x/images/x/Dockerfile",
        "ARG R=OWN\nARG T=v1\nFROM ${R}/base:${T} AS base\nFROM $R/tool\nFROM base\nCOPY --from=base / /\nFROM quay.io/q/r:$T\n",
        &["mention 1 OWN", "overlooked 3 OWN/base:v1", "overlooked 4 OWN/tool"],
    );
    // Without arguments the name alone pulls `latest`.
    check("packages/a/x/Dockerfile", "FROM OWN/tool\n", &["overlooked 1 OWN/tool"]);
}

#[test]
fn a_go_source_shows_what_constants_come_to() {
    check(
        "packages/a/x/main.go",
        "package x\nconst registry = \"OWN\"\nvar image = registry + \"/x:\" + \"v1\"\nvar no = \"q/\" + \"r:v1\"\n",
        &["mention 2 OWN", "overlooked 3 OWN/x:v1"],
    );
}

#[test]
fn yaml_inside_of_a_block_scalar_shows_split_references() {
    let manifest = "data:\n  x.yaml: |\n    ---\n    kind: A\n    image:\n      repository: OWN/x\n      tag: v1\n      \
                    digest: sha256:HEX\n    plain: OWN/y:v2\n    # OWN/z:v3\n";
    check(
        VALUES,
        manifest,
        // The digest is unclaimed as ever, and whose it is can be seen.
        &["overlooked 6 OWN/x:v1@sha256:HEX", "unclaimed 8 registry", "shape 9 OWN/y:v2", "shape 10 OWN/z:v3"]
            .map(|line| if line == "unclaimed 8 registry" { "unclaimed 8 digest: sha256:HEX" } else { line }),
    );
    check(
        "packages/a/x/templates/cm.yaml",
        "data:\n  x: |\n    image: {repository: OWN/x, tag: v1}\n    deeper: |\n      y: {repository: OWN/y, tag: v2}\n",
        &["overlooked 3 OWN/x:v1", "overlooked 5 OWN/y:v2"],
    );
    // Near misses: a template is no YAML, a folded text no document, somebody else's is no matter.
    check("packages/a/x/templates/t.yaml", "x: |\n  {{ if }}\n  repository: OWN/x\n", &["mention 3 OWN/x"]);
    check("packages/a/x/templates/q.yaml", "x: |\n  a: {repository: quay.io/q, tag: v1}\n", &[]);
}

#[test]
fn packed_charts_are_listed_by_what_is_in_them() {
    let values = fill("# c\nimage: {repository: OWN/c, tag: v1}\nother: q/r@sha256:HEX\n");
    let dependency = pack(&tar(&[("dep/values.yaml", fill("image: OWN/d:v1\n").as_bytes())]));
    let chart = tar(&[("c/values.yaml", values.as_bytes()), ("c/charts/dep.tgz", &dependency), ("c/x", b"no\n")]);
    let mut tree = values_and("packages/a/x/charts/c-1.0.0.tgz", pack(&chart));
    let expected = [
        "vendored 1 c/charts/dep.tgz > dep/values.yaml OWN/d:v1",
        "vendored 2 c/values.yaml OWN/c:v1",
        "vendored 3 c/values.yaml q/r@sha256:HEX",
    ];
    assert_eq!(shown(&account(&tree, &spec()), "packages/a/x/charts/c-1.0.0.tgz"), expected);
    // Outside of `charts` the census refuses what is owned in one piece, as ever.
    let chart =
        tar(&[("c/values.yaml", fill("x: 1\nimage: OWN/c:v1\n").as_bytes()), ("c/charts/dep.tgz", &dependency)]);
    tree.put("packages/a/x/c.tgz", 0o644, pack(&chart));
    let account = account(&tree, &spec());
    assert_eq!(account.problems, refs::census(&tree, &spec()).unwrap_err().problems);
    let expected = ["vendored 1 c/charts/dep.tgz > dep/values.yaml OWN/d:v1", "unclaimed 2 c/values.yaml OWN/c:v1"];
    assert_eq!(shown(&account, "packages/a/x/c.tgz"), expected);
}

fn values_and(path: &str, bytes: Vec<u8>) -> MemTree {
    let mut tree = values("a: OWN/x:v1@sha256:HEX\n");
    tree.put(path, 0o644, bytes);
    tree
}

#[test]
fn an_exclusion_claims_with_its_reason() {
    let exclude = vec![Exclusion { path: "a/x/Makefile".into(), line: None, reason: "a default".into() }];
    let tree = tree("packages/a/x/Makefile", "IMAGE = OWN/x:v1\n");
    let account = account(&tree, &Spec { exclude, ..spec() });
    let claims: Vec<&Claim> = account.items.iter().filter(|i| i.file.ends_with("Makefile")).map(|i| &i.claim).collect();
    assert_eq!(claims, [&Claim::Exclusion { reason: "a default".into() }]);
    assert!(account.problems.is_empty() && account.unused.is_empty());
}

#[test]
fn the_fixtures_account_is_whole_and_the_same_every_time() {
    let of_fixture = account(&fixture(), &own());
    assert!(of_fixture.problems.is_empty());
    let shapes = of_fixture.items.iter().filter(|item| matches!(item.claim, Claim::Shape { .. })).count();
    assert_eq!(shapes, of_fixture.references.occurrences.len());
    assert_eq!(of_fixture.items, account(&fixture(), &own()).items);
    let order: Vec<&str> = of_fixture.items.iter().map(|item| item.file.as_str()).collect();
    assert!(order.contains(&"packages/apps/split/values.yaml"), "{order:?}");
}

#[test]
fn every_file_is_read_once_and_the_tree_is_listed_once() {
    let chart = pack(&tar(&[("c/values.yaml", fill("image: OWN/c:v1\n").as_bytes())]));
    let mut tree = values_and("packages/a/x/charts/c.tgz", chart);
    for (path, text) in [
        ("packages/a/x/Dockerfile", "ARG R=OWN\nFROM $R/x:v1\n"),
        ("packages/a/x/x.go", "var x = \"OWN\" + \"/x:v1\"\n"),
        ("packages/a/x/README.md", "OWN/x:v1\n"),
        ("packages/a/x/templates/t.yaml", "x: |\n  a: {repository: OWN/x, tag: v1}\n"),
        ("packages/a/x/plain.txt", "nothing\n"),
    ] {
        tree.put(path, 0o644, fill(text));
    }
    let files: Vec<Vec<u8>> = tree.entries().unwrap().into_iter().filter(|e| e.size > 0).map(|e| e.path).collect();
    assert!(files.len() > 7);
    let counting = Counting::new(tree);
    account(&counting, &spec());
    for file in files {
        assert_eq!(counting.of(std::str::from_utf8(&file).unwrap()), 1, "{}", String::from_utf8_lossy(&file));
    }
    assert_eq!(*counting.listed.lock().unwrap(), 1);
}

#[test]
fn hostile_archives_end_and_are_looked_into_all_the_same() {
    let start = Instant::now();
    let bomb = pack(&vec![0; 300 << 20]);
    let mut lying = tar(&[("a", fill("OWN/x:v1\n").as_bytes())]);
    // A size that no file has, in the octal of a header, with its checksum made right.
    lying[124..136].copy_from_slice(b"77777777777\0");
    let sum: u32 =
        lying[..512].iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { 32 } else { u32::from(b) }).sum();
    lying[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let many = tar(&vec![("x", b"".as_slice()); 20_050]);
    let names = tar(&[
        ("a\n::error::b", fill("OWN/x:v1\n").as_bytes()),
        ("\u{1b}[2J", b"\xff\xfe registry.example/org/own/y:v1 \xff"),
    ]);
    let cut = pack(&tar(&[("a", fill("OWN/x:v1\n").as_bytes())]));
    for (name, bytes, expected) in [
        ("bomb.tgz", pack(&tar(&[("b.gz", &bomb)])), vec![]),
        ("lying.tgz", pack(&lying), vec!["vendored 1 OWN/x:v1"]),
        ("many.tgz", pack(&many), vec![]),
        ("names.tgz", pack(&names), vec!["vendored 1 \\x1b[2J OWN/y:v1", "vendored 1 a\\n::error::b OWN/x:v1"]),
        ("cut.tgz", cut[..cut.len() - 9].to_vec(), vec![]),
    ] {
        let path = format!("packages/a/x/charts/{name}");
        let account = account(&values_and(&path, bytes), &spec());
        let mut found = shown(&account, &path);
        found.iter_mut().for_each(|line| {
            if let Some(at) = line.find("1 a\0") {
                line.truncate(at)
            }
        });
        assert_eq!(found, expected, "{name}");
        // What can't be looked into there refuses nothing, and is told.
        assert!(account.problems.is_empty(), "{name}: {:?}", account.problems);
        assert_eq!(account.notices.len(), usize::from(name == "cut.tgz"), "{name}: {:?}", account.notices);
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn time_goes_by_the_size() {
    let go = format!("var x = {}f\n", "\"a\" + ".repeat(200_000));
    let docker = format!("ARG A=$A$A\n{}FROM OWN/x:$A\n", "ARG A=${A}${A}x\n".repeat(5_000));
    let split: String = (0..30_000).map(|n| format!("k{n}: {{repository: OWN/x{n}, tag: v1}}\n")).collect();
    let block = format!("x: |\n{}", split.lines().map(|line| format!("  {line}\n")).collect::<String>());
    for (path, text, least) in [
        ("packages/a/x/x.go", go, 0),
        ("packages/a/x/Dockerfile", docker, 1),
        ("packages/a/x/t/split.yaml", split, 30_000),
        ("packages/a/x/t/block.yaml", block, 30_000),
    ] {
        let start = Instant::now();
        let account = account(&tree(path, &text), &spec());
        assert!(account.items.len() > least, "{path}: {}", account.items.len());
        assert!(start.elapsed() < Duration::from_secs(30), "{path}: {:?}", start.elapsed());
    }
}
