//! The process dies at a moment with a name; another machine, with a store of its own, goes on.

use std::sync::atomic::{AtomicUsize, Ordering};

use sealift::engine::State;

use super::ports::{Moment, Then, scripted};
use super::{CHART, MODULE_TAG, PACKAGES, STAGING, TAG, fresh, merged, undisturbed, waiting};
use crate::support::world::{World, WorldSnapshot};

/// Runs until the `nth` write whose name contains `what` has been done, and dies there.
async fn killed(world: &World, what: &str, nth: usize) -> WorldSnapshot {
    let seen = AtomicUsize::new(0);
    let script = |moment: Moment, name: &str| {
        let hit = moment == Moment::After && name.contains(what);
        if hit && seen.fetch_add(1, Ordering::SeqCst) + 1 == nth { Then::Die } else { Then::GoOn }
    };
    let ran = scripted(&world.session(), &world.request(), &script).await;
    assert!(ran.is_none(), "write {nth} of {what} never came\n{}", ran.unwrap().told());
    world.snapshot()
}

/// A candidate killed there before the merge, resumed elsewhere to the end.
async fn before_the_merge(what: &str, nth: usize) -> WorldSnapshot {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    let left = killed(&world, what, nth).await;
    world.run().await.must_be(State::Waiting);
    world.merge();
    world.run().await.must_be(State::Holds);
    wanted.assert_same(&world.snapshot(), what);
    left
}

/// A merged one, killed there, resumed elsewhere.
async fn after_the_merge(what: &str, nth: usize) -> WorldSnapshot {
    let (world, _) = merged().await;
    let copy = world.copy();
    copy.run().await.must_be(State::Holds);
    let left = killed(&world, what, nth).await;
    world.run().await.must_be(State::Holds);
    copy.snapshot().assert_same(&world.snapshot(), what);
    left
}

fn temporary(left: &WorldSnapshot) -> usize {
    left.0.keys().filter(|name| name.contains(":promotion-v1.6.2-from-v1.6.2-rc.1-")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_branch() {
    let left = before_the_merge(&format!("refs/heads/{STAGING}"), 1).await;
    assert!(left.0.contains_key(&format!("refs/heads/{STAGING}")));
    assert_eq!(temporary(&left), 0, "the branch is the lock: it comes before any write to a registry");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_first_blob() {
    assert_eq!(temporary(&before_the_merge(&format!("blob {PACKAGES}"), 1).await), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_blobs() {
    assert_eq!(temporary(&before_the_merge(&format!("blob {PACKAGES}"), 2).await), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_manifest() {
    assert_eq!(temporary(&before_the_merge(&format!("{PACKAGES}:promotion-"), 1).await), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_pin() {
    let left = before_the_merge(&format!("refs/heads/{STAGING}"), 2).await;
    assert_eq!(temporary(&left), 1);
    assert_eq!(super::public(&left), Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn between_any_two_image_tags() {
    let (world, _) = merged().await;
    let copy = world.copy();
    copy.run().await.must_be(State::Holds);
    let wanted = copy.snapshot();
    let tags = wanted.0.keys().filter(|name| name.starts_with("tag ") && name.ends_with("v1.6.2")).count();
    assert!(tags > 5, "{tags} tags");
    for nth in 1..=tags {
        let world = world.copy();
        let left = killed(&world, "v1.6.2", nth).await;
        let there = left.0.keys().filter(|name| name.starts_with("tag ") && name.ends_with("v1.6.2")).count();
        assert_eq!(there, nth);
        assert!(!left.0.contains_key(TAG) && !left.0.contains_key(MODULE_TAG) && left.tag(CHART).is_none());
        world.run().await.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), &format!("after tag {nth}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn between_chart_and_module_tag() {
    let left = after_the_merge(CHART, 1).await;
    assert!(left.tag(CHART).is_some());
    assert!(!left.0.contains_key(MODULE_TAG) && !left.0.contains_key("refs/heads/release-1.6"));
}

#[tokio::test(flavor = "multi_thread")]
async fn between_module_tag_and_git_tag() {
    let left = after_the_merge(MODULE_TAG, 1).await;
    assert!(left.0.contains_key(MODULE_TAG) && !left.0.contains_key(TAG));
}

#[tokio::test(flavor = "multi_thread")]
async fn between_git_tag_and_line() {
    let left = after_the_merge(TAG, 1).await;
    assert!(left.0.contains_key(TAG) && !left.0.contains_key("refs/heads/release-1.6"));
}

/// The base was frozen as the default branch, and now the line exists.
#[tokio::test(flavor = "multi_thread")]
async fn between_line_and_release_with_the_staging_branch_deleted() {
    let (world, _) = merged().await;
    world.delete_branch(STAGING);
    let copy = world.copy();
    copy.run().await.must_be(State::Holds);
    killed(&world, "refs/heads/release-1.6", 1).await;
    world.run().await.must_be(State::Holds);
    copy.snapshot().assert_same(&world.snapshot(), "the base is the frozen one");
    assert!(!world.snapshot().0.contains_key(&format!("refs/heads/{STAGING}")));
}

#[tokio::test(flavor = "multi_thread")]
async fn between_line_and_release() {
    let left = after_the_merge("refs/heads/release-1.6", 1).await;
    assert!(left.0.contains_key(TAG) && left.0.contains_key("refs/heads/release-1.6"));
    assert!(!left.0.keys().any(|name| name.ends_with(":latest")), "{left}");
    let draft = |name: &String| name.starts_with("github release v1.6.2 \"v1.6.2\" draft ");
    assert!(left.0.keys().any(draft), "{left}");
}

#[tokio::test(flavor = "multi_thread")]
async fn between_any_two_aliases() {
    let left = after_the_merge(":latest", 2).await;
    assert_eq!(left.0.keys().filter(|name| name.ends_with(":latest")).count(), 2);
}

/// Also where the process died before the write it had announced.
#[tokio::test(flavor = "multi_thread")]
async fn before_the_pin_is_pushed() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    let seen = AtomicUsize::new(0);
    let script = |moment: Moment, name: &str| {
        let hit = moment == Moment::Before && name.ends_with(STAGING);
        if hit && seen.fetch_add(1, Ordering::SeqCst) == 1 { Then::Die } else { Then::GoOn }
    };
    assert!(scripted(&world.session(), &world.request(), &script).await.is_none());
    world.promote().await;
    wanted.assert_same(&world.snapshot(), "the pin was never pushed");
}

/// A resumed run writes what was left, and nothing again.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_run_repeats_no_write() {
    let world = waiting().await;
    world.merge();
    killed(&world, "v1.6.2", 3).await;
    let ran = world.run().await;
    ran.must_be(State::Holds);
    let tags = ran.acted().iter().filter(|action| action.contains(":v1.6.2 ")).count();
    let all = world.snapshot().0.keys().filter(|name| name.starts_with("tag ") && name.ends_with(":v1.6.2")).count();
    assert!(tags <= all - 2, "{tags} of {all}\n{}", ran.acted().join("\n"));
}
