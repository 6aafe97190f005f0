//! `resume --pull-request N`: what a workflow that runs when a pull request is closed asks for.

use sealift::engine::{self, Proposed, State};
use sealift::promotion::locate::Request;
use serde_json::json;

use super::{RC, STAGING, TAG, Writes, exits, merged, names, nothing_public, person, printed, said, staging, waiting};
use crate::support::github::How;
use crate::support::github::state::{Head, Pull};
use crate::support::world::World;

async fn asked(world: &World, number: u64) -> Proposed {
    engine::proposed_by(number, &world.session().looker()).await.unwrap()
}

fn edit(world: &World, number: u64, edit: impl FnOnce(&mut Pull)) {
    edit(world.github().state().pull_mut(number).unwrap());
}

#[track_caller]
fn nothing(proposed: &Proposed, text: &str) {
    let Proposed::Nothing(why) = proposed else { panic!("{proposed:?}") };
    assert!(why.contains(text), "{why}");
}

#[track_caller]
fn unmerged(proposed: &Proposed, text: &str) {
    let Proposed::Unmerged(why) = proposed else { panic!("{proposed:?}") };
    assert!(why.contains(text), "{why}");
}

#[track_caller]
fn distrusted(proposed: &Proposed, text: &str) {
    let Proposed::Refused(refusal) = proposed else { panic!("{proposed:?}") };
    let all = said(refusal);
    for text in [
        "a pull request from release-1.6.2 starts a finalization only as sealift opens it",
        text,
        "look at what was merged; if it is right, finalize by hand: sealift resume v1.6.2",
    ] {
        assert!(all.contains(text), "`{text}` is not in:\n{all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_promotion_is_its_version() {
    let (world, _) = merged().await;
    let writes = Writes::of(&world);
    assert_eq!(asked(&world, 1).await, Proposed::Promotion(world.rc.stable));
    // However it was merged: what that means is for the stages to say.
    let squashed = waiting().await;
    squashed.github().merge_pull(1, How::Squash);
    assert_eq!(asked(&squashed, 1).await, Proposed::Promotion(squashed.rc.stable));
    // With the branch gone, too.
    world.delete_branch(STAGING);
    assert_eq!(asked(&world, 1).await, Proposed::Promotion(world.rc.stable));
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_open_or_was_closed_waits_for_a_person() {
    let world = waiting().await;
    unmerged(&asked(&world, 1).await, "https://github.test/cozystack/cozystack/pull/1 is open");
    person(&world, "PATCH", "pulls/1", json!({"state": "closed"})).await;
    unmerged(&asked(&world, 1).await, "pull/1 was closed without a merge");
    nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_from_another_branch_is_no_release() {
    let (world, merge) = merged().await;
    for branch in ["feature", "release-1.6", "release-1.6.2-rc.1", "release-1.6.2-fix"] {
        edit(&world, 1, |pull| pull.head_ref = branch.into());
        nothing(&asked(&world, 1).await, &format!("comes from {branch}: it is no release"));
    }
    let error = engine::proposed_by(7, &world.session().looker()).await.unwrap_err();
    assert!(format!("{error:#}").contains("pull request #7"), "{error:#}");
    assert_eq!(names(&world, "refs/heads/main"), merge);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_sealift_did_not_open_so_is_refused() {
    let (world, _) = merged().await;
    let known = world.github().state().pull(1).unwrap().clone();
    let back = || edit(&world, 1, |pull| *pull = known.clone());
    edit(&world, 1, |pull| pull.head = Head::Fork("mallory/cozystack".into()));
    distrusted(&asked(&world, 1).await, "pull/1 comes from another repository");
    back();
    edit(&world, 1, |pull| pull.head = Head::Gone);
    distrusted(&asked(&world, 1).await, "pull/1 comes from another repository");
    back();
    edit(&world, 1, |pull| pull.labels = vec!["releases".into(), "kind/release".into()]);
    distrusted(&asked(&world, 1).await, "pull/1 has no label `release`");
    back();
    edit(&world, 1, |pull| pull.author = "mallory".into());
    distrusted(&asked(&world, 1).await, "pull/1 was opened by mallory");
    // A login that only looks like it.
    edit(&world, 1, |pull| pull.author = "cozystack-ci".into());
    distrusted(&asked(&world, 1).await, "pull/1 was opened by cozystack-ci");
    back();
    assert_eq!(asked(&world, 1).await, Proposed::Promotion(world.rc.stable));
}

/// By the binary: a workflow sees exit codes, and only one of these finalizes.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_says_what_it_did() {
    let world = waiting().await;
    let output = exits(&world, &["resume", "--pull-request", "1"], 4);
    assert!(printed(&output).contains("pull/1 is open"), "{}", printed(&output));
    world.github().merge_pull(1, How::Merge);
    edit(&world, 1, |pull| pull.labels.clear());
    let output = exits(&world, &["resume", "--pull-request", "1"], 5);
    assert!(printed(&output).contains("sealift resume v1.6.2"), "{}", printed(&output));
    nothing_public(&world);
    exits(&world, &["resume", "--pull-request", "7"], 1);
    exits(&world, &["resume", "--pull-request", "1", RC], 2);
    exits(&world, &["resume"], 2);
    // By hand neither label nor author counts: only the merge does.
    edit(&world, 1, |pull| pull.author = "mallory".into());
    exits(&world, &["resume", "v1.6.2"], 0);
    assert_eq!(names(&world, TAG), names(&world, "refs/heads/main"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_finalizes_what_was_merged() {
    let (world, merge) = merged().await;
    exits(&world, &["resume", "--pull-request", "1"], 0);
    assert_eq!(names(&world, TAG), merge);
    let before = world.snapshot();
    exits(&world, &["resume", "--pull-request", "1"], 0);
    before.assert_same(&world.snapshot(), "once more");
}

/// By hand, before there is a merge, nothing is verified, so nothing is public.
#[tokio::test(flavor = "multi_thread")]
async fn by_hand_the_merge_is_what_counts() {
    let world = waiting().await;
    edit(&world, 1, |pull| (pull.author, pull.labels) = ("mallory".into(), vec!["release".into()]));
    let version = Request::Version(world.rc.stable);
    world.session().run(&version).await.must_be(State::Waiting);
    nothing_public(&world);
    // Merged by git, without any button: GitHub sees it, and so does sealift.
    let merge = world.merge();
    assert_eq!(asked_state(&world), "merged");
    world.session().run(&version).await.must_be(State::Holds);
    assert_eq!(names(&world, TAG), merge);
    assert_ne!(staging(&world), merge);
}

fn asked_state(world: &World) -> &'static str {
    world.github().sync();
    let state = world.github().state();
    if state.pull(1).unwrap().merged_at.is_some() { "merged" } else { "not merged" }
}
