use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::{MAINTAINER, Role, Token};

#[test]
fn a_hundred_and_one_releases_are_two_pages() {
    let world = Fixture::new();
    for number in 0..101 {
        world.fake.state().add_release(&format!("v0.{number}.0"), false, false);
    }
    let (items, pages) = world.pages("releases?per_page=100");
    assert_eq!((items.len(), pages), (101, 2));
    let (_, pages) = world.pages("releases?per_page=1000");
    assert_eq!(pages, 2, "more than a hundred on a page aren't given");
    let (items, pages) = world.pages("releases");
    assert_eq!((items.len(), pages), (101, 4), "thirty unless said otherwise");
    let reply = world.get("releases?per_page=100");
    let last = reply.link("last").unwrap();
    assert!(last.starts_with(&format!("{}/repositories/", world.fake.url())), "{last}");
    assert_eq!(world.get(&last).json().as_array().unwrap().len(), 1);
    let spelt = world.get("/repos/ACME/ship/releases").link("next").unwrap();
    assert_eq!(world.get(&spelt).json().as_array().unwrap().len(), 30);
}

#[test]
fn a_draft_is_found_by_nobody_s_tag_and_by_no_reader() {
    let world = Fixture::new();
    world.fake.state().tokens.push(Token::classic("reader", "rita", Role::Pull));
    world.fake.state().draft_lag = 2;
    let draft = world.post("releases", json!({"tag_name": "v1.0.0", "draft": true})).json();
    let path = format!("releases/{}", draft["id"]);
    assert!(draft["html_url"].as_str().unwrap().contains("/untagged-"));
    assert_eq!(world.get("releases/tags/v1.0.0").status, 404);
    assert_eq!(world.get(&path).status, 200);
    for token in ["reader", ""] {
        assert_eq!(world.get_as(token, &path).status, 404);
        assert_eq!(world.get_as(token, &format!("{path}/assets")).status, 404);
    }
    let seen = |token: &str| world.get_as(token, "releases").json().as_array().unwrap().len();
    assert_eq!([seen(MAINTAINER), seen(MAINTAINER), seen(MAINTAINER)], [0, 0, 1], "lists lag");
    assert_eq!(seen("reader"), 0);
    assert_eq!(world.get("releases/latest").status, 404);
}

#[test]
fn drafts_of_one_tag_may_be_many_and_published_releases_not() {
    let world = Fixture::new();
    let create = |draft: bool| world.post("releases", json!({"tag_name": "v1.0.0", "draft": draft}));
    let (one, two) = (create(true), create(true));
    assert_eq!((one.status, two.status), (201, 201));
    assert_eq!(create(false).status, 201);
    let refused = create(false);
    assert_eq!((refused.status, &refused.json()["errors"][0]["code"]), (422, &json!("already_exists")));
    let path = format!("releases/{}", one.json()["id"]);
    let refused = world.patch(&path, json!({"draft": false, "body": "lost"}));
    assert_eq!(refused.status, 422);
    assert_eq!(world.get(&path).json().get("body"), None, "a refused change changes nothing");
    assert_eq!(world.delete(&path).status, 204);
    assert_eq!(world.delete(&path).status, 404);
}

#[test]
fn publishing_makes_the_tag_that_is_missing() {
    let world = Fixture::new();
    let commit = world.branch("next");
    let draft = world.post("releases", json!({"tag_name": "v1.0.0", "draft": true, "target_commitish": "next"})).json();
    assert_eq!(world.sandbox.git(&world.origin, &["tag", "--list"]), "");
    let path = format!("releases/{}", draft["id"]);
    let published = world.patch(&path, json!({"draft": false}));
    assert_eq!(published.status, 200, "{}", published.text());
    assert_eq!(world.rev("refs/tags/v1.0.0"), commit);
    assert_eq!(world.get("releases/tags/v1.0.0").json()["id"], draft["id"]);
    let nowhere = world.post("releases", json!({"tag_name": "v2.0.0", "target_commitish": "nowhere"}));
    assert_eq!(nowhere.status, 422);
    assert_eq!(world.fake.state().releases.len(), 1);
}

#[test]
fn the_latest_is_the_marked_one_else_the_newest() {
    let world = Fixture::new();
    let latest = || world.get("releases/latest").json()["tag_name"].clone();
    let create = |tag: &str, more: Value| {
        let mut said = json!({"tag_name": tag});
        said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = world.post("releases", said);
        assert_eq!(reply.status, 201, "{}", reply.text());
        format!("releases/{}", reply.json()["id"])
    };
    create("v1.10.0", json!({"make_latest": "legacy"}));
    create("v1.9.0", json!({"make_latest": "legacy"}));
    assert_eq!(latest(), "v1.10.0", "of one date the higher version");
    let patch = create("v1.9.1", json!({}));
    assert_eq!(latest(), "v1.9.1", "publishing marks unless told otherwise: an old line drags it back");
    assert_eq!(world.patch(&patch, json!({"make_latest": "false"})).status, 200);
    assert_eq!(latest(), "v1.10.0");
    create("v1.9.2", json!({"make_latest": "false"}));
    create("v2.0.0-rc.1", json!({"prerelease": true, "make_latest": "true"}));
    assert_eq!(latest(), "v1.10.0", "neither what was refused the mark nor a prerelease");
    assert_eq!(world.patch(&patch, json!({"make_latest": "true"})).status, 200);
    assert_eq!(latest(), "v1.9.1");
    assert_eq!(world.patch(&patch, json!({"draft": true})).status, 200);
    assert_eq!(latest(), "v1.10.0");
    assert_eq!(world.patch(&patch, json!({"make_latest": "yes"})).status, 422, "it is a word, and no other");
}

