//! What can't be known is neither absent nor permission.

use std::sync::atomic::{AtomicUsize, Ordering};

use sealift::engine::State;

use super::ports::{Moment, Then, scripted};
use super::{CHART, TAG, fresh, image_tags, merged, public};

const KAMAJI: &str = "ghcr.io/cozystack/cozystack/kamaji:v1.6.2";

#[tokio::test(flavor = "multi_thread")]
async fn one_image_of_many_withholds_everything_after_its_kind_and_none_of_it() {
    let (world, _) = merged().await;
    let copy = world.copy();
    copy.run().await.must_be(State::Holds);
    let wanted = copy.snapshot();
    let script = |moment: Moment, name: &str| match moment {
        Moment::Look if name == KAMAJI => Then::Unknown,
        _ => Then::GoOn,
    };
    let ran = scripted(&world.session(), &world.request(), &script).await.unwrap();
    assert_eq!(ran.must_be(State::Failed).end().unwrap().state.exit_code(), 1);
    assert!(ran.told().contains("kamaji:v1.6.2") && ran.told().contains("too many requests"), "{}", ran.told());
    assert_eq!(ran.end().unwrap().left, ["retag", "finalize"]);
    let left = world.snapshot();
    let (there, all) = (image_tags(&left), image_tags(&wanted));
    assert_eq!(there.len() + 1, all.len(), "all the others");
    assert!(!there.contains(&KAMAJI.to_owned()));
    assert!(left.tag(CHART).is_none() && !left.0.contains_key(TAG));
    assert!(!left.0.keys().any(|name| name.ends_with(":latest")));
    // Healed: the one that was left, and what comes after.
    let healed = world.run().await;
    healed.must_be(State::Holds);
    let stable = healed.acted().iter().filter(|action| action.contains(":v1.6.2 ")).count();
    assert_eq!(stable, 1, "{:?}", healed.acted());
    wanted.assert_same(&world.snapshot(), "healed");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_gate_it_refuses_before_the_first_write() {
    let world = fresh().await;
    let before = world.snapshot();
    let script = |moment: Moment, name: &str| match moment {
        Moment::Look if name == KAMAJI => Then::Unknown,
        _ => Then::GoOn,
    };
    let ran = scripted(&world.session(), &world.request(), &script).await.unwrap();
    super::refused_untouched(&ran, "gate", &[KAMAJI, "too many requests"], &before, &world);
}

/// The look right before a write counts as much as the plan's.
#[tokio::test(flavor = "multi_thread")]
async fn right_before_the_write_nothing_is_written_there() {
    let (world, _) = merged().await;
    let looks = AtomicUsize::new(0);
    let script = |moment: Moment, name: &str| {
        let second = moment == Moment::Look && name == KAMAJI && looks.fetch_add(1, Ordering::SeqCst) == 1;
        if second { Then::Unknown } else { Then::GoOn }
    };
    let ran = scripted(&world.session(), &world.request(), &script).await.unwrap();
    ran.must_be(State::Failed);
    let left = world.snapshot();
    assert_eq!(left.tag(KAMAJI), None);
    assert!(public(&left).len() > 5 && left.tag(CHART).is_none());
    world.run().await.must_be(State::Holds);
}

/// The write was made, and its answer lost.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_lost_is_looked_for() {
    let (world, _) = merged().await;
    let script = |moment: Moment, name: &str| match moment {
        Moment::After if name == KAMAJI || name == CHART => Then::Unknown,
        _ => Then::GoOn,
    };
    scripted(&world.session(), &world.request(), &script).await.unwrap().must_be(State::Holds);
    assert!(world.snapshot().tag(KAMAJI).is_some());
}
