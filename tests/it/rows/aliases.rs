//! An alias is a copy of the highest published stable's name, whoever writes it and when.

use sealift::engine::State;

use super::{CHART, PACKAGES, foreign, fresh, noted};
use crate::support::world::{MAIN, World, WorldSnapshot};

fn latest(snapshot: &WorldSnapshot) -> Vec<(String, String)> {
    let latest = snapshot.0.iter().filter(|(name, _)| name.starts_with("tag ") && name.ends_with(":latest"));
    latest.map(|(name, digest)| (name.clone(), digest.clone())).collect()
}

/// 1.6.2 is promoted; a candidate of the line before it is cut on that line.
async fn older_line(world: World, old: &str) -> World {
    world.set_ref("refs/heads/release-1.5", old);
    world.cut("1.5.9-rc.1".parse().unwrap(), "release-1.5").await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_owned_repository_and_the_chart_get_them() {
    let world = fresh().await;
    world.promote().await;
    let found = world.snapshot();
    assert!(latest(&found).len() > 5, "{found}");
    for (name, digest) in latest(&found) {
        let name = name.strip_prefix("tag ").unwrap().strip_suffix(":latest").unwrap().to_owned();
        let stable = if CHART.starts_with(&name) { CHART.to_owned() } else { format!("{name}:v1.6.2") };
        assert_eq!(found.tag(&stable), Some(digest.as_str()), "{stable}");
    }
    assert!(found.tag(&format!("{PACKAGES}:latest")).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_line_promoted_after_a_newer_one_leaves_them() {
    let world = fresh().await;
    let old = world.names_of("refs/heads/main").unwrap();
    world.promote().await;
    let newest = latest(&world.snapshot());
    let world = older_line(world, &old).await;
    world.run().await.must_be(State::Waiting);
    let merge = world.merge();
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "aliases follow v1.6.2");
    let found = world.snapshot();
    assert_eq!(latest(&found), newest);
    assert_eq!(world.names_of("refs/tags/v1.5.9"), Some(merge.clone()));
    assert_eq!(world.names_of("refs/heads/release-1.5"), Some(merge));
    assert!(found.tag(&format!("{PACKAGES}:v1.5.9")).is_some());
    assert!(found.tag(&CHART.replace("1.6.2", "1.5.9")).is_some());
}

/// A line whose first release this is comes into being at the merge.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_one_promoted_after_an_older_one_moves_them_and_makes_its_line() {
    let world = fresh().await;
    let old = world.names_of("refs/heads/main").unwrap();
    let world = older_line(world, &old).await;
    world.promote().await;
    let older = latest(&world.snapshot());
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    assert_eq!(world.names_of("refs/heads/release-1.6"), None);
    world.run().await.must_be(State::Waiting);
    let merge = world.merge();
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of("refs/heads/release-1.6"), Some(merge));
    let found = world.snapshot();
    assert_ne!(latest(&found), older);
    assert_eq!(found.tag(&format!("{PACKAGES}:latest")), found.tag(&format!("{PACKAGES}:v1.6.2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_moved_by_hand_is_put_back_and_nothing_else_is_written() {
    let world = fresh().await;
    world.promote().await;
    let good = world.snapshot();
    foreign(&world, &format!("{PACKAGES}:latest")).await;
    let ran = world.run().await;
    ran.must_be(State::Holds);
    assert_eq!(ran.acted().len(), 1, "{:?}", ran.acted());
    let left = good.difference(&world.snapshot());
    assert!(left.iter().all(|line| line.starts_with("+ blob ")), "only the foreign blobs are left: {left:?}");
}
