//! `--help` of every command: whole, of one voice, and held, so that a changed word is seen.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory as _};
use sealift::cli::args::Cli;

use super::{here, sealift};
use crate::support::golden::golden;
use crate::support::sandbox::Sandbox;

/// Every command with the words that lead to it; sealift itself first.
fn commands() -> Vec<(Vec<String>, Command)> {
    fn below(path: &[String], command: &Command, found: &mut Vec<(Vec<String>, Command)>) {
        found.push((path.to_vec(), command.clone()));
        for next in command.get_subcommands().filter(|next| next.get_name() != "help") {
            below(&[path, &[next.get_name().to_owned()]].concat(), next, found);
        }
    }
    let mut root = Cli::command();
    root.build();
    let mut found = Vec::new();
    below(&[], &root, &mut found);
    found
}

#[test]
fn every_help_is_held() {
    let sandbox = Sandbox::new();
    let mut expected = BTreeSet::new();
    for (path, _) in commands() {
        let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let (code, out, err) = sealift(&sandbox, &words);
        assert_eq!((code, err.as_str()), (0, ""), "{path:?}");
        let name = format!("{}.txt", [&["sealift".to_owned()], &path[..]].concat().join("-"));
        golden("help", &name, &out);
        expected.insert(name);
    }
    let held = std::fs::read_dir(here("fixtures/help")).unwrap();
    let held: BTreeSet<String> = held.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(held, expected);
}

#[test]
fn every_command_and_option_is_described_in_one_voice() {
    for (path, command) in commands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(about.len() > 10, "{path:?}: {about}");
        assert!(path.is_empty() || !about.ends_with('.'), "{path:?}: {about}");
        assert!(examples.starts_with("Example:\n  ") && examples.contains("sealift"), "{path:?} has no example");
        for argument in command.get_arguments().filter(|a| !["help", "version"].contains(&a.get_id().as_str())) {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let name = argument.get_id();
            assert!(help.len() > 5 && !help.ends_with('.'), "{path:?} {name}: {help}");
            assert!(!help.starts_with(|c: char| c.is_lowercase()), "{path:?} {name}: {help}");
        }
    }
}
