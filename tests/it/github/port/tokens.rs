//! Tokens: an app's are renewed, none is shown, none goes elsewhere.

use std::sync::Arc;
use std::time::Duration;

use sealift::port::forge::github::{Address, Config, GitHub, GitHubError, Tokens};
use sealift::port::forge::{ForgeRead, ForgeWrite};
use sealift::port::repository::{Origin, OriginRead, OriginWrite, RefUpdate, Store};

use super::{World, blob, config, draft, found, refused, unknown};
use crate::support::git_server::GitServer;
use crate::support::github::apps::{KEY, new_key};
use crate::support::github::state::App;
use crate::support::github::{Act, Level, MAINTAINER};
use crate::support::http::{Request, Response, Server};

const ID: u64 = 4_711;

fn with_app(permissions: &[(&str, Level)]) -> (World, Tokens) {
    let world = World::new();
    world.fake.state().app = Some(App::new("ship-app", permissions));
    (world, Tokens::app(ID, KEY.pem.clone()))
}

fn issued(world: &World) -> usize {
    world.fake.count("POST", "/access_tokens")
}

#[tokio::test]
async fn an_app_asks_for_one_token_however_many_wait() {
    let (world, tokens) = with_app(&[("contents", Level::Write)]);
    for patch in 0..250 {
        world.fake.state().add_release(&format!("v1.0.{patch}"), false, false);
    }
    let github = world.github_as(tokens);
    let all = futures_util::future::join_all((0..8).map(|_| github.releases())).await;
    assert!(all.into_iter().all(|releases| found(releases).all.len() == 250));
    assert_eq!((issued(&world), world.fake.count("GET", "/installation")), (1, 1));
    // Every page was asked with the token: octocrab would have left it out after the first.
    let log = world.fake.log();
    let pages: Vec<_> = log.iter().filter(|logged| logged.target.contains("/releases?")).collect();
    assert_eq!(pages.len(), 8 * 3);
    assert!(pages.iter().all(|logged| logged.token.as_deref().is_some_and(|token| token.starts_with("ghs_"))));
}

#[tokio::test]
async fn an_app_writes_and_uploads_with_its_token() {
    let (world, tokens) = with_app(&[("contents", Level::Write)]);
    let github = world.github_as(tokens);
    let id = github.create_draft(&draft("v1.0.0")).await.unwrap();
    github.upload(id, "notes.txt", &blob(b"words")).await.unwrap();
    assert_eq!(found(github.assets(id).await).len(), 1);
}

