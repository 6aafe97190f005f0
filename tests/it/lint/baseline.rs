//! A baseline: old findings are known again wherever their lines went, and new ones are not.

use super::*;
use sealift::lint::{BaselineError, Suppression};

const OLD: &str = "a: OWN/x:v0.1.0\nb: OWN/x:latest\nc: [OWN/x:v0.2.0]\n";

fn baseline_of(tree: &dyn Tree) -> Baseline {
    // As it is after a round through its file.
    Baseline::parse(&Baseline::of(&lint(tree)).text().unwrap()).unwrap()
}

fn by(tree: &dyn Tree, baseline: &Baseline) -> Lint {
    lint_by(&pipeline(""), tree, Some(baseline))
}

#[test]
fn the_same_findings_are_known_and_fail_no_more() {
    let old = tree(&[(VALUES, OLD)]);
    let baseline = baseline_of(&old);
    assert_eq!(baseline.len(), 4);
    let found = by(&old, &baseline);
    assert_eq!((found.verdict, found.findings.len(), found.suppressed.len()), (Verdict::Clean, 0, 4));
    assert!(found.suppressed.iter().all(|suppressed| suppressed.by == Suppression::Baseline));
    assert!(found.left_over.is_empty());
    assert_eq!(Baseline::of(&found).len(), 0, "what is known is not found");
}

#[test]
fn lines_may_move_and_a_changed_line_is_new() {
    let baseline = baseline_of(&tree(&[(VALUES, OLD)]));
    let moved = "# one more\n# and another\nb:   OWN/x:latest\na: OWN/x:v0.1.0\nc:\n  - OWN/x:v0.2.0\n";
    let found = by(&tree(&[(VALUES, moved)]), &baseline);
    // `a` moved; `b` and `c` are spelled otherwise.
    let expected = [
        "bare-tag error packages/a/x/values.yaml:3 latest",
        "bare-tag error packages/a/x/values.yaml:6 v0.2.0",
        "floating-tag error packages/a/x/values.yaml:3 latest",
    ];
    assert_eq!(all(&found), expected);
    assert_eq!(found.suppressed.len(), 1);
    let gone = ["bare-tag in packages/a/x/values.yaml:2", "bare-tag in packages/a/x/values.yaml:3", "floating-tag in"];
    for gone in gone {
        assert!(found.left_over.iter().any(|line| line.contains(gone) && line.ends_with("is gone")), "{gone}");
    }
    let elsewhere = by(&tree(&[("packages/a/y/values.yaml", OLD)]), &baseline);
    assert_eq!((elsewhere.findings.len(), elsewhere.left_over.len()), (4, 4));
}

/// The line of a divided reference says less than what the finding is about.
#[test]
fn another_reference_on_an_unchanged_line_is_new() {
    let split = |name: &str, more: &str| format!("a:\n  repository: OWN/{name}\n  tag: v0.1.0\n{more}");
    let baseline = baseline_of(&tree(&[(VALUES, &split("x", ""))]));
    let known = |text: &str| by(&tree(&[(VALUES, text)]), &baseline);
    let moved = known(&format!("# one more\n{}", split("x", "b: 1\n")));
    assert_eq!((moved.findings.len(), moved.suppressed.len()), (0, 1));
    let other = known(&split("y", ""));
    assert_eq!((other.findings.len(), other.left_over.len()), (1, 1));
    // Another digest is another fault of the image, and what was a warning is no known error.
    let two = |a: &str, b: &str| {
        format!("a: {{repository: OWN/x, tag: v1, digest: {a}}}\nb: OWN/x:v1@{b}\nc: OWN/x:v1@{b}\n")
    };
    let baseline = baseline_of(&tree(&[(VALUES, &two("D1", "D2"))]));
    let found = by(&tree(&[(VALUES, &two("D1", "D3"))]), &baseline);
    assert_eq!(all(&found), ["tag-collision", "two-digests"].map(|rule| fill(&format!("{rule} error {VALUES}:1 D1"))));
    let floats = |digest: &str| format!("a:\n  repository: OWN/x\n  tag: latest\n{digest}");
    let baseline = baseline_of(&tree(&[(VALUES, &floats("  digest: D1\n"))]));
    let found = by(&tree(&[(VALUES, &floats(""))]), &baseline);
    assert!(all(&found).contains(&format!("floating-tag error {VALUES}:3 latest")), "{:?}", all(&found));
}

#[test]
fn of_lines_that_say_the_same_as_many_are_known_as_there_were() {
    let one = "a:\n  image: OWN/x:v0.1.0\n";
    let baseline = baseline_of(&tree(&[(VALUES, one)]));
    let two = by(&tree(&[(VALUES, "a:\n  image: OWN/x:v0.1.0\nb:\n  image: OWN/x:v0.1.0\n")]), &baseline);
    assert_eq!((two.findings.len(), two.suppressed.len()), (1, 1));
}

#[test]
fn unknown_is_never_in_it_and_never_hidden() {
    let broken = tree(&[(VALUES, "a: [\n"), ("packages/a/y/values.yaml", "a: OWN/y:v0.1.0\n")]);
    let baseline = baseline_of(&broken);
    assert_eq!(baseline.len(), 1);
    let found = by(&broken, &baseline);
    assert_eq!((found.verdict, found.findings.len()), (Verdict::Unknown, 1));
    // Not even where somebody wrote it in.
    let finding = &found.findings[0];
    let forged = serde_json::json!({ "format": 1, "findings": [{
        "rule": "unreadable", "file": VALUES, "fingerprint": finding.fingerprint, "line": 1, "message": "",
    }] });
    let found = by(&broken, &Baseline::parse(&forged.to_string()).unwrap());
    assert_eq!(found.count(Level::Unknown), 1);
}

#[test]
fn entries_are_gone_only_where_somebody_looked() {
    let baseline = baseline_of(&tree(&[(VALUES, "a: OWN/x:v0.1.0\n")]));
    let fixed = by(&tree(&[(VALUES, "a: OWN/x:v0.1.0@D1\n")]), &baseline);
    assert_eq!(fixed.left_over, ["baseline: bare-tag in packages/a/x/values.yaml:1 is gone"]);
    let unreadable = by(&tree(&[(VALUES, "a: [\n")]), &baseline);
    assert!(unreadable.left_over.is_empty());
    let nothing = by(&MemTree::new("empty"), &baseline);
    assert!(nothing.left_over.is_empty());
    // Without a version a rule has nothing to go by.
    let collision = baseline_of(&tree(&[(VALUES, "a: OWN/x:v0.1.0@D1\nb: OWN/x:v0.1.0@D2\nc: OWN/x:RC@D1\n")]));
    let mut idle = MemTree::new("idle");
    idle.put(VALUES, 0o644, fill("a: OWN/x:own@D1\n"));
    let left = by(&idle, &collision).left_over;
    assert!(left.iter().all(|line| line.contains("two-digests")), "{left:?}");
}

#[test]
fn another_file_is_refused() {
    assert!(matches!(Baseline::parse("{}"), Err(BaselineError::Form(_))));
    assert!(matches!(Baseline::parse("{\"format\": 2, \"findings\": []}"), Err(BaselineError::Format(2))));
    assert!(matches!(Baseline::parse("[]"), Err(BaselineError::Form(_))));
}
