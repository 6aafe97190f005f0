//! A credential that lacks something: the message names what.

use sealift::engine::State;

use super::{
    Writes, calls, done, failed, fresh, maintainer, merged, noted, nothing_public, pinned, refused, refused_untouched,
    seen, session_as, waiting, with_secret,
};
use crate::support::github::{Level, Role, Token};
use crate::support::world::hosted::READER;
use crate::support::world::{Session, World};

/// What sealift runs as, with some permissions alone.
fn installation(world: &World, permissions: &[(&str, Level)]) -> Session {
    session_as(world, Token::installation("ghs_some", "cozystack-ci", permissions))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_permission_to_open_pull_requests_is_named() {
    for level in [None, Some(Level::Read)] {
        let world = fresh().await;
        let given = [("contents", Level::Write), ("metadata", Level::Read), ("actions", Level::Read)];
        let given: Vec<_> = given.into_iter().chain(level.map(|level| ("pull_requests", level))).collect();
        let ran = installation(&world, &given).run(&world.request()).await;
        failed(
            &ran,
            &[
                "open-pull pull request from release-1.6.2",
                "Resource not accessible by integration; it takes the permission pull_requests=write",
            ],
        );
        assert_eq!(seen(&world, "pull"), Vec::<String>::new());
        // With it, the rest follows, and nothing is made a second time.
        world.run().await.must_be(State::Waiting);
        assert_eq!(calls(&world, "POST", "/releases"), 1);
    }
}

/// What the page says that an App needs, without what it calls optional or needed only at times.
fn documented() -> Vec<(String, Level)> {
    let page = include_str!("../../../../docs/adopt.md");
    let (_, rows) = page.split_once("\n| permission | why |\n").expect("the table of an App's permissions");
    let rows = rows.lines().skip(1).take_while(|line| line.starts_with('|'));
    let rows = rows.filter_map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [permission, why] = cells[..] else { panic!("not two cells: {row}") };
        let (name, level) = permission.split_once(": ").unwrap_or_else(|| panic!("no level: {row}"));
        let level = match level {
            "read" => Level::Read,
            "read and write" => Level::Write,
            other => panic!("{other}: {row}"),
        };
        let needed = !why.starts_with("optional") && !why.starts_with("only if");
        needed.then(|| (name.to_lowercase().replace(' ', "_"), level))
    });
    rows.collect()
}

/// All of them together, in a repository that hides what it can; and without any one of them it doesn't get there.
#[tokio::test(flavor = "multi_thread")]
async fn the_permissions_that_are_documented_are_enough() {
    let all = documented();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["metadata", "contents", "pull_requests", "actions"]);
    for without in std::iter::once(None).chain(names.iter().filter(|name| **name != "metadata").map(Some)) {
        let world = fresh().await;
        world.github().state().repository.private = true;
        let given = all.iter().filter(|(name, _)| Some(&name.as_str()) != without);
        let given: Vec<(&str, Level)> = given.map(|(name, level)| (name.as_str(), *level)).collect();
        let session = installation(&world, &given);
        let ran = session.run(&world.request()).await;
        if without.is_some() {
            assert_ne!(ran.state.as_ref().ok(), Some(&State::Waiting), "without {without:?}\n{}", ran.told());
            continue;
        }
        ran.must_be(State::Waiting);
        world.merge();
        session.run(&world.request()).await.must_be(State::Holds);
    }
}