#[tokio::test]
async fn a_token_that_ends_in_mid_run_is_renewed() {
    let (world, tokens) = with_app(&[("contents", Level::Write)]);
    let end = world.fake.state().clock + 600;
    world.fake.state().app.as_mut().unwrap().expires_at = Some(end);
    let github = world.github_as(tokens);
    let id = github.create_draft(&draft("v1.0.0")).await.unwrap();
    {
        let mut state = world.fake.state();
        state.clock = end;
        state.app.as_mut().unwrap().expires_at = Some(end + 10_000);
    }
    // A write meets the end: 401 says that it was not done, so it is sent again, with another token.
    github.upload(id, "notes.txt", &blob(b"words")).await.unwrap();
    assert_eq!(found(github.assets(id).await).len(), 1);
    assert_eq!(issued(&world), 2);
    assert_eq!(world.fake.log().iter().filter(|logged| logged.status == 401).count(), 1);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends() {
    let (world, tokens) = with_app(&[]);
    // It lasts an hour, and is renewed two hours before: it never lasts long enough.
    let renew = Duration::from_secs(7_200);
    let github = GitHub::open(Config { renew, ..config(&world.fake.url(), tokens) }).unwrap();
    found(github.repository().await);
    assert!(issued(&world) >= 2);
    let before = issued(&world);
    found(github.repository().await);
    assert!(issued(&world) > before);
    // One that can't be renewed is used while it lasts.
    world.fake.fault("POST", "/access_tokens", 1..=usize::MAX, Act::status(403));
    found(github.repository().await);
    assert_eq!(world.fake.log().iter().filter(|logged| logged.status == 401).count(), 0);
}

#[tokio::test]
async fn an_app_that_can_not_have_a_token_says_why() {
    let (world, tokens) = with_app(&[]);
    let ask = async |tokens: Tokens| unknown(world.github_as(tokens).repository().await);
    world.fake.fault("GET", "/installation", 1..=1, Act::Answer(Response::new(404, r#"{"message":"Not Found"}"#)));
    let error = ask(tokens.clone()).await;
    assert!(error.to_string().contains("is the app installed"), "{error}");
    let error = ask(Tokens::app(ID, new_key().pem)).await;
    assert!(error.status == Some(401) && error.detail.contains("number and key"), "{error}");
    let error = ask(Tokens::app(ID + 1, KEY.pem.clone())).await;
    assert!(error.what.contains("GitHub App 4712 for acme/ship"), "{error}");
    // What GitHub gives is a secret even where it isn't understood.
    let odd = Response::new(201, r#"{"token":"ghs_s3cret","expires_at":{"ghs_s3cret":1}}"#);
    world.fake.fault("POST", "/access_tokens", 1..=1, Act::wrong(Act::Answer(odd)));
    let error = ask(tokens).await;
    assert!(!format!("{error:?}").contains("s3cret"), "{error}");
    assert_eq!(world.fake.count("GET", "/repos/acme/ship/releases"), 0);
}

#[tokio::test]
async fn a_key_or_token_that_is_none_is_refused_without_being_shown() {
    let open = |tokens: Tokens| GitHub::open(config("http://127.0.0.1:1", tokens)).map(drop);
    let broken = KEY.pem.lines().take(9).collect::<Vec<_>>().join("\n");
    for (tokens, secret) in [
        (Tokens::app(7, "s3cret key"), "s3cret"),
        (Tokens::app(7, broken.clone()), &broken[60..90]),
        (Tokens::token("ghp_s3cret and more"), "s3cret"),
        (Tokens::token("ghp_s3cret\u{7f}"), "s3cret"),
    ] {
        let error = open(tokens.clone()).unwrap_err();
        assert!(matches!(error, GitHubError::Key(7) | GitHubError::Token));
        assert!(!format!("{error} {error:?} {tokens:?}").contains(secret), "{error}");
    }
    assert!(open(Tokens::token("")).is_ok() && open(Tokens::token(" ghp_x\n")).is_ok());
}

/// A server that says back what it is told in confidence.
fn leaking() -> Server {
    Server::start(|request: Request| {
        let authorization = request.header("authorization").unwrap_or_default().to_owned();
        let secret = authorization.split_whitespace().last().unwrap_or_default();
        let status = if request.method == "GET" { 500 } else { 422 };
        let words = format!(r#"{{"message":"bad {authorization}","errors":["{secret}",{{"message":"{secret}"}}]}}"#);
        Response::new(status, words).with("content-type", "application/json")
    })
}

#[tokio::test]
async fn a_token_in_a_servers_words_is_taken_out() {
    let server = leaking();
    let github = GitHub::open(config(&server.url(), Tokens::token("ghp_s3cret"))).unwrap();
    let read = unknown(github.repository().await);
    assert!(read.detail.contains("<secret>"), "{read}");
    let write = github.create_draft(&draft("v1.0.0")).await.unwrap_err();
    let texts = [format!("{read}"), format!("{read:?}"), format!("{write}"), format!("{write:?}")];
    assert!(texts.iter().all(|text| !text.contains("s3cret")), "{texts:?}");
    let report = format!("{:?} {:#}", anyhow::Error::from(write.clone()), anyhow::Error::from(write));
    assert!(report.contains("<secret>") && !report.contains("s3cret"), "{report}");
    // An app's own word, too.
    let github = GitHub::open(config(&server.url(), Tokens::app(ID, KEY.pem.clone()))).unwrap();
    let error = unknown(github.repository().await);
    assert!(error.detail.contains("bad Bearer <secret>; <secret>; <secret>"), "{error}");
}

#[tokio::test]
async fn an_upload_goes_to_the_apis_hosts_alone() {
    let thief = Server::start(|_| Response::new(201, "{}"));
    let world = World::new();
    let github = world.github();
    let id = github.create_draft(&draft("v1.0.0")).await.unwrap();
    let before = github.stats().counts().post;
    for host in
        [thief.url(), "https://uploads.github.com".to_owned(), world.fake.url().replace("127.0.0.1", "localhost")]
    {
        let (from, to) = (world.fake.uploads_url(), host.clone());
        world.fake.fault(
            "GET",
            &format!("/releases/{id}"),
            1..=1,
            Act::change(move |response| {
                let body = String::from_utf8(response.body).unwrap().replace(&from, &to);
                Response { body: body.into(), ..response }
            }),
        );
        // Another port, which hasn't seen the draft's address.
        let github = world.github();
        let (status, words) = refused(github.upload(id, "x", &blob(b"x")).await);
        assert!(status.is_none() && words.contains("isn't the API's host"), "{words}");
        assert_eq!(github.stats().counts().post, 0);
    }
    assert_eq!(github.stats().counts().post, before);
}

#[tokio::test]
async fn git_pushes_with_the_token_that_holds() {
    let (world, tokens) = with_app(&[("contents", Level::Write)]);
    let renew = Duration::from_secs(7_200);
    let github = GitHub::open(Config { renew, ..config(&world.fake.url(), tokens) }).unwrap();
    let server = GitServer::start(&world.sandbox.path(""));
    let store = Arc::new(Store::open(&world.sandbox.path("store")).unwrap());
    let origin = Origin::new(store, &server.url("origin.git"), github.credential()).unwrap();
    let main = super::branch("main");
    origin.fetch(std::slice::from_ref(&main)).await.unwrap();
    let target = Some(world.main());
    origin.update(&RefUpdate { name: super::branch("release-1.0.0"), expect: None, target }).await.unwrap();
    let shown: std::collections::BTreeSet<_> = server
        .requests()
        .iter()
        .map(|request| request.authorization().map(str::to_owned).expect("each request shows a token"))
        .collect();
    assert!(shown.len() > 1, "the token was renewed between two operations");
    let logged = issued(&world);
    assert_eq!(shown.len(), logged, "each operation asked for the token that holds");

    // Without a token nothing is sent.
    world.fake.fault("POST", "/access_tokens", 1..=usize::MAX, Act::status(403));
    let fresh = world.github_as(Tokens::app(ID, KEY.pem.clone()));
    let origin = Origin::new(origin.store().clone(), &server.url("origin.git"), fresh.credential()).unwrap();
    let before = server.requests().len();
    assert!(unknown(origin.refs().await).what.contains("GitHub App"));
    assert_eq!(server.requests().len(), before);
    assert!(GitHub::open(config("http://127.0.0.1:1", Tokens::Anonymous)).unwrap().credential().is_none());
    let fixed = GitHub::open(config("http://127.0.0.1:1", Tokens::token(MAINTAINER))).unwrap();
    assert!(!format!("{:?}", fixed.credential()).contains(MAINTAINER));
}

#[tokio::test]
async fn an_address_is_no_place_for_a_secret() {
    for error in [
        Address::of("https://x:s3cret@github.com/o").unwrap_err(),
        Address::over("https://github.com/o/n", "https://x:s3cret@h").unwrap_err(),
    ] {
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    }
}
