//! A plan writes nothing, at every point of a promotion, and its state says where that is.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use sealift::engine::State;

use super::Undisturbed;
use crate::support::crash::{Death, Writes};
use crate::support::github::FakeGitHub;
use crate::support::world::hosted::{READER, TOKEN, client};
use crate::support::world::{MAIN, World, shipped};

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
    let look = || {
        let hosted = world.hosted().map(FakeGitHub::snapshot).unwrap_or_default();
        [bytes_of(&world.origin()), bytes_of(&world.registry()), hosted, vec![world.forge_writes().to_string()]]
    };
    let before = look();
    world.plan().await.must_be(state);
    world.session().verify(&world.request()).await;
    exits(world, "plan", Some(TOKEN), state, when);
    // status brings nothing, so where assets are built it waits for somebody to bring them.
    let waits = when == "pin" && state == State::Work;
    exits(world, "status", Some(TOKEN), if waits { State::Waiting } else { state }, when);
    if world.hosted().is_some() {
        for token in [Some(READER), None] {
            seen_without_rights(world, token, state, when).await;
            exits(world, "plan", token, state, when);
        }
    }
    let preview = sealift(world, "preview", Some(TOKEN)).args(["--tree", MAIN]).output().unwrap();
    assert!(String::from_utf8_lossy(&preview.stdout).contains("advisory"), "{when}: {preview:?}");
    assert_eq!(before, look(), "{when}: a plan wrote something");
}

/// Whoever may not write sees the same verdict, and what is not shown to them is said.
async fn seen_without_rights(world: &World, token: Option<&str>, state: State, when: &str) {
    let mut session = world.session();
    session.forge = Some(client(world.github(), world.pipeline(), token));
    let ran = session.plan(&world.request()).await;
    ran.must_be(state);
    let told = ran.told().contains("not visible to this credential");
    // Once the release is public there is nothing that is not.
    let hidden = !["almost done", "done"].contains(&when);
    assert_eq!(told, hidden, "{when}, as {token:?}: {}", ran.told());
}

fn sealift(world: &World, command: &str, token: Option<&str>) -> Command {
    let mut sealift: Command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path(""));
    sealift.arg(command).arg(format!("v{}", world.rc)).args(world.arguments_as(token));
    sealift
}

fn exits(world: &World, command: &str, token: Option<&str>, state: State, when: &str) {
    let mut sealift = sealift(world, command, token);
    if command == "plan" {
        sealift.args(world.input_arguments());
    }
    let output = sealift.output().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(state.exit_code())), "{when}, {command}, {token:?}: {output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_writes_nothing_at_any_point() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let world = undisturbed.fresh.copy();
        // GitHub itself writes these, whenever somebody looks.
        world.hosted().inspect(|github| github.state().pull_refs = false);
        writes_nothing(&world, State::Work, "fresh").await;
        let pinned = if world.hosted().is_some() { State::Work } else { State::Waiting };
        for (stage, state) in [("commit", State::Work), ("push", State::Work), ("pin", pinned)] {
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
        let number = undisturbed.after.effects() - 1;
        let world = undisturbed.merged.copy();
        let death = Death::after(number - 1);
        world.session().run_watched(&world.request(), &death).await;
        writes_nothing(&world, State::Work, "almost done").await;
        world.run().await.must_be(State::Holds);
        writes_nothing(&world, State::Holds, "done").await;
    }
}
