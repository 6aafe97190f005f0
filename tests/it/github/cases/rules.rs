//! Rulesets: the ones that stop what a promotion does, and the ones that don't.

use sealift::engine::State;
use serde_json::{Value, json};

use super::{fresh, noted, on_a_line, refused, seen};
use crate::support::github::Act;
use crate::support::github::state::Ruleset;
use crate::support::http::Response;
use crate::support::world::World;
use crate::support::world::hosted::client;

/// What sealift runs as, by its login.
const BOT: &str = "cozystack-ci[bot]";

/// A ruleset with rules as GitHub writes them, and how the bot passes it.
fn ruleset(world: &World, target: &str, include: &[&str], rules: &[Value], bypass: Option<&str>) -> String {
    let mut state = world.github().state();
    let id = state.add_ruleset(target, include, &[]);
    let set: &mut Ruleset = state.rulesets.iter_mut().find(|set| set.id == id).unwrap();
    set.rules = rules.to_vec();
    set.bypass.extend(bypass.map(|how| (BOT.to_owned(), how.to_owned())));
    set.name.clone()
}

fn rule(kind: &str) -> Value {
    json!({"type": kind})
}

/// Plans once more with nothing but this ruleset; refused with `texts`, or, without any, not at all.
async fn planned(world: &World, target: &str, include: &[&str], rules: &[Value], bypass: Option<&str>, texts: &[&str]) {
    world.github().state().rulesets.clear();
    let name = ruleset(world, target, include, rules, bypass);
    let ran = world.plan().await;
    if texts.is_empty() {
        ran.must_be(State::Work);
        return;
    }
    let said = refused(&ran, "gate", texts);
    assert!(said.contains(&format!("the ruleset \"{name}\"")), "{said}");
}

