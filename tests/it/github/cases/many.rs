//! Two thousand releases and three hundred files: nothing is missed, and the requests are as many as
//! the formula says, so that nothing is asked for again with each of anything. Beside a few releases
//! the whole log is longer by pages of the list, and by nothing else.
//!
//! With `P(n)` the pages of a list of n, R releases before there is a draft, and A files:
//!
//! - a plan before the pin lists releases once: `P(R)`;
//! - a proposal lists them at the gate, when it plans, and twice before it makes the draft; then right
//!   after it made it, once for each step of files (the files, the record), and when it has settled:
//!   `4 P(R) + 4 P(R + 1)`.
//!   A file is one upload, and one look at its draft by the id; so is the record: `A + 1` uploads;
//! - a finalization lists them at the gate, twice whenever it looks (for the release, for who is the
//!   latest), and when it publishes: `6 P(R + 1)`.

use sealift::engine::State;

use super::{VERSION, assets, fresh, merged, noted, pinned, refused, release_id};

use crate::support::world::World;

const RELEASES: usize = 2_000;
/// As many as are on one page, with the draft.
const FEW: usize = 20;
const FILES: usize = 300;

fn pages(items: usize) -> usize {
    items.div_ceil(100).max(1)
}

/// So many releases in all, each newer than what there was.
fn fill(world: &World, releases: usize) {
    let mut state = world.github().state();
    let there = state.releases.len();
    for patch in there..releases {
        state.add_release(&format!("v0.9.{patch}"), false, patch % 2 == 0);
    }
    assert_eq!(state.releases.len(), releases);
}

/// Requests of a kind since the log had a length.
fn count(world: &World, since: usize, method: &str, is: impl Fn(&str) -> bool) -> usize {
    world.github().log()[since..].iter().filter(|logged| logged.method == method && is(&logged.target)).count()
}

fn lists(world: &World, since: usize) -> usize {
    count(world, since, "GET", |target| target.contains("/releases?"))
}

/// Every request but those for pages of releases.
fn others(world: &World, since: usize) -> usize {
    world.github().log().len() - since - lists(world, since)
}

/// A plan, with two drafts where there may be one. How many other requests it took.
async fn planned(releases: usize) -> usize {
    let world = fresh().await;
    // The two oldest are what it must not miss.
    let ids = [(); 2].map(|()| world.github().state().add_release(VERSION, true, false));
    fill(&world, releases);
    let ran = world.plan().await;
    refused(&ran, "gate", &["there are 2 drafts of v1.6.2", &ids[0].to_string(), &ids[1].to_string()]);
    assert_eq!(lists(&world, 0), pages(releases));
    others(&world, 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_lists_two_thousand_releases_once_and_misses_none() {
    assert_eq!(planned(RELEASES).await, planned(FEW).await);
}

/// A folder with so many built files in all.
fn folder(world: &World, files: usize) -> std::path::PathBuf {
    let folder = world.sandbox.path("many");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("cozypkg-checksums.txt"), "all of them\n").unwrap();
    for index in 1..files {
        std::fs::write(folder.join(format!("cozypkg-{index:03}.tar.gz")), format!("file {index}\n")).unwrap();
    }
    folder
}

/// A proposal with all the files. How many other requests it took.
async fn proposed(releases: usize) -> usize {
    let world = pinned().await;
    fill(&world, releases);
    let copied = world.pipeline().release.assets.copied.len();
    let mut session = world.session();
    session.inputs.assets = Some(folder(&world, FILES - copied));
    let since = world.github().log().len();
    session.run(&world.request()).await.must_be(State::Waiting);
    let draft = release_id(&world, VERSION);
    let by_id = count(&world, since, "GET", |target| target.ends_with(&format!("/releases/{draft}")));
    assert_eq!(lists(&world, since), 4 * pages(releases) + 4 * pages(releases + 1));
    assert_eq!(count(&world, since, "POST", |target| target.contains("/assets?")), FILES + 1);
    // Four lists know the draft by its id, one right after it was made; every file but the first of its step looks at it.
    assert_eq!(by_id, 4 + FILES - 1);
    assert_eq!(count(&world, since, "GET", |target| target.contains("/assets?")), 1 + pages(FILES + 1));
    let names: Vec<String> = assets(&world).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), FILES + 1);
    let record: serde_json::Value = serde_json::from_slice(&super::asset(&world, super::RECORD)).unwrap();
    let recorded: Vec<&str> =
        record["assets"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(recorded, names[..FILES]);
    others(&world, since)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_of_three_hundred_files_beside_two_thousand_releases_asks_once_for_each() {
    assert_eq!(proposed(RELEASES).await, proposed(FEW).await);
}

/// A finalization below a higher version, the oldest of all. How many other requests it took.
async fn finalized(releases: usize) -> usize {
    let (world, _) = merged().await;
    super::latest::published_before(&world, "v1.9.0");
    fill(&world, releases);
    let since = world.github().log().len();
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "aliases follow v1.9.0");
    assert_eq!(lists(&world, since), 6 * pages(releases));
    others(&world, since)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finalization_lists_two_thousand_releases_and_takes_the_highest_on_the_last_page() {
    assert_eq!(finalized(RELEASES).await, finalized(FEW).await);
}
