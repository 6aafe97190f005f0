//! What must hold, one named test for each row: what happened, how the run ended and with which
//! words, what the world looks like then, and what must not have been written.

mod aliases;
mod base;
mod candidates;
mod commands;
mod forged;
mod freezing;
mod interrupted;
mod killed;
mod merging;
mod names;
mod people;
mod ports;
mod proof;
mod racing;
mod unknown;

use sealift::engine::State;
use sealift::model::Refusal;

use crate::support::images;
use crate::support::world::{Case, Ran, Shipped, World, WorldSnapshot, shipped};

const STAGING: &str = "release-1.6.2";
const LINE: &str = "release-1.6";
const RC_BRANCH: &str = "release-1.6.2-rc.1";
const TAG: &str = "refs/tags/v1.6.2";
const MODULE_TAG: &str = "refs/tags/api/apps/v1alpha1/v1.6.2";
const PACKAGES: &str = "ghcr.io/cozystack/cozystack/cozystack-packages";
const CHART: &str = "ghcr.io/cozystack/cozystack/cozy-installer:1.6.2";
const CHANGELOG: &str = "docs/changelogs/v1.6.2.md";
/// Below the root, and in every world.
const PACKAGE: &str = "packages/apps/postgres/values.yaml";

/// The pipeline with every kind of name there is.
fn cozystack() -> Shipped {
    shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap()
}

/// A candidate, and nothing promoted.
async fn fresh() -> World {
    World::build(&Case::of(&cozystack())).await
}

/// Promoted up to the wait.
async fn waiting() -> World {
    let world = fresh().await;
    world.run().await.must_be(State::Waiting);
    world
}

/// Merged by a person, and nothing done since.
async fn merged() -> (World, String) {
    let world = waiting().await;
    let merge = world.merge();
    (world, merge)
}

/// What the world would be if nothing had happened to it.
async fn undisturbed(world: &World) -> WorldSnapshot {
    let world = world.copy();
    world.promote().await;
    world.snapshot()
}

/// The one refusal of a stage; it must say all of `texts`, in the message, the places or the hint.
#[track_caller]
fn refused<'a>(ran: &'a Ran, stage: &str, texts: &[&str]) -> &'a Refusal {
    ran.must_be(State::Refused);
    let Some(state) = ran.stage(stage) else { panic!("{stage} was never reached\n{}", ran.told()) };
    assert_eq!(state.state, State::Refused, "{stage}\n{}", ran.told());
    let [refusal] = state.refusals.as_slice() else { panic!("not one refusal\n{}", ran.told()) };
    let said = said(refusal);
    for text in texts {
        assert!(said.contains(text), "`{text}` is not in:\n{said}");
    }
    refusal
}

fn said(refusal: &Refusal) -> String {
    let hint = refusal.hint.clone().unwrap_or_default();
    format!("{}\n{}\n{hint}", refusal.message, refusal.places.join("\n"))
}

/// Refused, and the world is as it was.
#[track_caller]
fn refused_untouched(ran: &Ran, stage: &str, texts: &[&str], before: &WorldSnapshot, world: &World) {
    refused(ran, stage, texts);
    assert_eq!(ran.acted(), Vec::<String>::new());
    before.assert_same(&world.snapshot(), "refused");
}

/// Nothing was done but to say on the pull request and in the draft what the branch holds now.
#[track_caller]
fn only_rendered(ran: &Ran) {
    let acted = ran.acted();
    assert!(acted.iter().all(|action| action.starts_with("edit-")), "{acted:?}");
}

/// Every public name of the version that is there.
fn public(snapshot: &WorldSnapshot) -> Vec<&str> {
    let public = |name: &&str| {
        let tag = name.starts_with("tag ") && !name.contains("-rc.") && !name.contains(":promotion-");
        tag || (name.starts_with("refs/tags/") && !name.contains("-rc.")) || *name == "refs/heads/release-1.6"
    };
    snapshot.0.keys().map(String::as_str).filter(public).collect()
}

#[track_caller]
fn nothing_public(world: &World) {
    assert_eq!(public(&world.snapshot()), Vec::<&str>::new());
}

/// The stable names of the owned images, as a snapshot spells them.
fn image_tags(snapshot: &WorldSnapshot) -> Vec<String> {
    let images = snapshot.0.keys().filter_map(|name| name.strip_prefix("tag "));
    images
        .filter(|name| name.contains(":") && name.ends_with("v1.6.2") && !name.starts_with(PACKAGES))
        .map(str::to_owned)
        .collect()
}

/// A note that a stage gave.
#[track_caller]
fn noted(ran: &Ran, stage: &str, text: &str) {
    let notes = &ran.stage(stage).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains(text)), "`{text}` is not in {notes:?}");
}

/// A world of the pipeline's tree after an edit, with a candidate.
async fn altered(case: &Case, edit: impl FnOnce(&std::path::Path)) -> World {
    let dir = tempfile::tempdir().unwrap();
    crate::support::world::Source::fixture(&case.shipped).write(dir.path());
    edit(dir.path());
    World::from_tree(case, dir.path(), "0.0.0-rc.0").await
}

/// Takes a tag off a layout, as a person with another tool does.
fn untag(world: &World, repository: &str, tag: &str) {
    let file = world.registry().join(repository).join("index.json");
    let mut index: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let manifests = index["manifests"].as_array_mut().unwrap();
    let before = manifests.len();
    manifests.retain(|entry| entry["annotations"]["org.opencontainers.image.ref.name"] != tag);
    assert_eq!(manifests.len() + 1, before, "{repository}:{tag} was there");
    std::fs::write(file, serde_json::to_vec(&index).unwrap()).unwrap();
}

/// Puts another image under a name. Its digest.
async fn foreign(world: &World, name: &str) -> String {
    let (repository, tag) = name.rsplit_once(':').unwrap();
    let repository = repository.parse().unwrap();
    images::push_index(&world.registries(), &repository, Some(tag), "somebody else's").await.to_string()
}
