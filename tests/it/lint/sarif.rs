//! SARIF: every log is as the published schema says, and says what lint found.

use serde_json::Value;

use super::*;
use crate::report::samples::lints;
use crate::support::json_schema;
use sealift::engine::Event;
use sealift::lint::RULES;
use sealift::report::sarif;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../fixtures/lint/sarif-schema-2.1.0.json")).unwrap()
}

/// The log of a lint, as its text says it.
#[track_caller]
fn log(lint: &Lint) -> Value {
    let log: Value = serde_json::from_str(&sarif::text(lint)).unwrap();
    assert_eq!(log, sarif::log(lint));
    let wrong = json_schema::check(&schema(), &log);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    log
}

fn faulty() -> Lint {
    let pipeline =
        pipeline("lint: {exclude: [{rule: bare-tag, path: packages/a/y/values.yaml, reason: Built elsewhere.}]}\n");
    let tree = tree(&[
        (VALUES, "ä: \"OWN/x:latest@D1\"\nb: OWN/x:v0.1.0@D2\n"),
        ("packages/a/y/values.yaml", "a: OWN/y:v0.1.0\n"),
        ("packages/a/z/values.yaml", "a: [\n"),
        ("packages/a/s/values.yaml", "a:\n  image: OWN/s:v0.1.0\nb:\n  image: OWN/s:v0.1.0\n"),
    ]);
    let old = super::tree(&[("packages/a/s/values.yaml", "a:\n  image: OWN/s:v0.1.0\n")]);
    lint_by(&pipeline, &tree, Some(&Baseline::of(&lint(&old))))
}

#[test]
fn each_log_is_as_the_schema_says() {
    log(&faulty());
    log(&lint(&good()));
    log(&lint(&MemTree::new("empty")));
    for events in [lints::found(), lints::clean(), lints::hostile()] {
        let Some(Event::Lint(lint)) = events.first() else { panic!("no lint") };
        log(lint);
    }
}

#[test]
fn every_rule_is_described_and_every_result_names_its_own() {
    let log = log(&faulty());
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids, RULES.iter().map(|rule| rule.id).collect::<Vec<_>>());
    assert!(rules.iter().all(|rule| rule["help"]["text"].as_str().is_some_and(|help| help.len() > 20)));
    let results = log["runs"][0]["results"].as_array().unwrap();
    for result in results {
        assert_eq!(result["ruleId"], ids[result["ruleIndex"].as_u64().unwrap() as usize]);
    }
    let prints: std::collections::BTreeSet<&str> =
        results.iter().map(|result| result["partialFingerprints"]["sealift/v1"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), results.len(), "each result is known by a fingerprint of its own");
}

#[test]
fn a_result_has_its_region_and_what_excuses_it() {
    let found = faulty();
    let log = log(&found);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), found.findings.len() + found.suppressed.len());
    let of = |rule: &str| results.iter().find(|result| result["ruleId"] == rule).unwrap();
    let floating = of("floating-tag");
    let region = &floating["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&floating["kind"], &floating["level"]), (&"fail".into(), &"warning".into()));
    assert_eq!(region["startLine"], 1);
    // In characters: `ä: "registry.example/org/own/x:` stands before it.
    assert_eq!((region["startColumn"].as_u64(), region["endColumn"].as_u64()), (Some(32), Some(38)));
    assert_eq!((region["byteOffset"].as_u64(), region["byteLength"].as_u64()), (Some(32), Some(6)));
    assert_eq!(region["snippet"]["text"], "latest");
    assert_eq!(of("two-digests")["relatedLocations"].as_array().unwrap().len(), 1);
    // What could not be looked at is open, and the run is no success.
    let unknown = of("unreadable");
    assert_eq!((&unknown["kind"], &unknown["level"]), (&"open".into(), &"none".into()));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let suppressed: Vec<&Value> = results.iter().filter(|result| result["suppressions"].is_array()).collect();
    assert_eq!(suppressed.len(), 2);
    let justified = |text: &str| suppressed.iter().find(|r| r["suppressions"][0]["justification"] == text);
    assert!(justified("Built elsewhere.").is_some_and(|result| result["baselineState"].is_null()));
    let known = justified("it was there when the baseline was written");
    assert!(known.is_some_and(|result| result["baselineState"] == "unchanged"));
}

#[test]
fn the_check_against_the_schema_can_fail() {
    let mut log = log(&faulty());
    log["runs"][0]["results"][0]["level"] = "fatal".into();
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0.into();
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "a b".into();
    log["runs"][0]["results"][0]["surprise"] = 1.into();
    assert_eq!(json_schema::check(&schema(), &log).len(), 4);
}
