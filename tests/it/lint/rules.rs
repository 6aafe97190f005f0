//! One row for each fault and each near miss: what a values file says, and exactly what is found in it.

use super::*;

/// What it is, what the values file says (`N` is an image of the row's own), and what is found: rule, level, line
/// and what is marked.
type Row = (&'static str, &'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    // bare-tag
    ("bare", "image: OWN/N:v0.1.0\n", &["bare-tag error 1 v0.1.0"]),
    ("bare-list", "images:\n  - OWN/N:v0.1.0\n", &["bare-tag error 2 v0.1.0"]),
    ("bare-split", "image:\n  repository: OWN/N\n  tag: v0.1.0\n", &["bare-tag error 3 v0.1.0"]),
    ("bare-argument", "args: [--image=OWN/N:v0.1.0]\n", &["bare-tag error 1 v0.1.0"]),
    ("bare-artifact", "sourceUrl: oci://OWN/own-packages\nsourceRef: tag=RC\n", &["bare-tag error 2 v2.3.0-rc.1"]),
    ("pinned", "image: OWN/N:v0.1.0@D1\n", &[]),
    ("pinned-split", "image: {repository: OWN/N, tag: v0.1.0, digest: D1}\n", &[]),
    ("digest-alone", "image: OWN/N@D1\n", &[]),
    ("third-party-bare", "image: quay.io/x/y:v1\n", &[]),
    ("untagged", "image: OWN/N # as it is\n", &["bare-tag error 1 registry.example/org/own/untagged"]),
    ("untagged-list", "c:\n  - image: 'OWN/N'\n", &["bare-tag error 2 registry.example/org/own/untagged-list"]),
    ("mention", "name: OWN/N\nimages: [OWN/N]\n# OWN/N:v0.1.0 in a comment\n", &[]),
    ("untagged-beside", "a: {image: OWN/N, tag: \"\"}\nb: {registry: OWN, image: N}\nc: {image: {x: OWN/N}}\n", &[]),
    ("untagged-split", "image: {repository: OWN/N}\n", &[]),
    ("untagged-third-party", "image: quay.io/x/y\n", &[]),
    ("other-namespace", "image: OWN-ui/N:v0.1.0\nb: mirror.example/OWN/N:v0.1.0\n", &[]),
    // floating-tag
    ("floating", "image: OWN/N:main\n", &["bare-tag error 1 main", "floating-tag error 1 main"]),
    ("floating-pinned", "image: OWN/N:latest@D1\n", &["floating-tag warning 1 latest"]),
    ("floating-loud", "image: OWN/N:Nightly@D1\n", &["floating-tag warning 1 Nightly"]),
    ("floating-alias", "image: OWN/N:released@D1\n", &["floating-tag warning 1 released"]),
    ("floating-third-party", "image: quay.io/x/y:latest@D1\n", &[]),
    ("floating-part", "a: OWN/N:main-1a2b3c@D1\nb: OWN/N:v1.2-latest@D1\nc: OWN/N:mainline@D1\n", &[]),
    // placeholder-tag
    ("placeholder", "image: OWN/N:v0.0.0@D1\n", &["placeholder-tag error 1 v0.0.0"]),
    ("placeholder-plain", "image: OWN/N:0.0.0@D1\n", &["placeholder-tag error 1 0.0.0"]),
    ("placeholder-prefixed", "image: OWN/N:v1.30-v0.0.0@D1\n", &["placeholder-tag error 1 v1.30-v0.0.0"]),
    ("placeholder-bare", "image: OWN/N:v0.0.0\n", &["bare-tag error 1 v0.0.0", "placeholder-tag error 1 v0.0.0"]),
    ("nightly", "image: OWN/N:v0.0.0-nightly.20260911@D1\n", &[]),
    ("ten", "image: OWN/N:v10.0.0@D1\n", &[]),
    ("placeholder-third-party", "image: quay.io/x/y:v0.0.0@D1\n", &[]),
    // malformed-reference
    (
        "upper",
        "image: OWN/N/Upper:v1@D1\n",
        &["malformed-reference error 1 registry.example/org/own/upper/Upper:v1@D1"],
    ),
    (
        "short",
        "image: OWN/N:v1@sha256:abc\n",
        &["malformed-reference error 1 registry.example/org/own/short:v1@sha256:abc"],
    ),
    (
        "sha512",
        "image: OWN/N:v1@sha512:abc\n",
        &["malformed-reference error 1 registry.example/org/own/sha512:v1@sha512:abc"],
    ),
    ("twice", "image: {repository: OWN/N, tag: a, tag: b, digest: D1}\n", &["malformed-reference error 1 tag:"]),
    (
        "both",
        "image: {repository: OWN/N, image: OWN/N, tag: a, digest: D1}\n",
        &["malformed-reference error 1 registry.example/org/own/both"],
    ),
    ("two-in-one", "image: {repository: OWN/N, tag: \"a@D1\", digest: D2}\n", &["malformed-reference error 1 D2"]),
    (
        "escaped",
        "image: \"OWN/N:v0.1.0@\\x73ha256:0\"\n",
        &["malformed-reference error 1 registry.example/org/own/escaped:v0.1.0@"],
    ),
    ("third-party-upper", "image: quay.io/UPPER/x:1\n", &[]),
    // two-digests, tag-collision
    (
        "two",
        "a: OWN/N:v0.1.0@D1\nb: OWN/N:v0.2.0@D2\nc: OWN/N:v0.1.0@D1\n",
        &["tag-collision error 2 D2", "two-digests error 2 D2"],
    ),
    ("same-tag", "a: OWN/N:RC@D2\nb: OWN/N:RC@D3\n", &["tag-collision error 1 D2", "two-digests error 1 D2"]),
    ("collide-only", "a: OWN/N:v1.30-edge@D2\nb: OWN/N:RC@D3\n", &["tag-collision error 1 D2"]),
    ("differ-only", "a: OWN/N:v1.30-edge@D2\nb: OWN/N:v1.30-RC@D3\n", &["two-digests error 1 D2"]),
    ("prefixes", "a: OWN/N:RC@D2\nb: OWN/N:v1.30-RC@D3\n", &[]),
    ("one-digest", "a: OWN/N:v0.1.0@D2\nb: OWN/N:v0.2.0@D2\n", &[]),
    ("third-party-two", "a: quay.io/x/N:1@D2\nb: quay.io/x/N:1@D3\n", &[]),
    (
        "artifact-two",
        "a: {sourceUrl: 'oci://OWN/own-packages', sourceRef: digest=D2}\nb: {sourceUrl: 'oci://OWN/own-packages', sourceRef: digest=D3}\n",
        &[],
    ),
    // What is odd, or excluded, about a line hides no digest on it.
    (
        "odd-line",
        "image: {repository: quay.io/x/y, tag: 1.20, digest: D1} # was D2\n",
        &["number-like-tag error 1 1.20", "unclaimed-digest error 1 D2"],
    ),
    (
        "malformed-line",
        "a: quay.io/x/y:v1@sha256:abc # was D2\n",
        &["malformed-reference error 1 quay.io/x/y:v1@sha256:abc", "unclaimed-digest error 1 D2"],
    ),
    // unclaimed-digest
    ("checksum", "checksum: D1\n", &["unclaimed-digest error 1 D1"]),
    ("digest-in-comment", "# D1\na: b\n", &["unclaimed-digest error 1 D1"]),
    ("claimed", "image: {tag: 0.1.0@D1}\n", &[]),
    // unclaimed-reference
    ("key", "\"OWN/N:v0.1.0\": x\n", &["unclaimed-reference error 1 registry.example/org/own/key:v0.1.0"]),
    // stale-version
    ("stale-form", "image: OWN/N:v2.2.0@D1\n", &["stale-version warning 1 v2.2.0"]),
    ("stale-candidate", "image: OWN/N:v2.4.0-rc.1@D1\n", &["stale-version warning 1 v2.4.0-rc.1"]),
    ("stale-stable", "image: OWN/N:v2.3.0@D1\n", &["stale-version error 1 v2.3.0"]),
    ("stale-number", "image: OWN/N:v2.3.0-rc.10@D1\n", &["stale-version error 1 v2.3.0-rc.10"]),
    ("stale-prefixed", "image: OWN/N:v1.30-v1.0.0@D1\n", &["stale-version error 1 v1.30-v1.0.0"]),
    ("stale-sibling", "a: OWN/N:RC@D1\nb: OWN/N:v0.9.0@D1\n", &["stale-version error 2 v0.9.0"]),
    ("component-later", "image: OWN/N:v2.15.10@D1\n", &[]),
    ("component-first-number", "a: OWN/N:v0.19.0@D1\nb: OWN/N:v1.5.0@D1\nc: OWN/N:v3.0.0@D1\n", &[]),
    ("component-suffix", "a: OWN/N:v2.2.0-own.0@D1\nb: OWN/N:2.2.0@D1\nc: OWN/N:v2.2.0-rc1@D1\n", &[]),
    ("stale-third-party", "image: quay.io/x/y:v2.2.0@D1\n", &[]),
    // split-host
    (
        "divided",
        "image:\n  registry: registry.example\n  repository: org/own/N\n  tag: v0.1.0@D1\n",
        &["split-host error 2 registry.example"],
    ),
    (
        "divided-deeper",
        "image: {registry: registry.example/org, repository: own/N, tag: v0.1.0, digest: D1}\n",
        &["split-host error 1 registry.example/org"],
    ),
    (
        "divided-address",
        "global:\n  registry: {address: registry.example}\n  images:\n    a: {repository: org/own/N, tag: v0.1.0@D1}\n    b: {repository: org/own/N, tag: v0.1.0@D1}\n",
        &["split-host error 2 registry.example"],
    ),
    ("whole-name", "image: {registry: \"\", repository: OWN/N, tag: v0.1.0@D1}\n", &[]),
    ("whole-host", "image: {registry: OWN, repository: N, tag: v0.1.0@D1}\n", &[]),
    ("whole-host-slash", "image: {registry: OWN/, repository: N, tag: v0.1.0@D1}\n", &[]),
    ("deeper-host", "image: {registry: OWN/sub, repository: N, tag: v0.1.0@D1}\n", &[]),
    ("whole-address", "global:\n  registry: {address: OWN}\n  images: {a: {repository: N, tag: v0.1.0@D1}}\n", &[]),
    ("divided-third-party", "image: {registry: quay.io, repository: x/y, tag: v0.1.0@D1}\n", &[]),
    // number-like-tag
    ("number", "image: {repository: quay.io/x/y, tag: 1.20}\n", &["number-like-tag error 1 1.20"]),
    ("number-exponent", "image: {repository: quay.io/x/y, tag: 61e9540}\n", &["number-like-tag error 1 61e9540"]),
    ("number-hex", "image: {repository: quay.io/x/y, tag: 0x10}\n", &["number-like-tag error 1 0x10"]),
    ("number-grouped", "image: {repository: quay.io/x/y, tag: 1_0}\n", &["number-like-tag error 1 1_0"]),
    ("truth", "image: {repository: quay.io/x/y, tag: no}\n", &["number-like-tag error 1 no"]),
    ("truth-last", "image:\n  repository: quay.io/x/y\n  tag: on # a comment\n", &["number-like-tag error 3 on"]),
    ("number-owned", "image: {repository: OWN/N, tag: 1.20, digest: D1}\n", &["number-like-tag error 1 1.20"]),
    ("date", "image: {repository: quay.io/x/y, tag: 2024-01-02}\n", &["number-like-tag error 1 2024-01-02"]),
    ("date-quoted", "image: {repository: quay.io/x/y, tag: \"2024-01-02\"}\n", &[]),
    ("no-date", "image: {repository: quay.io/x/y, tag: 2024-01}\n", &[]),
    ("number-quoted", "image: {repository: quay.io/x/y, tag: \"1.20\"}\n", &[]),
    ("number-single", "image: {repository: quay.io/x/y, tag: '0x10'}\n", &[]),
    ("number-told", "image: {repository: quay.io/x/y, tag: !!str 1.20}\n", &[]),
    ("number-pinned", "image: {repository: quay.io/x/y, tag: 1.20@D1}\n", &[]),
    ("number-string", "image: quay.io/x/y:1.20\n", &[]),
    ("number-elsewhere", "vlan: {tag: 100}\nversion: 1.20\n", &[]),
    ("no-number", "a: {repository: quay.io/x/y, tag: 1.2.3}\nb: {repository: quay.io/x/y, tag: none}\n", &[]),
];

