//! What only a server can do: say no, ask who you are, redirect, break.
//!
//! Over plain http, as https differs in TLS alone; whom TLS trusts has its own case.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use sealift::port::repository::{Credential, Http, Origin, OriginRead as _};
use sealift::port::{Authority, WriteError};

use super::world::{Way, World, branch, commit_on, fetched, list, push, unknown};
use crate::support::git_server::{GitServer, Reaction, Request};
use crate::support::tls::Door;

fn canned(status: u16, kind: &str, body: &str) -> Reaction {
    Reaction::Canned(status, vec![("Content-Type", kind.to_owned())], body.to_owned())
}

/// Reacts to pushes and lets everything else pass.
fn on_push(world: &World, mut reaction: impl FnMut() -> Reaction + Send + 'static) {
    world.server.intercept(move |request| if request.is_push() { reaction() } else { Reaction::Pass });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hooks_words_reach_the_user() {
    let world = World::new(Way::Http);
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    world.sandbox.write(&world.bare, "hooks/pre-receive", "#!/bin/sh\necho 'main is protected' >&2\nexit 1\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.bare.join("hooks/pre-receive"), executable).unwrap();
    match push(&origin, "main", Some(world.main), Some(mine)).await {
        Err(WriteError::Refused { what, detail, status: None }) => {
            assert!(what.contains("refs/heads/main"), "{what}");
            assert!(detail.contains("pre-receive hook declined") && detail.contains("main is protected"), "{detail}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(world.names("refs/heads/main"), Some(world.main));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_race_lost_after_the_look_is_lost_at_the_server() {
    let world = World::new(Way::Http);
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    let (bare, first) = (world.bare.clone(), world.first.to_string());
    // What git advertised to us is no longer true when our push arrives.
    on_push(&world, move || {
        for name in ["refs/heads/main", "refs/heads/new"] {
            let moved =
                std::process::Command::new("git").args(["update-ref", name, &first]).current_dir(&bare).status();
            assert!(moved.unwrap().success());
        }
        Reaction::Pass
    });
    for (name, expect) in [("main", Some(world.main)), ("new", None)] {
        if expect.is_none() {
            world.sandbox.git(&world.bare, &["update-ref", "-d", "refs/heads/new"]);
        }
        let lost = push(&origin, name, expect, Some(mine)).await.unwrap_err();
        let WriteError::Lost { found, .. } = &lost else { panic!("{lost:?}") };
        assert_eq!(*found, world.first.to_string());
        assert_eq!(world.names(&format!("refs/heads/{name}")), Some(world.first));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_sent_as_basic_and_a_wrong_one_is_unknown_soon() {
    let world = World::new(Way::Http);
    world.server.require("x-access-token", "s3cret");
    let origin = world.origin_with("store", Some(Credential::token("s3cret")));
    origin.fetch(&[branch("main")]).await.unwrap();
    let mine = commit_on(&origin, world.main, "mine");
    push(&origin, "new", None, Some(mine)).await.unwrap();
    assert!(world.server.requests().iter().all(|request| request.authorization().is_some()));

    let before = world.server.requests().len();
    let start = Instant::now();
    for credential in [None, Some(Credential::token("wr0ng")), Some(Credential::password("x", "s3cret"))] {
        let wrong = world.origin_with("store", credential);
        let unknown = unknown(&wrong).await;
        assert_eq!(unknown.status, Some(401));
        assert!(unknown.detail.contains("who are you?") && !unknown.to_string().contains("wr0ng"), "{unknown}");
        assert_eq!(wrong.fetch(&[branch("main")]).await.unwrap_err().status, Some(401));
        let refused = push(&wrong, "other", None, Some(mine)).await.unwrap_err();
        assert!(matches!(refused, WriteError::Refused { status: Some(401), .. }), "{refused:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(15));
    assert_eq!(world.server.requests().len(), before + 9, "one request each, none repeated");
    let shown = format!("{:?}", Credential::token("s3cret"));
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_origins_at_one_url_keep_their_credentials_apart() {
    let world = World::new(Way::Http);
    world.server.require("x-access-token", "s3cret");
    let right = world.origin_with("a", Some(Credential::token("s3cret")));
    let wrong = world.origin_with("b", Some(Credential::token("other")));
    for _ in 0..5 {
        let (found, unknown) = tokio::join!(list(&right), unknown(&wrong));
        assert_eq!((found.refs.len(), unknown.status), (2, Some(401)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_followed_and_takes_no_credential_along() {
    let world = World::new(Way::Http);
    let other = GitServer::start(&world.sandbox.path(""));
    let url = other.url("origin.git");
    world.server.intercept(move |request: &Request| {
        let to = format!("{url}/info/refs?{}", request.query);
        Reaction::Canned(302, vec![("Location", to)], String::new())
    });
    let origin = world.origin_with("store", Some(Credential::token("s3cret")));
    origin.fetch(&[branch("main")]).await.unwrap();
    assert!(world.server.requests().iter().all(|request| request.authorization().is_some()));
    assert!(other.requests().len() >= 2, "both the listing and the fetch went there");
    assert!(other.requests().iter().all(|request| request.authorization().is_none()));
    let mine = commit_on(&origin, world.main, "mine");
    let error = push(&origin, "new", None, Some(mine)).await.unwrap_err();
    assert!(error.to_string().contains("name that URL"), "{error}");
    assert!(!other.requests().iter().any(Request::is_push));
    other.require("x-access-token", "s3cret");
    let unknown = unknown(&origin).await;
    assert!(unknown.status == Some(401) && unknown.detail.contains("credential was not sent"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_on_the_same_host_keeps_the_credential() {
    let world = World::new(Way::Http);
    world.server.require("x-access-token", "s3cret");
    let url = world.server.url("origin.git");
    world.server.intercept(move |request: &Request| match request.path.strip_prefix("/old.git/") {
        Some(rest) => {
            Reaction::Canned(301, vec![("Location", format!("{url}/{rest}?{}", request.query))], String::new())
        }
        None => Reaction::Pass,
    });
    let store = world.origin("store").store().clone();
    let credential = Some(Credential::token("s3cret"));
    let origin = Origin::new(store, &world.server.url("old.git"), credential).unwrap();
    origin.fetch(&[branch("main")]).await.unwrap();
    let mine = commit_on(&origin, world.main, "mine");
    push(&origin, "new", None, Some(mine)).await.unwrap();
    assert_eq!(world.names("refs/heads/new"), Some(mine));
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_else_a_server_answers_is_unknown() {
    let world = World::new(Way::Http);
    let origin = fetched(&world, "store").await;
    let loop_url = world.server.url("origin.git/info/refs?service=git-upload-pack");
    let advertisement = "application/x-git-upload-pack-advertisement";
    type React = Box<dyn FnMut() -> Reaction + Send>;
    let mut cases: Vec<(Option<u16>, &str, React)> = vec![
        (Some(500), "boom", Box::new(|| canned(500, "text/plain", "boom\r\nNUL\0"))),
        (Some(429), "404", Box::new(|| canned(429, "text/plain", "slow down, request 404"))),
        (Some(403), "HTML", Box::new(|| canned(403, "text/html", "<html>"))),
        (None, "HTML", Box::new(|| canned(200, "text/html; charset=utf-8", "<html>log in</html>"))),
        (None, "smart HTTP", Box::new(|| canned(200, "text/plain", "dumb\trefs/heads/main\n"))),
        (None, "", Box::new(move || canned(200, advertisement, ""))),
        (None, "", Box::new(move || canned(200, advertisement, "001e# service=git-upload-pack\n"))),
        (None, "", Box::new(|| Reaction::CutBefore)),
        (None, "broke off", Box::new(|| Reaction::CutWithin(40))),
        (
            None,
            "too often",
            Box::new(move || Reaction::Canned(302, vec![("Location", loop_url.clone())], String::new())),
        ),
        (
            Some(302),
            "no git repository",
            Box::new(|| Reaction::Canned(302, vec![("Location", "/login".into())], String::new())),
        ),
        (Some(301), "Location", Box::new(|| Reaction::Canned(301, vec![], String::new()))),
    ];
    for (status, words, reaction) in &mut cases {
        let mut reaction = std::mem::replace(reaction, Box::new(|| Reaction::Pass));
        world.server.intercept(move |_| reaction());
        let unknown = unknown(&origin).await;
        assert_eq!(unknown.status, *status, "{unknown}");
        assert!(unknown.detail.contains(*words) && !unknown.detail.is_empty(), "{words}: {unknown}");
        let failed = origin.fetch(&[branch("main")]).await.unwrap_err();
        assert_eq!(failed.status, *status, "{failed}");
    }
    world.server.intercept(|_| Reaction::Pass);
    assert_eq!(list(&origin).await.refs.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_that_breaks_off_leaves_nothing() {
    let world = World::new(Way::Http);
    let origin = world.origin("store");
    world.server.intercept(|request| if request.method == "POST" { Reaction::CutWithin(100) } else { Reaction::Pass });
    origin.fetch(&[branch("main")]).await.unwrap_err();
    assert!(!origin.store().contains(world.main).unwrap());
    world.server.intercept(|_| Reaction::Pass);
    origin.fetch(&[branch("main")]).await.unwrap();
    assert!(origin.store().is_ancestor(world.first, world.main).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_with_an_open_end_is_looked_at_again() {
    let world = World::new(Way::Http);
    let origin = fetched(&world, "store").await;
    let mine = commit_on(&origin, world.main, "mine");
    // Carried out, the answer lost: the look shows it.
    on_push(&world, || Reaction::CutAfter);
    push(&origin, "a", None, Some(mine)).await.unwrap();
    assert_eq!(world.names("refs/heads/a"), Some(mine));
    push(&origin, "a", Some(mine), None).await.unwrap();
    assert_eq!(world.names("refs/heads/a"), None);
    on_push(&world, || Reaction::CutWithin(9));
    push(&origin, "a", None, Some(mine)).await.unwrap();

    // Not carried out, or not to be seen: it stays open.
    type React = fn() -> Reaction;
    let open: [React; 4] = [
        || Reaction::CutBefore,
        || canned(500, "text/plain", "boom"),
        || canned(200, "text/html", "<html>"),
        || canned(200, "application/x-git-receive-pack-result", ""),
    ];
    for reaction in open {
        on_push(&world, reaction);
        let error = push(&origin, "b", None, Some(mine)).await.unwrap_err();
        assert!(matches!(&error, WriteError::Unknown(unknown) if unknown.what.contains("refs/heads/b")), "{error:?}");
    }
    let mut pushed = false;
    world.server.intercept(move |request| {
        pushed |= request.is_push();
        if pushed { Reaction::CutAfter } else { Reaction::Pass }
    });
    let error = push(&origin, "c", None, Some(mine)).await.unwrap_err();
    assert!(matches!(error, WriteError::Unknown(_)), "the look failed too: {error:?}");

    // Declined as a whole: nothing happened, and that is known.
    on_push(&world, || canned(403, "text/plain", "read-only token"));
    match push(&origin, "d", None, Some(mine)).await.unwrap_err() {
        WriteError::Refused { status: Some(403), detail, .. } => assert!(detail.contains("read-only"), "{detail}"),
        other => panic!("{other:?}"),
    }
    assert_eq!((world.names("refs/heads/b"), world.names("refs/heads/d")), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_silent_or_gone_is_unknown_in_bounded_time() {
    let world = World::new(Way::Http);
    let silence = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = silence.local_addr().unwrap();
    // A TLS handshake with a server that speaks none.
    let untls = world.server.url("origin.git").replace("http://", "https://");
    for url in [format!("http://{silent}/x.git"), format!("https://{silent}/x"), format!("http://{gone}/x"), untls] {
        let store = world.origin("store").store().clone();
        let http = Http { patience: Duration::from_millis(300), ..Http::default() };
        let origin = Origin::over(store, &url, None, &http).unwrap();
        let start = Instant::now();
        let unknown = unknown(&origin).await;
        assert!(start.elapsed() < Duration::from_secs(10) && unknown.what.contains(&url), "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_with_a_private_authority_is_reached_by_naming_it() {
    let world = World::new(Way::Http);
    let door = Door::before(world.server.address());
    let url = format!("https://{}/origin.git", door.address);
    let store = world.origin("store").store().clone();
    let origin = |host: Option<String>| {
        let http = Http { ca: vec![Authority { host, file: door.authority() }], ..Http::default() };
        Origin::over(store.clone(), &url, None, &http).unwrap()
    };
    for host in [None, Some(door.address.to_string()), Some("127.0.0.1".to_owned())] {
        let origin = origin(host);
        assert_eq!(list(&origin).await, list(&world.origin("store")).await);
        origin.fetch(&[branch("main")]).await.unwrap();
        let mine = commit_on(&origin, world.main, "mine");
        push(&origin, "mine", None, Some(mine)).await.unwrap();
        push(&origin, "mine", Some(mine), None).await.unwrap();
    }
    let plain = Origin::new(store.clone(), &url, None).unwrap();
    for origin in [plain, origin(Some("elsewhere.example".to_owned()))] {
        let unknown = unknown(&origin).await;
        assert!(unknown.detail.contains("certificate"), "{unknown}");
    }
    let junk = Http { ca: vec![world.bare.join("HEAD").into()], ..Http::default() };
    let error = Origin::over(store.clone(), &url, None, &junk).err().unwrap().to_string();
    assert!(error.contains("expected PEM certificates"), "{error}");
}
