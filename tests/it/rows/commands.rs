//! The commands, each alone: how far a run goes, what a seal holds, what status tells, what the
//! process's exit code is.

use std::process::Output;

use sealift::engine::{self, Scope, State};
use sealift::model::Digest;
use sealift::promotion::locate::Request;

use super::{
    PACKAGES, STAGING, TAG, cozystack, foreign, fresh, merged, refused, refused_untouched, undisturbed, waiting,
};
use crate::support::world::{Case, MAIN, World};

const STAGES: [&str; 10] =
    ["gate", "rewrite", "commit", "push", "pin", "propose", "wait", "verify", "retag", "finalize"];

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stops_after_the_stage_it_was_told() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    for (at, stage) in STAGES.iter().enumerate() {
        let before = world.snapshot();
        let ran = world.session().run_until(&world.request(), stage).await;
        if *stage == "wait" {
            ran.must_be(State::Waiting);
            world.merge();
            world.session().run_until(&world.request(), stage).await.must_be(State::Holds);
            continue;
        }
        ran.must_be(State::Holds);
        let end = ran.end().unwrap();
        assert_eq!(end.done, STAGES[..=at]);
        assert_eq!(end.left, STAGES[at + 1..]);
        assert!(ran.stage(STAGES.get(at + 1).unwrap_or(&"")).is_none(), "{stage} was the last");
        let writes = ["commit", "push", "pin", "propose", "retag", "finalize"].contains(stage);
        assert_eq!(before != world.snapshot(), writes, "{stage}");
    }
    wanted.assert_same(&world.snapshot(), "stage by stage");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_the_seal_of_a_reviewed_plan_runs_that_and_nothing_else() {
    let world = fresh().await;
    let seal: Digest = world.plan().await.seal().parse().unwrap();
    let before = world.snapshot();
    let session = world.session();
    let run = async |seal| {
        let scope = Scope { until: None, seal: Some(seal) };
        session.run_through(&world.request(), &scope, &session.origin, &session.registries, session.forge()).await
    };
    let wrong = Digest::of(b"another plan");
    let texts = ["not the promotion that was reviewed", &wrong.to_string(), &seal.to_string(), "plan again"];
    refused_untouched(&run(wrong).await, "gate", &texts, &before, &world);
    run(seal).await.must_be(State::Waiting);
    // The seal is of the promotion, not of what is left to do.
    assert_eq!(world.plan().await.seal(), seal.to_string());
    world.merge();
    run(seal).await.must_be(State::Holds);
    assert_eq!(world.plan().await.seal(), seal.to_string());
}

async fn unfinished(world: &World) -> Vec<String> {
    let session = world.session();
    let versions = engine::unfinished(&session.looker(), &session.settings()).await.unwrap();
    versions.iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn status_tells_what_is_unfinished() {
    let world = fresh().await;
    assert_eq!(unfinished(&world).await, Vec::<String>::new(), "a candidate alone is nobody's promotion");
    world.run().await.must_be(State::Waiting);
    assert_eq!(unfinished(&world).await, ["1.6.2"]);
    let world = world.cut("1.7.0-rc.1".parse().unwrap(), MAIN).await;
    world.run().await.must_be(State::Waiting);
    assert_eq!(unfinished(&world).await, ["1.6.2", "1.7.0"]);
    // Merged, and the branch deleted by the host: still not finished.
    world.merge();
    world.delete_branch("release-1.7.0");
    assert_eq!(unfinished(&world).await, ["1.6.2", "1.7.0"]);
    world.run().await.must_be(State::Holds);
    assert_eq!(unfinished(&world).await, ["1.6.2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn abandon_after_the_merge_is_refused() {
    for deleted in [false, true] {
        let (world, _) = merged().await;
        if deleted {
            world.delete_branch(STAGING);
        }
        let before = world.snapshot();
        let ran = world.session().abandon(&world.request(), true).await;
        refused_untouched(&ran, "abandon", &["v1.6.2-rc.1 is merged", "sealift resume v1.6.2"], &before, &world);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn abandon_where_nothing_is_writes_nothing() {
    let world = fresh().await;
    let before = world.snapshot();
    let ran = world.session().abandon(&world.request(), false).await;
    ran.must_be(State::Holds);
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "nothing to abandon");
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_before_the_pin_waits() {
    let world = fresh().await;
    world.session().verify(&world.request()).await.must_be(State::Waiting);
    world.session().run_until(&Request::Candidate(world.rc), "commit").await.must_be(State::Holds);
    world.session().verify(&world.request()).await.must_be(State::Waiting);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_of_a_waiting_promotion_writes_nothing_and_names_what_comes() {
    let world = waiting().await;
    let before = world.snapshot();
    let ran = world.plan().await;
    assert!(ran.told().contains("git tag v1.6.2"), "{}", ran.told());
    before.assert_same(&world.snapshot(), "plan");
    foreign(&world, &format!("{PACKAGES}:v1.6.2")).await;
    refused(&world.plan().await, "retag", &["v1.6.2 is spent"]);
}

/// The real process in a world, with a HOME of its own.
pub fn sealift(world: &World, words: &[&str]) -> std::process::Command {
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    command.args(words);
    command
}

fn exits(world: &World, words: &[&str], code: i32) -> Output {
    let mut command = sealift(world, words);
    if ["plan", "run", "resume"].contains(&words[0]) {
        command.args(world.input_arguments());
    }
    let output = command.args(world.arguments()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{words:?}\n{said}");
    output
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_says_how_it_ended() {
    let world = World::build(&Case::of(&cozystack())).await;
    exits(&world, &["status"], 0);
    exits(&world, &["plan", "v1.6.2-rc.1"], 3);
    exits(&world, &["run", "v1.6.2-rc.1", "--until", "commit"], 0);
    exits(&world, &["run", "v1.6.2-rc.1"], 4);
    exits(&world, &["status"], 4);
    exits(&world, &["verify", "v1.6.2"], 0);
    exits(&world, &["resume", "v1.6.2"], 4);
    let merge = world.merge();
    exits(&world, &["status", "v1.6.2"], 3);
    exits(&world, &["resume", "v1.6.2"], 0);
    assert_eq!(world.names_of(TAG), Some(merge));
    exits(&world, &["run", "v1.6.2-rc.1"], 0);
    exits(&world, &["abandon", "v1.6.2"], 5);
    exits(&world, &["run", "v1.6.3-rc.1"], 5);
    // Usage.
    exits(&world, &["run", "1.6"], 2);
    exits(&world, &["run", "v1.6.2-rc.1", "--until", "nowhere"], 2);
    exits(&world, &["promote"], 2);
    // An origin that can't be looked at.
    std::fs::rename(world.origin(), world.sandbox.path("moved")).unwrap();
    let output = exits(&world, &["run", "v1.6.2-rc.1"], 1);
    assert!(String::from_utf8_lossy(&output.stderr).contains("error:"), "{output:?}");
}
