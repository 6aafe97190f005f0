//! Exclusions of the pipeline: with a reason, by rule, file and line, and told when they explain nothing.

use super::*;
use sealift::lint::Suppression;

const TEXT: &str = "a: OWN/x:v0.1.0\nb: OWN/x:latest\n";

fn excluded(exclusions: &str) -> Lint {
    let pipeline = pipeline(&format!("lint:\n  exclude:\n{exclusions}"));
    lint_by(&pipeline, &tree(&[(VALUES, TEXT), ("packages/a/y/values.yaml", "a: OWN/y:v0.1.0\n")]), None)
}

#[test]
fn a_file_or_a_line_is_excluded_and_the_rest_is_not() {
    let whole = excluded("  - {rule: bare-tag, path: packages/a/x/*.yaml, reason: Built elsewhere.}\n");
    let expected =
        ["bare-tag error packages/a/y/values.yaml:1 v0.1.0", "floating-tag error packages/a/x/values.yaml:2 latest"];
    assert_eq!(all(&whole), expected);
    assert_eq!(whole.suppressed.len(), 2);
    let suppressed = &whole.suppressed[0];
    assert_eq!((suppressed.by, suppressed.reason.as_str()), (Suppression::Exclusion, "Built elsewhere."));
    assert!(whole.left_over.is_empty());
    let line = excluded(
        "  - {rule: bare-tag, path: '**', line: 'OWN/x:v0.1.0', reason: Built elsewhere.}\n"
            .replace("OWN", OWN)
            .as_str(),
    );
    assert_eq!(all(&line).len(), 3);
    assert_eq!(shown(&line.suppressed[0].finding), "bare-tag error packages/a/x/values.yaml:1 v0.1.0");
}

/// A Makefile holds no reference, and its lines can be named all the same.
#[test]
fn a_line_of_a_makefile_is_excluded() {
    let pipeline = pipeline(
        "lint: {exclude: [{rule: not-in-build-list, path: packages/a/x/Makefile, line: buildx, reason: By hand.}]}\n",
    );
    let files = [
        (VALUES, "a: OWN/x:v0.1.0@D1\n"),
        ("Makefile", "build:\n\tmake -C packages/a/y image\n"),
        ("packages/a/x/Makefile", "image:\n\tdocker buildx build images/x\n"),
        ("packages/a/y/Makefile", "image:\n\tdocker buildx build images/y\n"),
    ];
    let found = lint_by(&pipeline, &tree(&files), None);
    let excluded: Vec<String> = found.suppressed.iter().map(|suppressed| shown(&suppressed.finding)).collect();
    assert_eq!(excluded.len(), 1, "{:?}", found.findings);
    assert!(excluded[0].starts_with("not-in-build-list error packages/a/x/Makefile:2"), "{excluded:?}");
    assert!(found.left_over.is_empty(), "{:?}", found.left_over);
}

#[test]
fn what_explains_nothing_is_told() {
    let found = excluded(
        "  - {rule: bare-tag, path: packages/a/z/values.yaml, reason: It is gone.}\n  \
         - {rule: bare-tag, path: packages/a/x/values.yaml, line: 'no such line', reason: It is gone.}\n  \
         - {rule: no-such-rule, path: packages/a/x/values.yaml, reason: A slip of the pen.}\n",
    );
    assert_eq!(all(&found).len(), 4);
    let expected = [
        "lint.exclude: bare-tag in packages/a/z/values.yaml: it explains nothing",
        "lint.exclude: bare-tag in packages/a/x/values.yaml: it explains nothing",
        "lint.exclude: no-such-rule in packages/a/x/values.yaml: there is no such rule",
    ];
    assert_eq!(found.left_over, expected);
    assert_eq!(found.verdict, Verdict::Failed);
}

#[test]
fn what_could_not_be_looked_at_is_not_excused() {
    let pipeline =
        pipeline("lint: {exclude: [{rule: unreadable, path: packages/a/x/values.yaml, reason: It is like that.}]}\n");
    let found = lint_by(&pipeline, &tree(&[(VALUES, "a: [\n")]), None);
    assert_eq!((found.verdict, found.suppressed.len(), found.left_over.len()), (Verdict::Unknown, 0, 1));
}

#[test]
fn exclusions_of_the_census_hold_and_unused_ones_are_told() {
    let text = pipeline_text("").replace(
        "  text:",
        "  exclude:\n    - {path: a/x/values.yaml, line: checksum, reason: Of a file that is downloaded.}\n    \
         - {path: a/z/values.yaml, reason: It is gone.}\n  text:",
    );
    let pipeline = pipeline::parse("test.yaml", &text).unwrap();
    let found = lint_by(&pipeline, &tree(&[(VALUES, "checksum: D1\nother: D2\n")]), None);
    assert_eq!(all(&found), [fill("unclaimed-digest error packages/a/x/values.yaml:2 D2")]);
    assert_eq!(found.left_over, ["references.exclude: a/z/values.yaml explains nothing"]);
}
