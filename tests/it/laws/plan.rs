//! A plan writes nothing, at every point of a promotion, and its state says where that is.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use sealift::engine::State;

use super::Undisturbed;
use crate::support::crash::{Death, Writes};
use crate::support::world::{World, shipped};

/// Every path below a directory with its kind, bytes, mode and the moment it was last written to.
fn bytes_of(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![dir.to_owned()];
    while let Some(path) = left.pop() {
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let content = if meta.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        if meta.is_dir() {
            left.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let digest = sealift::model::Digest::of(&content);
        found.push(format!("{} {:o} {}.{} {digest}", path.display(), meta.mode(), meta.mtime(), meta.mtime_nsec()));
    }
    found.sort();
    found
}

async fn writes_nothing(world: &World, state: State, when: &str) {
    let look = || [bytes_of(&world.origin()), bytes_of(&world.registry())];
    let before = look();
    world.plan().await.must_be(state);
    world.session().verify(&world.request()).await;
    let output = sealift(world, "plan");
    assert_eq!(output.status.code(), Some(i32::from(state.exit_code())), "{when}: {output:?}");
    let status = sealift(world, "status");
    assert_eq!(status.status.code(), Some(i32::from(state.exit_code())), "{when}: {status:?}");
    assert_eq!(before, look(), "{when}: a plan wrote something");
}

fn sealift(world: &World, command: &str) -> std::process::Output {
    let mut sealift: Command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path(""));
    sealift.arg(command).arg(format!("v{}", world.rc)).args(world.arguments());
    sealift.output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_writes_nothing_at_any_point() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let world = undisturbed.fresh.copy();
        writes_nothing(&world, State::Work, "fresh").await;
        for (stage, state) in [("commit", State::Work), ("push", State::Work), ("pin", State::Waiting)] {
            world.session().run_until(&world.request(), stage).await.must_be(State::Holds);
            writes_nothing(&world, state, stage).await;
        }
        world.run().await.must_be(State::Waiting);
        writes_nothing(&world, State::Waiting, "waiting").await;
        let world = undisturbed.merged.copy();
        writes_nothing(&world, State::Work, "merged").await;
        let images = undisturbed.after.effects.lock().unwrap().iter().position(|e| e.kind == Writes::Log).unwrap();
        let death = Death::after(images / 2);
        let ran = world.session().run_watched(&world.request(), &death).await;
        assert!(death.came() && !matches!(ran.state, Ok(State::Holds)));
        writes_nothing(&world, State::Work, "half retagged").await;
        world.run().await.must_be(State::Holds);
        writes_nothing(&world, State::Holds, "done").await;
    }
}
