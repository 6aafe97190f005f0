//! Twice is once: a second run, from any machine, writes nothing, whatever the host or retention
//! took away in between.

use sealift::engine::State;
use sealift::promotion::locate::Request;

use super::Undisturbed;
use crate::support::crash::{Count, Death, Effect, Writes};
use crate::support::github::How;
use crate::support::world::{Case, World, shipped};

/// Runs from a fresh machine and requires that nothing is written.
async fn nothing_is_left(world: &World, request: &Request, state: State, when: &str) {
    let before = (world.snapshot(), world.forge_writes());
    // What people brought the first time isn't asked for again.
    for assets in [world.assets(), None] {
        let count = Count::default();
        let mut session = world.session();
        session.inputs.assets = assets;
        let ran = session.run_watched(request, &count).await;
        ran.must_be(state);
        let effects = count.effects.into_inner().unwrap();
        assert!(effects.is_empty(), "{when}: {effects:?}\n{}", ran.told());
    }
    before.0.assert_same(&world.snapshot(), when);
    assert_eq!(before.1, world.forge_writes(), "{when}: GitHub was asked for a write");
}

fn temporary_tag(world: &World) -> String {
    let snapshot = world.snapshot();
    let name = snapshot.0.keys().find(|name| name.contains(":promotion-")).expect("a temporary tag");
    name.strip_prefix("tag ").unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_writes_nothing() {
    for shipped in shipped() {
        let world = World::build(&Case::of(&shipped)).await;
        let version = Request::Version(world.rc.stable);
        world.run().await.must_be(State::Waiting);
        for request in [world.request(), version] {
            nothing_is_left(&world, &request, State::Waiting, "waiting").await;
        }
        world.merge();
        world.run().await.must_be(State::Holds);
        for request in [world.request(), version] {
            nothing_is_left(&world, &request, State::Holds, "done").await;
        }
        world.delete_branch(world.names().staging.short());
        nothing_is_left(&world, &world.request(), State::Holds, "done, staging branch deleted").await;
        world.remove_tag(&temporary_tag(&world));
        nothing_is_left(&world, &world.request(), State::Holds, "done, temporary tag gone too").await;
        nothing_is_left(&world, &version, State::Holds, "done, by version").await;
        world.advance_base("elsewhere.md");
        nothing_is_left(&world, &version, State::Holds, "done, and the base moved on").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_took_away_at_the_merge_is_not_made_again() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let world = undisturbed.merged.copy();
        let staging = world.names().staging;
        let temporary = temporary_tag(&world);
        world.delete_branch(staging.short());
        world.remove_tag(&temporary);
        world.run().await.must_be(State::Holds);
        let mut expected = undisturbed.last.clone();
        expected.0.remove(staging.as_str());
        expected.0.remove(&format!("tag {temporary}"));
        expected.assert_same(&world.snapshot(), "without branch and temporary tag");
        nothing_is_left(&world, &world.request(), State::Holds, "again").await;
    }
}

/// The button on GitHub, in a repository that deletes the branch at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_merge_on_the_host_that_deletes_the_branch_is_enough() {
    for shipped in shipped().into_iter().filter(|shipped| shipped.forge() == "github") {
        let world = World::build(&Case::of(&shipped)).await;
        world.github().state().repository.delete_branch_on_merge = true;
        world.run().await.must_be(State::Waiting);
        let number = world.github().state().pulls[0].number;
        let merge = world.github().merge_pull(number, How::Merge);
        let staging = world.names().staging;
        assert_eq!(world.names_of(staging.as_str()), None, "the host deletes the branch");
        let before = world.forge_writes();
        world.run().await.must_be(State::Holds);
        assert_eq!(world.names_of(world.names().git_tag.as_str()), Some(merge));
        assert_eq!(world.names_of(staging.as_str()), None, "and it is not made again");
        assert_eq!(world.forge_writes() - before, 2, "published, and marked as the latest");
        for request in [world.request(), Request::Version(world.rc.stable)] {
            nothing_is_left(&world, &request, State::Holds, "merged on the host").await;
        }
    }
}

/// A run that died right after any effect from publishing on, run again, and then once more.
#[tokio::test(flavor = "multi_thread")]
async fn a_rerun_past_publishing_is_the_last() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let publishes = |effect: &Effect| match shipped.forge() {
            "github" => effect.kind == Writes::Forge("publish-release"),
            _ => effect.what == undisturbed.merged.names().git_tag.as_str(),
        };
        let published = undisturbed.after.effects.lock().unwrap().iter().position(publishes).unwrap() + 1;
        for number in [published, undisturbed.after.effects() - 1] {
            let world = undisturbed.merged.copy();
            let death = Death::after(number);
            world.session().run_watched(&world.request(), &death).await;
            assert!(death.came());
            world.run().await.must_be(State::Holds);
            undisturbed.last.assert_same(&world.snapshot(), &format!("died after effect {number}"));
            nothing_is_left(&world, &world.request(), State::Holds, "and once more").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fast_forward_is_a_merge() {
    for shipped in shipped() {
        for case in [Case::of(&shipped), Case::of(&shipped).on_a_line()] {
            let world = World::build(&case).await;
            world.run().await.must_be(State::Waiting);
            let merge = world.fast_forward();
            world.run().await.must_be(State::Holds);
            assert_eq!(world.names_of(world.names().git_tag.as_str()).as_ref(), Some(&merge));
            world.delete_branch(world.names().staging.short());
            nothing_is_left(&world, &world.request(), State::Holds, "fast-forwarded").await;
            world.advance_base("elsewhere.md");
            nothing_is_left(&world, &world.request(), State::Holds, "fast-forwarded, base moved on").await;
        }
    }
}
