use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::{Level, MAINTAINER, MARIA, Role, Token};

#[test]
fn rules_hold_for_branches_that_don_t_exist_yet() {
    let world = Fixture::new();
    let (own, parent) = {
        let mut state = world.fake.state();
        let own = state.add_ruleset("branch", &["refs/heads/release-*"], &["required_linear_history", "creation"]);
        let parent = state.add_ruleset("branch", &["~DEFAULT_BRANCH"], &["required_signatures"]);
        state.rulesets[1].inherited = true;
        state.add_ruleset("tag", &["~ALL"], &["deletion"]);
        state.add_ruleset("branch", &["~ALL"], &["update"]);
        state.rulesets[3].enforcement = "evaluate".into();
        (own, parent)
    };
    let rules = |branch: &str| world.get(&format!("rules/branches/{branch}")).json();
    let of = |kind: &str, source: &str, own: u64, rule: &str| json!({"type": rule, "ruleset_source_type": kind, "ruleset_source": source, "ruleset_id": own});
    assert_eq!(
        rules("release-1.0"),
        json!([
            of("Repository", "acme/ship", own, "required_linear_history"),
            of("Repository", "acme/ship", own, "creation")
        ])
    );
    assert_eq!(rules("main"), json!([of("Organization", "acme", parent, "required_signatures")]));
    assert_eq!(rules("other/release-1.0"), json!([]));
    assert_eq!(world.pages("rules/branches/release-1.0?per_page=1").1, 2);
}

