//! The draft: one, found however GitHub hides it, and never made twice.

use std::sync::Arc;

use sealift::engine::{Patience, State};
use serde_json::json;

use super::{
    RECORD, STAGING, VERSION, Writes, assets, calls, failed, fresh, merged, noted, nothing_public, person, pinned,
    refused, refused_untouched, release_body, release_id, seen, waiting, with_secret,
};
use crate::support::github::{Act, How};
use crate::support::world::World;
use crate::support::world::hosted::READER;

/// How many drafts sealift made.
fn made(world: &World) -> usize {
    calls(world, "POST", "/releases")
}

#[tokio::test(flavor = "multi_thread")]
async fn two_drafts_are_refused_by_their_ids_before_anything_is_written() {
    let world = fresh().await;
    let ids = [(); 2].map(|()| world.github().state().add_release(VERSION, true, false));
    let before = world.snapshot();
    let [one, other] = ids.map(|id| format!("draft {id} https://github.test/cozystack/cozystack/releases/"));
    let texts = ["there are 2 drafts of v1.6.2", &one, &other, "delete all but one of them"];
    let writes = Writes::of(&world);
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
    writes.none();
    world.github().state().releases.retain(|release| release.id != ids[1]);
    world.run().await.must_be(State::Waiting);
    assert_eq!(release_id(&world, VERSION), ids[0], "the one that was left is the one that is used");
    assert_eq!(made(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_draft_that_lost_its_tag_counts() {
    let world = waiting().await;
    let one = release_id(&world, VERSION);
    let other = world.github().state().add_release(VERSION, true, false);
    world.github().state().orphan(VERSION);
    let ran = world.run().await;
    refused(&ran, "gate", &["there are 2 drafts of v1.6.2", &one.to_string(), &other.to_string()]);
    assert!(ran.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_draft_made_meanwhile_stops_before_the_record() {
    let world = Arc::new(pinned().await);
    let weak = Arc::downgrade(&world);
    world.github().fault(
        "POST",
        "*/assets*",
        1..=1,
        Act::before(move || {
            weak.upgrade().unwrap().github().state().add_release(VERSION, true, false);
        }),
    );
    let ran = world.run().await;
    refused(&ran, "propose", &["there are 2 drafts of v1.6.2", "delete all but one of them"]);
    assert_eq!(seen(&world, "pull"), Vec::<String>::new());
    assert!(!seen(&world, "asset").iter().any(|line| line.contains(RECORD)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_orphaned_draft_is_found_by_its_name_and_given_its_tag_back() {
    let world = waiting().await;
    let (id, files) = (release_id(&world, VERSION), assets(&world));
    world.github().state().orphan(VERSION);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert_eq!(ran.acted().len(), 1, "{:?}", ran.acted());
    assert!(ran.acted()[0].starts_with("edit-draft release v1.6.2"), "{:?}", ran.acted());
    assert_eq!(world.github().state().release(VERSION).unwrap().id, id);
    assert_eq!(assets(&world), files);
    assert_eq!(made(&world), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_orphaned_draft_is_published_under_its_tag() {
    let (world, merge) = merged().await;
    let id = release_id(&world, VERSION);
    world.github().state().orphan(VERSION);
    world.run().await.must_be(State::Holds);
    let state = world.github().state();
    let release = state.release(VERSION).unwrap();
    assert!(release.id == id && !release.draft);
    assert_eq!(super::names(&world, super::TAG), merge);
}

#[tokio::test(flavor = "multi_thread")]
async fn absence_is_read_twice_some_seconds_apart_before_one_is_made() {
    assert!(Patience::default().lag.as_secs() >= 2);
    let world = pinned().await;
    let alone = world.copy();
    alone.run().await.must_be(State::Waiting);
    let log = alone.github().log();
    let at = log.iter().position(|logged| logged.method == "POST" && logged.target.ends_with("/releases")).unwrap();
    let list = |index: usize| log[index].method == "GET" && log[index].target.contains("/releases?");
    assert!(list(at - 1) && list(at - 2), "{:?}", &log[at - 2..=at]);
    // Somebody else's appears between the two looks.
    let lists = (0..at).filter(|index| list(*index)).count();
    let world = Arc::new(world);
    let weak = Arc::downgrade(&world);
    world.github().fault(
        "GET",
        "*/releases?*",
        lists..=lists,
        Act::before(move || {
            weak.upgrade().unwrap().github().state().add_release(VERSION, true, false);
        }),
    );
    world.run().await.must_be(State::Waiting);
    assert_eq!(made(&world), 0);
    assert_eq!(assets(&world).len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_made_it_finds_by_its_id_however_long_lists_lag() {
    let world = fresh().await;
    world.github().state().draft_lag = usize::MAX;
    world.run().await.must_be(State::Waiting);
    assert_eq!(made(&world), 1);
    let id = release_id(&world, VERSION);
    assert!(calls(&world, "GET", &format!("/releases/{id}")) > 0);
    assert_eq!(assets(&world).len(), 5);
    // The list shows it in the end: the next run and the one after the merge use it.
    world.github().state().releases.iter_mut().for_each(|release| release.hidden = 0);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    assert_eq!((made(&world), release_id(&world, VERSION)), (1, id));
}

/// Another run, which has no id to look up: it looks twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_after_one_that_died_finds_what_that_made_once_lists_catch_up() {
    let world = pinned().await;
    world.github().state().draft_lag = 4;
    world.github().fault("POST", "*/releases", 1..=1, Act::done_but_hung_up());
    let ran = world.run().await;
    failed(&ran, &["a draft of the release v1.6.2 of cozystack/cozystack", "whether it was written can't be known"]);
    assert_eq!(seen(&world, "pull"), Vec::<String>::new(), "nothing is proposed without it");
    world.run().await.must_be(State::Waiting);
    assert_eq!(made(&world), 1);
    assert_eq!(seen(&world, "release v1.6.2").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_on_a_later_page_is_found() {
    let world = waiting().await;
    for patch in 0..101 {
        world.github().state().add_release(&format!("v0.1.{patch}"), false, true);
    }
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    assert_eq!(made(&world), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_push_rights_drafts_are_not_visible_which_is_no_absence() {
    let world = waiting().await;
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let ran = with_secret(&world, READER).plan(&world.request()).await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", "drafts of v1.6.2 are not visible to this credential");
    noted(&ran, "propose", "the draft of v1.6.2 is not visible to this credential");
    assert!(!ran.told().contains("create-draft"), "{}", ran.told());
    // Two of them are no refusal, either: nobody sees them.
    world.github().state().add_release(VERSION, true, false);
    with_secret(&world, READER).plan(&world.request()).await.must_be(State::Waiting);
    world.github().state().releases.pop();
    writes.none();
    before.assert_same(&world.snapshot(), "a plan");
    // After the merge the draft is not visible, but that nothing is published is.
    world.github().merge_pull(1, How::Merge);
    let ran = with_secret(&world, READER).plan(&world.request()).await;
    ran.must_be(State::Work);
    noted(&ran, "finalize", "the draft of v1.6.2 is not visible to this credential");
    assert!(ran.told().contains("publish-release"), "{}", ran.told());
}

/// On an old line nothing else is left to do but the release: its absence must not look like its end.
#[tokio::test(flavor = "multi_thread")]
async fn a_release_that_is_not_published_is_work_to_whoever_sees_no_drafts() {
    let (world, merge) = merged().await;
    let newer = super::latest::published_before(&world, "v1.7.0");
    world.github().fault("PATCH", "*/releases/*", 1..=1, Act::status(500));
    world.run().await.must_be(State::Failed);
    assert_eq!(super::names(&world, super::TAG), merge);
    let ran = with_secret(&world, READER).plan(&world.request()).await;
    ran.must_be(State::Work);
    let finalize = ran.stage("finalize").unwrap();
    let actions: Vec<&str> = finalize.steps.iter().flat_map(|step| &step.actions).map(|action| action.verb).collect();
    assert_eq!(actions, ["publish-release"], "{}", ran.told());
    world.run().await.must_be(State::Holds);
    with_secret(&world, READER).plan(&world.request()).await.must_be(State::Holds);
    assert_eq!(world.github().state().latest, Some(newer));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_sees_no_drafts_makes_none() {
    let world = pinned().await;
    let session = with_secret(&world, READER);
    let ran = session.run(&world.request()).await;
    refused(&ran, "propose", &["this credential may not write, and what is begun here could not be ended"]);
    assert_eq!(made(&world), 0);
    nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_was_deleted_is_made_again_at_the_end() {
    let (world, _) = merged().await;
    let id = release_id(&world, VERSION);
    person(&world, "DELETE", &format!("releases/{id}"), json!({})).await;
    world.run().await.must_be(State::Holds);
    assert_ne!(release_id(&world, VERSION), id);
    assert_eq!(assets(&world).len(), 5);
    assert!(release_body(&world).contains("which was tested from end to end"), "{}", release_body(&world));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_was_deleted_waits_for_its_files_before_anything_public() {
    let (world, _) = merged().await;
    let id = release_id(&world, VERSION);
    person(&world, "DELETE", &format!("releases/{id}"), json!({})).await;
    let mut session = world.session();
    session.inputs.assets = None;
    let ran = session.run(&world.request()).await;
    super::waits(&ran, "gate", "assets", &[&super::pin(&world), STAGING, "--assets DIR"]);
    nothing_public(&world);
    assert_eq!(seen(&world, "release v1.6.2"), Vec::<String>::new());
    world.run().await.must_be(State::Holds);
}

/// Nobody would ever find it as the latest.
#[tokio::test(flavor = "multi_thread")]
async fn a_left_over_draft_that_is_marked_as_a_pre_release_is_published_as_a_release() {
    let world = fresh().await;
    let id = world.github().state().add_release(VERSION, true, true);
    world.run().await.must_be(State::Waiting);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    let mut state = world.github().state();
    let release = state.release_mut(VERSION).unwrap();
    assert_eq!((release.id, release.draft, release.prerelease), (id, false, false));
    drop(state);
    assert!(seen(&world, "release v1.6.2").iter().any(|line| line.contains(" latest")));
}
