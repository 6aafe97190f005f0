//! Rewrite, survivors and comparison: each rule with a case that passes and one that fails.

use std::io::Read as _;

use sealift::model::Rc;
use sealift::refs::{self, GzipCopy, Problem, RewriteError, Spec};

use super::support::*;

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
        ("packages/a/x/deps.lock", "one\nimage: OWN/x:RC\n"),
        ("packages/a/x/pnpm-lock.yaml", "one: 1\nimage: OWN/x:RC\n"),
        ("packages/a/x/go.sum", "one\nOWN/x:RC h1:x=\n"),
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
        ("packages/a/x/deps.lock", "name: x\nversion: RC\n"),
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
fn no_candidate_of_the_version_may_be_in_a_stable_tree() {
    let stable = "2.3.0".parse().unwrap();
    let left = |text: &str| refs::survivors_of(&values(text), &spec(), &stable).unwrap().len();
    assert_eq!(left("a: OWN/x:v2.3.0-rc.7@sha256:HEX\nb: {repository: OWN/y, tag: v1.30-v2.3.0-rc.2}\n"), 3);
    assert_eq!(left("a: OWN/x:v2.3.1-rc.1\nb: quay.io/a/b:v2.3.0-rc.1\nc: v2.3.0-rc.1\n"), 1, "the good file's own");
    assert_eq!(refs::survivors(&values("a: OWN/x:v2.3.0-rc.7\n"), &spec(), &rc()).unwrap().len(), 1);
}

#[test]
fn digests_are_compared_place_by_place() {
    let read = |text: &str| refs::read(&values(text), &spec(), None).unwrap();
    let other = digest("other").to_string();
    let text = "a: OWN/a:RC@sha256:HEX\nb: [OWN/b:RC@sha256:HEX, 'x=OWN/c:v1@sha256:HEX,OWN/d:RC@sha256:HEX']\nsourceUrl: oci://OWN/own-packages\nsourceRef: digest=sha256:HEX\n";
    let before = read(text);
    let compare = |text: &str| refs::compare_digests(&before, &read(text));
    assert_eq!(compare(&text.replace("RC", "v2.3.0")), []);
    assert_eq!(
        compare(&text.replace("digest=sha256:HEX", &format!("digest={other}"))),
        [],
        "the pair is judged elsewhere"
    );
    let x = "packages/a/x/values.yaml";
    // The same set of digests at other places is no equality.
    let swap = |text: &str| text.replacen("a:RC@sha256:HEX", &format!("a:RC@{other}"), 1);
    assert_problem(&compare(&swap(text)), x, 1, "the digest here was");
    assert_problem(&compare(&text.replace("d:RC@sha256:HEX", &format!("d:RC@{other}"))), x, 2, "the digest here was");
    assert_problem(&compare(&text.replace("OWN/b", "OWN/e")), x, 2, "the repository here was");
    assert_problem(&compare(&text.replace("a: OWN/a:RC@sha256:HEX", "z: 1")), x, 1, "is gone");
    assert_problem(&compare(&format!("{text}new: OWN/n:v1\n")), x, 5, "not in the other tree");
    let nothing = refs::References::default();
    assert_eq!(refs::compare_digests(&nothing, &nothing).len(), 1);
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
fn a_merged_tag_is_one_place_of_two_references() {
    let merged = values(
        "d: &d {repository: OWN/d, tag: RC}\ne: {<<: *d, digest: 'sha256:HEX'}\nf: {<<: *d, repository: OWN/f, tag: 'RC@sha256:HEX'}\n",
    );
    let found = refs::read(&merged, &spec(), None).unwrap().occurrences;
    assert_eq!(found.iter().map(|o| o.key.as_str()).collect::<Vec<_>>(), ["image", "d", "e", "f"]);
    let files = refs::rewrite(&merged, &spec(), &rc()).unwrap().files;
    let after = std::str::from_utf8(&files[1].after).unwrap();
    assert_eq!(after, std::str::from_utf8(&files[1].before).unwrap().replace("-rc.1", ""));
    assert_eq!(files[1].edits.len(), 2);
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
