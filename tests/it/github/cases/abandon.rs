//! Taking a promotion back: draft and branch go, and GitHub closes the pull request.

use sealift::engine::State;
use sealift::promotion::locate::Request;
use serde_json::json;

use super::{
    CHANGELOG, STAGING, VERSION, Writes, fresh, maintainer, nothing_public, person, refused, refused_untouched,
    release_id, seen, waiting, waits, with_secret,
};
use crate::support::world::hosted::READER;

#[tokio::test(flavor = "multi_thread")]
async fn draft_and_branch_go_and_the_pull_request_is_closed() {
    let untouched = fresh().await.snapshot();
    let world = waiting().await;
    let ran = world.session().abandon(&world.request(), false).await;
    ran.must_be(State::Holds);
    let acted = ran.acted();
    assert_eq!(acted.len(), 2, "{acted:?}");
    assert!(acted[0].starts_with("delete-draft release v1.6.2"), "{acted:?}");
    assert!(acted[1].starts_with("delete-ref refs/heads/release-1.6.2"), "{acted:?}");
    let pulls = seen(&world, "pull");
    assert!(pulls.len() == 1 && pulls[0].contains(" closed "), "{pulls:?}");
    assert_eq!(seen(&world, "release v1.6.2"), Vec::<String>::new());
    // Of the world before only the pull request is left, and in the registry what retention takes away.
    let left = untouched.difference(&world.snapshot());
    let packages = "ghcr.io/cozystack/cozystack/cozystack-packages";
    let kinds = ["github pull ", "refs/pull/1/", &format!("blob {packages}"), &format!("tag {packages}:promotion-")];
    let expected = |line: &String| kinds.iter().any(|kind| line.starts_with(&format!("+ {kind}")));
    assert!(left.iter().all(expected), "{left:?}");
    // Twice is once.
    let again = world.session().abandon(&world.request(), false).await;
    again.must_be(State::Holds);
    assert!(again.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_back_may_be_taken_up_again() {
    let world = waiting().await;
    world.session().abandon(&world.request(), false).await.must_be(State::Holds);
    // The pull request was closed by a person's word, and it is theirs to open it again.
    waits(&world.run().await, "propose", "pull-request", &["was closed without a merge", "gh pr reopen 1"]);
    person(&world, "PATCH", "pulls/1", json!({"state": "open"})).await;
    world.run().await.must_be(State::Waiting);
    assert_eq!(seen(&world, "pull").len(), 1);
    assert_eq!(super::assets(&world).len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_of_people_are_kept_unless_they_are_let_go() {
    let world = waiting().await;
    let commit = world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n\nText.\n");
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let ran = world.session().abandon(&world.request(), false).await;
    refused_untouched(&ran, "abandon", &["holds 1 commits of people", &commit, "--discard"], &before, &world);
    writes.none();
    let ran = world.session().abandon(&world.request(), true).await;
    ran.must_be(State::Holds);
    assert!(ran.told().contains(&commit), "what goes is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_drafts_are_for_a_person_to_tell_apart() {
    let world = waiting().await;
    let other = world.github().state().add_release(VERSION, true, false);
    let before = world.snapshot();
    let ran = world.session().abandon(&world.request(), false).await;
    refused_untouched(&ran, "abandon", &["there are 2 drafts", &other.to_string()], &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_sees_no_drafts_can_not_take_one_back() {
    let world = waiting().await;
    let before = world.snapshot();
    let ran = with_secret(&world, READER).abandon(&world.request(), false).await;
    let texts = ["whether there is a draft of v1.6.2 is not visible to this credential", "may push"];
    refused_untouched(&ran, "abandon", &texts, &before, &world);
    maintainer(&world).abandon(&world.request(), false).await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_release_stays() {
    let world = waiting().await;
    let id = release_id(&world, VERSION);
    person(&world, "PATCH", &format!("releases/{id}"), json!({"draft": false})).await;
    let before = world.snapshot();
    let ran = world.session().abandon(&world.request(), true).await;
    refused(&ran, "abandon", &["the release v1.6.2 is published already"]);
    before.assert_same(&world.snapshot(), "public is public");
}

#[tokio::test(flavor = "multi_thread")]
async fn by_its_version_alone() {
    let world = waiting().await;
    let version = Request::Version(world.rc.stable);
    world.session().abandon(&version, false).await.must_be(State::Holds);
    nothing_public(&world);
    assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), None);
}
