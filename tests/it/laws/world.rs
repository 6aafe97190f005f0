//! The world itself: complete, the same every time, and promoted to the end.

use sealift::engine::State;

use crate::support::world::{Case, MAIN, World, shipped};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_second_candidate_takes_the_place_of_the_first() {
    for shipped in shipped() {
        let world = World::build(&Case::of(&shipped)).await;
        world.run().await.must_be(State::Waiting);
        let allowed = shipped.pipeline.allowed_paths.iter().map(|glob| glob.replace("**", "v1.6.2.md")).next();
        if let Some(path) = &allowed {
            world.person_commits(world.names().staging.short(), path, "what is new\n");
        }
        let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
        world.promote().await;
        let merge = world.names_of(world.names().git_tag.as_str()).unwrap();
        if let Some(path) = &allowed {
            let kept = world.sandbox.git(&world.origin(), &["show", &format!("{merge}:{path}")]);
            assert_eq!(kept, "what is new");
        }
        let snapshot = world.snapshot();
        for (name, digest) in &world.images {
            assert_eq!(snapshot.tag(name), Some(digest.to_string().as_str()), "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_line_after_a_newer_one_leaves_the_aliases() {
    for shipped in shipped() {
        let world = World::build(&Case::of(&shipped).rc("1.7.0-rc.1")).await;
        let older = world.names_of(&format!("refs/heads/{MAIN}")).unwrap();
        world.promote().await;
        world.set_ref("refs/heads/release-1.6", &older);
        let aliases = |world: &World| {
            let mut tags = world.snapshot().0;
            tags.retain(|name, _| name.starts_with("tag ") && name.ends_with(":latest"));
            tags
        };
        let before = aliases(&world);
        assert_eq!(before.is_empty(), shipped.pipeline.aliases.images.is_empty());
        let world = world.cut("1.6.2-rc.1".parse().unwrap(), "release-1.6").await;
        assert_eq!(world.names().base.short(), "release-1.6");
        world.promote().await;
        assert_eq!(aliases(&world), before);
    }
}

/// The real tree, with real indexes for all that it pins.
#[tokio::test(flavor = "multi_thread")]
async fn the_real_tree_is_promoted() {
    if crate::refs::shared().is_none() {
        return;
    }
    let shipped = shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap();
    let dir = crate::real::tree::golden().unwrap();
    let world = World::from_tree(&Case::of(&shipped), dir.path(), "1.6.2-rc.1").await;
    assert_eq!(world.images.len(), 42);
    world.promote().await;
    let snapshot = world.snapshot();
    for (name, digest) in &world.images {
        assert_eq!(snapshot.tag(name), Some(digest.to_string().as_str()), "{name}");
    }
}
