//! Each read, as GitHub answers when nothing is wrong: found, or proven absent.

use sealift::model::{Answer, Content, Digest};
use sealift::port::forge::github::Tokens;
use sealift::port::forge::{ForgeRead, Login, PullState, ReleaseId, RunId, RunQuery, Visible};

use super::{World, branch, found, unknown};
use crate::support::github::apps::KEY;
use crate::support::github::clock::iso;
use crate::support::github::state::{App, Head};
use crate::support::github::{Act, Level, MAINTAINER, Role, Token};
use crate::support::http::Response;

#[tokio::test]
async fn the_repository_says_what_each_token_may() {
    let world = World::new();
    {
        let mut state = world.fake.state();
        let write = [("contents", Level::Write)];
        state.tokens.extend([
            Token::classic("admin", "ada", Role::Admin),
            Token::classic("scopeless", "ada", Role::Admin).with_scopes(&["gist"]),
            Token::classic("reader", "rob", Role::Pull),
            Token::fine_grained("fine", "ada", Role::Admin, &write),
            Token::fine_grained("fine-reader", "ada", Role::Admin, &[("contents", Level::Read)]),
            Token::actions("actions", &write),
            Token::actions("actions-reader", &[("contents", Level::Read)]),
        ]);
        state.app = Some(App::new("ship-app", &[("contents", Level::Write), ("administration", Level::Read)]));
        state.repository.allow_merge_commit = false;
    }
    let app = Tokens::app(4_711, KEY.pem.clone());
    // Push rights are what the answer shows of the settings: for apps the permissions say nothing.
    for (tokens, push, admin) in [
        (Tokens::token(MAINTAINER), true, false),
        (Tokens::token("admin"), true, true),
        (Tokens::token("scopeless"), false, false),
        (Tokens::token("reader"), false, false),
        (Tokens::token("fine"), true, true),
        (Tokens::token("fine-reader"), false, true),
        (Tokens::token("actions"), true, false),
        (Tokens::token("actions-reader"), false, false),
        (app, true, true),
        (Tokens::Anonymous, false, false),
    ] {
        let hosted = found(world.github_as(tokens.clone()).repository().await);
        assert_eq!((hosted.push, hosted.admin), (push, admin), "{tokens:?}");
        assert_eq!((hosted.full_name.as_str(), hosted.default_branch.as_str()), ("acme/ship", "main"));
        assert!(!hosted.private);
        let expected = if push { Visible::Shown(false) } else { Visible::Hidden };
        assert_eq!(hosted.merge_commits, expected, "{tokens:?}");
    }
}

#[tokio::test]
async fn a_repository_that_is_not_shown_is_never_absent() {
    let world = World::new();
    world.fake.state().repository.private = true;
    let github = world.github_as(Tokens::Anonymous);
    let hidden = unknown(github.repository().await);
    assert_eq!(hidden.status, Some(404));
    assert!(hidden.detail.contains("isn't shown it"), "{hidden}");
    // Nor is anything in it.
    assert_eq!(unknown(github.latest().await).status, Some(404));
    assert_eq!(unknown(github.pull(1).await).status, Some(404));
    assert_eq!(world.fake.count("GET", "/releases"), 0);
}

#[tokio::test]
async fn a_repository_that_has_moved_is_named() {
    let world = World::new();
    let github = world.github();
    world.fake.fault(
        "GET",
        "/repos/acme/ship",
        1..=1,
        Act::change(|response| {
            let text = String::from_utf8(response.body).unwrap().replace("acme/ship", "acme/boat");
            Response { body: text.into(), ..response }
        }),
    );
    assert!(unknown(github.repository().await).detail.contains("moved to acme/boat"));
}

