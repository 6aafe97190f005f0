//! Writes that a limit turns away: looked at again before they are repeated.

use std::sync::{Arc, Weak};

use sealift::engine::State;

use super::replaced::replacing;
use super::{BUILT, VERSION, asset, assets, calls, pinned, release_id, seen, waiting};
use crate::support::github::Act;
use crate::support::world::World;

/// A limit, and what somebody does meanwhile.
fn limit(world: &Arc<World>, method: &str, target: &str, meanwhile: impl Fn(&World) + Send + Sync + 'static) {
    let weak: Weak<World> = Arc::downgrade(world);
    world.github().fault(method, target, 1..=1, Act::before(move || meanwhile(&weak.upgrade().unwrap())));
    world.github().fault(method, target, 1..=1, Act::secondary_limit(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_somebody_made_meanwhile_is_not_made_again() {
    let world = Arc::new(pinned().await);
    limit(&world, "POST", "*/releases", |world| {
        world.github().state().add_release(VERSION, true, false);
    });
    world.run().await.must_be(State::Waiting);
    assert_eq!(calls(&world, "POST", "/releases"), 1, "the one that was turned away");
    assert_eq!((seen(&world, "release v1.6.2").len(), assets(&world).len()), (1, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_somebody_changed_meanwhile_is_not_overwritten() {
    let world = Arc::new(waiting().await);
    let rest = |body: &str| body.replacen("Nothing is rebuilt", "Nothing was rebuilt", 1);
    let stale = rest(&super::pull_body(&world, 1));
    world.github().state().pull_mut(1).unwrap().body = Some(stale.clone());
    let theirs = format!("{stale}\nA person's words.\n");
    let words = theirs.clone();
    limit(&world, "PATCH", "*/pulls/1", move |world| {
        world.github().state().pull_mut(1).unwrap().body = Some(words.clone());
    });
    let ran = world.run().await;
    assert_ne!(ran.state.as_ref().ok(), Some(&State::Holds));
    assert!(super::pull_body(&world, 1).contains("A person's words."));
    world.run().await.must_be(State::Waiting);
    let body = super::pull_body(&world, 1);
    assert!(body.contains("A person's words.") && body.contains("Nothing is rebuilt"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_write_goes_on_after_a_limit() {
    let world = Arc::new(pinned().await);
    for (method, target) in [
        ("POST", "*/releases"),
        ("POST", "*/assets?name=cozypkg-linux*"),
        ("POST", "*/assets?name=sealift.json"),
        ("POST", "*/pulls"),
        ("POST", "*/labels"),
    ] {
        limit(&world, method, target, |_| {});
    }
    world.run().await.must_be(State::Waiting);
    assert_eq!((calls(&world, "POST", "/releases"), assets(&world).len()), (2, 5));
    // A file that takes the place of another: what was there is off already when the limit comes.
    limit(&world, "DELETE", "*/assets/*", |_| {});
    world.github().heal();
    limit(&world, "POST", "*/assets?name=cozypkg-linux*", |_| {});
    replacing(&world).run(&world.request()).await.must_be(State::Waiting);
    assert_eq!(asset(&world, BUILT), b"built elsewhere\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_lasts_is_told_and_nothing_is_written() {
    let world = pinned().await;
    world.github().fault("POST", "*/releases", 1..=usize::MAX, Act::secondary_limit(0));
    let ran = world.run().await;
    super::failed(&ran, &["refused with 403 for now", "secondary rate limit"]);
    assert_eq!(calls(&world, "POST", "/releases"), 5);
    world.github().heal();
    world.run().await.must_be(State::Waiting);
    assert!(release_id(&world, VERSION) > 0);
}
