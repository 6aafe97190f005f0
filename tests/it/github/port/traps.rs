//! What octocrab and GitHub's own description hold in store: identity on the wire, and nulls.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use sealift::port::forge::github::{GitHub, Tokens};
use sealift::port::forge::{ForgeRead, ForgeWrite, PullState, ReleaseId, RunId, RunQuery};

use super::{World, blob, branch, config, found, unknown};
use crate::support::http::{Request, Response, Server};

/// A server that keeps what it was asked, and answers with one value to everything but the repository.
fn canned(value: Value) -> (Server, Arc<Mutex<Vec<Request>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&asked);
    let server = Server::start(move |request: Request| {
        let repository = json!({"full_name": "acme/ship", "default_branch": "main", "private": false});
        let value = if request.path() == "/repos/acme/ship" { &repository } else { &value };
        keep.lock().unwrap().push(request);
        Response::new(200, value.to_string()).with("content-type", "application/json")
    });
    (server, asked)
}

fn github(server: &Server) -> GitHub {
    GitHub::open(config(&server.url(), Tokens::token("ghp_x"))).unwrap()
}

#[tokio::test]
async fn each_request_says_who_asks_for_what_once() {
    let (server, asked) = canned(json!({"tag_name": "v1"}));
    let github = github(&server);
    unknown(github.latest().await);
    let _ = github.create_comment(1, "words").await;
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3);
    for request in asked.iter() {
        let all = |name: &str| {
            let values = request.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
            values.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(all("user-agent"), [format!("sealift/{}", env!("CARGO_PKG_VERSION"))]);
        assert_eq!(all("authorization"), ["Bearer ghp_x"]);
        assert_eq!(all("accept"), ["application/vnd.github+json"]);
        assert_eq!(all("x-github-api-version"), ["2022-11-28"]);
        assert_eq!(all("content-length").len(), usize::from(request.method == "POST"));
    }
}

#[tokio::test]
async fn an_upload_says_its_length_and_type() {
    let world = World::new();
    let release = world.fake.state().add_release("v1", true, false);
    // The fake refuses an upload without either.
    world.github().upload(ReleaseId(release), "a b+c&d=e.txt", &blob(b"")).await.unwrap_err();
    assert_eq!(world.fake.state().releases[0].assets[0].name, "a.b+c.d.e.txt", "the name came whole");
    assert_eq!(world.fake.state().releases[0].assets[0].bytes.len(), 0);
    assert_eq!(world.fake.state().releases[0].assets[0].content_type, "application/octet-stream");
}

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// A run with every null that GitHub's description allows.
fn bare_run() -> Value {
    json!({
        "id": 7, "name": null, "head_branch": null, "head_sha": SHA, "event": "push", "status": null,
        "conclusion": null, "created_at": "2026-11-29T10:00:00Z", "run_started_at": null, "html_url": "https://x",
        "head_commit": null, "actor": null, "pull_requests": null, "check_suite_id": null,
    })
}

fn query() -> RunQuery {
    RunQuery { workflow: "e2e.yaml".into(), event: "push".into(), head_commit: None, since: None }
}

#[tokio::test]
async fn nulls_that_are_allowed_are_read() {
    let (server, _) = canned(json!({"total_count": 1, "workflow_runs": [bare_run()]}));
    let run = found(github(&server).runs(&query()).await).remove(0);
    assert_eq!((run.head_branch, run.conclusion, run.started_at), (None, None, None));
    assert_eq!(run.status, "unknown", "which isn't completed");

    let job = json!({"id": 1, "name": "e2e", "status": null, "conclusion": null, "started_at": null, "html_url": null});
    let (server, _) = canned(json!({"total_count": 1, "jobs": [job]}));
    let job = found(github(&server).jobs(RunId(7)).await).remove(0);
    assert_eq!((job.started_at, job.conclusion, job.url.as_str()), (None, None, ""));

    let release = json!({
        "id": 1, "tag_name": "v1", "name": null, "body": null, "draft": false, "prerelease": false,
        "html_url": "https://x", "upload_url": "https://x", "published_at": null, "author": null, "created_at": null,
    });
    let (server, _) = canned(json!([release]));
    let release = found(github(&server).releases().await).all.remove(0);
    assert_eq!((release.name.as_str(), release.body.as_str(), release.published_at), ("", "", None));

    let asset =
        json!({"id": 1, "name": "a", "label": null, "size": 3, "state": "open", "digest": null, "uploader": null});
    let (server, _) = canned(json!([asset]));
    let asset = found(github(&server).assets(ReleaseId(1)).await).remove(0);
    assert_eq!((asset.digest, asset.complete), (None, false));

    let side = |repo: Value| json!({"ref": "b", "sha": SHA, "repo": repo, "user": null, "label": null});
    let pull = json!({
        "number": 1, "state": "closed", "title": "t", "body": null, "user": null, "head": side(Value::Null),
        "base": side(json!({"id": 1})), "merged_at": null, "labels": [{"name": null}, {"name": "x"}], "html_url": "https://x",
    });
    let (server, _) = canned(pull);
    let pull = found(github(&server).pull(1).await);
    assert_eq!((pull.state, pull.author, pull.from_here, pull.labels.len()), (PullState::Closed, None, false, 1));

    let (server, _) = canned(
        json!([{"id": 1, "body": null, "user": null, "html_url": "https://x", "issue_url": "https://x/issues/1"}]),
    );
    let comment = found(github(&server).comments(1).await).remove(0);
    assert_eq!((comment.author, comment.body.as_str()), (None, ""));
}