/// A row's file and what is found in it.
fn row((name, text, expected): &Row) -> (String, String, Vec<String>) {
    let own = |text: &str| fill(&text.replace("/N", &format!("/{name}")).replace(" N,", &format!(" {name},")));
    let path = format!("packages/t/{name}/values.yaml");
    let one = |line: &&str| {
        let mut parts = line.splitn(4, ' ');
        let mut next = || parts.next().unwrap();
        format!("{} {} {path}:{} {}", next(), next(), next(), fill(next()))
    };
    let mut expected: Vec<String> = expected.iter().map(one).collect();
    expected.sort();
    (path.clone(), own(text), expected)
}

#[test]
fn each_fault_alone_is_found_and_no_near_miss_is() {
    let mut wrong = Vec::new();
    for one in ROWS {
        let (path, text, expected) = row(one);
        let mut tree = good();
        tree.put(&path, 0o644, text.as_str());
        let found = all(&lint(&tree));
        if found != expected {
            wrong.push(format!("{}\n{text}found    {found:#?}\nexpected {expected:#?}", one.0));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn all_of_them_in_one_tree_are_found_together_and_nothing_else_is() {
    let (mut tree, mut expected) = (good(), Vec::new());
    for one in ROWS {
        let (path, text, found) = row(one);
        tree.put(&path, 0o644, text.as_str());
        expected.extend(found);
    }
    expected.sort();
    // Rows have more components at one version than anything else: whose tree it is has to be said.
    assert_eq!(all(&lint_as(&tree, "2.3.0-rc.1")), expected);
}

#[test]
fn every_rule_has_a_fault_and_a_near_miss() {
    let elsewhere = ["unreadable", "vendored-owned", "stale-copy", "no-producer", "two-producers", "not-in-build-list"];
    for rule in sealift::lint::RULES {
        let found = ROWS.iter().any(|(_, _, expected)| expected.iter().any(|line| line.starts_with(rule.id)));
        let asked = super::asked::RULES.contains(&rule.id);
        assert!(found || asked || elsewhere.contains(&rule.id), "{} is in no row", rule.id);
    }
}

#[test]
fn other_files_hold_faults_and_near_misses_of_their_own() {
    let gz = gzip(&fill("image: OWN/copied:v0.1.0@D1\nb: OWN/stray:latest\n"));
    let mut tree = tree(&[
        // Declared text, comments left out.
        ("packages/system/net/daemonset.yml", "{{ if x }}\nimage: OWN/net:latest@D1\n# OWN/net:main\n{{ end }}\n"),
        // A plain file with a copy: the copy is no further finding.
        ("packages/system/provider/components.yaml", "image: OWN/provider:v0.1.0\n"),
        ("packages/a/tag/images/x.tag", "OWN/x:v0.1.0\n"),
        ("packages/a/tag/images/two.tag", "OWN/y:v0.1.0@D1\nOWN/z:v0.1.0@D1\n"),
        // Files that nobody declares.
        ("packages/a/x/templates/d.yaml", "image: OWN/d:v0.1.0@D1\n# OWN/d:v0.2.0\n"),
        ("packages/a/x/README.md", "OWN/d:v0.1.0\n"),
        ("packages/a/x/notes.txt", "see D1 and quay.io/x/y:latest@D1\n"),
        // Upstream's charts, and a folder that is only called alike.
        ("packages/a/x/charts/c/values.yaml", "image: {repository: OWN/c, tag: v0.1.0}\n# OWN/c:v1\n"),
        ("packages/a/x/charts/c/README.md", "OWN/c:v0.1.0\n"),
        ("packages/a/x/charts/d/values.yaml", "image: quay.io/x/y:latest\n"),
        ("packages/a/x/mycharts/values.yaml", "image: OWN/e:v0.1.0@D1\n"),
    ]);
    tree.put(
        "packages/system/provider/components.gz",
        0o644,
        gzip("image: registry.example/org/own/provider:v0.1.0\n"),
    );
    tree.put("packages/a/x/files/undeclared.gz", 0o644, gz);
    let expected = [
        "bare-tag error packages/a/tag/images/x.tag:1 v0.1.0",
        "bare-tag error packages/system/provider/components.yaml:1 v0.1.0",
        "floating-tag warning packages/system/net/daemonset.yml:2 latest",
        "malformed-reference error packages/a/tag/images/two.tag:2 registry.example/org/own/z:v0.1.0@D1",
        "unclaimed-digest error packages/a/tag/images/two.tag:1 D1",
        "unclaimed-reference error packages/a/x/files/undeclared.gz:1 registry.example/org/own/copied:v0.1.0@D1",
        "unclaimed-reference error packages/a/x/files/undeclared.gz:2 registry.example/org/own/stray:latest",
        "unclaimed-reference error packages/a/x/mycharts/values.yaml:1 registry.example/org/own/e:v0.1.0@D1",
        "unclaimed-reference error packages/a/x/templates/d.yaml:1 registry.example/org/own/d:v0.1.0@D1",
        "vendored-owned info packages/a/x/charts/c/values.yaml:1 registry.example/org/own/c",
    ];
    assert_eq!(all(&lint(&tree)), expected.map(fill));
}

/// What a copy in gzip says, beside a plain source that says `plain`, or without one.
fn copied(copy: &[u8], plain: Option<&str>) -> Lint {
    let mut tree = good();
    tree.put("packages/system/provider/components.gz", 0o644, copy);
    if let Some(plain) = plain {
        tree.put("packages/system/provider/components.yaml", 0o644, fill(plain));
    }
    lint(&tree)
}

#[test]
fn a_copy_is_judged_through_its_source_and_by_itself_where_none_vouches_for_it() {
    const COPY: &str = "packages/system/provider/components.gz";
    let gz = |text: &str| gzip(&fill(text));
    let text = "kind: A\nimage: OWN/p:v0.1.0@D1\n";
    let vouched = copied(&gz(text), Some(text));
    assert_eq!((all(&vouched), vouched.verdict), (Vec::new(), Verdict::Clean));
    // It says something else: that is an error at the first place where it does, and so is what is wrong there.
    let stale = copied(&gz("kind: A\nimage: OWN/p:v0.1.0\n"), Some(text));
    let expected = [format!("bare-tag error {COPY}:2 v0.1.0"), format!("stale-copy error {COPY}:2 {}", "\n".trim())];
    let found = all(&stale);
    assert_eq!((found.len(), &found[0], stale.verdict), (2, &expected[0], Verdict::Failed), "{found:?}");
    assert!(found[1].starts_with(&format!("stale-copy error {COPY}:2")), "{found:?}");
    let shorter = copied(&gz("kind: A\n"), Some(text));
    assert_eq!(all(&shorter).len(), 1, "{:?}", all(&shorter));
    assert_eq!(shorter.findings[0].rule, "stale-copy");
    // Without a source nothing vouches for it.
    let alone = copied(&gz("image: OWN/p:latest@D1\n"), None);
    let expected = [format!("floating-tag warning {COPY}:1 latest"), format!("stale-copy warning {COPY}:0 ")];
    assert_eq!(all(&alone), expected);
    assert!(alone.findings.iter().any(|f| f.message.contains("components.yaml is not in the tree")), "{alone:?}");
    // What can't be read is unknown, and no verdict about the copy; its references are judged all the same.
    let broken = copied(b"\x1f\x8b\x08cut", Some(text));
    assert_eq!(all(&broken), [format!("unreadable unknown {COPY}:0 ")]);
    // Text has images without a tag, too.
    let plain = "{{ if x }}\n  - image: \"OWN/q\" # c\n  image: OWN/r\n  image: OWN/s x\n  name: OWN/t\n  image: OWN\n";
    let text = copied(&gz(plain), Some(plain));
    let file = "packages/system/provider/components.yaml";
    let expected = [(2, "/q"), (3, "/r"), (6, "")].map(|(n, name)| format!("bare-tag error {file}:{n} {OWN}{name}"));
    assert_eq!(all(&text), expected);
}

#[test]
fn a_file_of_upstreams_that_cant_be_read_is_excluded_with_a_reason_or_unknown() {
    let broken = "packages/a/x/charts/c.tgz";
    let mut tree = good();
    tree.put(broken, 0o644, b"\x1f\x8b\x08cut".as_slice());
    assert_eq!(
        (all(&lint(&tree)), lint(&tree).verdict),
        (vec![format!("unreadable unknown {broken}:0 ")], Verdict::Unknown)
    );
    let excluding = |path: &str| {
        let exclude = format!("  exclude: [{{path: '{path}', reason: Broken upstream.}}]\nartifact:");
        pipeline::parse("test.yaml", &pipeline_text("").replace("artifact:", &exclude)).unwrap()
    };
    let excluded = lint_by(&excluding("a/x/charts/*.tgz"), &tree, None);
    assert_eq!((all(&excluded), excluded.verdict), (Vec::new(), Verdict::Clean));
    let told = |lint: &Lint| {
        lint.notes.iter().any(|note| note.contains(broken) && note.contains("excluded: Broken upstream."))
    };
    assert!(told(&excluded), "{:?}", excluded.notes);
    assert!(excluded.left_over.is_empty(), "{:?}", excluded.left_over);
    // It explains nothing once the file is readable, and where a promotion would look.
    tree.put(broken, 0o644, gzip("fine"));
    assert_eq!(lint_by(&excluding("a/x/charts/*.tgz"), &tree, None).left_over.len(), 1);
    tree.put("packages/a/x/files/c.tgz", 0o644, b"\x1f\x8b\x08cut".as_slice());
    let elsewhere = lint_by(&excluding("a/x/files/*.tgz"), &tree, None);
    assert_eq!((elsewhere.verdict, elsewhere.left_over.len()), (Verdict::Unknown, 1));
}

#[test]
fn what_could_not_be_looked_at_is_unknown_and_the_rest_is_found() {
    let mut tree = tree(&[(VALUES, "a: [\n"), ("packages/a/y/values.yaml", "image: OWN/y:v0.1.0\n")]);
    tree.put("packages/a/z/values.yaml", 0o644, b"a: \xff\n".as_slice());
    tree.put("packages/system/provider/components.gz", 0o644, b"\x1f\x8b\x08cut".as_slice());
    let found = lint(&tree);
    let expected = [
        "bare-tag error packages/a/y/values.yaml:1 v0.1.0",
        "unreadable unknown packages/a/x/values.yaml:1 [",
        "unreadable unknown packages/a/z/values.yaml:1 \u{fffd}",
        "unreadable unknown packages/system/provider/components.gz:0 ",
    ];
    assert_eq!(all(&found), expected);
    assert_eq!(found.verdict, Verdict::Failed);
    let alone = lint(&super::tree(&[(VALUES, "a: [\n")]));
    assert_eq!(alone.verdict, Verdict::Unknown);
}

#[test]
fn a_tree_without_anything_to_look_at_is_not_fine() {
    let mut empty = MemTree::new("empty");
    empty.put("README.md", 0o644, "nothing");
    let found = lint(&empty);
    assert_eq!((found.verdict, all(&found).len()), (Verdict::Unknown, 1));
    empty.put("packages/README.md", 0o644, "nothing");
    let found = lint(&empty);
    assert_eq!(all(&found), ["unreadable unknown packages:0 "]);
    let idle: Vec<&str> = found.not_applicable.iter().map(|idle| idle.rule).collect();
    assert_eq!(idle, ["tag-collision", "stale-version", "no-producer", "two-producers", "not-in-build-list"]);
}

#[test]
fn a_tree_where_nothing_is_owned_was_not_judged() {
    let third_party = "image: quay.io/x/y:v1@D1\n";
    let mut tree = MemTree::new("tree");
    // The packages artifact has stages of its own, and is no image of the project.
    for (more, count) in [("", 1), ("sourceUrl: oci://OWN/own-packages\nsourceRef: digest=D2\n", 2)] {
        tree.put(VALUES, 0o644, fill(&format!("{third_party}{more}")));
        let found = lint(&tree);
        assert_eq!((found.verdict, all(&found)), (Verdict::Unknown, vec!["unreadable unknown packages:0 ".to_owned()]));
        let message = &found.findings[0].message;
        assert!(message.starts_with(&format!("of {count} references none is an owned image")), "{message}");
    }
    // Where nothing is pinned and nothing owned, it is said once.
    tree.put(VALUES, 0o644, "image: quay.io/x/y:v1\n");
    assert_eq!(all(&lint(&tree)), ["unreadable unknown packages:0 "]);
    // An owned name is enough, even one that is found wanting.
    tree.put(VALUES, 0o644, fill(&format!("{third_party}b: {{image: OWN/x}}\n")));
    assert_eq!(lint(&tree).verdict, Verdict::Failed);
}

#[test]
fn a_required_file_that_is_not_there_hides_nothing_else() {
    let text = pipeline_text("")
        .replace("{path: system/net/daemonset.yml}", "{path: system/net/daemonset.yml, required: true}");
    let pipeline = pipeline::parse("test.yaml", &text).unwrap();
    let found = lint_by(&pipeline, &tree(&[(VALUES, "image: OWN/x:v0.1.0\n")]), None);
    let expected =
        ["bare-tag error packages/a/x/values.yaml:1 v0.1.0", "unreadable unknown packages/system/net/daemonset.yml:0 "];
    assert_eq!(all(&found), expected);
}

#[test]
fn a_stable_tree_is_judged_by_its_own_version() {
    let mut tree = MemTree::new("stable");
    let text = "a: OWN/a:v2.3.0@D1\nb: OWN/b:v2.3.0@D2\nc: OWN/b:v1.30-v2.3.0@D3\nd: OWN/c:v0.1.0@D4\n\
                e: OWN/b:v2.3.0@D5\nf: OWN/c:v0.2.0@D6\ng: OWN/d:v2.2.0@D7\nh: OWN/d:v2.3.0-rc.4@D7\n";
    tree.put(VALUES, 0o644, fill(text));
    let found = lint(&tree);
    assert_eq!(found.version, Some("2.3.0".parse().unwrap()));
    let expected = [
        "stale-version error packages/a/x/values.yaml:8 v2.3.0-rc.4",
        "stale-version warning packages/a/x/values.yaml:7 v2.2.0",
        "tag-collision error packages/a/x/values.yaml:2 D2",
        "tag-collision error packages/a/x/values.yaml:4 D4",
        "two-digests error packages/a/x/values.yaml:2 D2",
        "two-digests error packages/a/x/values.yaml:4 D4",
    ];
    assert_eq!(all(&found), expected.map(fill));
}

#[test]
fn a_version_that_is_named_counts_for_more_than_tags() {
    let found = lint_as(&tree(&[(VALUES, "image: OWN/x:v2.4.0-rc.1@D1\n")]), "2.4.0-rc.1");
    assert!(found.version_asked && found.version == Some("2.4.0-rc.1".parse().unwrap()));
    let expected = [
        "stale-version warning packages/a/good/values.yaml:1 v2.3.0-rc.1",
        "stale-version warning packages/a/good/values.yaml:2 v2.3.0-rc.1",
    ];
    assert_eq!(all(&found), expected);
}

#[test]
fn a_version_that_is_named_and_nowhere_is_unknown() {
    // Components have versions of their own: which of the two is wrong, tree or name, no tag says.
    let found = lint_as(&tree(&[(VALUES, "image: OWN/x:v0.1.0@D1\n")]), "3.0.0-rc.1");
    assert_eq!((found.verdict, all(&found)), (Verdict::Unknown, vec!["stale-version unknown packages:0 ".to_owned()]));
    assert!(found.findings[0].message.contains("no owned tag is at 3.0.0-rc.1"), "{:?}", found.findings);
    // One tag is enough.
    let found = lint_as(&tree(&[(VALUES, "image: OWN/x:v1.30-v3.0.0-rc.1@D1\n")]), "3.0.0-rc.1");
    assert_eq!((found.verdict, found.findings.len()), (Verdict::Clean, 0), "{:?}", found.findings);
}

#[test]
fn collisions_are_those_of_the_promotion_itself() {
    use sealift::promotion::survey::{FaultKind, survey};
    let (pipeline, rc) = (pipeline(""), "2.3.0-rc.1".parse().unwrap());
    for one in ROWS {
        let (path, text, _) = row(one);
        let mut tree = good();
        tree.put(&path, 0o644, text.as_str());
        let refused = survey(&tree, &pipeline.spec(), Some(&rc)).faults;
        let refused = refused.iter().filter(|fault| fault.kind == FaultKind::Collision).count();
        let found = lint(&tree).findings.iter().filter(|finding| finding.rule == "tag-collision").count();
        assert_eq!(found, refused, "{}", one.0);
    }
}

#[test]
fn a_host_that_is_divided_is_told_the_two_spellings() {
    let found =
        lint(&tree(&[(VALUES, "image: {registry: registry.example, repository: org/own/x, tag: v0.1.0@D1}\n")]));
    let hint = &found.findings[0].hint;
    assert!(hint.contains("`registry: \"\"` and `repository: registry.example/org/own/x`"), "{hint}");
    assert!(hint.contains("`registry: registry.example/org/own` and `repository: x`"), "{hint}");
    let text = "image:\n  registry: registry.example\n  image: 'org/own/x'\n  tag: v0.1.0\n  digest: D1\n";
    let hint = lint(&tree(&[(VALUES, text)])).findings[0].hint.clone();
    assert!(hint.contains("`registry: registry.example/org/own` and `image: x`"), "{hint}");
    let right = [
        "image: {registry: \"\", repository: OWN/x, tag: v0.1.0@D1}\n",
        "image: {registry: OWN, repository: x, tag: v0.1.0@D1}\n",
    ];
    for text in right {
        assert_eq!(all(&lint(&tree(&[(VALUES, text)]))), Vec::<String>::new());
    }
}

pub(super) fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
