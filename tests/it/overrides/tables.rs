//! Tables: every rule, with its words and its place; and that an absent one is never an empty one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sealift::overrides::{self, Key, Problem, Rule, Severity, TableError};

use super::{read, rules, table};
use crate::support::golden::golden;

/// Warnings, or errors.
type Outcome = Result<Vec<Problem>, Vec<Problem>>;

/// The tables of the fixtures by name, and what is found in each.
fn found() -> Vec<(String, Outcome)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/overrides/tables");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&path).unwrap();
        let first = String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().to_owned();
        let key: Key = first.strip_prefix("# --key ").map(|key| key.parse().unwrap()).unwrap_or_default();
        let outcome = match overrides::read(&format!("{name}.yaml"), &bytes, &key) {
            Ok(table) => Ok(table.warnings),
            Err(TableError::Invalid(problems)) => Err(problems),
            Err(error) => panic!("{name}: {error}"),
        };
        found.push((name, outcome));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn each_table_is_told_its_problems() {
    for (name, outcome) in found() {
        let problems = match &outcome {
            Ok(warnings) => warnings,
            Err(problems) => problems,
        };
        assert_eq!(outcome.is_ok(), name == "warned", "{name}");
        assert!(!problems.is_empty(), "{name}");
        let line = |problem: &Problem| format!("{}: {problem}\n", problem.rule.id());
        golden("overrides/tables", &format!("{name}.txt"), &problems.iter().map(line).collect::<String>());
    }
}

#[test]
fn every_rule_of_tables_has_a_fixture() {
    let seen: BTreeSet<Rule> = found()
        .into_iter()
        .flat_map(|(_, outcome)| outcome.unwrap_or_else(|p| p))
        .map(|problem| problem.rule)
        .collect();
    // Told by an applied table; or by size, in hostile.rs.
    let elsewhere = [Rule::Unmatched, Rule::TooMany];
    let missing = Rule::ALL
        .iter()
        .filter(|rule| rule.severity() != Severity::Refusal && !seen.contains(rule) && !elsewhere.contains(rule));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&Rule>::new());
}

#[test]
fn an_error_names_its_entry_and_warnings_never_stand_with_errors() {
    for (name, outcome) in found() {
        let Err(problems) = outcome else { continue };
        for problem in problems {
            assert_eq!(problem.rule.severity(), Severity::Error, "{name}: {problem}");
            if let Some(entry) = problem.entry {
                assert!(problem.message.contains(&format!("[{entry}]")), "{name}: {problem}");
            }
        }
    }
}

#[test]
fn a_good_table_says_nothing() {
    let hex = super::HEX;
    let text = format!(
        "- name: registry.example.org:5000/os/kubeovn\n  newTag: v2\n  digest: sha256:{hex}\n- {{digest: 'sha256:{hex}', name: a}}\n"
    );
    let table = table(&text);
    assert!(table.warnings.is_empty(), "{:?}", table.warnings);
    assert_eq!((table.entries.len(), table.entries[0].name.as_str()), (2, "registry.example.org:5000/os/kubeovn"));
    assert_eq!((table.entries[1].line, table.entries[1].column), (4, 3));
}

#[test]
fn an_absent_table_is_never_an_empty_one() {
    let key: Key = "registries.imageOverrides".parse().unwrap();
    let missing = |text: &str, key: &Key| match overrides::read("f", text.as_bytes(), key) {
        Err(TableError::Missing { what, .. }) => what,
        other => panic!("{text:?}: {other:?}"),
    };
    for (text, what) in [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("~\n", "the file is null"),
        ("a: 1\n", "`registries` isn't there"),
        ("registries:\n", "`registries` is null"),
        ("registries: {}\n", "`registries.imageOverrides` isn't there"),
        ("registries: {imageOverrides: }\n", "`registries.imageOverrides` is null"),
        ("registries: {imageOverrides: null}\n", "`registries.imageOverrides` is null"),
    ] {
        assert_eq!(missing(text, &key), what, "{text:?}");
    }
    assert_eq!(missing("null\n", &Key::default()), "the file is null");
    assert_eq!(missing("", &Key::default()), "the file is empty");
    for (text, key) in [("[]\n", Key::default()), ("registries: {imageOverrides: []}\n", key)] {
        assert!(overrides::read("f", text.as_bytes(), &key).unwrap().entries.is_empty(), "{text:?}");
    }
}

#[test]
fn a_key_may_have_dots_and_stand_behind_an_alias() {
    let key: Key = r"a\.b.list".parse().unwrap();
    let text = "x: &x {list: [{name: one, newName: two}]}\na.b: *x\n";
    assert_eq!(overrides::read("f", text.as_bytes(), &key).unwrap().entries.len(), 1);
}

#[test]
fn quotes_and_crlf_and_a_mark_at_the_beginning_are_read() {
    let Err(TableError::Invalid(problems)) = read("\u{feff}- name: a\r\n  newTag: 1.20\r\n") else { panic!("valid") };
    assert_eq!(rules(&problems), ["not-a-string"]);
    assert_eq!((problems[0].line, problems[0].column), (2, 11));
}
