//! The mark of the latest release, and everything else that follows the highest version over all pages.

use sealift::engine::State;

use super::{VERSION, merged, noted, on_a_line};
use crate::support::github::{Act, How};
use crate::support::world::World;

/// A stable version that was released before, and is marked as the latest. Its id.
pub fn published_before(world: &World, tag: &str) -> u64 {
    let main = super::names(world, "refs/heads/main");
    world.set_ref(&format!("refs/tags/{tag}"), &main);
    let mut state = world.github().state();
    let id = state.add_release(tag, false, false);
    state.latest = Some(id);
    id
}

/// The tag that people see marked, as the API has it.
fn marked(world: &World) -> String {
    let lines = world.github().snapshot();
    let shown: Vec<&String> =
        lines.iter().filter(|line| line.starts_with("release ") && line.contains(" latest ")).collect();
    let [line] = shown.as_slice() else { panic!("{shown:?}") };
    line.split(' ').nth(1).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_or_a_highest_version_becomes_the_latest() {
    let (world, _) = merged().await;
    published_before(&world, "v1.5.9");
    world.run().await.must_be(State::Holds);
    assert_eq!(marked(&world), VERSION);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_patch_on_an_old_line_never_drags_it_back() {
    let world = on_a_line().await;
    published_before(&world, "v1.7.0");
    let writes = super::Writes::of(&world);
    world.run().await.must_be(State::Waiting);
    world.github().merge_pull(1, How::Merge);
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "aliases follow v1.7.0, the highest published stable");
    assert_eq!(marked(&world), "v1.7.0");
    assert!(!ran.told().contains("mark-latest"), "{}", ran.told());
    // It was never the latest, not for a moment: it was published as not the latest.
    let publishing =
        writes.seen().into_iter().filter(|write| write.starts_with("PATCH ") && write.contains("/releases/"));
    assert_eq!(publishing.count(), 1);
    assert!(world.github().state().release(VERSION).unwrap().never_latest);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_the_highest_gets_it_where_nothing_is_marked() {
    let world = on_a_line().await;
    published_before(&world, "v1.7.0");
    world.github().state().latest = None;
    world.run().await.must_be(State::Waiting);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    assert_eq!(marked(&world), "v1.7.0");
    assert_eq!(world.github().state().latest, None, "there was nothing to mark");
}

/// Somebody marked an older one by hand: the highest gets the mark back, whichever run looks.
#[tokio::test(flavor = "multi_thread")]
async fn a_mark_that_somebody_dragged_back_is_put_right() {
    let (world, _) = merged().await;
    let old = published_before(&world, "v1.5.9");
    world.run().await.must_be(State::Holds);
    world.github().state().latest = Some(old);
    let ran = world.run().await;
    ran.must_be(State::Holds);
    assert_eq!(ran.acted(), ["mark-latest release v1.6.2 -> latest (expects latest is v1.5.9)"]);
    assert_eq!(marked(&world), VERSION);
}

/// Prereleases, drafts and other projects' tags are no versions, however high.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_published_stable_version_does_not_count() {
    let (world, _) = merged().await;
    {
        let mut state = world.github().state();
        state.add_release("v1.9.0-rc.1", false, true);
        state.add_release("v1.9.0", true, false);
        state.add_release("v2.0.0", false, true);
        state.add_release("nightly-2026", false, false);
    }
    world.run().await.must_be(State::Holds);
    assert_eq!(marked(&world), VERSION);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_and_one_releases_the_highest_is_on_page_two() {
    let (world, _) = merged().await;
    published_before(&world, "v1.9.0");
    for patch in 0..100 {
        world.github().state().add_release(&format!("v1.5.{patch}"), false, false);
    }
    let pages = world.github().count("GET", "*releases?*page=2*");
    assert_eq!(pages, 0);
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "aliases follow v1.9.0");
    assert_eq!(marked(&world), "v1.9.0");
    assert!(world.github().count("GET", "*releases?*page=2*") > 0);
}

/// A list that can't be read to its end is no list: no alias moves, and the release itself stays right.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_can_not_be_had_moves_nothing() {
    let (world, _) = merged().await;
    published_before(&world, "v1.9.0");
    for patch in 0..100 {
        world.github().state().add_release(&format!("v1.5.{patch}"), false, false);
    }
    let before = world.snapshot();
    world.github().fault("GET", "*releases?*page=2*", 1..=usize::MAX, Act::status(404));
    let ran = world.run().await;
    super::refused(
        &ran,
        "gate",
        &["the releases of cozystack/cozystack: the server answered 200: a further page is not there"],
    );
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "unknown is not empty");
}
