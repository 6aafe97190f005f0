use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use serde_json::json;

use super::Fixture;
use crate::support::github::Act;
use crate::support::github::faults::matches;
use crate::support::http::Response;

#[test]
fn limits_and_failures_do_nothing() {
    let world = Fixture::new();
    let acts = [Act::secondary_limit(7), Act::primary_limit(99), Act::too_many(3), Act::status(502), Act::html()];
    for (index, act) in acts.into_iter().enumerate() {
        world.fake.fault("POST", "/releases", index + 1..=index + 1, act);
    }
    let create = || world.post("releases", json!({"tag_name": "v1.0.0", "draft": true}));
    let secondary = create();
    assert_eq!((secondary.status, secondary.header("retry-after")), (403, "7"));
    let primary = create();
    assert_eq!((primary.status, primary.header("x-ratelimit-reset")), (403, "99"));
    assert_eq!(primary.header("x-ratelimit-remaining"), "0");
    assert_eq!([create().status, create().status], [429, 502]);
    let html = create();
    assert_eq!((html.status, html.header("content-type")), (200, "text/html"));
    assert!(world.fake.state().releases.is_empty());
    assert_eq!(create().status, 201, "and then all is well");
    let statuses: Vec<u16> = world.fake.log().iter().map(|logged| logged.status).collect();
    assert_eq!(statuses, [403, 403, 429, 502, 200, 201]);
}

#[test]
fn what_was_done_may_be_answered_with_a_failure_or_not_at_all() {
    let world = Fixture::new();
    let send = || {
        let body = json!({"tag_name": "v1.0.0", "draft": true});
        let request = world.http.post(world.address("releases")).bearer_auth(super::MAINTAINER).json(&body);
        request.send().and_then(|response| Ok((response.status().as_u16(), response.bytes()?.len()))).ok()
    };
    let acts = [Act::done_but(502), Act::done_but_hung_up(), Act::cut(10), Act::hang_up()];
    for (index, act) in acts.into_iter().enumerate() {
        world.fake.fault("POST", "/repos/*/releases", index + 1..=index + 1, act);
    }
    let mut seen = Vec::new();
    for _ in 0..4 {
        let answer = send().map(|(status, _)| status);
        seen.push((answer, world.fake.state().releases.len()));
    }
    assert_eq!(seen, [(Some(502), 1), (None, 2), (None, 3), (None, 3)]);
    assert_eq!(world.fake.writes(), 4);
}

#[test]
fn a_scripted_answer_is_githubs_own_unless_it_is_said_to_be_wrong() {
    let world = Fixture::new();
    world.post("releases", json!({"tag_name": "v1.0.0"}));
    let half = || Act::Answer(Response::new(200, r#"{"id": 1}"#).with("content-type", "application/json"));
    let bare = || Act::change(|response| Response { body: br#"{"id": 1}"#.to_vec(), ..response });
    let same = Act::change(|response| response.with("x-more", "1"));
    let acts = [half(), Act::wrong(half()), bare(), Act::wrong(bare()), same, Act::html()];
    for (index, act) in acts.into_iter().enumerate() {
        world.fake.fault("GET", "/releases/latest", index + 1..=index + 1, act);
    }
    let statuses = [(); 6].map(|()| world.get("releases/latest").status);
    assert_eq!(statuses, [500, 200, 500, 200, 200, 200]);
    let wrong = world.fake.take_wrong();
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(
        wrong.iter().all(|line| line.contains("`Act::wrong`") && line.contains("`tag_name` is missing")),
        "{wrong:?}"
    );
}

#[test]
fn hooks_stand_around_the_writes() {
    let world = Fixture::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = || {
        let calls = Arc::clone(&calls);
        move || {
            calls.fetch_add(1, SeqCst);
        }
    };
    world.fake.on_write(1, false, count());
    world.fake.cut_write(2, false, count());
    world.fake.cut_write(3, true, count());
    let send = || {
        let body = json!({"tag_name": "v1.0.0", "draft": true});
        let answer = world.http.post(world.address("releases")).bearer_auth(super::MAINTAINER).json(&body).send();
        (answer.is_ok(), world.fake.state().releases.len())
    };
    assert_eq!([send(), send(), send(), send()], [(true, 1), (false, 1), (false, 2), (true, 3)]);
    world.get("releases");
    world.post("/graphql", json!({"query": "{viewer{login}}"}));
    assert_eq!((calls.load(SeqCst), world.fake.writes()), (3, 4), "asking isn't writing");
}

#[test]
fn an_answer_may_be_late_and_something_may_happen_first() {
    let world = Fixture::new();
    world.fake.fault("*", "/pulls", 1..=1, Act::late(Duration::from_millis(30)));
    let before = Instant::now();
    assert_eq!(world.get("pulls").status, 200);
    assert!(before.elapsed() >= Duration::from_millis(30));
    let origin = world.origin.clone();
    let delete = move || std::fs::remove_file(origin.join("refs/heads/main")).unwrap();
    world.fake.fault("GET", "/branches/main", 2..=2, Act::before(delete));
    assert_eq!([world.get("branches/main").status, world.get("branches/main").status], [200, 404]);
}

#[test]
fn faults_are_aimed_by_patterns() {
    assert!(
        matches("/releases", "/repos/a/b/releases?page=2")
            && matches("/repos/*/assets?name=x", "/uploads/repos/a/b/releases/1/assets?name=xy")
    );
    assert!(!matches("/pulls*page=2", "/repos/a/b/pulls?page=1") && !matches("b*a", "ab"));
}
