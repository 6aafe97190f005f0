//! One law of endings for every command: what is known to be wrong counts more than what could not be looked at.

use std::collections::BTreeSet;
use std::process::Output;

use clap::CommandFactory as _;
use sealift::engine::State;

use crate::support::pipelines::PLAIN;
use crate::support::sandbox::Sandbox;

/// What is wrong with a tree, and what can't be looked at there.
const WRONG: (&str, &str) = ("packages/a/x/values.yaml", "image: registry.example/org/own/X:v1\n");
const UNREADABLE: (&str, &str) = ("packages/a/y/values.yaml", "a: [\n");
const GOOD: (&str, &str) = ("packages/a/z/values.yaml", "image: registry.example/org/own/z:v1.0.0-rc.1@DIGEST\n");

/// How a command is typed over `tree`, and what it ends with: where something is wrong, where something can't be
/// looked at, and where both are so.
const JUDGES: [(&str, &str); 6] = [
    ("lint", "lint --pipeline p.yaml --tree tree"),
    ("refs census", "refs census --pipeline p.yaml --tree tree"),
    ("refs list", "refs list --pipeline p.yaml --tree tree"),
    ("rewrite", "rewrite --pipeline p.yaml --tree tree --rc 1.0.0-rc.1"),
    ("overlay", "overlay --pipeline p.yaml --onto tree --from other --built built.json --nothing-edited"),
    ("overrides apply", "overrides apply --table t.yaml tree/refused.yaml tree/unreadable.yaml"),
];

/// The others, and why they can't have both to say.
const OTHERS: [(&str, &str); 16] = [
    ("demo", "its world is its own"),
    ("plan", "engine: an error after a refusal is told and withdraws nothing"),
    ("run", "a stage that doesn't hold is the last one"),
    ("resume", "a stage that doesn't hold is the last one"),
    ("status", "State::and over promotions, each as a plan"),
    ("verify", "one proof, or one error"),
    ("abandon", "one stage"),
    ("preview", "Outlook::and: tests/it/preview"),
    ("explain", "it judges nothing"),
    ("archive", "it judges nothing"),
    ("check", "one file, which is read or not"),
    ("overrides check", "one file, which is read or not"),
    ("completions", "it judges nothing"),
    ("man", "it judges nothing"),
    ("schema", "it judges nothing"),
    ("help", "it judges nothing"),
];

struct Place(Sandbox);

impl Place {
    fn new(wrong: bool, unreadable: bool) -> Self {
        let place = Self(Sandbox::new());
        let digest = sealift::model::Digest::of(b"x").to_string();
        let put = |name: &str, text: &str| {
            let home = place.0.path("home");
            place.0.write(&home, name, text.replace("DIGEST", &digest));
        };
        put("p.yaml", PLAIN);
        put("t.yaml", "[{name: nginx, newName: b}]\n");
        put("built.json", "[]");
        put("tree/refused.yaml", if wrong { "containers: [{image: &a nginx, x: *a}]\n" } else { "a: 1\n" });
        put("tree/unreadable.yaml", if unreadable { "a: [\n" } else { "a: 1\n" });
        for tree in ["tree", "other"] {
            put(&format!("{tree}/{}", GOOD.0), GOOD.1);
        }
        for (there, (path, text)) in [(wrong, WRONG), (unreadable, UNREADABLE)] {
            if there {
                put(&format!("tree/{path}"), text);
            }
        }
        place
    }

    fn run(&self, words: &str) -> Output {
        let mut command = self.0.command(env!("CARGO_BIN_EXE_sealift"), &self.0.path("home"));
        command.args(words.split(' ')).output().unwrap()
    }
}

#[test]
fn what_is_wrong_counts_more_than_what_could_not_be_looked_at() {
    for (name, words) in JUDGES {
        for (wrong, unreadable, code) in [(true, false, 5), (false, true, 1), (true, true, 5)] {
            let place = Place::new(wrong, unreadable);
            let Output { status, stdout, stderr } = place.run(words);
            let told = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
            assert_eq!(status.code(), Some(code), "{name}: wrong {wrong}, unreadable {unreadable}\n{told}");
            // Neither hides the other.
            let (refused, unread) =
                if name == "overrides apply" { ("refused.yaml", "unreadable.yaml") } else { (WRONG.0, UNREADABLE.0) };
            assert!(!wrong || told.contains(refused), "{name}: {told}");
            assert!(!unreadable || told.contains(unread), "{name}: {told}");
        }
    }
}