#[test]
fn assets_are_stored_under_github_s_names_with_their_digest() {
    let world = Fixture::new();
    let draft = world.post("releases", json!({"tag_name": "v1.0.0", "draft": true})).json();
    let id = draft["id"].as_u64().unwrap();
    let expected = format!("{}/repos/acme/ship/releases/{id}/assets{{?name,label}}", world.fake.uploads_url());
    assert_eq!(draft["upload_url"], expected.as_str());
    let uploaded = world.upload(id, "name=inst%2Ball.yaml&label=The%20installer", b"hello");
    assert_eq!(uploaded.status, 201, "{}", uploaded.text());
    let asset = uploaded.json();
    assert_eq!((&asset["name"], &asset["label"]), (&json!("inst+all.yaml"), &json!("The installer")));
    assert_eq!((&asset["size"], &asset["state"]), (&json!(5), &json!("uploaded")));
    assert_eq!(asset["digest"], "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert_eq!(world.upload(id, "name=inst+all.yaml", b"hello").json()["name"], "inst.all.yaml", "a plus is a blank");
    let again = world.upload(id, "name=inst%2Ball.yaml", b"hello");
    assert_eq!((again.status, &again.json()["errors"][0]["code"]), (422, &json!("already_exists")));
    assert_eq!(world.upload(id + 1, "name=x", b"").status, 404);
    let path = format!("releases/assets/{}", asset["id"]);
    assert_eq!(world.delete(&path).status, 204);
    assert_eq!((world.delete(&path).status, world.get(&path).status), (404, 404));
}

#[test]
fn an_asset_comes_from_a_storage_that_takes_no_credentials() {
    let world = Fixture::new();
    let asset = {
        let mut state = world.fake.state();
        let release = state.add_release("v1.0.0", true, false);
        state.add_asset(release, "a.txt", "hello")
    };
    let path = format!("releases/assets/{asset}");
    assert_eq!(world.get(&path).json()["name"], "a.txt");
    let request = world.http.get(world.address(&path)).header("accept", "application/octet-stream");
    assert_eq!(world.send(request, MAINTAINER).text(), "hello");
    let stored = world.fake.log().last().unwrap().clone();
    assert!(stored.target.starts_with("/storage/") && stored.token.is_none(), "{stored:?}");
    let http = reqwest::blocking::Client::builder().user_agent("test").redirect(reqwest::redirect::Policy::none());
    let request = http.build().unwrap().get(world.address(&path)).header("accept", "application/octet-stream");
    let redirection = world.send(request, MAINTAINER);
    assert_eq!(redirection.status, 302);
    let refused = world.send(world.http.get(redirection.header("location")), MAINTAINER);
    assert_eq!(refused.status, 400, "{}", refused.text());
}

#[test]
fn broken_uploads_and_old_assets_look_as_they_do() {
    let world = Fixture::new();
    let id = {
        let mut state = world.fake.state();
        let id = state.add_release("v1.0.0", true, false);
        state.add_broken_asset(id, "broken.txt");
        state.add_asset(id, "old.txt", "old");
        state.release_mut("v1.0.0").unwrap().assets[1].digest = None;
        id
    };
    let assets = world.get(&format!("releases/{id}/assets")).json();
    assert_eq!(
        (&assets[0]["state"], &assets[0]["size"], &assets[0]["digest"]),
        (&json!("starter"), &json!(0), &Value::Null)
    );
    assert_eq!((&assets[1]["state"], &assets[1]["digest"]), (&json!("uploaded"), &Value::Null));
    assert_eq!(world.upload(id, "name=broken.txt", b"again").status, 422, "it is in the way");
    world.fake.state().broken_uploads = 1;
    let statuses = ["one", "one", "two"].map(|name| world.upload(id, &format!("name={name}"), b"1").status);
    assert_eq!(statuses, [502, 422, 201]);
    assert_eq!(world.fake.state().releases[0].assets[2].state, "starter");
}

#[test]
fn an_immutable_release_keeps_its_assets_and_its_tag() {
    let world = Fixture::new();
    world.fake.state().repository.immutable_releases = true;
    let draft = world.post("releases", json!({"tag_name": "v1.0.0", "draft": true})).json();
    let id = draft["id"].as_u64().unwrap();
    let asset = world.upload(id, "name=a.txt", b"a").json();
    let path = format!("releases/{id}");
    assert_eq!(world.patch(&path, json!({"draft": false})).json()["immutable"], true);
    let refused = world.upload(id, "name=b.txt", b"b");
    assert_eq!((refused.status, refused.json()["message"].as_str().unwrap().contains("immutable")), (422, true));
    assert_eq!(world.delete(&format!("releases/assets/{}", asset["id"])).status, 422);
    assert_eq!(world.patch(&path, json!({"draft": true})).status, 422);
    assert_eq!(world.patch(&path, json!({"body": "better words"})).status, 200);
    assert_eq!(world.delete("git/refs/tags/v1.0.0").status, 422);
    assert_eq!((world.delete(&path).status, world.delete("git/refs/tags/v1.0.0").status), (204, 204));
}

#[test]
fn a_draft_without_its_tag_is_called_untagged() {
    let world = Fixture::new();
    world.fake.state().add_release("v1.0.0", false, false);
    world.fake.state().orphan("v1.0.0");
    let release = &world.get("releases").json()[0];
    assert!(release["tag_name"].as_str().unwrap().starts_with("untagged-"), "{release}");
    assert_eq!((&release["name"], &release["draft"]), (&json!("v1.0.0"), &json!(true)));
}
