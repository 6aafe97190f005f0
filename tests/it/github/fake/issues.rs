use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::{Level, MARIA, Role, Token};

impl Fixture {
    fn with_pull() -> Self {
        let world = Self::new();
        world.branch("next");
        world.post("pulls", json!({"title": "Release", "head": "next", "base": "main"}));
        world
    }
}

#[test]
fn labels_are_added_once_and_made_where_there_are_none() {
    let world = Fixture::with_pull();
    assert_eq!(world.get("issues/1/labels").json(), json!([]));
    for body in [json!({"labels": ["release"]}), json!({"labels": ["Release", {"name": "big"}]})] {
        assert_eq!(world.post("issues/1/labels", body).status, 200);
    }
    let labels = world.get("issues/1/labels").json();
    let names: Vec<&Value> = labels.as_array().unwrap().iter().map(|label| &label["name"]).collect();
    assert_eq!(names, ["release", "big"]);
    assert_eq!(world.get("pulls/1").json()["labels"], labels);
    assert_eq!(world.pages("issues/1/labels?per_page=1").1, 2);
    assert_eq!(world.get("issues/2/labels").status, 404);
    assert_eq!(world.post("issues/2/labels", json!({"labels": ["release"]})).status, 404);
}

#[test]
fn comments_are_their_author_s_and_the_maintainers_to_change() {
    let world = Fixture::with_pull();
    let tokens =
        [Token::classic("reader", "rita", Role::Pull), Token::actions("workflow", &[("pull_requests", Level::Write)])];
    world.fake.state().tokens.extend(tokens);
    let say = |token: &str, body: &str| world.call_as(token, "POST", "issues/1/comments", Some(&json!({"body": body})));
    let change = |token: &str, id: &Value| {
        let path = format!("issues/comments/{id}");
        world.call_as(token, "PATCH", &path, Some(&json!({"body": "changed"}))).status
    };
    let (hers, bots) = (say("reader", "one").json(), say("workflow", "two").json());
    assert_eq!((&hers["user"]["login"], &bots["user"]["login"]), (&json!("rita"), &json!("github-actions[bot]")));
    assert_eq!(bots["user"]["type"], "Bot");
    assert_eq!((change("reader", &hers["id"]), change("workflow", &bots["id"])), (200, 200));
    assert_eq!((change("reader", &bots["id"]), change("workflow", &hers["id"])), (403, 403));
    assert_eq!(world.patch(&format!("issues/comments/{}", bots["id"]), json!({"body": "better"})).status, 200);
    let changed = world.get(&format!("issues/comments/{}", bots["id"])).json();
    assert_eq!((&changed["body"], changed["updated_at"] == changed["created_at"]), (&json!("better"), false));
    assert_eq!(
        (say("", "x").status, say("reader", " ").status, say("reader", &"x".repeat(65_537)).status),
        (401, 422, 422)
    );
    assert_eq!(world.patch("issues/comments/1", json!({"body": "x"})).status, 404);
    let lines = world.fake.snapshot();
    assert!(lines.contains(&"comment next github-actions[bot] \"better\"".to_owned()), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains(MARIA)));
}

#[test]
fn comments_are_paged() {
    let world = Fixture::with_pull();
    for number in 0..101 {
        world.post("issues/1/comments", json!({"body": format!("{number}")}));
    }
    let (comments, pages) = world.pages("issues/1/comments?per_page=100");
    assert_eq!((comments.len(), pages), (101, 2));
    let since = comments[99]["created_at"].as_str().unwrap();
    assert_eq!(world.pages(&format!("issues/1/comments?since={since}")).0.len(), 2);
    assert_eq!(world.get("issues/2/comments").status, 404);
}