/// In a private repository runs are shown to those alone who may see them.
#[tokio::test(flavor = "multi_thread")]
async fn the_permission_to_read_runs_is_named() {
    let world = fresh().await;
    world.github().state().repository.private = true;
    let before = world.snapshot();
    let given = [("contents", Level::Write), ("pull_requests", Level::Write), ("metadata", Level::Read)];
    let ran = installation(&world, &given).run(&world.request()).await;
    let texts = [
        "whether v1.6.2-rc.1 passed from end to end can't be known",
        "tags.yaml on push: can't be known",
        "it takes the permission actions=read",
    ];
    refused_untouched(&ran, "gate", &texts, &before, &world);
    let person = Token::fine_grained("github_pat_some", "cozystack-ci[bot]", Role::Push, &given);
    let ran = session_as(&world, person).run(&world.request()).await;
    refused_untouched(
        &ran,
        "gate",
        &["Resource not accessible by personal access token; it takes the permission actions=read"],
        &before,
        &world,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scope_of_a_classic_token_is_named() {
    let world = fresh().await;
    world.github().state().repository.private = true;
    let before = world.snapshot();
    let classic = |scopes: &[&str]| Token::classic("ghp_gist", "maria", Role::Push).with_scopes(scopes);
    let ran = session_as(&world, classic(&["gist", "read:org"])).run(&world.request()).await;
    let texts = [
        "cozystack/cozystack",
        "it takes the scope repo, the token has gist, read:org",
        "it isn't there, or this token isn't shown it",
    ];
    refused(&ran, "gate", &texts);
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "refused");
}

const BARRED: [&str; 4] = [
    "this credential may not write, and what is begun here could not be ended",
    "cozystack/cozystack",
    "`contents: write`",
    "the scope `repo`",
];

/// A plan needs no right to write, so it isn't asked for at the gate; a run stops before its first action.
#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_may_not_push_begins_nothing() {
    let tokens = [
        Token::classic("ghp_gist", "cozystack-ci[bot]", Role::Push).with_scopes(&["gist"]),
        Token::classic("ghp_pull", "cozystack-ci[bot]", Role::Pull),
        Token::installation("ghs_less", "cozystack-ci", &[("pull_requests", Level::Write), ("contents", Level::Read)]),
        Token::actions("ghs_less", &[("pull_requests", Level::Write), ("contents", Level::Read)]),
    ];
    let (fresh, pinned) = (fresh().await, pinned().await);
    for token in tokens {
        for (world, stage) in [(fresh.copy(), "commit"), (pinned.copy(), "propose")] {
            let (before, writes) = (world.snapshot(), Writes::of(&world));
            let session = session_as(&world, token.clone());
            session.plan(&world.request()).await.must_be(State::Work);
            refused_untouched(&session.run(&world.request()).await, stage, &BARRED, &before, &world);
            writes.none();
        }
        let session = session_as(&pinned, token);
        let draft = "the draft of v1.6.2 is not visible to this credential";
        noted(&session.plan(&pinned.request()).await, "propose", draft);
    }
}

/// Where there is nothing to write, nothing is asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_may_not_push_may_see_that_all_is_done() {
    for (world, state) in [(waiting().await, State::Waiting), (done().await, State::Holds)] {
        with_secret(&world, READER).run(&world.request()).await.must_be(state);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ended_is_told_and_nothing_is_taken_for_absent() {
    let world = fresh().await;
    let before = world.snapshot();
    let ran = with_secret(&world, "ghp_nobodys").run(&world.request()).await;
    refused(&ran, "gate", &["cozystack/cozystack", "Bad credentials; give a token that is still valid"]);
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "refused");
}

/// A release that may not be published holds back every other public name.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_not_publish_is_told_before_anything_public_and_somebody_else_goes_on() {
    let (world, _) = merged().await;
    let given = [("pull_requests", Level::Write), ("contents", Level::Read), ("metadata", Level::Read)];
    let (before, session) = (world.snapshot(), installation(&world, &given));
    refused_untouched(&session.run(&world.request()).await, "retag", &BARRED, &before, &world);
    nothing_public(&world);
    assert!(world.github().state().release("v1.6.2").unwrap().draft);
    maintainer(&world).run(&world.request()).await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_repository_takes_no_write() {
    let world = pinned().await;
    world.github().state().repository.archived = true;
    failed(&world.run().await, &["Repository was archived so is read-only."]);
    nothing_public(&world);
}
