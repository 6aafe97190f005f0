//! As a GitHub App, end to end: its key signs, its tokens are renewed, and git pushes with them.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use sealift::engine::State;
use sealift::port::forge::github::{Address, Config, GitHub, Tokens};
use sealift::port::repository::Origin;

use super::{TAG, fresh, names, printed};
use crate::support::git_server::{GitServer, Reaction};
use crate::support::github::apps::KEY;
use crate::support::github::state::{App, EPOCH};
use crate::support::github::{Act, How, Kind, Level};
use crate::support::world::{Session, World};

/// Lets the App be installed, with what is documented.
fn installed(world: &World) -> u64 {
    let write = [("contents", Level::Write), ("pull_requests", Level::Write), ("actions", Level::Read)];
    let app = App::new("cozystack-ci", &write);
    let id = app.id;
    let mut state = world.github().state();
    state.tokens.retain(|token| token.kind != Kind::Installation);
    state.app = Some(app);
    id
}

/// A machine that is the App, and pushes over HTTP with the same credential.
fn session(world: &World, server: &GitServer) -> Session {
    let address = Address::over(&world.pipeline().repository, &world.github().url()).unwrap();
    let tokens = Tokens::app(4_711, KEY.pem.as_str());
    let forge = GitHub::open(Config { pause: Duration::ZERO, ..Config::new(address, tokens) }).unwrap();
    let mut session = world.session();
    session.origin = Origin::new(session.store.clone(), &server.url("origin.git"), forge.credential()).unwrap();
    session.forge = Some(forge);
    session
}

/// git over HTTP that takes what GitHub gave out as a token and nothing else.
fn git(world: &Arc<World>) -> GitServer {
    let server = GitServer::start(&world.sandbox.path(""));
    let weak = Arc::downgrade(world);
    server.intercept(move |request| {
        let world = weak.upgrade().unwrap();
        let basic = |secret: &str| base64::engine::general_purpose::STANDARD.encode(format!("x-access-token:{secret}"));
        let known: Vec<String> =
            world.github().state().tokens.iter().map(|token| format!("Basic {}", basic(&token.secret))).collect();
        match request.authorization() {
            Some(shown) if known.iter().any(|known| known == shown) => Reaction::Pass,
            _ => Reaction::Canned(401, vec![("Content-Type", "text/plain".into())], "who are you?".into()),
        }
    });
    server
}

/// Secrets that were shown to the API, without the App's own words.
fn shown(world: &World) -> Vec<String> {
    let log = world.github().log();
    let mut tokens: Vec<String> =
        log.into_iter().filter_map(|logged| logged.token).filter(|token| token.starts_with("ghs_")).collect();
    tokens.sort();
    tokens.dedup();
    tokens
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_promotion_as_an_app() {
    let world = Arc::new(fresh().await);
    let id = installed(&world);
    assert_eq!(id, 4_711);
    let server = git(&world);
    session(&world, &server).run(&world.request()).await.must_be(State::Waiting);
    assert_eq!(world.github().state().pull(1).unwrap().author, "cozystack-ci[bot]");
    assert_eq!(shown(&world).len(), 1, "one token for the whole run");
    let merge = world.github().merge_pull(1, How::Merge);
    session(&world, &server).run(&world.request()).await.must_be(State::Holds);
    assert_eq!(names(&world, TAG), merge);
    let pushes = server.requests().into_iter().filter(|request| request.is_push()).count();
    assert!(pushes >= 5, "branch, pin, module tag, tag, line: {pushes}");
    assert_eq!(world.github().state().app.as_ref().unwrap().issued, 2, "one for each machine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_about_to_end_is_renewed_before_it_does() {
    let world = Arc::new(fresh().await);
    installed(&world);
    let server = git(&world);
    // Less than the five minutes before its end, by GitHub's own clock.
    world.github().state().app.as_mut().unwrap().expires_at = Some(EPOCH + 290);
    let date = Act::change(|response| response.with("date", "Tue, 14 Nov 2023 23:13:20 GMT"));
    world.github().fault("POST", "*/access_tokens", 1..=usize::MAX, date);
    session(&world, &server).run(&world.request()).await.must_be(State::Waiting);
    let issued = world.github().state().app.as_ref().unwrap().issued;
    assert!(issued > 10, "each is renewed before it is used: {issued}");
    assert!(shown(&world).len() > 5, "{:?}", shown(&world).len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_taken_back_is_renewed_and_the_call_repeated() {
    let world = Arc::new(super::pinned().await);
    installed(&world);
    let server = git(&world);
    let weak = Arc::downgrade(&world);
    // Before the third upload: 401 means that nothing was done.
    world.github().on_write(4, false, move || {
        weak.upgrade().unwrap().github().state().tokens.retain(|token| token.kind != Kind::Installation);
    });
    session(&world, &server).run(&world.request()).await.must_be(State::Waiting);
    assert_eq!(world.github().state().app.as_ref().unwrap().issued, 2);
    assert_eq!(super::assets(&world).len(), 5);
    assert!(world.github().log().iter().any(|logged| logged.status == 401));
}

/// By the binary, with id and key; the command that goes on names both, and the key is in none of it.
#[tokio::test(flavor = "multi_thread")]
async fn by_the_binary() {
    let world = fresh().await;
    installed(&world);
    let key = world.sandbox.path("app.pem");
    std::fs::write(&key, &KEY.pem).unwrap();
    let arguments = |key: &std::path::Path| {
        let mut arguments = world.arguments();
        let token = arguments.iter().position(|word| word == "--github-token-file").unwrap();
        arguments.drain(token..token + 2);
        arguments.extend(["--github-app-id", "4711", "--github-app-key-file"].map(str::to_owned));
        arguments.push(key.display().to_string());
        arguments
    };
    let run = |words: &[&str], key: &std::path::Path| {
        let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
        command.args(words).args(arguments(key)).output().unwrap()
    };
    let output = run(&["run", super::RC, "--until", "pin"], &key);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let go_on = format!("--github-app-id 4711 --github-app-key-file {}", key.display());
    // The order is the program's own: each flag is there.
    for flag in go_on.split(" --").map(|flag| flag.trim_start_matches("--")) {
        assert!(printed(&output).contains(flag), "`{flag}` is not in {}", printed(&output));
    }
    // A key that is none, a key of another App, an App that isn't installed.
    let wrong = world.sandbox.path("wrong.pem");
    std::fs::write(&wrong, "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n").unwrap();
    let output = run(&["plan", super::RC], &wrong);
    assert_eq!(output.status.code(), Some(1));
    let text = "the key of the GitHub App 4711 can't be read: give its RSA private key as GitHub made it, in PEM";
    assert!(printed(&output).contains(text) && !printed(&output).contains("c2VjcmV0"), "{}", printed(&output));
    std::fs::write(&wrong, crate::support::github::apps::new_key().pem).unwrap();
    let output = run(&["plan", super::RC], &wrong);
    assert_eq!(output.status.code(), Some(5), "{}", printed(&output));
    assert!(printed(&output).contains("check the app's number and key"), "{}", printed(&output));
    let output = run(&["plan", super::RC], &world.sandbox.path("nowhere.pem"));
    assert!(printed(&output).contains("the App's key can't be read"), "{}", printed(&output));
}
