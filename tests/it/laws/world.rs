//! The world itself: complete, the same every time, and promoted to the end.

use sealift::engine::State;

use crate::support::world::{Case, World, shipped};

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_of_every_pipeline_is_promoted() {
    for shipped in shipped() {
        for case in [Case::of(&shipped), Case::of(&shipped).on_a_line()] {
            let world = World::build(&case).await;
            world.plan().await.must_be(State::Work);
            world.promote().await;
            world.plan().await.must_be(State::Holds);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_is_the_same_every_time_and_its_copy_too() {
    for shipped in shipped() {
        let world = World::build(&Case::of(&shipped)).await;
        let again = World::build(&Case::of(&shipped)).await;
        world.snapshot().assert_same(&again.snapshot(), "built twice");
        world.snapshot().assert_same(&world.copy().snapshot(), "copied");
        world.copy().promote().await;
        assert_ne!(world.snapshot(), Default::default());
        world.snapshot().assert_same(&again.snapshot(), "a copy is another world");
    }
}
