//! GitHub's limits are waited out within a budget, by everybody; else they are said.

use std::time::{Duration, Instant};

use sealift::port::forge::github::{Config, GitHub, Tokens};
use sealift::port::forge::{ForgeRead, ForgeWrite};
use sealift::port::registry::RetryPolicy;

use super::{World, config, draft, found, limited, unknown};
use crate::support::github::{Act, MAINTAINER};

#[tokio::test]
async fn a_limit_is_kept_by_all_requests() {
    let world = World::new();
    let github = world.github();
    found(github.repository().await);
    world.fake.fault("GET", "/releases/latest", 1..=1, Act::secondary_limit(1));
    let started = Instant::now();
    let (latest, pull) = futures_util::join!(github.latest(), async {
        // Begun when the limit is known.
        while world.fake.count("GET", "/releases/latest") == 0 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        github.pull(1).await
    });
    assert!(latest.is_absent() && pull.is_absent());
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_limit_over_the_budget_is_said() {
    let world = World::new();
    for act in [Act::secondary_limit(3_600), Act::too_many(3_600)] {
        world.fake.fault("GET", "/releases/latest", 1..=1, act.clone());
        let github = world.github();
        let error = unknown(github.latest().await);
        assert!(matches!(error.status, Some(403 | 429)) && error.detail.contains("wait 3600 s"), "{error}");
        // And nobody is asked any more.
        let before = world.requests();
        assert!(unknown(github.pull(1).await).detail.contains("over the limit of 20 s"));
        assert_eq!(world.requests(), before);

        world.fake.fault("POST", "/releases", 1..=1, act);
        let (status, words) = limited(world.github().create_draft(&draft("v1.0.0")).await);
        assert!(matches!(status, Some(403 | 429)) && words.contains("wait 3600 s"), "{words}");
    }
    assert_eq!(world.fake.state().releases.len(), 0);
}

#[tokio::test]
async fn the_primary_limit_is_told_by_the_requests_that_are_left() {
    let world = World::new();
    world.fake.fault("GET", "/releases/latest", 1..=1, Act::primary_limit(1_700_000_000));
    // Without the answer's date the reset says nothing: the policy's own waits are used.
    assert!(world.github().latest().await.is_absent());
    assert_eq!(world.fake.count("GET", "/releases/latest"), 2);
    let date = |act: Act| match act {
        Act::Answer(response) => Act::Answer(response.with("date", "Tue, 14 Nov 2023 22:13:20 GMT")),
        other => other,
    };
    // An hour after that date.
    world.fake.fault("GET", "/releases/latest", 1..=1, date(Act::primary_limit(1_700_003_600)));
    assert!(unknown(world.github().latest().await).detail.contains("wait 3600 s"));
}

#[tokio::test]
async fn a_budget_is_attempts_and_time() {
    let world = World::new();
    world.fake.fault("GET", "/releases/latest", 1..=usize::MAX, Act::status(502));
    for attempts in [1, 4] {
        let base = config(&world.fake.url(), Tokens::token(MAINTAINER));
        let github = GitHub::open(Config { retry: RetryPolicy { attempts, ..base.retry }, ..base }).unwrap();
        let before = world.fake.count("GET", "/releases/latest");
        assert_eq!(unknown(github.latest().await).status, Some(502));
        assert_eq!(world.fake.count("GET", "/releases/latest") - before, attempts as usize);
    }
}

#[tokio::test]
async fn writes_are_paced() {
    let world = World::new();
    let pause = Duration::from_millis(100);
    let github = GitHub::open(Config { pause, ..config(&world.fake.url(), Tokens::token(MAINTAINER)) }).unwrap();
    let started = Instant::now();
    for tag in ["v1", "v2", "v3"] {
        github.create_draft(&draft(tag)).await.unwrap();
    }
    assert!(started.elapsed() >= 2 * pause);
}