#[tokio::test]
async fn what_can_not_be_used_makes_the_list_unknown() {
    for (key, value) in [
        ("head_sha", Value::Null),
        ("head_sha", json!("main")),
        ("created_at", Value::Null),
        ("created_at", json!("2026-11-29T10:00:00+01:00")),
        ("run_started_at", json!("2026-11-29 10:00:00Z")),
        ("id", Value::Null),
        ("event", Value::Null),
    ] {
        let mut run = bare_run();
        run[key] = value;
        // Beside one that could be used: were it left out, an older run would count for the newest.
        let good =
            json!({"id": 6, "head_sha": SHA, "event": "push", "created_at": "2026-11-28T10:00:00Z", "html_url": "x"});
        let (server, _) = canned(json!({"total_count": 2, "workflow_runs": [run, good]}));
        let error = unknown(github(&server).runs(&query()).await);
        assert!(error.detail.contains("not the answer that is expected"), "{key}: {error}");
    }
    let (server, _) = canned(json!([{"id": 1, "tag_name": "v1", "draft": null, "html_url": "x", "upload_url": "x"}]));
    unknown(github(&server).releases().await);
    let pull = |name: &str, state: &str| {
        let side = |name: &str| json!({"ref": name, "sha": SHA});
        json!({"number": 1, "state": state, "title": "t", "head": side(name), "base": side("main"), "html_url": "x"})
    };
    for odd in [pull("a..b", "open"), pull("b", "half-open")] {
        let (server, _) = canned(odd);
        unknown(github(&server).pull(1).await);
    }
}

#[tokio::test]
async fn filters_that_github_ignores_are_applied_again() {
    let world = World::new();
    let run = |id: u64, event: &str, sha: &str, at: &str| json!({"id": id, "head_sha": sha, "event": event, "created_at": at, "html_url": "x"});
    let (new, old) = ("2026-11-29T10:00:00Z", "2026-11-28T10:00:00Z");
    let all = json!([
        run(1, "push", SHA, old),
        run(2, "schedule", SHA, new),
        run(3, "push", &"a".repeat(40), new),
        run(4, "push", SHA, new)
    ]);
    let (server, _) = canned(json!({"total_count": 4, "workflow_runs": all}));
    let query = RunQuery { head_commit: Some(SHA.parse().unwrap()), since: Some(new.into()), ..query() };
    let runs = found(github(&server).runs(&query).await);
    assert_eq!(runs.iter().map(|run| run.id).collect::<Vec<_>>(), [RunId(4)]);

    let (head, base) = (world.branch("b").to_string(), world.main().to_string());
    world.branch("c");
    let number = world.fake.state().add_pull("b", &head, "main", &base, "t");
    let github_ = world.github();
    let list = found(github_.pulls_from(&branch("b")).await);
    assert_eq!(list.iter().map(|pull| pull.number).collect::<Vec<_>>(), [number]);
    let whole = world.sandbox.path("whole");
    let saved = whole.clone();
    world.fake.fault(
        "GET",
        "/pulls?",
        1..=1,
        crate::support::github::Act::change(move |response| {
            std::fs::write(&saved, &response.body).unwrap();
            response
        }),
    );
    found(github_.pulls_from(&branch("b")).await);
    let unfiltered = Response::new(200, std::fs::read(whole).unwrap());
    world.fake.fault("GET", "/pulls?", 1..=1, crate::support::github::Act::Answer(unfiltered));
    assert_eq!(found(github_.pulls_from(&branch("c")).await), []);
}
