//! Two runners at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealift::engine::State;
use sealift::model::Rc;
use sealift::promotion::locate::Request;
use tokio::sync::Notify;

use super::ports::{Moment, Then, scripted};
use super::{STAGING, fresh, nothing_public, refused, undisturbed, waiting};
use crate::support::world::{MAIN, Ran, World};

fn second() -> Rc {
    "1.6.2-rc.2".parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_one_candidate_both_succeed_and_the_world_is_the_same() {
    for _ in 0..3 {
        let world = fresh().await;
        let wanted = undisturbed(&world).await;
        let (one, two) = tokio::join!(world.run(), world.run());
        // GitHub takes two drafts of one tag: the later one is taken back, and who sees both meanwhile stops.
        for ran in [one, two] {
            let both = ran.told().contains("there are 2 drafts of v1.6.2");
            ran.must_be(if both { State::Refused } else { State::Waiting });
        }
        world.run().await.must_be(State::Waiting);
        world.merge();
        let (one, two) = tokio::join!(world.run(), world.run());
        one.must_be(State::Holds);
        two.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), "two runners, one candidate");
    }
}

/// Lets a runner stand still at a moment, until another one is through.
async fn overtaken<F: Future<Output = Ran>>(
    world: &World,
    request: &Request,
    (at, name, nth): (Moment, &str, usize),
    other: impl FnOnce() -> F,
) -> (Ran, Ran) {
    let (reached, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let seen = AtomicUsize::new(0);
    let script = |moment: Moment, what: &str| {
        let hit = moment == at && what.contains(name);
        if hit && seen.fetch_add(1, Ordering::SeqCst) + 1 == nth {
            reached.notify_one();
            return Then::Stand(go.clone());
        }
        Then::GoOn
    };
    let session = world.session();
    let slow = scripted(&session, request, &script);
    let fast = async {
        reached.notified().await;
        let ran = other().await;
        go.notify_one();
        ran
    };
    let (slow, fast) = tokio::join!(slow, fast);
    (slow.unwrap(), fast)
}

#[tokio::test(flavor = "multi_thread")]
async fn with_one_candidate_overtaken_at_any_kind_of_write() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    for nth in [1, 2] {
        let world = world.copy();
        let (slow, fast) =
            overtaken(&world, &world.request(), (Moment::Before, STAGING, nth), async || world.run().await).await;
        slow.must_be(State::Waiting);
        fast.must_be(State::Waiting);
        world.merge();
        world.run().await.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), &format!("overtaken at write {nth}"));
    }
    let world = waiting().await;
    world.merge();
    for name in [":v1.6.2", super::CHART, super::MODULE_TAG, "refs/heads/release-1.6", super::TAG, ":latest"] {
        let world = world.copy();
        let (slow, fast) =
            overtaken(&world, &world.request(), (Moment::Before, name, 1), async || world.run().await).await;
        slow.must_be(State::Holds);
        fast.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), &format!("overtaken at {name}"));
    }
}

/// Whatever is looked at next, the other may have written it since the last look.
#[tokio::test(flavor = "multi_thread")]
async fn with_one_candidate_overtaken_between_two_looks() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    for nth in [1, 2] {
        let world = world.copy();
        let at = (Moment::Look, ":promotion-", nth);
        let (slow, fast) = overtaken(&world, &world.request(), at, async || world.run().await).await;
        slow.must_be(State::Waiting);
        fast.must_be(State::Waiting);
        world.merge();
        world.run().await.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), &format!("overtaken at look {nth}"));
    }
    let world = waiting().await;
    world.merge();
    for (name, nth) in
        [("kamaji:v1.6.2", 1), ("kamaji:v1.6.2", 2), (super::CHART, 1), (super::CHART, 2), (":latest", 1)]
    {
        let world = world.copy();
        let at = (Moment::Look, name, nth);
        let (slow, fast) = overtaken(&world, &world.request(), at, async || world.run().await).await;
        slow.must_be(State::Holds);
        fast.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), &format!("overtaken at look {nth} of {name}"));
    }
}

/// The first to create the branch has it.
#[tokio::test(flavor = "multi_thread")]
async fn with_two_candidates_the_one_that_comes_second_to_the_branch_is_refused() {
    let world = fresh().await.cut(second(), MAIN).await;
    let (first, second) = (Request::Candidate("1.6.2-rc.1".parse().unwrap()), Request::Candidate(second()));
    for (slow, fast, held) in [(first, second, "v1.6.2-rc.2"), (second, first, "v1.6.2-rc.1")] {
        let world = world.copy();
        let alone = world.copy();
        alone.session().run(&fast).await.must_be(State::Waiting);
        let (slow, fast) =
            overtaken(&world, &slow, (Moment::Before, STAGING, 1), async || world.session().run(&fast).await).await;
        fast.must_be(State::Waiting);
        refused(&slow, "commit", &[&format!("release-1.6.2 is held by the promotion of {held}")]);
        assert!(slow.acted().is_empty(), "{:?}", slow.acted());
        alone.snapshot().assert_same(&world.snapshot(), "nothing of the other is overridden");
    }
}

/// The second candidate supersedes the first between the first's push and its pin.
#[tokio::test(flavor = "multi_thread")]
async fn with_two_candidates_the_superseded_one_stops_at_its_pin() {
    let world = fresh().await.cut(second(), MAIN).await;
    let first = Request::Candidate("1.6.2-rc.1".parse().unwrap());
    let (slow, fast) = overtaken(&world, &first, (Moment::Before, STAGING, 2), async || world.run().await).await;
    fast.must_be(State::Waiting);
    refused(&slow, "pin", &["release-1.6.2 is held by the promotion of v1.6.2-rc.2"]);
    nothing_public(&world);
    let again = world.run().await;
    again.must_be(State::Waiting);
    assert!(again.acted().is_empty(), "the second's branch is as it left it: {:?}", again.acted());
}

#[tokio::test(flavor = "multi_thread")]
async fn with_two_candidates_at_once_one_is_promoted() {
    let world = fresh().await.cut(second(), MAIN).await;
    let (one, two) = (world.session(), world.session());
    let (first, second) = (Request::Candidate("1.6.2-rc.1".parse().unwrap()), Request::Candidate(second()));
    let (one, two) = tokio::join!(one.run(&first), two.run(&second));
    let states = [one.state.as_ref().unwrap(), two.state.as_ref().unwrap()];
    // The second may come later and supersede the first, which then is refused or already waits.
    assert!(states.contains(&&State::Waiting), "{}{}", one.told(), two.told());
    assert!(states.iter().all(|state| [State::Waiting, State::Refused].contains(state)), "{states:?}");
    nothing_public(&world);
    world.run().await.must_be(State::Waiting);
    world.merge();
    world.run().await.must_be(State::Holds);
}