fn pull_request(methods: &[&str]) -> Value {
    json!({"type": "pull_request", "parameters": {
        "allowed_merge_methods": methods, "dismiss_stale_reviews_on_push": false, "require_code_owner_review": false,
        "require_last_push_approval": false, "required_approving_review_count": 1,
        "required_review_thread_resolution": false,
    }})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_that_can_not_take_the_merge_is_refused() {
    let world = fresh().await;
    let before = world.snapshot();
    let main = ["refs/heads/main"];
    let hint = "the promotion is merged with a merge commit, and its commits carry no signature";
    for (rules, text) in [
        (rule("required_linear_history"), "main demands a linear history: the promotion can't be merged as it must be"),
        (rule("required_signatures"), "main demands signed commits"),
        (pull_request(&["squash"]), "main demands merges by squash"),
        (pull_request(&["squash", "rebase"]), "main demands merges by squash or rebase"),
    ] {
        planned(&world, "branch", &main, std::slice::from_ref(&rules), None, &[text, hint]).await;
        planned(&world, "branch", &["~DEFAULT_BRANCH"], std::slice::from_ref(&rules), None, &[text]).await;
        // Whoever may pass by, a person merges.
        planned(&world, "branch", &main, std::slice::from_ref(&rules), Some("always"), &[text]).await;
        planned(&world, "branch", &["refs/heads/develop"], &[rules], None, &[]).await;
    }
    for fine in [pull_request(&["merge", "squash"]), rule("deletion"), rule("non_fast_forward")] {
        planned(&world, "branch", &main, &[fine], None, &[]).await;
    }
    before.assert_same(&world.snapshot(), "plans");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_that_only_some_may_create_needs_a_bypass() {
    let world = fresh().await;
    let texts = [
        "lets only some create v1.6.2",
        "refs/tags/v1.6.2",
        "add what sealift runs as to the ruleset's bypass list, always",
    ];
    for include in [&["refs/tags/v*"][..], &["~ALL"], &["refs/tags/v1.6.?"]] {
        planned(&world, "tag", include, &[rule("creation")], None, &texts).await;
        // On pull requests alone is not here.
        planned(&world, "tag", include, &[rule("creation")], Some("pull_requests_only"), &texts).await;
        planned(&world, "tag", include, &[rule("creation")], Some("always"), &[]).await;
    }
    let module = ["lets only some create api/apps/v1alpha1/v1.6.2"];
    planned(&world, "tag", &["refs/tags/api/**/*"], &[rule("creation")], None, &module).await;
    planned(&world, "tag", &["refs/tags/v2.*"], &[rule("creation")], None, &[]).await;
    planned(&world, "tag", &["refs/tags/v*"], &[rule("required_signatures")], None, &["demands signatures on v1.6.2"])
        .await;
    for kind in ["deletion", "update", "non_fast_forward"] {
        planned(&world, "tag", &["~ALL"], &[rule(kind)], None, &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_must_fit_where_a_rule_says_how() {
    let world = fresh().await;
    let pattern = |operator: &str, pattern: &str, negate: bool| json!({"type": "tag_name_pattern", "parameters": {"operator": operator, "pattern": pattern, "negate": negate}});
    let tags = ["refs/tags/v*"];
    let text = ["does not allow the name of v1.6.2"];
    planned(&world, "tag", &tags, &[pattern("starts_with", "release-", false)], None, &text).await;
    planned(&world, "tag", &tags, &[pattern("contains", "1.6", true)], None, &text).await;
    planned(&world, "tag", &tags, &[pattern("starts_with", "v", false)], None, &[]).await;
    planned(&world, "tag", &tags, &[pattern("starts_with", "release-", false)], Some("always"), &[]).await;
    // A pattern that only GitHub can read may stop it.
    for negate in [false, true] {
        let regex = pattern("regex", "^release", negate);
        let text = ["has a rule on names that is not judged here (regex `^release`) for v1.6.2", "bypass list, always"];
        planned(&world, "tag", &tags, std::slice::from_ref(&regex), None, &text).await;
        planned(&world, "tag", &tags, &[regex], Some("always"), &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_only_some_may_create_or_move_needs_a_bypass() {
    let world = fresh().await;
    let line = ["refs/heads/release-1.6"];
    planned(
        &world,
        "branch",
        &line,
        &[rule("creation")],
        None,
        &["lets only some create release-1.6", "refs/heads/release-1.6"],
    )
    .await;
    planned(&world, "branch", &line, &[rule("creation")], Some("always"), &[]).await;
    // It isn't there, so nothing moves it.
    planned(&world, "branch", &line, &[rule("update")], None, &[]).await;
    planned(&world, "branch", &line, &[pull_request(&["merge"])], None, &["demands a pull request for release-1.6"])
        .await;
    planned(
        &world,
        "branch",
        &line,
        &[rule("required_linear_history")],
        None,
        &["demands a linear history of release-1.6"],
    )
    .await;
    // Where it is the base, the merge moves it, and people merge.
    let world = on_a_line().await;
    for kind in ["creation", "update"] {
        planned(&world, "branch", &line, &[rule(kind)], None, &[]).await;
    }
}

/// The staging branch is made and moved by sealift: a rule for `release-*` meets it first.
#[tokio::test(flavor = "multi_thread")]
async fn a_staging_branch_that_only_some_may_create_or_move_needs_a_bypass() {
    let world = fresh().await;
    let branch = ["refs/heads/release-1.6.2"];
    planned(&world, "branch", &branch, &[rule("creation")], None, &["lets only some create release-1.6.2"]).await;
    planned(&world, "branch", &branch, &[rule("update")], None, &["lets only some move release-1.6.2"]).await;
    planned(&world, "branch", &branch, &[rule("required_signatures")], None, &["demands signatures on release-1.6.2"])
        .await;
    planned(&world, "branch", &branch, &[rule("update"), rule("creation")], Some("always"), &[]).await;
    planned(
        &world,
        "branch",
        &["refs/heads/release-*"],
        &[rule("creation")],
        None,
        &["lets only some create release-1.6.2", "refs/heads/release-1.6\n"],
    )
    .await;
    assert_eq!(seen(&world, "pull"), Vec::<String>::new());
}

/// Names and checks of the branches that sealift itself pushes to.
#[tokio::test(flavor = "multi_thread")]
async fn names_and_checks_of_pushed_branches_are_judged() {
    let world = fresh().await;
    let (line, branch, main) = (["refs/heads/release-1.6"], ["refs/heads/release-1.6.2"], ["refs/heads/main"]);
    let pattern = |operator: &str, pattern: &str| json!({"type": "branch_name_pattern", "parameters": {"operator": operator, "pattern": pattern, "negate": false}});
    let checks = |exempt: bool| {
        json!({"type": "required_status_checks", "parameters": {
            "required_status_checks": [{"context": "build"}], "strict_required_status_checks_policy": false,
            "do_not_enforce_on_create": exempt,
        }})
    };
    for (include, name) in [(&line, "release-1.6"), (&branch, "release-1.6.2")] {
        let feature = ("does not allow the name of", pattern("starts_with", "feature/"));
        let regex = ("has a rule on names that is not judged here (regex `^v`) for", pattern("regex", "^v"));
        let checked = ("demands passed checks of what is pushed to", checks(false));
        for (what, rule) in [feature, regex, checked] {
            let text = format!("{what} {name}");
            planned(&world, "branch", include, std::slice::from_ref(&rule), None, &[&text]).await;
            planned(&world, "branch", include, &[rule], Some("always"), &[]).await;
        }
        planned(&world, "branch", include, &[pattern("starts_with", "release-")], None, &[]).await;
    }
    // The line is created and no more; the staging branch is moved, too.
    planned(&world, "branch", &line, &[checks(true)], None, &[]).await;
    let text = ["demands passed checks of what is pushed to release-1.6.2"];
    planned(&world, "branch", &branch, &[checks(true)], None, &text).await;
    // What a person merges into has its checks on the pull request.
    planned(&world, "branch", &main, &[checks(false)], None, &[]).await;
    planned(&on_a_line().await, "branch", &line, &[checks(false)], None, &[]).await;
}

/// No permission; but to nobody it is never said, and a ruleset of an enterprise can't be read here.
#[tokio::test(flavor = "multi_thread")]
async fn a_bypass_that_is_not_said_or_in_no_known_word_is_none() {
    let world = fresh().await;
    ruleset(&world, "tag", &["refs/tags/v*"], &[rule("creation")], Some("always"));
    ruleset(&world, "branch", &["refs/heads/release-1.6"], &[rule("creation")], Some("always"));
    world.plan().await.must_be(State::Work);
    let said = |world: &World, word: Option<&'static str>| {
        let change = move |mut response: Response| {
            let mut value: Value = serde_json::from_slice(&response.body).unwrap();
            value["current_user_can_bypass"] = word.into();
            response.body = value.to_string().into_bytes();
            response
        };
        world.github().fault("GET", "*/rulesets/*", 1..=usize::MAX, Act::wrong(Act::change(change)));
    };
    for word in [Some("sometimes"), None] {
        let world = world.copy();
        said(&world, word);
        let texts = ["lets only some create v1.6.2", "lets only some create release-1.6", "bypass list, always"];
        refused(&world.plan().await, "gate", &texts);
    }
    let mut nobody = world.session();
    nobody.forge = Some(client(world.github(), world.pipeline(), None));
    let ran = nobody.plan(&world.request()).await;
    ran.must_be(State::Work);
    noted(&ran, "gate", "lets only some create v1.6.2; whether this credential passes is not visible");
    world.github().state().rulesets.retain(|set| set.target == "branch");
    world.github().fault("GET", "*/rulesets/*", 1..=usize::MAX, Act::status(404));
    let ran = world.plan().await;
    ran.must_be(State::Work);
    noted(&ran, "gate", "lets only some create release-1.6; whether this credential passes is not visible");
}

/// What isn't active, and what is an organisation's.
#[tokio::test(flavor = "multi_thread")]
async fn only_active_rulesets_count_and_an_organisations_do() {
    let world = fresh().await;
    ruleset(&world, "tag", &["~ALL"], &[rule("creation")], None);
    let set = |edit: fn(&mut Ruleset)| edit(&mut world.github().state().rulesets[0]);
    for enforcement in ["evaluate", "disabled"] {
        world.github().state().rulesets[0].enforcement = enforcement.into();
        world.plan().await.must_be(State::Work);
    }
    set(|set| (set.enforcement, set.inherited) = ("active".into(), true));
    refused(&world.plan().await, "gate", &["lets only some create v1.6.2"]);
    set(|set| set.exclude = vec!["refs/tags/v*".into(), "refs/tags/api/**/*".into()]);
    world.plan().await.must_be(State::Work);
}
