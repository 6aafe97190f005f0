//! GitHub's lists lag behind its own writes: what this run wrote is known all the same.

use sealift::port::forge::{ForgeRead, ForgeWrite, ReleaseEdit};

use super::{World, blob, branch, draft, found, new_pull, unknown};
use crate::support::github::Act;
use crate::support::http::Response;

/// Lists that don't know anything yet.
fn empty() -> Act {
    Act::Answer(Response::new(200, "[]").with("content-type", "application/json"))
}

#[tokio::test]
async fn a_draft_is_found_by_its_id_however_long_the_list_lags() {
    let world = World::new();
    world.fake.state().draft_lag = usize::MAX;
    let github = world.github();
    let id = github.create_draft(&draft("v1.0.0")).await.unwrap();
    for _ in 0..3 {
        let all = found(github.releases().await).all;
        assert_eq!(all.iter().map(|release| release.id).collect::<Vec<_>>(), [id]);
    }
    // Somebody else's look doesn't find it: that is what the list says to others.
    assert_eq!(found(world.github().releases().await).all, []);
    github.delete_release(id).await.unwrap();
    assert_eq!(found(github.releases().await).all, []);
}

#[tokio::test]
async fn what_was_changed_or_deleted_is_not_shown_as_it_was() {
    let world = World::new();
    let (kept, deleted) = {
        let mut state = world.fake.state();
        (state.add_release("v1.0.0", false, false), state.add_release("v0.9.0", true, false))
    };
    let github = world.github();
    let list = world.sandbox.path("list");
    let before = {
        let (list, saved) = (list.clone(), list.clone());
        world.fake.fault(
            "GET",
            "/releases?",
            1..=1,
            Act::change(move |response| {
                std::fs::write(&list, &response.body).unwrap();
                response
            }),
        );
        found(github.releases().await);
        std::fs::read(saved).unwrap()
    };
    let all = [kept, deleted].map(sealift::port::forge::ReleaseId);
    github.edit_release(all[0], &ReleaseEdit { body: Some("new".into()), ..ReleaseEdit::default() }).await.unwrap();
    github.delete_release(all[1]).await.unwrap();
    let stale = Response::new(200, before).with("content-type", "application/json");
    world.fake.fault("GET", "/releases?", 1..=usize::MAX, Act::Answer(stale));
    let shown = found(github.releases().await).all;
    assert_eq!(shown.len(), 1);
    assert_eq!((shown[0].id, shown[0].body.as_str()), (all[0], "new"));
}

#[tokio::test]
async fn what_was_perhaps_changed_is_looked_at_by_its_id() {
    let world = World::new();
    let id = sealift::port::forge::ReleaseId(world.fake.state().add_release("v1.0.0", false, false));
    let github = world.github();
    let edit = ReleaseEdit { body: Some("new".into()), ..ReleaseEdit::default() };
    world.fake.fault("PATCH", "/releases/", 1..=1, Act::done_but_hung_up());
    super::unclear(github.edit_release(id, &edit).await);
    world.fake.fault("GET", "/releases?", 1..=1, empty());
    assert_eq!(found(github.releases().await).all[0].body, "new");
    // What was refused was not changed, be it there or not.
    let github = world.github();
    super::refused(github.edit_release(sealift::port::forge::ReleaseId(1), &edit).await);
    assert_eq!(found(github.releases().await).all.len(), 1);
}

#[tokio::test]
async fn assets_pulls_and_comments_are_found_as_well() {
    let world = World::new();
    world.branch("release-1.0.0");
    let github = world.github();
    world.fake.fault("GET", "/assets?", 1..=usize::MAX, empty());
    world.fake.fault("GET", "/pulls?", 1..=usize::MAX, empty());
    world.fake.fault("GET", "/comments?", 1..=usize::MAX, empty());
    let release = github.create_draft(&draft("v1.0.0")).await.unwrap();
    github.upload(release, "notes.txt", &blob(b"words")).await.unwrap();
    let assets = found(github.assets(release).await);
    assert_eq!(assets.iter().map(|asset| asset.name.as_str()).collect::<Vec<_>>(), ["notes.txt"]);
    github.delete_asset(assets[0].id).await.unwrap();
    assert_eq!(found(github.assets(release).await), []);

    let number = github.open_pull(&new_pull("release-1.0.0")).await.unwrap();
    let pulls = found(github.pulls_from(&branch("release-1.0.0")).await);
    assert_eq!(pulls.iter().map(|pull| pull.number).collect::<Vec<_>>(), [number]);
    assert_eq!(found(github.pulls_from(&branch("main")).await), []);

    github.create_comment(number, "words").await.unwrap();
    assert_eq!(found(github.comments(number).await)[0].body, "words");
}

#[tokio::test]
async fn what_was_made_and_is_gone_by_its_id_is_unknown() {
    let world = World::new();
    let github = world.github();
    github.create_draft(&draft("v1.0.0")).await.unwrap();
    world.fake.state().releases.clear();
    let error = unknown(github.releases().await);
    assert!(error.to_string().contains("written by this run"), "{error}");
}
