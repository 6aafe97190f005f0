//! Every shape, and the spelling around it that stays.

use super::*;

const FILE: &str = "apps/x/values.yaml";

/// Here, there: afterwards here is as there.
#[track_caller]
fn becomes(here: &str, there: &str, references: usize) {
    let case = Case::file(FILE, here, there);
    assert_eq!(case.plan().taken(), references, "{here}");
    assert_eq!(case.after(FILE), fill(there));
    let again = Case { onto: case.done().1, ..case };
    assert_eq!(again.plan().edits, [], "{there}");
}

#[test]
fn every_shape_is_taken() {
    for (here, there, references) in [
        ("a: OWN/x:v1@old # why\n", "a: CI/x:v2@new # why\n", 1),
        ("a: 'OWN/x:v0.0.0'\n", "a: 'CI/x:v2@new'\n", 1),
        ("a: OWN/x@old\n", "a: OWN/x:v2@new\n", 1),
        ("a: OWN/x:v1@old\n", "a: OWN/x:v2@old\n", 1),
        ("a: [--i=OWN/x:v1@old, --j=OWN/y:v1@old, -v]\n", "a: [--i=CI/x:v2@new, --j=OWN/y:v1@old, -v]\n", 1),
        ("a: OWN/x:v1@old\nb: OWN/x:v1@old\n", "a: CI/x:v2@new\nb: CI/y:v3@new\n", 2),
        ("a:\n  repository: OWN/x\n  tag: v1\n", "a:\n  repository: CI/x\n  tag: v2@new\n", 1),
        ("a:\n  repository: OWN/x\n  tag: \"v1@old\"\n", "a:\n  repository: OWN/x\n  tag: \"v2@new\"\n", 1),
        (
            "a: {registry: r.example, image: org/x, tag: v1, digest: HEXold}\n",
            "a: {registry: ci.example, image: org/x, tag: v2, digest: HEXnew}\n",
            1,
        ),
        (
            "global:\n  registry: {address: r.example/a}\n  images:\n    p: {repository: x, tag: v1@old}\n    q: {repository: y, tag: v1@old}\n",
            "global:\n  registry: {address: ci.example/a}\n  images:\n    p: {repository: x, tag: v1@old}\n    q: {repository: y, tag: v2@new}\n",
            2,
        ),
        ("a: {tag: v1@old}\n", "a: {tag: v2@new}\n", 1),
        ("a: &x OWN/x:v1@old\nb: *x\n", "a: &x CI/x:v2@new\nb: *x\n", 1),
        ("a: |\n  image: OWN/x:v1@old\n  then\n", "a: |\n  image: CI/x:v2@new\n  then\n", 1),
        ("a: docker.io/library/b:1@old\n", "a: docker.io/library/b:2@new\n", 1),
    ] {
        let hex =
            |text: &str| text.replace("HEXold", &sha("old").to_string()).replace("HEXnew", &sha("new").to_string());
        becomes(&hex(here), &hex(there), references);
    }
}

#[test]
fn a_tag_file_s_line_is_a_reference_with_or_without_a_digest() {
    let tag = "apps/x/images/x.tag";
    for (here, there) in [
        ("OWN/x:v0.0.0\n", "CI/x:v2@new\n"),
        ("OWN/x:v1@old\n", "CI/x:v2\n"),
        ("quay.example/a/x:v1\n", "quay.example/a/x:v2\n"),
        ("OWN/x:v0.0.0", "CI/x:v2@new"),
    ] {
        let case = Case::file(tag, here, there);
        assert_eq!((case.plan().taken(), case.after(tag)), (1, fill(there)), "{here}");
    }
    let drift = Case::file(tag, "OWN/x:v0.0.0\n", "  CI/x:v2@new\n").drift(tag);
    assert_eq!(drift.line, 1);
}

#[test]
fn line_ends_and_marks_stay_as_they_are_here() {
    let (old, new) = ("a: 1\nimage: OWN/x:v1@old\n", "a: 1\nimage: CI/x:v2@new\n");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let marked = |text: &str| format!("\u{feff}{text}");
    for (here, after) in [
        (crlf(old), crlf(new)),
        (marked(old), marked(new)),
        (marked(&crlf(old)), marked(&crlf(new))),
        (old.trim_end().to_owned(), new.trim_end().to_owned()),
    ] {
        for there in [new.to_owned(), crlf(new), marked(new), new.trim_end().to_owned()] {
            let case = Case::file(FILE, &here, &there);
            assert_eq!(case.after(FILE), fill(&after), "{here:?} {there:?}");
        }
    }
}

#[test]
fn the_packages_artifact_s_own_reference_is_never_taken() {
    let pair = |image: &str, digest: &str| {
        fill(&format!("image: {image}\nsourceUrl: oci://OWN/own-packages\nsourceRef: digest={}\n", sha(digest)))
    };
    let (here, there) = (pair("OWN/x:v1@old", "here"), pair("CI/x:v2@new", "there"));
    let case = Case::file(FILE, &here, &there);
    assert_eq!((case.plan().taken(), case.after(FILE)), (1, pair("CI/x:v2@new", "here")));
    let only = Case::file(FILE, &here, &pair("OWN/x:v1@old", "there"));
    assert_eq!(only.verdict(FILE), FileVerdict::Equal { references: 2 });
}

#[test]
fn an_edit_tells_what_it_replaces() {
    let case = Case::file(FILE, "# ä\nk: {i: OWN/x:v1@old}\n", "# ä\nk: {i: CI/x:v2@new}\n");
    let plan = case.plan();
    let [file] = &plan.edits[..] else { panic!("{:?}", plan.edits) };
    let [edit] = &file.edits[..] else { panic!("{:?}", file.edits) };
    assert_eq!((edit.line, edit.column, edit.key.as_str()), (2, 8, "k.i"));
    assert_eq!((edit.old.clone(), edit.new.clone()), (fill("OWN/x:v1@old"), fill("CI/x:v2@new")));
}
