//! Rulesets and classic protection, as each token is shown them.

use serde_json::json;

use sealift::model::Answer;
use sealift::port::forge::github::Tokens;
use sealift::port::forge::{Bypass, ForgeRead, Protection, RuleKind, Visible};

use super::{World, branch, found, unknown};
use crate::support::github::apps::KEY;
use crate::support::github::state::App;
use crate::support::github::{Act, Level, MARIA, Role, Token};
use crate::support::http::Response;

fn json_answer(value: serde_json::Value) -> Act {
    Act::Answer(Response::new(200, value.to_string()).with("content-type", "application/json"))
}

/// The same with less than GitHub says, or something else.
fn odd_answer(value: serde_json::Value) -> Act {
    Act::wrong(json_answer(value))
}

#[tokio::test]
async fn the_rules_for_a_branch_say_whom_they_let_pass() {
    let world = World::new();
    {
        let mut state = world.fake.state();
        state.add_ruleset("branch", &["refs/heads/release-*"], &["creation", "update", "required_linear_history"]);
        state.rulesets[0].bypass.insert(MARIA.into(), "always".into());
        state.add_ruleset("branch", &["~ALL"], &["required_signatures", "deletion"]);
        state.rulesets[1].inherited = true;
        state.add_ruleset("branch", &["refs/heads/main"], &[]);
        state.rulesets[2].rules = vec![json!({"type": "pull_request", "parameters": {
            "allowed_merge_methods": ["merge", "squash"], "dismiss_stale_reviews_on_push": false,
            "require_code_owner_review": false, "require_last_push_approval": false,
            "required_approving_review_count": 1, "required_review_thread_resolution": false,
        }})];
        state.rulesets[2].bypass.insert(MARIA.into(), "pull_requests_only".into());
    }
    let github = world.github();
    let shown = async |name: &str| {
        let rules = found(github.branch_rules(&branch(name)).await);
        rules.into_iter().map(|rule| (rule.kind, rule.bypass)).collect::<Vec<_>>()
    };
    let (always, never) = (Visible::Shown(Bypass::Always), Visible::Shown(Bypass::Never));
    let other = (RuleKind::Other("deletion".into()), never);
    assert_eq!(
        shown("release-1.0").await,
        [
            (RuleKind::Creation, always),
            (RuleKind::Update, always),
            (RuleKind::RequiredLinearHistory, always),
            (RuleKind::RequiredSignatures, never),
            other.clone(),
        ]
    );
    let methods = Some(vec!["merge".to_owned(), "squash".to_owned()]);
    let pull = (RuleKind::PullRequest { merge_methods: methods }, Visible::Shown(Bypass::PullRequests));
    assert_eq!(shown("main").await, [(RuleKind::RequiredSignatures, never), other, pull]);
    assert_eq!(world.fake.count("GET", "/rulesets/"), 4, "each ruleset is read once");
    // To nobody it isn't said who passes: no fact.
    let anonymous = found(world.github_as(Tokens::Anonymous).branch_rules(&branch("main")).await);
    assert!(anonymous.iter().all(|rule| rule.bypass == Visible::Hidden));
    // One of an enterprise isn't found here.
    world.fake.fault("GET", "/rulesets/", 1..=1, Act::Answer(Response::new(404, "{}")));
    let rules = found(world.github().branch_rules(&branch("main")).await);
    assert_eq!((rules[0].bypass, rules[0].ruleset.starts_with("ruleset ")), (Visible::Hidden, true));
}

#[tokio::test]
async fn a_rule_is_understood_or_named_or_unknown() {
    let world = World::new();
    let rules = async |rules: serde_json::Value| {
        world.fake.fault("GET", "/rules/branches/main", 1..=1, odd_answer(rules));
        let answer = world.github().branch_rules(&branch("main")).await;
        answer.known().map(|rules| rules.unwrap().into_iter().map(|rule| rule.kind).collect::<Vec<_>>())
    };
    let pattern = |parameters| json!([{"type": "branch_name_pattern", "parameters": parameters}]);
    let expected = RuleKind::NamePattern { operator: "starts_with".into(), pattern: "release-".into(), negate: true };
    let given = pattern(json!({"operator": "starts_with", "pattern": "release-", "negate": true}));
    assert_eq!(rules(given).await.unwrap(), [expected]);
    assert!(rules(pattern(json!({"operator": "regex"}))).await.unwrap_err().detail.contains("no pattern"));
    assert!(rules(pattern(serde_json::Value::Null)).await.is_err());
    let kinds = json!([
        {"type": "required_status_checks"},
        {"type": "required_status_checks", "parameters": {"do_not_enforce_on_create": true}},
        {"type": "pull_request"},
        {"type": "new_in_2030"},
    ]);
    let expected = [
        RuleKind::RequiredStatusChecks { on_creation: true },
        RuleKind::RequiredStatusChecks { on_creation: false },
        RuleKind::PullRequest { merge_methods: None },
        RuleKind::Other("new_in_2030".into()),
    ];
    assert_eq!(rules(kinds).await.unwrap(), expected);
    assert!(rules(json!([{"parameters": {}}])).await.is_err());
}

