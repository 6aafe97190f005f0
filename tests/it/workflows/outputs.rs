//! What a run leaves for a workflow's later steps: the action's own script, the real process, a whole promotion.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::here;
use crate::support::github::How;
use crate::support::world::{Case, World, shipped};

const RC: &str = "v1.6.2-rc.1";
const STAGING: &str = "release-1.6.2";

type Values = BTreeMap<String, String>;

async fn fresh() -> World {
    let cozystack = shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap();
    World::build(&Case::of(&cozystack)).await
}

/// One step with the action. What later steps see of it.
fn step(world: &World, words: &[&str]) -> Values {
    let outputs = world.sandbox.path("outputs");
    let _ = fs::remove_file(&outputs);
    let args: Vec<String> = words.iter().map(|&word| word.to_owned()).chain(world.arguments()).collect();
    let mut command = world.sandbox.command("bash", &world.sandbox.path("home"));
    command.arg(here(".github/actions/sealift/run"));
    command.env("SEALIFT", env!("CARGO_BIN_EXE_sealift")).env("ARGS", args.join("\n"));
    command.env("GITHUB_OUTPUT", &outputs).env("RUNNER_TEMP", world.sandbox.path(""));
    for name in ["TOKEN", "APP_ID", "APP_KEY"] {
        command.env(name, "");
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let lines = fs::read_to_string(&outputs).unwrap();
    let values: Values = lines
        .lines()
        .map(|line| line.split_once('=').unwrap())
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    assert_eq!(values.len(), lines.lines().count(), "{lines}");
    values
}

fn check(values: &Values, expected: &[(&str, &str)]) {
    let expected: Values = expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(*values, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn later_steps_know_the_seal_the_pin_the_branch_and_what_is_waited_for() {
    let world = fresh().await;
    let seal = world.plan().await.seal().to_owned();
    let until_pin = || step(&world, &["run", RC, "--until=pin"]);
    let first = until_pin();
    // The pin is what names the artifact, whatever comes on top of it.
    let log = ["log", "-1", "--format=%H", "--grep=^Sealift-Artifact: ", STAGING];
    let pin = world.sandbox.git(&world.origin(), &log);
    let pinned = [
        ("state", "done"),
        ("exit-code", "0"),
        ("seal", seal.as_str()),
        ("staging-branch", STAGING),
        ("pin-commit", pin.as_str()),
    ];
    check(&first, &pinned);
    let tip = world.person_commits(STAGING, "docs/changelogs/v1.6.2.md", "# v1.6.2\n\nMuch.\n");
    assert_ne!(tip, pin);
    assert_eq!(until_pin(), first, "a changelog on the branch is nothing to build from");

    let waiting = |on: &str, pull: &[(&str, &str)]| {
        let mut values: Values = pinned[2..].iter().chain(pull).map(|(k, v)| ((*k).into(), (*v).into())).collect();
        values
            .extend([("state", "waiting"), ("exit-code", "4"), ("waiting-for", on)].map(|(k, v)| (k.into(), v.into())));
        values
    };
    assert_eq!(step(&world, &["run", RC]), waiting("assets", &[]));
    let assets = format!("--assets={}", world.assets().unwrap().display());
    assert_eq!(step(&world, &["run", RC, &assets]), waiting("merge", &[("pull-request", "1")]));

    // The same in JSON.
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    let output = command.args(["plan", RC, "--format", "json", &assets]).args(world.arguments()).output().unwrap();
    let events: Vec<Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let event =
        |is: &dyn Fn(&Value) -> bool| events.iter().find(|event| is(event)).unwrap_or_else(|| panic!("{events:?}"));
    let goal = event(&|event| event["event"] == "goal");
    assert_eq!((goal["seal"].as_str(), goal["staging"].as_str()), (Some(seal.as_str()), Some(STAGING)));
    let stage = |name: &str| event(&|event| event["event"] == "stage" && event["stage"] == name);
    assert_eq!(stage("pin")["commit"], pin.as_str());
    assert_eq!((&stage("wait")["wait"]["on"], &stage("wait")["wait"]["pull_request"]), (&"merge".into(), &1.into()));

    // Merged, and the branch deleted by the host: the pin is found in the base.
    world.github().merge_pull(1, How::Merge);
    world.delete_branch(STAGING);
    assert_eq!(until_pin(), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_tells_of_no_one_promotion_leaves_nothing() {
    let world = fresh().await;
    check(&step(&world, &["status"]), &[("state", "done"), ("exit-code", "0")]);
    let plan = step(&world, &["plan", RC]);
    let known: Vec<&str> = plan.keys().map(String::as_str).collect();
    assert_eq!(known, ["exit-code", "seal", "staging-branch", "state"]);
    assert_eq!(plan["state"], "work");
}
