//! Files that take the place of others: another folder, another candidate.

use sealift::engine::State;

use super::assets::{bringing, other_folder};
use super::{
    BUILT, COPIED, RECORD, VERSION, Writes, asset, assets, pin, pinned, pull_body, refused, release_body, release_id,
    seen, staging, waiting,
};
use crate::support::github::{Act, How};
use crate::support::world::{MAIN, Session, World};

/// A machine where a folder is brought in the place of what is there.
pub fn replacing(world: &World) -> Session {
    let mut session = bringing(world, &other_folder(world));
    session.inputs.replace_assets = true;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn once_the_record_is_there_no_folder_is_needed_and_none_is_compared() {
    let world = waiting().await;
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let mut without = world.session();
    without.inputs.assets = None;
    let missing = bringing(&world, &world.sandbox.path("nowhere"));
    for session in [without, bringing(&world, &other_folder(&world)), missing] {
        let ran = session.run(&world.request()).await;
        ran.must_be(State::Waiting);
        assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    }
    writes.none();
    before.assert_same(&world.snapshot(), "the record says all");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_folder_for_a_draft_that_was_begun_is_refused() {
    let world = pinned().await;
    world.github().fault("POST", "*/assets?name=sealift.json", 1..=1, Act::status(500));
    world.run().await.must_be(State::Failed);
    let (before, other) = (world.snapshot(), bringing(&world, &other_folder(&world)));
    let ran = other.run(&world.request()).await;
    let texts = [
        "cozypkg-linux-amd64.tar.gz is on the draft with other bytes",
        "cozypkg-checksums.txt is on the draft with other bytes",
        "draft v1.6.2",
        "bring the folder that the draft was begun with",
        "--replace-assets",
    ];
    refused(&ran, "propose", &texts);
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "refused");
    // Both ways that it names lead on.
    world.copy().run().await.must_be(State::Waiting);
    replacing(&world).run(&world.request()).await.must_be(State::Waiting);
    assert_eq!(asset(&world, BUILT), b"built elsewhere\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_folder_replaces_when_it_is_said() {
    let world = waiting().await;
    let (copied, before) = (asset(&world, COPIED), asset(&world, RECORD));
    let ran = replacing(&world).run(&world.request()).await;
    ran.must_be(State::Waiting);
    assert_eq!(asset(&world, BUILT), b"built elsewhere\n");
    assert_eq!(asset(&world, COPIED), copied);
    assert_ne!(asset(&world, RECORD), before);
    assert_eq!(assets(&world).len(), 5);
    // While files were changing the old record said that they were not right.
    let acted = ran.acted();
    assert!(acted.iter().all(|action| action.starts_with("upload-asset release v1.6.2 ")), "{acted:?}");
    assert!(acted.last().unwrap().starts_with("upload-asset release v1.6.2 sealift.json"), "{acted:?}");
    // The same once more changes nothing.
    let again = replacing(&world).run(&world.request()).await;
    again.must_be(State::Waiting);
    assert!(again.acted().is_empty(), "{:?}", again.acted());
}

/// The first file is another, the next isn't: the old record says so, and nobody takes it for a draft
/// that was begun. Said once more, the replacement goes on where it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_that_died_is_found_and_goes_on_when_it_is_said() {
    let world = waiting().await;
    let before = asset(&world, RECORD);
    world.github().fault("POST", "*/assets?name=cozypkg-linux*", 1..=1, Act::status(500));
    replacing(&world).run(&world.request()).await.must_be(State::Failed);
    assert_eq!(asset(&world, "cozypkg-checksums.txt"), b"built elsewhere\n");
    assert_eq!(asset(&world, RECORD), before, "the record is the last to go");
    let (half, writes) = (world.snapshot(), Writes::of(&world));
    for session in [world.session(), bringing(&world, &other_folder(&world))] {
        let ran = session.run(&world.request()).await;
        refused(&ran, "propose", &["cozypkg-checksums.txt is another file than", "--replace-assets"]);
        assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    }
    writes.none();
    half.assert_same(&world.snapshot(), "refused");
    // Merged as it is, nothing public comes of it.
    let merged = world.copy();
    merged.github().merge_pull(1, How::Merge);
    let ran = merged.run().await;
    refused(&ran, "gate", &["cozypkg-checksums.txt is another file than"]);
    assert!(merged.github().state().release_mut(VERSION).unwrap().draft);
    replacing(&merged).run(&merged.request()).await.must_be(State::Holds);
    let ran = replacing(&world).run(&world.request()).await;
    ran.must_be(State::Waiting);
    assert!(!ran.acted().iter().any(|action| action.contains("checksums")), "{:?}", ran.acted());
    assert_eq!(asset(&world, BUILT), b"built elsewhere\n");
    assert_ne!(asset(&world, RECORD), before);
    assert_eq!(assets(&world).len(), 5);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nobodys_goes_with_the_replacement_and_not_before() {
    let world = waiting().await;
    super::add_asset(&world, "extra.txt");
    refused(&world.run().await, "propose", &["extra.txt is not recorded", "--replace-assets"]);
    replacing(&world).run(&world.request()).await.must_be(State::Waiting);
    assert!(!seen(&world, "asset").iter().any(|line| line.contains("extra.txt")));
    world.run().await.must_be(State::Waiting);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_candidate_keeps_draft_and_pull_request_and_renders_both_again() {
    let world = waiting().await;
    let (draft, old) = (release_id(&world, VERSION), staging(&world));
    let edit = |text: &str| format!("Before.\n\n{text}\nAfter.\n");
    {
        let mut state = world.github().state();
        let pull = state.pull_mut(1).unwrap();
        pull.body = pull.body.take().map(|body| edit(&body));
        let release = state.release_mut(VERSION).unwrap();
        release.body = release.body.take().map(|body| edit(&body));
    }
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert_ne!(staging(&world), old);
    assert_eq!(release_id(&world, VERSION), draft);
    assert_eq!(seen(&world, "pull").len(), 1);
    {
        let state = world.github().state();
        let pull = state.pull(1).unwrap();
        assert!(pull.open && pull.labels == ["release"] && pull.head_sha == staging(&world));
    }
    for text in [pull_body(&world, 1), release_body(&world)] {
        assert!(text.contains("v1.6.2-rc.2") && !text.contains("v1.6.2-rc.1"), "{text}");
        assert!(text.starts_with("Before.\n\n") && text.ends_with("\nAfter.\n"), "{text}");
    }
    // The copied files are the new candidate's, and the record is of the new commit.
    assert_eq!(asset(&world, COPIED), b"metal-amd64.iso of v1.6.2-rc.2\n");
    let record: serde_json::Value = serde_json::from_slice(&asset(&world, RECORD)).unwrap();
    assert_eq!((&record["candidate"], &record["commit"]), (&"v1.6.2-rc.2".into(), &pin(&world).into()));
    assert_eq!(assets(&world).len(), 5);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    let again = world.run().await;
    assert!(again.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_candidate_waits_for_files_built_from_it() {
    let world = waiting().await;
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    let mut session = world.session();
    session.inputs.assets = None;
    let ran = session.run(&world.request()).await;
    super::waits(&ran, "propose", "assets", &[&pin(&world)]);
    assert_eq!(assets(&world).len(), 5, "what is there stays until there is something in its place");
}

/// The old candidate's record marks what is there as replaceable until the new one takes its place.
#[tokio::test(flavor = "multi_thread")]
async fn the_next_candidates_files_that_died_half_way_go_on_by_themselves() {
    let world = waiting().await.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    world.github().fault("POST", "*/assets?name=nocloud*", 1..=1, Act::status(500));
    world.run().await.must_be(State::Failed);
    assert_eq!(asset(&world, COPIED), b"metal-amd64.iso of v1.6.2-rc.2\n");
    let record = |world: &World| serde_json::from_slice::<serde_json::Value>(&asset(world, RECORD)).unwrap();
    assert_eq!(record(&world)["candidate"], "v1.6.2-rc.1");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(!ran.acted().iter().any(|action| action.contains("metal-amd64.iso")), "{:?}", ran.acted());
    assert_eq!(record(&world)["candidate"], "v1.6.2-rc.2");
    assert_eq!(assets(&world).len(), 5);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
}

/// A file that the old record doesn't name, or not with these bytes, is somebody's.
#[tokio::test(flavor = "multi_thread")]
async fn the_next_candidate_takes_away_what_the_old_record_names_and_nothing_else() {
    let world = waiting().await;
    super::add_asset(&world, "extra.txt");
    {
        let mut state = world.github().state();
        let release = state.release_mut(VERSION).unwrap();
        let built = release.assets.iter_mut().find(|asset| asset.name == BUILT).unwrap();
        built.bytes = b"a person's own\n".to_vec().into();
        built.digest = Some(sealift::model::Digest::of(b"a person's own\n").to_string());
    }
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    let ran = world.run().await;
    let texts = [
        "extra.txt is nothing that this release is to have",
        "cozypkg-linux-amd64.tar.gz is on the draft with other bytes",
        "delete the file from the draft",
        "--replace-assets",
    ];
    refused(&ran, "propose", &texts);
    assert_eq!(asset(&world, "extra.txt"), b"x");
    assert_eq!(asset(&world, BUILT), b"a person's own\n");
    assert_eq!(asset(&world, COPIED), b"metal-amd64.iso of v1.6.2-rc.1\n", "refused before anything is replaced");
    replacing(&world).run(&world.request()).await.must_be(State::Waiting);
    assert_eq!(assets(&world).len(), 5);
}
