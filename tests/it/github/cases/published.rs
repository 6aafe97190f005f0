//! Somebody else publishes, by hand or under our name.

use sealift::engine::State;
use serde_json::{Value, json};

use super::{
    Change, RECORD, TAG, VERSION, Writes, fresh, merged, names, noted, person, pin, public, refused, release_body,
    release_id, waiting,
};
use crate::support::github::{Act, How};
use crate::support::world::World;

/// A person presses the button.
async fn publish(world: &World) -> Value {
    person(world, "PATCH", &format!("releases/{}", release_id(world, VERSION)), json!({"draft": false})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_that_is_there_before_everything_is_refused() {
    let world = fresh().await;
    super::latest::published_before(&world, VERSION);
    world.sandbox.git(&world.origin(), &["update-ref", "-d", TAG]);
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let ran = world.run().await;
    let texts = [
        "the release v1.6.2 is published already",
        "https://github.test/cozystack/cozystack/releases/tag/v1.6.2",
        "find out who published it: what is public is never replaced; release the next version",
    ];
    super::refused_untouched(&ran, "gate", &texts, &before, &world);
    writes.none();
}

/// GitHub makes the tag then, where the draft says: at the pin, which is no merge.
#[tokio::test(flavor = "multi_thread")]
async fn a_draft_published_by_hand_before_the_merge_is_refused_then_and_after_it() {
    let world = waiting().await;
    publish(&world).await;
    assert_eq!(names(&world, TAG), pin(&world));
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let ran = world.run().await;
    let texts = [
        "the release v1.6.2 is published already",
        "the git tag v1.6.2 exists and is not this release's",
        "nothing is merged yet",
    ];
    refused(&ran, "gate", &texts);
    assert!(ran.acted().is_empty());
    writes.none();
    before.assert_same(&world.snapshot(), "refused");
    world.github().merge_pull(1, How::Merge);
    let before = public(&world);
    refused(&world.run().await, "gate", &["the git tag v1.6.2 exists and is not this release's"]);
    assert_eq!(public(&world), before);
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_published_by_hand_after_the_merge_is_refused_before_any_other_name() {
    let (world, merge) = merged().await;
    publish(&world).await;
    let (before, writes) = (public(&world), Writes::of(&world));
    let ran = world.run().await;
    let place = format!("refs/tags/v1.6.2 at {}; the merge is {merge}", pin(&world));
    refused(&ran, "gate", &["the git tag v1.6.2 exists and is not this release's", &place]);
    assert!(ran.acted().is_empty());
    assert_eq!(public(&world), before);
    writes.none();
    // The tag moved by the one who made it, everything else is as it must be.
    world.set_ref(TAG, &merge);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.github().state().release(VERSION).unwrap().assets.len(), 5);
}

/// Our tag, our files: it only was quicker than we.
#[tokio::test(flavor = "multi_thread")]
async fn a_draft_published_by_hand_once_its_tag_is_there_is_ours() {
    let (world, _) = merged().await;
    world.github().fault("PATCH", "*/releases/*", 1..=1, Act::status(500));
    world.run().await.must_be(State::Failed);
    let body = release_body(&world);
    person(
        &world,
        "PATCH",
        &format!("releases/{}", release_id(&world, VERSION)),
        json!({"draft": false, "body": "By hand."}),
    )
    .await;
    let ran = world.run().await;
    ran.must_be(State::Holds);
    assert_eq!(release_body(&world), "By hand.", "what is public is theirs: it was {body}");
    assert!(world.run().await.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_under_our_tag_is_refused_before_any_other_name() {
    let cases: [(&str, Change, &str); 3] = [
        ("without files", |world| world.github().state().release_mut(VERSION).unwrap().assets.clear(), {
            "it has no sealift.json"
        }),
        (
            "of another promotion",
            |world| other_record(world),
            "its record is of 0123456789abcdef0123456789abcdef01234567",
        ),
        ("with a file more", |world| super::add_asset(world, "x"), { "x is not recorded" }),
    ];
    let (world, merge) = merged().await;
    for (what, change, text) in cases {
        let world = world.copy();
        world.set_ref(TAG, &merge);
        publish(&world).await;
        change(&world);
        let (before, writes) = (world.snapshot(), Writes::of(&world));
        let ran = world.run().await;
        refused(&ran, "gate", &[text]);
        assert!(ran.acted().is_empty(), "{what}");
        writes.none();
        before.assert_same(&world.snapshot(), what);
    }
}

fn other_record(world: &World) {
    let mut state = world.github().state();
    let release = state.release_mut(VERSION).unwrap();
    let asset = release.assets.iter_mut().find(|asset| asset.name == RECORD).unwrap();
    let mut record: Value = serde_json::from_slice(&asset.bytes).unwrap();
    record["commit"] = "0123456789abcdef0123456789abcdef01234567".into();
    let bytes = record.to_string().into_bytes();
    asset.digest = Some(sealift::model::Digest::of(&bytes).to_string());
    asset.bytes = bytes.into();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_is_left_over_beside_the_release_is_told() {
    let world = super::done().await;
    let id = world.github().state().add_release(VERSION, true, false);
    let before = world.snapshot();
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "a draft of v1.6.2 is left over: https://github.test/");
    assert!(ran.acted().is_empty() && id > 0);
    before.assert_same(&world.snapshot(), "it is for a person to delete");
}

/// A repository of immutable releases takes files before publication alone, which is when they come.
#[tokio::test(flavor = "multi_thread")]
async fn immutable_releases_are_no_obstacle() {
    let (world, _) = merged().await;
    world.github().state().repository.immutable_releases = true;
    world.run().await.must_be(State::Holds);
    assert!(world.github().state().release(VERSION).unwrap().immutable);
    assert!(world.run().await.acted().is_empty());
}