#[tokio::test]
async fn active_rulesets_for_tags_are_listed_with_their_patterns() {
    let world = World::new();
    {
        let mut state = world.fake.state();
        state.add_ruleset("tag", &["refs/tags/v*", "refs/tags/api/**/*"], &["creation"]);
        (state.rulesets[0].exclude, state.rulesets[0].name) = (vec!["refs/tags/v0*".into()], "releases".into());
        state.add_ruleset("tag", &["~ALL"], &["deletion"]);
        state.rulesets[1].enforcement = "evaluate".into();
        state.add_ruleset("branch", &["~ALL"], &["creation"]);
    }
    let rulesets = found(world.github().tag_rulesets().await);
    assert_eq!(rulesets.len(), 1);
    let one = &rulesets[0];
    assert_eq!((one.name.as_str(), one.exclude.as_slice()), ("releases", ["refs/tags/v0*".to_owned()].as_slice()));
    assert_eq!(one.include, ["refs/tags/v*", "refs/tags/api/**/*"]);
    assert_eq!((one.rules.as_slice(), one.bypass), ([RuleKind::Creation].as_slice(), Visible::Shown(Bypass::Never)));

    // What isn't said about names holds for all; what isn't said about passing is no permission.
    let odd =
        json!({"name": "odd", "conditions": null, "rules": [{"type": "update"}], "current_user_can_bypass": "maybe"});
    world.fake.fault("GET", "/rulesets/", 1..=1, odd_answer(odd));
    let one = found(world.github().tag_rulesets().await).remove(0);
    assert_eq!((one.include, one.bypass), (vec!["~ALL".to_owned()], Visible::Shown(Bypass::Unsaid)));
    world.fake.fault("GET", "/rulesets/", 1..=1, Act::Answer(Response::new(404, "{}")));
    assert!(unknown(world.github().tag_rulesets().await).detail.contains("releases"));
}

#[tokio::test]
async fn classic_protection_is_shown_hidden_or_absent() {
    let world = World::new();
    {
        let mut state = world.fake.state();
        state.tokens.extend([
            Token::classic("admin", "ada", Role::Admin),
            Token::classic("scopeless", "ada", Role::Admin).with_scopes(&["gist"]),
            Token::fine_grained("fine", "ada", Role::Admin, &[("contents", Level::Write)]),
            Token::actions("actions", &[("contents", Level::Write)]),
        ]);
        state.app = Some(App::new("ship-app", &[("administration", Level::Read)]));
    }
    let app = || Tokens::app(4_711, KEY.pem.clone());
    let see = async |tokens: Tokens| world.github_as(tokens).protection(&branch("main")).await;
    // Nobody says that there is none, but to whom it would be shown.
    for tokens in [Tokens::token("admin"), app()] {
        assert_eq!(see(tokens).await, Answer::Absent);
    }
    for token in ["scopeless", "fine", "actions", crate::support::github::MAINTAINER, ""] {
        assert_eq!(see(Tokens::token(token)).await, Answer::Found(Visible::Hidden), "{token}");
    }
    let url = "https://api.github.com/x";
    let mut protection = json!({
        "required_linear_history": {"enabled": true}, "required_signatures": {"url": url, "enabled": true},
        "required_pull_request_reviews": {"dismiss_stale_reviews": false, "require_code_owner_reviews": false},
        "enforce_admins": {"url": url, "enabled": false},
    });
    let expected = Protection { linear_history: true, signatures: true, restricted: false, pull_requests: true };
    world.fake.fault("GET", "/protection", 1..=1, json_answer(protection.clone()));
    assert_eq!(see(Tokens::token("admin")).await, Answer::Found(Visible::Shown(expected)));
    protection["restrictions"] = serde_json::Value::Null;
    world.fake.fault("GET", "/protection", 1..=1, odd_answer(protection));
    assert_eq!(see(Tokens::token("admin")).await, Answer::Found(Visible::Shown(expected)));
    world.fake.fault("GET", "/protection", 1..=1, json_answer(json!({})));
    assert_eq!(see(Tokens::token("admin")).await, Answer::Found(Visible::Shown(Protection::default())));
    // A limit and a failure hide nothing: they are unknown.
    for act in [Act::secondary_limit(3_600), Act::status(500), Act::html()] {
        world.fake.fault("GET", "/protection", 1..=super::ATTEMPTS as usize, act);
        unknown(see(Tokens::token("actions")).await);
    }
}
