//! A squash or a rebase by the button: refused with the way on, which works.

use sealift::engine::State;

use super::{RC, STAGING, TAG, names, noted, nothing_public, refused, seen, staging, waiting};
use crate::support::github::How;
use crate::support::world::World;

/// The second pull request is opened, named, merged, and everything else follows.
async fn goes_on(world: &World, at: &str) {
    assert_eq!(names(world, "refs/heads/main"), at);
    let ran = world.run().await;
    let texts = [
        "main has the promotion's content without its commits: it was squashed or rebased",
        at,
        "merge https://github.test/cozystack/cozystack/pull/2",
        "with a merge commit",
    ];
    refused(&ran, "wait", &texts);
    nothing_public(world);
    {
        let state = world.github().state();
        let pull = state.pull(2).unwrap();
        assert!(pull.open && pull.labels == ["release"] && pull.base_ref == "main", "{pull:?}");
    }
    let again = world.run().await;
    refused(&again, "wait", &texts);
    assert!(again.acted().is_empty(), "one more is enough: {:?}", again.acted());
    let merge = world.github().merge_pull(2, How::Merge);
    world.run().await.must_be(State::Holds);
    assert_eq!(names(world, TAG), merge);
    assert_eq!(seen(world, "pull").len(), 2);
    assert!(world.run().await.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_squash_is_refused_and_a_second_pull_request_goes_through() {
    let world = waiting().await;
    let at = world.github().merge_pull(1, How::Squash);
    // A plan says it without opening anything.
    let plan = world.plan().await;
    refused(
        &plan,
        "wait",
        &["it was squashed or rebased", "run sealift again: it proposes release-1.6.2 a second time"],
    );
    goes_on(&world, &at).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebase_is_refused_and_a_second_pull_request_goes_through() {
    let world = waiting().await;
    let at = world.github().merge_pull(1, How::Rebase);
    goes_on(&world, &at).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_squash_that_deleted_the_branch_is_refused_and_goes_on() {
    for how in [How::Squash, How::Rebase] {
        let world = waiting().await;
        let before = staging(&world);
        world.github().state().repository.delete_branch_on_merge = true;
        let at = world.github().merge_pull(1, how);
        assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), None);
        let plan = world.plan().await;
        noted(&plan, "gate", "it was squashed or rebased");
        goes_on(&world, &at).await;
        let on_the_way = world.sandbox.git(&world.origin(), &["rev-list", TAG]);
        assert!(on_the_way.contains(&before), "{how:?}: the commits of {RC} are the same ones");
    }
}
