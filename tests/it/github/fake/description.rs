//! What holds the fake to GitHub's description, and that it does hold.

mod samples;

use std::collections::BTreeSet;

use samples::{faults, must_fail, other, places, sample};
use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::schema;
use crate::support::github::state::App;
use crate::support::github::{Level, MAINTAINER, apps};

#[test]
fn a_wrong_answer_of_every_schema_is_noticed() {
    let (mut noticed, mut least) = (0, usize::MAX);
    for (name, schema) in schema::schemas() {
        let value = sample(schema);
        assert_eq!(schema::check(schema, &value), [] as [String; 0], "{name}: {value}");
        let mut here = 0;
        for (what, wrong) in faults(&value).into_iter().filter(|(what, _)| must_fail(schema, &value, what)) {
            assert_ne!(schema::check(schema, &wrong), [] as [String; 0], "{name}, {what}: {wrong}");
            here += 1;
        }
        (noticed, least) = (noticed + here, least.min(here));
    }
    assert!(least >= 1);
    println!("{noticed} wrong answers of {} schemas were noticed", schema::schemas().len());
    assert!(noticed > 1_000, "only {noticed}");
}

/// A world with one of everything, and an answer of each operation of it.
fn everything() -> Vec<(String, u16, Value)> {
    let world = Fixture::new();
    world.branch("next");
    world.sandbox.git(&world.origin, &["tag", "-m", "words", "v0.1.0", "main"]);
    let release = world.post("releases", json!({"tag_name": "v0.1.0", "body": "words"}));
    let id = release.json()["id"].as_u64().unwrap();
    let asset = world.upload(id, "name=a.txt", b"hello");
    let pull = world.post("pulls", json!({"title": "Release", "head": "next", "base": "main"}));
    let labels = world.post("issues/1/labels", json!({"labels": ["release"]}));
    let comment = world.post("issues/1/comments", json!({"body": "words"}));
    let (run, set) = {
        let mut state = world.fake.state();
        let run = state.add_run("e2e.yaml", "push", "main", &"0".repeat(40));
        state.add_job(run, "e2e");
        let set = state.add_ruleset("branch", &["~ALL"], &["required_signatures"]);
        state.protections.insert("main".into(), json!({"required_linear_history": {"enabled": true}}));
        state.app = Some(App::new("robot", &[("contents", Level::Write)]));
        state.tokens[0].role = crate::support::github::Role::Admin;
        (run, set)
    };
    let made = [
        ("POST /repos/{owner}/{repo}/releases", release),
        ("POST /repos/{owner}/{repo}/releases/{release_id}/assets", asset),
        ("POST /repos/{owner}/{repo}/pulls", pull),
        ("POST /repos/{owner}/{repo}/issues/{issue_number}/labels", labels),
        ("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", comment),
    ];
    let mut answers: Vec<(String, u16, Value)> = Vec::new();
    for (operation, reply) in made {
        answers.push((operation.into(), reply.status, reply.json()));
    }
    let (asset, comment) = (answers[1].2["id"].clone(), answers[4].2["id"].clone());
    let sha = world.rev("main");
    let tag = world.rev("refs/tags/v0.1.0");
    let app = super::apps::good();
    let repo = "/repos/{owner}/{repo}";
    let ask = |operation: String, path: &str, body: Option<Value>, token: &str| {
        let method = operation.split(' ').next().unwrap();
        let reply = world.call_as(token, method, path, body.as_ref());
        (operation, reply.status, if reply.bytes.is_empty() { Value::Null } else { reply.json() })
    };
    let asked: Vec<(&str, String, Option<Value>)> = vec![
        ("GET ", String::new(), None),
        ("GET /releases", "releases".into(), None),
        ("GET /releases/latest", "releases/latest".into(), None),
        ("GET /releases/tags/{tag}", "releases/tags/v0.1.0".into(), None),
        ("GET /releases/{release_id}", format!("releases/{id}"), None),
        ("PATCH /releases/{release_id}", format!("releases/{id}"), Some(json!({"name": "x"}))),
        ("GET /releases/{release_id}/assets", format!("releases/{id}/assets"), None),
        ("GET /releases/assets/{asset_id}", format!("releases/assets/{asset}"), None),
        ("PATCH /releases/assets/{asset_id}", format!("releases/assets/{asset}"), Some(json!({"label": "x"}))),
        ("GET /pulls", "pulls".into(), None),
        ("GET /pulls/{pull_number}", "pulls/1".into(), None),
        ("PATCH /pulls/{pull_number}", "pulls/1".into(), Some(json!({"title": "x"}))),
        ("GET /issues/{issue_number}/labels", "issues/1/labels".into(), None),
        ("GET /issues/{issue_number}/comments", "issues/1/comments".into(), None),
        ("GET /issues/comments/{comment_id}", format!("issues/comments/{comment}"), None),
        ("PATCH /issues/comments/{comment_id}", format!("issues/comments/{comment}"), Some(json!({"body": "x"}))),
        ("GET /actions/workflows/{workflow_id}/runs", "actions/workflows/e2e.yaml/runs".into(), None),
        ("GET /actions/runs/{run_id}/jobs", format!("actions/runs/{run}/jobs"), None),
        ("GET /rules/branches/{branch}", "rules/branches/main".into(), None),
        ("GET /rulesets", "rulesets".into(), None),
        ("GET /rulesets/{ruleset_id}", format!("rulesets/{set}"), None),
        ("GET /branches/{branch}", "branches/main".into(), None),
        ("GET /branches/{branch}/protection", "branches/main/protection".into(), None),
        ("GET /contents/{path}", "contents/README.md".into(), None),
        ("GET /git/ref/{ref}", "git/ref/heads/main".into(), None),
        ("GET /git/matching-refs/{ref}", "git/matching-refs/heads".into(), None),
        ("GET /git/tags/{tag_sha}", format!("git/tags/{tag}"), None),
        ("POST /git/refs", "git/refs".into(), Some(json!({"ref": "refs/heads/x", "sha": sha}))),
        ("PATCH /git/refs/{ref}", "git/refs/heads/x".into(), Some(json!({"sha": sha}))),
        ("DELETE /git/refs/{ref}", "git/refs/heads/x".into(), None),
        ("DELETE /releases/assets/{asset_id}", format!("releases/assets/{asset}"), None),
        ("DELETE /releases/{release_id}", format!("releases/{id}"), None),
    ];
    for (operation, path, body) in asked {
        let operation = operation.replacen(' ', &format!(" {repo}"), 1);
        answers.push(ask(operation, &path, body, MAINTAINER));
    }
    answers.push(ask("GET /user".into(), "/user", None, MAINTAINER));
    answers.push(ask("GET /app".into(), "/app", None, &app));
    answers.push(ask(format!("GET {repo}/installation"), "installation", None, &app));
    let tokens = "POST /app/installations/{installation_id}/access_tokens";
    answers.push(ask(tokens.into(), "/app/installations/8150/access_tokens", None, &app));
    answers
}

