//! What the documentation shows is what happens.

use sealift::overrides::{Rule, Severity};

use crate::support::sandbox::Sandbox;

const PAGE: &str = include_str!("../../../docs/overrides.md");

/// The fenced blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    let parts: Vec<&str> = PAGE.split("\n```").collect();
    let opened = |part: &&str| part.strip_prefix(language).and_then(|rest| rest.strip_prefix('\n')).map(str::to_owned);
    parts.iter().filter_map(opened).map(|block| block + "\n").collect()
}

#[test]
fn the_example_is_what_happens() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("home");
    let yaml = blocks("yaml");
    let [values, manifests, rewritten] = &yaml[..] else { panic!("{yaml:?}") };
    sandbox.write(&home, "values.yaml", values);
    sandbox.write(&home, "manifests.yaml", manifests);
    let words =
        ["overrides", "apply", "--table", "values.yaml", "--key", "registries.imageOverrides", "manifests.yaml"];
    let output = sandbox.command(env!("CARGO_BIN_EXE_sealift"), &home).args(words).output().unwrap();
    assert_eq!(&String::from_utf8(output.stdout).unwrap(), rewritten);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), blocks("text")[0]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn every_rule_has_its_row() {
    for rule in Rule::ALL {
        let severity = match rule.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Refusal => "refused",
        };
        let row = format!("| `{}` | {severity} | ", rule.id());
        assert_eq!(PAGE.matches(&row).count(), 1, "{row}");
    }
}
