//! The files of a release: built and brought, or copied; the record of them, last.

use std::path::{Path, PathBuf};

use sealift::engine::State;
use sealift::model::Digest;
use serde_json::{Value, json};

use super::{
    BUILT, COPIED, RC, RECORD, STAGING, VERSION, Writes, asset, assets, exits, failed, fresh, pin, pinned, printed,
    refused, release_id, seen, waits,
};
use crate::support::github::Act;
use crate::support::world::{Session, World};

/// A machine where another folder is brought.
pub fn bringing(world: &World, folder: &Path) -> Session {
    let mut session = world.session();
    session.inputs.assets = Some(folder.to_owned());
    session
}

/// Another folder with each built file, and other bytes in them.
pub fn other_folder(world: &World) -> PathBuf {
    let (built, other) = (world.assets().unwrap(), world.sandbox.path("other-assets"));
    std::fs::create_dir_all(&other).unwrap();
    for entry in std::fs::read_dir(built).unwrap() {
        std::fs::write(other.join(entry.unwrap().file_name()), "built elsewhere\n").unwrap();
    }
    other
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_until_the_pin_stops_there_and_asks_github_for_nothing() {
    let world = fresh().await;
    let writes = Writes::of(&world);
    let ran = world.session().run_until(&world.request(), "pin").await;
    ran.must_be(State::Holds);
    let end = ran.end().unwrap();
    assert_eq!(end.done, ["gate", "rewrite", "commit", "push", "pin"]);
    assert_eq!(end.left, ["propose", "wait", "verify", "retag", "finalize"]);
    writes.none();
    assert_eq!(pin(&world), super::staging(&world));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_without_the_built_files_waits_and_names_the_commit() {
    let world = pinned().await;
    let mut session = world.session();
    session.inputs.assets = None;
    let (before, writes, commit) = (world.snapshot(), Writes::of(&world), pin(&world));
    let ran = session.run(&world.request()).await;
    let texts = [commit.as_str(), STAGING, "`cozypkg-*.tar.gz`, `cozypkg-checksums.txt`", "--assets DIR"];
    let wait = waits(&ran, "propose", "assets", &texts);
    assert_eq!(wait.commands, [format!("git fetch origin {STAGING}"), format!("git checkout --detach {commit}")]);
    assert!(ran.acted().is_empty());
    writes.none();
    before.assert_same(&world.snapshot(), "it waits");
    // People's commits on top change nothing of what is built.
    world.person_commits(STAGING, super::CHANGELOG, "# v1.6.2\n\nText.\n");
    waits(&session.run(&world.request()).await, "propose", "assets", &[&commit]);
    // By the binary: 4, and the commands are printed.
    let output = exits(&world, &["run", RC], 4);
    assert!(printed(&output).contains(&format!("git checkout --detach {commit}")), "{}", printed(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn copied_and_built_files_are_recorded_and_the_record_comes_last() {
    let world = fresh().await;
    world.run().await.must_be(State::Waiting);
    let files = assets(&world);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let sorted = ["cozypkg-checksums.txt", BUILT, COPIED, "nocloud-amd64.raw.xz", RECORD];
    assert_eq!(names, sorted);
    assert_eq!(asset(&world, COPIED), format!("{COPIED} of {RC}\n").as_bytes());
    assert_eq!(asset(&world, BUILT), format!("{BUILT}, built\n").as_bytes());
    let uploads: Vec<String> = Writes { github: world.github(), before: 0 }.seen();
    let last = uploads.iter().rfind(|write| write.contains("/assets?")).unwrap();
    assert!(last.ends_with("name=sealift.json"), "{last}");
    let record: Value = serde_json::from_slice(&asset(&world, RECORD)).unwrap();
    let recorded: Vec<Value> = files[..4]
        .iter()
        .map(|(name, bytes)| json!({"name": name, "size": bytes.len(), "sha256": Digest::of(bytes).to_string()}))
        .collect();
    assert_eq!(record["assets"], Value::Array(recorded));
    assert_eq!(record["schema"], 1);
    assert_eq!(record["version"], VERSION);
    assert_eq!(record["candidate"], RC);
    assert_eq!(record["commit"], pin(&world));
    assert_eq!(record["candidateCommit"], super::names(&world, "refs/heads/release-1.6.2-rc.1"));
    let message = world.sandbox.git(&world.origin(), &["log", "-1", "--format=%B", &pin(&world)]);
    assert!(message.contains(&format!("Sealift-Artifact: {}", record["artifact"].as_str().unwrap())), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_upload_is_told_and_replaced_by_the_next_run() {
    let world = pinned().await;
    world.github().state().broken_uploads = 1;
    let ran = world.run().await;
    failed(&ran, &["upload-asset release v1.6.2", "whether it was written can't be known"]);
    // The others of its kind went on; the record and the pull request did not.
    let there = seen(&world, "asset v1.6.2");
    assert_eq!(there.len(), 4, "{there:?}");
    assert!(there.iter().any(|line| line.contains(" starter ")) && !there.iter().any(|line| line.contains(RECORD)));
    assert_eq!(seen(&world, "pull"), Vec::<String>::new());
    world.run().await.must_be(State::Waiting);
    assert_eq!(assets(&world).len(), 5);
    assert_eq!(world.github().count("DELETE", "*/releases/assets/*"), 1);
}

/// Half uploads under any name: a declared one, one that is nobody's, the record's.
#[tokio::test(flavor = "multi_thread")]
async fn half_uploads_go_whatever_their_name() {
    let world = pinned().await;
    let draft = world.github().state().add_release(VERSION, true, false);
    for name in [BUILT, COPIED, "nobodys.txt", RECORD] {
        world.github().state().add_broken_asset(draft, name);
    }
    world.run().await.must_be(State::Waiting);
    assert_eq!(assets(&world).len(), 5, "{:?}", seen(&world, "asset v1.6.2"));
    assert_eq!(release_id(&world, VERSION), draft);
    assert!(asset(&world, BUILT).ends_with(b", built\n"));
}

/// The answer to an upload is lost: what came is looked at, and not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_whose_answer_is_lost_is_looked_up() {
    let world = pinned().await;
    world.github().fault("POST", "*/assets?*", 2..=2, Act::done_but_hung_up());
    world.run().await.must_be(State::Waiting);
    assert_eq!(world.github().count("POST", "*/assets?*"), 5);
    assert_eq!(assets(&world).len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_nothing_declares_is_refused_before_anything_is_uploaded() {
    let world = pinned().await;
    let writes = Writes::of(&world);
    let folder = other_folder(&world);
    std::fs::write(folder.join("notes.txt"), "x").unwrap();
    let place = folder.join("notes.txt").display().to_string();
    let texts = ["notes.txt is no asset that this pipeline declares", &place, "take it out of the folder"];
    refused(&bringing(&world, &folder).run(&world.request()).await, "propose", &texts);
    std::fs::remove_file(folder.join("notes.txt")).unwrap();
    // The record is sealift's own, whatever a glob says.
    std::fs::write(folder.join(RECORD), "{}").unwrap();
    refused(&bringing(&world, &folder).run(&world.request()).await, "propose", &["sealift.json is no asset"]);
    std::fs::remove_file(folder.join(RECORD)).unwrap();
    // A file with a copied asset's name comes from one place alone.
    std::fs::write(folder.join(COPIED), "x").unwrap();
    refused(&bringing(&world, &folder).run(&world.request()).await, "propose", &["metal-amd64.iso is no asset"]);
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_glob_without_a_file_is_refused_before_anything_is_uploaded() {
    let world = pinned().await;
    let writes = Writes::of(&world);
    let folder = other_folder(&world);
    std::fs::remove_file(folder.join(BUILT)).unwrap();
    let place = folder.display().to_string();
    let texts = ["no file in the folder is a `cozypkg-*.tar.gz`", &place, "build every declared asset"];
    refused(&bringing(&world, &folder).run(&world.request()).await, "propose", &texts);
    let gone = world.sandbox.path("nowhere");
    refused(&bringing(&world, &gone).run(&world.request()).await, "propose", &["can't be read", "nowhere"]);
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_github_would_rename_is_refused_before_anything_is_uploaded() {
    let world = pinned().await;
    let (writes, folder) = (Writes::of(&world), other_folder(&world));
    std::fs::write(folder.join("cozypkg-my build.tar.gz"), "x").unwrap();
    let texts = ["`cozypkg-my build.tar.gz` would be renamed by GitHub", "give it another name"];
    refused(&bringing(&world, &folder).run(&world.request()).await, "propose", &texts);
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_that_builds_nothing_takes_no_folder_and_needs_none() {
    let world = pinned().await;
    let mut session = world.session();
    session.pipeline.release.assets.built = Default::default();
    refused(&session.run(&world.request()).await, "propose", &["declares no built assets", "leave --assets out"]);
    session.inputs.assets = None;
    session.run(&world.request()).await.must_be(State::Waiting);
    let names: Vec<String> = assets(&world).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, [COPIED, "nocloud-amd64.raw.xz", RECORD]);
    session.pipeline.release.assets.copied.clear();
    let nothing = fresh().await;
    let mut none = nothing.session();
    none.pipeline = session.pipeline.clone();
    none.inputs.assets = None;
    none.run(&nothing.request()).await.must_be(State::Waiting);
    assert_eq!(assets(&nothing).len(), 1, "the record says that there are none");
}

/// GitHub hashes what it is sent; what a copy is of is known by its own bytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_arrives_changed_is_not_taken() {
    let world = pinned().await;
    world.github().fault(
        "GET",
        "*/storage/*",
        1..=9,
        Act::change(|mut response| {
            if let Some(byte) = response.body.first_mut() {
                *byte ^= 1;
            }
            response
        }),
    );
    let ran = world.run().await;
    refused(&ran, "propose", &["the bytes hash to sha256:", "listed is sha256:"]);
    assert_eq!(seen(&world, "asset v1.6.2"), Vec::<String>::new());
}