#[test]
fn a_wrong_answer_of_every_operation_is_noticed() {
    let answers = everything();
    let seen: BTreeSet<&str> = answers.iter().map(|(operation, _, _)| operation.as_str()).collect();
    let known: BTreeSet<&str> = schema::operations().keys().map(String::as_str).collect();
    assert_eq!(seen, known, "every operation is answered");
    let mut noticed = 0;
    for (operation, status, value) in &answers {
        assert!(*status < 300, "{operation}: {status} {value}");
        if value.is_null() {
            assert_eq!(schema::answer(operation, *status, b""), [] as [String; 0]);
            assert_ne!(schema::answer(operation, *status, b"{}"), [] as [String; 0]);
            continue;
        }
        assert_eq!(schema::answer(operation, *status, value.to_string().as_bytes()), [] as [String; 0], "{operation}");
        let described = &schema::operations()[operation]["answers"][status.to_string()];
        let mut at = Vec::new();
        places(value, "", &mut at);
        let mut wrong = value.clone();
        for place in &at {
            let spot = wrong.pointer_mut(place).unwrap();
            let right = std::mem::replace(spot, other(spot));
            assert_ne!(schema::check(described, &wrong), [] as [String; 0], "{operation}: {place}");
            *wrong.pointer_mut(place).unwrap() = right;
        }
        noticed += at.len();
    }
    println!("{noticed} wrong values in {} answers were noticed", answers.len());
}

