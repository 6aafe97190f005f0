//! The hooks for pre-commit: what its documentation requires, and command lines that the real CLI takes.

use clap::Parser as _;
use sealift::cli::args::Cli;
use serde_yaml::Value;

use super::text;

fn hooks() -> Vec<Value> {
    serde_yaml::from_str::<Vec<Value>>(&text(".pre-commit-hooks.yaml")).unwrap()
}

/// The example of the docs: the repository's hooks, with what people add.
fn example() -> Value {
    let page = text("docs/explain.md");
    let block = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    serde_yaml::from_str(block).unwrap()
}

#[test]
fn each_hook_has_what_pre_commit_requires() {
    let ids: Vec<String> = hooks().iter().map(|hook| hook["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, ["sealift-census", "sealift-lint"]);
    for hook in hooks() {
        for key in ["id", "name", "entry", "language"] {
            assert!(hook[key].as_str().is_some_and(|value| !value.is_empty()), "{key} of {hook:?}");
        }
        // Built by cargo from this repository, which has one package with one binary of that name.
        assert_eq!(hook["language"].as_str(), Some("rust"));
        assert_eq!(hook["entry"].as_str().unwrap().split(' ').next(), Some(env!("CARGO_PKG_NAME")));
        // The tree is looked at as a whole: names as further words would be wrong usage.
        assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
        assert!(hook["files"].as_str().is_some());
    }
}

#[test]
fn each_hook_runs_a_command_that_exists_as_the_example_calls_it() {
    let example = example();
    let called = example["repos"][0]["hooks"].as_sequence().unwrap();
    assert_eq!(called.len(), hooks().len());
    for (hook, called) in hooks().iter().zip(called) {
        assert_eq!(hook["id"], called["id"]);
        let mut words: Vec<&str> = hook["entry"].as_str().unwrap().split(' ').collect();
        // Without its pipeline it is no command yet.
        assert!(Cli::try_parse_from(words.iter()).is_err());
        words.extend(called["args"].as_sequence().unwrap().iter().map(|word| word.as_str().unwrap()));
        Cli::try_parse_from(words.iter()).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        words.push("packages/a/b/values.yaml");
        assert!(Cli::try_parse_from(words).is_err(), "names would be taken");
    }
}
