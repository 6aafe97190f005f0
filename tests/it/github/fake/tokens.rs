use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::{Level, MAINTAINER, Role, Token};

/// A world with a token of each kind.
fn world() -> Fixture {
    let world = Fixture::new();
    world.fake.state().tokens.extend([
        Token::classic("reader", "rita", Role::Pull),
        Token::classic("scopeless", "maria", Role::Push).with_scopes(&["read:org"]),
        Token::classic("public", "maria", Role::Push).with_scopes(&["public_repo"]),
        Token::classic("stranger", "sven", Role::None),
        Token::fine_grained("fine", "maria", Role::Push, &[("contents", Level::Write)]),
        Token::fine_grained("fine-reader", "maria", Role::Push, &[("contents", Level::Read)]),
        Token::fine_grained("overdone", "rita", Role::Pull, &[("contents", Level::Write)]),
        Token::installation("app", "robot", &[("contents", Level::Read), ("pull_requests", Level::Write)]),
        Token::actions("workflow", &[("contents", Level::Write)]),
    ]);
    world
}

const ALL: [&str; 11] =
    ["", MAINTAINER, "reader", "scopeless", "public", "stranger", "fine", "fine-reader", "overdone", "app", "workflow"];

#[test]
fn who_may_write() {
    let world = world();
    let create = |token: &str| {
        let body = json!({"tag_name": "v1.0.0", "draft": true});
        world.call_as(token, "POST", "releases", Some(&body))
    };
    let statuses = ALL.map(|token| create(token).status);
    assert_eq!(statuses, [401, 201, 403, 403, 201, 403, 201, 403, 403, 403, 201]);
    let scopeless = create("scopeless");
    assert_eq!((scopeless.header("x-oauth-scopes"), scopeless.header("x-accepted-oauth-scopes")), ("read:org", "repo"));
    let app = create("app");
    assert_eq!(app.json()["message"], "Resource not accessible by integration");
    assert_eq!(app.header("x-accepted-github-permissions"), "contents=write");
    assert_eq!(create("fine-reader").json()["message"], "Resource not accessible by personal access token");
    world.fake.state().hide_from_classic = true;
    assert_eq!((create("scopeless").status, create("fine-reader").status), (404, 403));
}

#[test]
fn a_private_repository_isn_t_there_for_strangers() {
    let world = world();
    world.fake.state().repository.private = true;
    let statuses = ALL.map(|token| world.get_as(token, "").status);
    assert_eq!(statuses, [404, 200, 200, 404, 404, 404, 200, 200, 200, 200, 200]);
    assert_eq!(
        world.get_as("app", "actions/workflows/x.yaml/runs").status,
        403,
        "actions aren't among its permissions"
    );
    assert_eq!(world.get("/repos/acme/other").status, 404);
    assert_eq!(world.get("/repos/ACME/Ship").status, 200);
}

#[test]
fn who_am_i() {
    let world = world();
    let viewer = |token: &str| {
        let body = json!({"query": "query { viewer { login } }"});
        world.call_as(token, "POST", "/graphql", Some(&body))
    };
    for (token, login) in [(MAINTAINER, "maria"), ("app", "robot[bot]"), ("workflow", "github-actions[bot]")] {
        assert_eq!(viewer(token).json()["data"]["viewer"]["login"], login);
    }
    assert_eq!(viewer("").status, 401);
    assert_eq!(world.get("/user").json()["login"], "maria");
    assert_eq!((world.get_as("app", "/user").status, world.get_as("", "/user").status), (403, 401));
    assert_eq!(world.get_as("wrong", "").status, 401, "even where nobody would be let in");
    world.fake.state().tokens[1].expires_at = Some(0);
    assert_eq!(world.get_as("reader", "").status, 401);
    let basic = world.http.get(world.address("")).basic_auth("x-access-token", Some(MAINTAINER));
    assert_eq!(world.send(basic, "").status, 200);
    let nameless = reqwest::blocking::Client::builder().no_proxy().build().unwrap().get(world.address(""));
    assert_eq!(world.send(nameless, MAINTAINER).status, 403, "GitHub wants a user agent");
}

#[test]
fn what_merging_is_allowed_is_shown_to_those_who_may_push() {
    let world = world();
    let shown = |token: &str| world.get_as(token, "").json().get("allow_merge_commit").cloned();
    assert_eq!((shown(MAINTAINER), shown("workflow")), (Some(json!(true)), Some(json!(true))));
    assert_eq!((shown("reader"), shown(""), shown("app")), (None, None, None));
    let permissions = |token: &str| world.get_as(token, "").json()["permissions"].clone();
    assert_eq!(permissions(""), Value::Null);
    assert_eq!((&permissions(MAINTAINER)["push"], &permissions(MAINTAINER)["admin"]), (&json!(true), &json!(false)));
    world.sandbox.git(&world.origin, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    assert_eq!(world.get("").json()["default_branch"], "trunk");
}

#[test]
fn an_archived_repository_is_only_read_and_other_versions_aren_t_spoken() {
    let world = world();
    world.fake.state().repository.archived = true;
    assert_eq!((world.get("releases").status, world.get("").json()["archived"].clone()), (200, json!(true)));
    assert_eq!(world.post("releases", json!({"tag_name": "v1.0.0"})).status, 403);
    let request = |version: &str| world.http.get(world.address("")).header("x-github-api-version", version);
    assert_eq!(world.send(request("2022-11-28"), MAINTAINER).status, 200);
    assert_eq!(world.send(request("2021-01-01"), MAINTAINER).status, 400);
}

#[test]
fn workflows_may_be_kept_from_proposing() {
    let world = world();
    world.branch("next");
    let with = Token::actions("proposer", &[("pull_requests", Level::Write)]);
    world.fake.state().tokens.push(with);
    world.fake.state().actions_may_propose = false;
    let body = json!({"title": "Release", "head": "next", "base": "main"});
    let propose = |token: &str| world.call_as(token, "POST", "pulls", Some(&body)).status;
    assert_eq!((propose("proposer"), propose("reader"), propose("app")), (403, 403, 201));
}
