//! Each file is read once for one lint, whatever its rules ask.

use sealift::tree::Kind;

use super::*;
use crate::support::counting::Counting;

#[test]
fn each_file_is_read_once_and_the_tree_is_listed_once() {
    let tree = tree(&[
        (
            VALUES,
            "a: OWN/x:v0.1.0\nb: OWN/y:latest@D1\nc: D3\nd: {registry: registry.example, repository: org/own/z, tag: v1@D1}\n",
        ),
        ("packages/a/y/values.yaml", "a: OWN/x:v0.2.0@D3\nb: OWN/x:v0.2.0@D4\n# OWN/x:v1\n\"OWN/k:v1\": x\n"),
        ("packages/a/z/images/z.tag", "OWN/z:v0.1.0@D5\n"),
        ("packages/system/net/daemonset.yml", "image: OWN/net:latest@D1\n"),
        ("packages/a/x/templates/d.yaml", "image: OWN/d:v0.1.0\n"),
        ("packages/a/x/charts/c/values.yaml", "image: OWN/c:v0.1.0\n"),
        ("packages/a/x/README.md", "OWN/c:v0.1.0\n"),
        ("packages/a/x/plain.txt", "nothing\n"),
        ("docs/outside.md", "OWN/c:v0.1.0\n"),
        ("Makefile", "build:\n\tmake -C packages/a/x image\n"),
        (
            "packages/a/x/Makefile",
            "include ../common.mk\nimage:\n\tyq -i '.a = strenv(IMAGE)' values.yaml\n\tyq -i '.a = \"x\"' values.yaml\n",
        ),
        ("packages/a/common.mk", "again:\n\tyq -i '.a = \"x\"' values.yaml\n"),
        // Nobody lists it, and the finding shows its line.
        ("packages/a/z/Makefile", "image:\n\tdocker buildx build -t OWN/z .\n"),
    ]);
    let files = tree.entries().unwrap().into_iter().filter(|entry| entry.kind == Kind::File);
    let counting = Counting::new(tree.clone());
    let found = lint(&counting);
    assert!(found.findings.len() > 9, "{:?}", all(&found));
    assert!(found.findings.iter().any(|finding| finding.place.file.ends_with("Makefile")), "{:?}", all(&found));
    let opened = counting.opened.into_inner().unwrap();
    for entry in files {
        let name = String::from_utf8_lossy(&entry.path).into_owned();
        let times = opened.get(&entry.path).copied().unwrap_or_default();
        // A Makefile for its targets, for the census, and to show a line of it: once, too.
        assert_eq!(times, usize::from(!name.ends_with(".md")), "{name}");
    }
    assert_eq!(counting.listed.into_inner().unwrap(), 1);
}