#[test]
fn statuses_and_bodies_that_github_doesn_t_document_are_wrong() {
    let releases = "POST /repos/{owner}/{repo}/releases";
    let error = json!({"message": "x", "documentation_url": "https://x.test"}).to_string();
    let good = |operation: &str, status: u16, body: &str| schema::answer(operation, status, body.as_bytes()).is_empty();
    assert!(good(releases, 404, &error) && good(releases, 422, &error) && good(releases, 403, &error));
    assert!(!good(releases, 200, &error) && !good(releases, 500, &error) && !good(releases, 201, "{}"));
    assert!(!good(releases, 201, "<html>") && !good("GET /nothing", 200, "{}") && !good(releases, 422, "{}"));
    let deletion = "DELETE /repos/{owner}/{repo}/releases/{release_id}";
    assert!(good(deletion, 204, "") && !good(deletion, 204, "{}") && !good(deletion, 200, ""));
}

#[test]
fn what_github_has_no_answer_for_fails_the_test() {
    let world = Fixture::new();
    assert_eq!(world.get("milestones").status, 500);
    assert_eq!(world.get("pulls?heads=acme:next").status, 500, "GitHub would list all of them");
    assert_eq!(world.fake.take_wrong().len(), 2);
    world.branch("next");
    world.post("pulls", json!({"title": "Release", "head": "next", "base": "main"}));
    world.fake.state().protections.insert("main".into(), json!({"required_linear_history": "yes"}));
    world.fake.state().tokens[0].role = crate::support::github::Role::Admin;
    assert_eq!(world.get("branches/main/protection").status, 500);
    let wrong = world.fake.take_wrong();
    assert!(wrong[0].contains("/required_linear_history: \"yes\" is no object"), "{wrong:?}");
    world.fake.state().protections.insert("main".into(), json!({"unheard_of": true}));
    assert_eq!(world.get("branches/main/protection").status, 500);
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || drop(world)));
    let words = dropped.unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("`unheard_of` isn't documented"), "{words}");
}

#[test]
fn what_isn_t_said_as_described_is_refused() {
    let world = Fixture::new();
    let refused = world.post("releases", json!({"tag_name": 1}));
    assert_eq!(refused.status, 422);
    assert!(refused.json()["message"].as_str().unwrap().contains("/tag_name: 1 is no string"));
    assert_eq!(world.post("releases", json!({"draft": true})).status, 422);
    let request = world.http.post(world.address("releases")).body("{");
    assert_eq!(world.send(request, MAINTAINER).status, 400);
    assert_eq!(world.post("releases", json!({"tag_name": "v1", "draft": true, "unknown": 1})).status, 201);
    assert!(apps::KEY.pem.starts_with("-----BEGIN RSA PRIVATE KEY-----"));
}

#[test]
fn an_enterprise_server_answers_below_its_own_path() {
    let world = Fixture::new();
    for number in 0..2 {
        world.fake.state().add_release(&format!("v1.{number}.0"), true, false);
    }
    let reply = world.get("/api/v3/repos/acme/ship/releases?per_page=1");
    let next = reply.link("next").unwrap();
    assert!(next.starts_with(&format!("{}/api/v3/repositories/", world.fake.url())), "{next}");
    let release = world.get(&next).json();
    let upload = release[0]["upload_url"].as_str().unwrap();
    let start = format!("{}/api/uploads/repos/acme/ship/releases/", world.fake.url());
    assert!(upload.starts_with(&start), "{upload}");
    let address = upload.replace("{?name,label}", "?name=a.txt");
    let request = world.http.post(address).header("content-type", "text/plain").body("hello");
    assert_eq!(world.send(request, MAINTAINER).status, 201);
}
