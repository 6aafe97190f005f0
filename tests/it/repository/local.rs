//! An origin that is a directory: its own rules hold, and nothing in it is run.

use std::os::unix::fs::PermissionsExt as _;

use sealift::port::WriteError;
use sealift::port::repository::OriginRead as _;

use super::world::{Way, World, branch, commit_on, fetched, list, push};

fn refusal(result: Result<(), WriteError>) -> String {
    match result {
        Err(WriteError::Refused { detail, status: None, .. }) => detail,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkout_is_an_origin_but_its_own_branch_stays() {
    let mut world = World::new(Way::Path);
    world.bare = world.sandbox.path("work");
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    push(&origin, "side", None, Some(mine)).await.unwrap();
    assert_eq!(world.names("refs/heads/side"), Some(mine));
    let detail = refusal(push(&origin, "main", Some(world.main), Some(mine)).await);
    assert!(detail.contains("checked out"), "{detail}");
    world.sandbox.git(&world.bare, &["worktree", "add", "--quiet", "../linked", "side"]);
    refusal(push(&origin, "side", Some(mine), Some(world.main)).await);
    refusal(push(&origin, "main", Some(world.main), None).await);
    assert_eq!((world.names("refs/heads/main"), world.names("refs/heads/side")), (Some(world.main), Some(mine)));
    world.sandbox.git(&world.bare, &["config", "receive.denyCurrentBranch", "ignore"]);
    push(&origin, "main", Some(world.main), Some(mine)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_git_would_refuse_is_refused() {
    let world = World::new(Way::FileUrl);
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    world.sandbox.git(&world.bare, &["config", "receive.denyNonFastForwards", "true"]);
    push(&origin, "main", Some(world.main), Some(mine)).await.unwrap();
    let detail = refusal(push(&origin, "main", Some(mine), Some(world.main)).await);
    assert!(detail.contains("denyNonFastForwards"), "{detail}");
    push(&origin, "side", None, Some(mine)).await.unwrap();
    world.sandbox.git(&world.bare, &["config", "receive.denyDeletes", "true"]);
    refusal(push(&origin, "side", Some(mine), None).await);
    assert_eq!((world.names("refs/heads/main"), world.names("refs/heads/side")), (Some(mine), Some(mine)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_would_have_to_be_asked_refuses() {
    let world = World::new(Way::Path);
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    world.sandbox.write(&world.bare, "hooks/pre-receive", "#!/bin/sh\ntouch ran\n");
    let hook = world.bare.join("hooks/pre-receive");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let detail = refusal(push(&origin, "side", None, Some(mine)).await);
    assert!(detail.contains("pre-receive") && detail.contains("http"), "{detail}");
    assert!(!world.bare.join("ran").exists());
    assert_eq!(world.names("refs/heads/side"), None);
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o644)).unwrap();
    push(&origin, "side", None, Some(mine)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_left_behind_is_a_refusal_in_bounded_time() {
    let world = World::new(Way::Path);
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    std::fs::write(world.bare.join("refs/heads/side.lock"), "").unwrap();
    let detail = refusal(push(&origin, "side", None, Some(mine)).await);
    assert!(detail.contains("lock"), "{detail}");
    assert_eq!(world.names("refs/heads/side"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shallow_clone_is_listed_and_not_fetched_from() {
    let mut world = World::new(Way::Path);
    let url = format!("file://{}", world.bare.display());
    world.sandbox.git(&world.sandbox.path(""), &["clone", "--quiet", "--bare", "--depth=1", &url, "shallow.git"]);
    world.bare = world.sandbox.path("shallow.git");
    let origin = world.origin("store");
    assert_eq!(list(&origin).await.get(&branch("main")).unwrap().id, world.main);
    let unknown = origin.fetch(&[branch("main")]).await.unwrap_err();
    assert!(unknown.detail.contains("shallow"), "{unknown}");
    assert!(!origin.store().contains(world.main).unwrap());
}