#[test]
fn rulesets_are_listed_without_their_rules() {
    let world = Fixture::new();
    world.fake.state().tokens.push(Token::classic("root", "rosa", Role::Admin));
    let (tags, parent) = {
        let mut state = world.fake.state();
        let tags = state.add_ruleset("tag", &["refs/tags/v*"], &["creation"]);
        state.rulesets[0].bypass.insert(MARIA.into(), "always".into());
        let parent = state.add_ruleset("branch", &["~ALL"], &["deletion"]);
        state.rulesets[1].inherited = true;
        (tags, parent)
    };
    let ids = |query: &str| {
        let list = world.get(&format!("rulesets?{query}")).json();
        list.as_array().unwrap().iter().map(|set| set["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        (ids(""), ids("targets=tag"), ids("targets=branch,push")),
        (vec![tags, parent], vec![tags], vec![parent])
    );
    assert_eq!(ids("includes_parents=false"), [tags]);
    let listed = &world.get("rulesets").json()[0];
    assert_eq!((listed.get("rules"), listed.get("conditions")), (None, None));
    let set = |token: &str, id: u64| world.get_as(token, &format!("rulesets/{id}")).json();
    let whole = set(MAINTAINER, tags);
    assert_eq!(whole["conditions"]["ref_name"], json!({"include": ["refs/tags/v*"], "exclude": []}));
    assert_eq!(whole["rules"], json!([{"type": "creation"}]));
    assert_eq!((&whole["current_user_can_bypass"], whole.get("bypass_actors")), (&json!("always"), None));
    assert_eq!(set("root", tags)["current_user_can_bypass"], "never");
    assert_eq!(set("root", tags)["bypass_actors"], json!([]));
    assert_eq!(set("", tags).get("current_user_can_bypass"), None);
    assert_eq!(set(MAINTAINER, parent)["source_type"], "Organization");
    assert_eq!(world.get(&format!("rulesets/{parent}?includes_parents=false")).status, 404);
    assert_eq!(world.get("rulesets/1").status, 404);
}

#[test]
fn rules_stop_what_they_forbid() {
    let world = Fixture::new();
    let sha = world.rev("main");
    world.fake.state().add_ruleset("tag", &["refs/tags/v*"], &["creation", "deletion"]);
    let create = |name: &str| world.post("git/refs", json!({"ref": name, "sha": sha})).status;
    assert_eq!((create("refs/tags/v1.0.0"), create("refs/tags/api/v1.0.0"), create("refs/heads/v1")), (422, 201, 201));
    let draft = world.post("releases", json!({"tag_name": "v1.0.0", "draft": true})).json();
    let publish = || world.patch(&format!("releases/{}", draft["id"]), json!({"draft": false}));
    let refused = publish();
    assert_eq!(refused.status, 422, "publishing would create the tag");
    assert_eq!(refused.json()["errors"][0]["field"], "pre_receive");
    world.fake.state().rulesets[0].bypass.insert(MARIA.into(), "always".into());
    assert_eq!(publish().status, 200);
    world.fake.state().rulesets[0].bypass.clear();
    assert_eq!(world.delete("git/refs/tags/v1.0.0").status, 422);
}

#[test]
fn protection_is_shown_to_administrators() {
    let world = Fixture::new();
    world.fake.state().tokens.extend([
        Token::classic("root", "rosa", Role::Admin),
        Token::fine_grained("fine", "rosa", Role::Admin, &[("contents", Level::Write)]),
        Token::fine_grained("settings", "rosa", Role::Admin, &[("administration", Level::Read)]),
    ]);
    let get = |token: &str, branch: &str| world.get_as(token, &format!("branches/{branch}/protection"));
    let message = |token: &str, branch: &str| get(token, branch).json()["message"].clone();
    assert_eq!(message("root", "main"), "Branch not protected");
    assert_eq!(world.get("branches/main").json()["protected"], false);
    let protection = json!({"required_linear_history": {"enabled": true}, "enforce_admins": {
        "enabled": false, "url": "https://github.test/x",
    }});
    world.fake.state().protections.insert("main".into(), protection);
    assert_eq!(get("root", "main").json()["required_linear_history"]["enabled"], true);
    assert_eq!(get("settings", "main").status, 200);
    assert_eq!((message(MAINTAINER, "main"), get("", "main").status), (json!("Not Found"), 404));
    assert_eq!(get("fine", "main").status, 403);
    assert_eq!(get("fine", "main").header("x-accepted-github-permissions"), "administration=read");
    assert_eq!(message("root", "none"), "Branch not found");
    let branch = world.get("branches/main").json();
    assert_eq!((&branch["protected"], &branch["commit"]["sha"]), (&json!(true), &json!(world.rev("main"))));
    assert_eq!(branch["commit"]["parents"], json!([]));
    world.sandbox.git(&world.origin, &["branch", "release/1.0", "main"]);
    for spelling in ["release/1.0", "release%2F1.0"] {
        assert_eq!(world.get(&format!("branches/{spelling}")).json()["name"], "release/1.0");
        assert_eq!(message("root", spelling), "Branch not protected");
    }
    world.fake.state().add_ruleset("branch", &["refs/heads/**/*"], &["deletion"]);
    assert_eq!(world.get("branches/release/1.0").json()["protected"], true, "by a ruleset");
    assert_eq!(world.get("branches/none").status, 404);
}

#[test]
fn patterns_are_those_of_fnmatch() {
    let fits = |pattern: &str, branch: &str| {
        let world = &*WORLD;
        let mut state = world.fake.state();
        state.rulesets.clear();
        state.add_ruleset("branch", &[pattern], &["deletion"]);
        drop(state);
        world.get(&format!("rules/branches/{branch}")).json() != Value::Array(Vec::new())
    };
    static WORLD: std::sync::LazyLock<Fixture> = std::sync::LazyLock::new(Fixture::new);
    assert!(fits("refs/heads/release-*", "release-1.0") && fits("refs/heads/**/*", "a/b/c"));
    assert!(fits("refs/heads/release-?.0", "release-1.0") && fits("refs/heads/main", "main"));
    assert!(!fits("refs/heads/*", "a/b") && !fits("refs/heads/main", "maintenance"));
    assert!(!fits("refs/heads/release-?.0", "release-10.0") && fits("refs/heads/**/x", "x"));
}
