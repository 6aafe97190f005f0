//! The artifact pair: each rule with a case that passes and one that fails.

use sealift::refs::{self, Class};

use super::support::*;

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