#[tokio::test]
async fn who_asks_is_known_of_every_kind_of_token() {
    let world = World::new();
    {
        let mut state = world.fake.state();
        state.tokens.push(Token::actions("actions", &[]));
        state.app = Some(App::new("ship-app", &[]));
    }
    let login = |name: &str| Answer::Found(Login(name.into()));
    assert_eq!(world.github().viewer().await, login("maria"));
    let bot = world.github_as(Tokens::token("actions")).viewer().await;
    assert!(found(bot).is_workflow_token());
    assert_eq!(world.github_as(Tokens::app(4_711, KEY.pem.clone())).viewer().await, login("ship-app[bot]"));

    let before = world.requests();
    assert_eq!(world.github_as(Tokens::Anonymous).viewer().await, Answer::Absent);
    assert_eq!(world.requests(), before, "nobody needn't be asked");

    // GraphQL can be closed, and a person is found all the same; an app then isn't.
    let closed = Act::Answer(Response::new(403, r#"{"message":"Resource not accessible"}"#));
    world.fake.fault("POST", "/graphql", 1..=2, closed);
    assert_eq!(world.github().viewer().await, login("maria"));
    assert_eq!(unknown(world.github_as(Tokens::token("actions")).viewer().await).status, Some(403));
    let errors = Act::Answer(Response::new(200, r#"{"data":null,"errors":[{"message":"no"}]}"#));
    world.fake.fault("POST", "/graphql", 1..=1, errors);
    assert_eq!(world.github().viewer().await, login("maria"));
    assert_eq!(unknown(world.github_as(Tokens::token("nobody's")).viewer().await).status, Some(401));
}

#[tokio::test]
async fn releases_are_listed_with_the_drafts_that_may_be_seen() {
    let world = World::new();
    let (published, at) = {
        let mut state = world.fake.state();
        state.add_release("v1.1.0", true, false);
        state.add_release("v1.0.0-rc.1", false, true);
        let id = state.add_release("v1.0.0", false, false);
        (id, iso(state.clock))
    };
    let releases = found(world.github().releases().await);
    assert!(releases.drafts_visible);
    let of = |tag: &str| releases.all.iter().find(|release| release.tag == tag).unwrap();
    assert_eq!(releases.all.len(), 3);
    let release = of("v1.0.0");
    assert_eq!((release.id, release.draft, release.prerelease), (ReleaseId(published), false, false));
    assert_eq!((release.published_at.as_deref(), release.body.as_str()), (Some(at.as_str()), ""));
    assert!(release.url.ends_with("/acme/ship/releases/tag/v1.0.0"));
    assert!(of("v1.1.0").draft && of("v1.1.0").published_at.is_none() && of("v1.0.0-rc.1").prerelease);

    let seen = found(world.github_as(Tokens::Anonymous).releases().await);
    assert!(!seen.drafts_visible, "not visible, which isn't absent");
    assert_eq!(seen.all.len(), 2);
}

#[tokio::test]
async fn the_latest_release_is_found_or_absent() {
    let world = World::new();
    let github = world.github();
    assert_eq!(github.latest().await, Answer::Absent);
    world.fake.state().add_release("v1.0.0", false, false);
    assert_eq!(github.latest().await, Answer::Found("v1.0.0".into()));
}

#[tokio::test]
async fn assets_are_listed_and_downloaded() {
    let world = World::new();
    let (release, old) = {
        let mut state = world.fake.state();
        let release = state.add_release("v1.0.0", false, false);
        state.add_asset(release, "notes.txt", "words");
        state.add_broken_asset(release, "half.tgz");
        let old = state.add_asset(release, "old.tgz", vec![7; 3 << 20]);
        state.release_mut("v1.0.0").unwrap().assets[2].digest = None;
        (release, old)
    };
    let github = world.github();
    let assets = found(github.assets(ReleaseId(release)).await);
    let shown: Vec<_> = assets.iter().map(|asset| (asset.name.as_str(), asset.size, asset.complete)).collect();
    assert_eq!(shown, [("notes.txt", 5, true), ("half.tgz", 0, false), ("old.tgz", 3 << 20, true)]);
    assert_eq!((assets[0].digest, assets[2].digest), (Some(Digest::of(b"words")), None));
    assert_eq!(github.assets(ReleaseId(1)).await, Answer::Absent);

    let spool = tempfile::tempdir().unwrap();
    let blob = found(github.download(&assets[2], spool.path()).await);
    assert_eq!((blob.descriptor.size, blob.descriptor.digest), (3 << 20, Digest::of(&vec![7; 3 << 20])));
    let Content::File(path) = &blob.content else { panic!("{blob:?}") };
    assert!(path.starts_with(spool.path()));
    assert_eq!(std::fs::read(&**path).unwrap(), vec![7; 3 << 20]);
    // The storage, another host, was not shown the token: it refuses one that is.
    let storage = world.fake.log().into_iter().find(|logged| logged.target.starts_with("/storage/")).unwrap();
    assert_eq!((storage.token, storage.status), (None, 200));
    drop(blob);
    assert_eq!(std::fs::read_dir(spool.path()).unwrap().count(), 0);

    world.fake.state().release_mut("v1.0.0").unwrap().assets.retain(|asset| asset.id != old);
    assert!(github.download(&assets[2], spool.path()).await.is_absent());
}

#[tokio::test]
async fn what_is_downloaded_must_be_what_was_listed() {
    let world = World::new();
    let release = {
        let mut state = world.fake.state();
        let release = state.add_release("v1.0.0", false, false);
        state.add_asset(release, "notes.txt", "words");
        ReleaseId(release)
    };
    let (github, spool) = (world.github(), tempfile::tempdir().unwrap());
    let asset = found(github.assets(release).await).remove(0);
    for (listed, words) in [
        (sealift::port::forge::Asset { size: 6, ..asset.clone() }, "got 5 bytes"),
        (sealift::port::forge::Asset { size: 4, ..asset.clone() }, "larger than the 4 bytes"),
        (sealift::port::forge::Asset { digest: Some(Digest::of(b"other")), ..asset.clone() }, "hash to"),
    ] {
        let error = unknown(github.download(&listed, spool.path()).await);
        assert!(error.detail.contains(words), "{error}");
    }
    world.fake.fault("GET", "/storage/", 1..=1, Act::Answer(Response::new(403, "<Error>Signature sig=s3cret</Error>")));
    let error = unknown(github.download(&asset, spool.path()).await);
    assert_eq!(error.status, Some(403));
    assert!(!error.to_string().contains("sig"), "{error}");
    // Cut once: begun again.
    world.fake.fault("GET", "/storage/", 1..=1, Act::cut(3));
    assert_eq!(found(github.download(&asset, spool.path()).await).descriptor.digest, Digest::of(b"words"));
    let away = spool.path().join("none");
    assert!(unknown(github.download(&asset, &away).await).detail.contains("none"));
}

#[tokio::test]
async fn pulls_are_those_of_a_branch_of_the_repository() {
    let world = World::new();
    let (head, base) = (world.branch("release-1.0.0"), world.main());
    {
        let mut state = world.fake.state();
        let (head, base) = (head.to_string(), base.to_string());
        for _ in 0..4 {
            state.add_pull("release-1.0.0", &head, "main", &base, "Release");
        }
        let closed = state.pull_mut(1).unwrap();
        (closed.open, closed.closed_at) = (false, Some(closed.created_at));
        let fork = state.pull_mut(2).unwrap();
        fork.head = Head::Fork("mallory/ship".into());
        let gone = state.pull_mut(3).unwrap();
        (gone.head, gone.open, gone.closed_at) = (Head::Gone, false, Some(gone.created_at));
        let open = state.pull_mut(4).unwrap();
        (open.body, open.labels) = (Some("words".into()), vec!["release".into()]);
    }
    let github = world.github();
    let pulls = found(github.pulls_from(&branch("release-1.0.0")).await);
    let states: Vec<_> = pulls.iter().map(|pull| (pull.number, pull.state)).collect();
    assert_eq!(states, [(4, PullState::Open), (1, PullState::Closed)]);
    let open = &pulls[0];
    assert_eq!((open.head.clone(), open.head_commit, open.from_here), (branch("release-1.0.0"), head, true));
    assert_eq!((open.base.clone(), open.base_commit), (branch("main"), base));
    assert_eq!((open.author.as_deref(), open.body.as_str()), (Some("maria"), "words"));
    assert_eq!(open.labels, ["release"]);
    assert_eq!(found(github.pull(4).await), *open);
    assert_eq!(pulls[1].body, "");
    for elsewhere in [2, 3] {
        assert!(!found(github.pull(elsewhere).await).from_here);
    }
    assert!(github.pull(99).await.is_absent());
    assert_eq!(found(github.pulls_from(&branch("other")).await), []);

    world.fake.merge_pull(4, crate::support::github::How::Squash);
    assert_eq!(found(github.pull(4).await).state, PullState::Merged);
    let tag = sealift::model::RefName::tag("v1").unwrap();
    assert!(unknown(github.pulls_from(&tag).await).detail.contains("no branch"));
}

#[tokio::test]
async fn comments_are_listed_oldest_first() {
    let world = World::new();
    let number = {
        let (head, base) = (world.branch("b").to_string(), world.main().to_string());
        world.fake.state().add_pull("b", &head, "main", &base, "a title")
    };
    let github = world.github();
    assert_eq!(found(github.comments(number).await), []);
    for body in ["one", "two"] {
        sealift::port::forge::ForgeWrite::create_comment(&github, number, body).await.unwrap();
    }
    let comments = found(github.comments(number).await);
    let shown: Vec<_> = comments.iter().map(|comment| (comment.author.as_deref(), comment.body.as_str())).collect();
    assert_eq!(shown, [(Some("maria"), "one"), (Some("maria"), "two")]);
    assert!(comments[0].url.contains("/acme/ship/"));
    assert!(github.comments(99).await.is_absent());
}

#[tokio::test]
async fn runs_and_jobs_are_those_asked_for() {
    let world = World::new();
    let commit = world.main();
    let (old, since, newest) = {
        let mut state = world.fake.state();
        let sha = commit.to_string();
        let old = state.add_run("e2e.yaml", "push", "v1.0.0-rc.1", &sha);
        state.add_run("e2e.yaml", "workflow_dispatch", "main", &sha);
        state.add_run("e2e.yaml", "push", "main", &"0".repeat(40));
        let since = iso(state.clock);
        let newest = state.add_run("e2e.yaml", "push", "v1.0.0-rc.1", &sha);
        state.add_job(newest, "e2e / v1.0.0-rc.1");
        (old, since, newest)
    };
    let github = world.github();
    let query = RunQuery { workflow: "e2e.yaml".into(), event: "push".into(), head_commit: Some(commit), since: None };
    let runs = found(github.runs(&query).await);
    assert_eq!(runs.iter().map(|run| run.id).collect::<Vec<_>>(), [RunId(newest), RunId(old)]);
    assert_eq!((runs[0].head_commit, runs[0].head_branch.as_deref()), (commit, Some("v1.0.0-rc.1")));
    assert_eq!((runs[0].status.as_str(), runs[0].conclusion.as_deref()), ("completed", Some("success")));
    let query = RunQuery { head_commit: None, since: Some(since.clone()), ..query };
    let runs = found(github.runs(&query).await);
    assert!(runs.len() == 2 && runs.iter().all(|run| run.created_at >= since), "{runs:?}");
    let none = RunQuery { workflow: "none.yaml".into(), ..query };
    assert!(github.runs(&none).await.is_absent());

    let jobs = found(github.jobs(RunId(newest)).await);
    assert_eq!(jobs.len(), 1);
    assert_eq!((jobs[0].name.as_str(), jobs[0].status.as_str()), ("e2e / v1.0.0-rc.1", "completed"));
    assert!(jobs[0].started_at.is_some() && github.jobs(RunId(1)).await.is_absent());
}