#[test]
fn a_pipeline_that_is_wrong_and_one_that_can_t_be_read_end_as_a_tree_does() {
    let place = Place::new(false, false);
    place.0.write(&place.0.path("home"), "bad.yaml", PLAIN.replace("root:", "rot:"));
    for (words, code) in [
        ("check p.yaml", 0),
        ("check bad.yaml", 5),
        ("check none.yaml", 1),
        // It was looked at, and is not what was said.
        ("rewrite --pipeline p.yaml --tree tree --rc 9.9.9-rc.1", 5),
        // To another command it is what it would look with.
        ("lint --pipeline bad.yaml --tree tree", 1),
        ("lint --pipeline bad.yaml", 1),
        ("lint --no-such-flag", 2),
    ] {
        let output = place.run(words);
        assert_eq!(output.status.code(), Some(code), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A verdict of 5 stands whatever becomes of telling it, and is told as far as can be.
#[test]
fn a_report_that_can_t_be_delivered_hides_no_verdict() {
    for words in [
        "lint --pipeline p.yaml --tree tree --sarif -",
        "overlay --pipeline p.yaml --onto tree --from other --built built.json --nothing-edited",
        "overrides apply --table t.yaml --in-place tree/refused.yaml",
        "overrides check bad.yaml",
    ] {
        let place = Place::new(true, false);
        place.0.write(&place.0.path("home"), "bad.yaml", "[{nam: x}]\n");
        let mut command = place.0.command(env!("CARGO_BIN_EXE_sealift"), &place.0.path("home"));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.args(words.split(' ')).stdout(writer).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{words}: {err}");
        assert!(!err.contains("pipe"), "{words}: {err}");
    }
    for (words, wrong, code) in [
        ("overlay --pipeline p.yaml --onto tree --from other --built built.json --nothing-edited", true, 5),
        ("overlay --pipeline p.yaml --onto tree --from other --built built.json --nothing-edited", false, 1),
        ("lint --pipeline p.yaml --tree tree", true, 5),
        ("lint --pipeline p.yaml --tree tree --sarif no/such/folder/x.sarif", true, 5),
    ] {
        let place = Place::new(wrong, false);
        let mut command = place.0.command(env!("CARGO_BIN_EXE_sealift"), &place.0.path("home"));
        command.env("GITHUB_STEP_SUMMARY", "no/such/folder/summary.md");
        let Output { status, stdout, stderr } = command.args(words.split(' ')).output().unwrap();
        let told = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert_eq!(status.code(), Some(code), "{words}: {told}");
        assert!(!wrong || told.contains(WRONG.0), "{words}: {told}");
        assert!(String::from_utf8_lossy(&stderr).contains("error: "), "{words}: {told}");
    }
}

#[test]
fn the_law_is_an_order() {
    use State::{Failed, Holds, Interrupted, Refused, Waiting, Work};
    let order = [Holds, Waiting, Work, Failed, Refused, Interrupted];
    for (at, &low) in order.iter().enumerate() {
        for &high in &order[at..] {
            assert_eq!((low.and(high), high.and(low)), (high, high));
        }
    }
    let codes: Vec<String> = order.iter().rev().map(|state| state.exit_code().to_string()).collect();
    let [first, second, rest @ ..] = codes.as_slice() else { panic!() };
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let law = format!("{first}, then {second}, {}.", rest.join(", "));
    assert!(readme.contains(&law), "the README doesn't say: {law}");
}

#[test]
fn every_command_is_under_the_law() {
    let mut commands = BTreeSet::new();
    for command in sealift::cli::args::Cli::command().get_subcommands() {
        let inner: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
        let name = command.get_name().to_owned();
        match inner.is_empty() {
            true => drop(commands.insert(name)),
            false => commands.extend(inner.into_iter().map(|inner| format!("{name} {inner}"))),
        }
    }
    let known: BTreeSet<String> =
        JUDGES.iter().map(|(name, _)| *name).chain(OTHERS.iter().map(|(name, _)| *name)).map(str::to_owned).collect();
    let unknown: Vec<_> = commands.difference(&known).collect();
    assert!(unknown.is_empty(), "say what these end with: {unknown:?}");
}
