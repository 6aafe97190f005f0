//! Lists are read to their end, or are unknown.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use sealift::port::forge::github::{GitHub, Tokens};
use sealift::port::forge::{ForgeRead, ReleaseId, RunQuery};

use super::{World, config, found, unknown};
use crate::support::github::{Act, FakeGitHub, MAINTAINER};
use crate::support::http::{Response, Server};

const PAGE: u64 = 100;

/// Requests: the repository once, and each page once.
fn formula(items: u64) -> u64 {
    1 + items.div_ceil(PAGE).max(1)
}

#[tokio::test]
async fn two_thousand_releases_and_three_hundred_assets_are_all_there() {
    let world = World::new();
    let release = {
        let mut state = world.fake.state();
        for minor in 0..1_999 {
            state.add_release(&format!("v1.{minor}.0"), false, false);
        }
        let release = state.add_release("v2.0.0", true, false);
        for number in 0..300 {
            state.add_asset(release, &format!("asset-{number:03}.tgz"), format!("{number}"));
        }
        release
    };
    let github = world.github();
    let releases = found(github.releases().await);
    let tags: std::collections::BTreeSet<_> = releases.all.iter().map(|release| release.tag.clone()).collect();
    assert_eq!((releases.all.len(), tags.len()), (2_000, 2_000));
    assert!(tags.contains("v2.0.0") && tags.contains("v1.0.0"));
    assert_eq!((github.stats().counts().get, world.requests()), (formula(2_000), formula(2_000)));

    let github = world.github();
    let before = world.requests();
    let assets = found(github.assets(ReleaseId(release)).await);
    assert_eq!(assets.len(), 300);
    assert!((0..300).all(|number| assets.iter().any(|asset| asset.name == format!("asset-{number:03}.tgz"))));
    assert_eq!((github.stats().counts().get, world.requests() - before), (formula(300), formula(300)));
    assert_eq!(github.stats().counts().requests(), github.stats().counts().get);
}

#[tokio::test]
async fn a_hundred_and_one_are_two_pages() {
    let world = World::new();
    for patch in 0..101 {
        world.fake.state().add_release(&format!("v1.0.{patch}"), false, false);
    }
    let github = world.github();
    assert_eq!(found(github.releases().await).all.len(), 101);
    assert_eq!(github.stats().counts().get, formula(101));
    // The repository is read once, and not again.
    found(github.releases().await);
    assert_eq!(github.stats().counts().get, 2 * formula(101) - 1);
}

#[tokio::test]
async fn a_list_that_leads_elsewhere_or_nowhere_is_unknown() {
    let world = World::new();
    for patch in 0..250 {
        world.fake.state().add_release(&format!("v1.0.{patch}"), false, false);
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let elsewhere = Server::start(move |_| {
        count.fetch_add(1, Relaxed);
        Response::new(200, "[]")
    });
    let api = world.fake.url();
    let list = "/repos/acme/ship/releases";
    for (link, words) in [
        (format!("<{}{list}?page=2>; rel=\"next\"", elsewhere.url()), "another host"),
        (format!("<{}{list}?page=2>; rel=\"next\"", api.replace("127.0.0.1", "localhost")), "another host"),
        (format!("<{api}{list}?per_page=100>; rel=\"next\""), "circle"),
        (format!("<{api}{list}?per_page=100&page=1>; rel=\"next\""), "circle"),
        ("<http://[>; rel=\"next\"".to_owned(), "no address"),
    ] {
        world.fake.fault(
            "GET",
            "/releases?per_page=100",
            1..=1,
            Act::change(move |response| response.with("link", &link)),
        );
        let error = unknown(world.github().releases().await);
        assert!(error.detail.contains(words), "{words}: {error}");
    }
    assert_eq!(asked.load(Relaxed), 0);
    // A page that isn't there, or is cut, is no end.
    let not_there = Act::Answer(Response::new(404, "{}"));
    let empty = Act::Answer(Response::new(200, ""));
    for (act, times) in [(not_there, 1), (empty, 1), (Act::html(), 1), (Act::cut(1_000), super::ATTEMPTS as usize)] {
        let github = world.github();
        world.fake.fault("GET", "&page=2", 1..=times, act);
        unknown(github.releases().await);
        assert_eq!(found(github.releases().await).all.len(), 250);
    }
}

fn with_runs(world: &World, count: usize) -> RunQuery {
    let mut state = world.fake.state();
    for _ in 0..count {
        state.add_run("e2e.yaml", "push", "main", &"0".repeat(40));
    }
    RunQuery { workflow: "e2e.yaml".into(), event: "push".into(), head_commit: None, since: None }
}

#[tokio::test]
async fn a_thousand_runs_are_as_many_as_github_counts() {
    let world = World::new();
    let query = with_runs(&world, 999);
    assert_eq!(found(world.github().runs(&query).await).len(), 999);
    with_runs(&world, 1);
    let error = unknown(world.github().runs(&query).await);
    assert!(error.detail.contains("no more than 1000"), "{error}");
    with_runs(&world, 1);
    world.fake.state().count_past_cap = true;
    unknown(world.github().runs(&query).await);
}

#[tokio::test]
async fn fewer_than_github_counts_is_unknown() {
    let world = World::new();
    let query = with_runs(&world, 150);
    let change = Act::change(|response| {
        let text = String::from_utf8(response.body).unwrap().replace("\"total_count\":150", "\"total_count\":151");
        Response { body: text.into(), ..response }
    });
    world.fake.fault("GET", "/runs?", 1..=2, change);
    let github = world.github();
    assert!(unknown(github.runs(&query).await).detail.contains("counts 151"));
    assert_eq!(found(github.runs(&query).await).len(), 150);
}

#[tokio::test]
async fn a_release_that_comes_while_the_list_is_read_is_not_listed_twice() {
    let world = World::new();
    for patch in 0..150 {
        world.fake.state().add_release(&format!("v1.0.{patch}"), false, false);
    }
    let origin = world.sandbox.path("origin.git");
    let state = world.fake.state().clone();
    let busy = Arc::new(FakeGitHub::with(&origin, state));
    let inside = Arc::downgrade(&busy);
    busy.fault(
        "GET",
        "page=2",
        1..=1,
        Act::before(move || {
            inside.upgrade().unwrap().state().add_release("v2.0.0", false, false);
        }),
    );
    let github = GitHub::open(config(&busy.url(), Tokens::token(MAINTAINER))).unwrap();
    let all = found(github.releases().await).all;
    let tags: std::collections::BTreeSet<_> = all.iter().map(|release| &release.tag).collect();
    assert_eq!((all.len(), tags.len()), (150, 150));
}
