//! Where GitHub is: a base path, an authority of its own.

use sealift::model::Answer;
use sealift::port::forge::github::{Config, GitHub, Tokens};
use sealift::port::forge::{ForgeRead, ForgeWrite, Login};

use super::{World, blob, config, draft, found, unknown};
use crate::support::github::{Act, MAINTAINER};
use crate::support::http::Response;
use crate::support::tls::Door;

#[tokio::test]
async fn a_base_path_is_kept_everywhere() {
    let world = World::new();
    for patch in 0..150 {
        world.fake.state().add_release(&format!("v1.0.{patch}"), false, false);
    }
    let github = GitHub::open(config(&format!("{}/api/v3", world.fake.url()), Tokens::token(MAINTAINER))).unwrap();
    assert_eq!(github.viewer().await, Answer::Found(Login("maria".into())));
    assert_eq!(found(github.releases().await).all.len(), 150);
    let id = github.create_draft(&draft("v2.0.0")).await.unwrap();
    github.upload(id, "notes.txt", &blob(b"words")).await.unwrap();
    assert_eq!(found(github.assets(id).await).len(), 1);
    for logged in world.fake.log() {
        let target = &logged.target;
        let expected = match logged.method.as_str() {
            "POST" if target.contains("graphql") => "/api/graphql",
            "POST" if target.contains("name=") => "/api/uploads/repos/acme/ship/",
            _ => "/api/v3/repos/acme/ship",
        };
        // A further page names the repository by its id.
        assert!(target.starts_with(expected) || target.starts_with("/api/v3/repositories/"), "{target}");
        assert!(!target[1..].contains("/api/"), "{target}");
        assert_eq!(logged.token.as_deref(), Some(MAINTAINER), "{target}");
    }
}

#[tokio::test]
async fn an_authority_of_its_own_is_trusted_when_named() {
    let world = World::new();
    // The door takes one request per connection.
    let server = crate::support::http::Server::start(|request| {
        let permissions = r#"{"full_name":"acme/ship","default_branch":"main","private":false}"#;
        assert!(request.header("authorization").is_some());
        Response::new(200, permissions).with("connection", "close").cut(permissions.len())
    });
    let door = Door::before(server.address);
    let api = format!("https://{}", door.address);
    let github = GitHub::open(config(&api, Tokens::token("x"))).unwrap();
    assert!(unknown(github.repository().await).detail.contains("certificate"));
    for host in ["", "127.0.0.1=", "other.test="] {
        let named = format!("{host}{}", door.authority().display()).parse().unwrap();
        let github = GitHub::open(Config { ca: vec![named], ..config(&api, Tokens::token("x")) }).unwrap();
        assert_eq!(github.repository().await.known().is_ok(), host != "other.test=", "{host}");
    }
    drop(world);
}

#[tokio::test]
async fn a_redirection_within_the_api_is_followed_by_reads() {
    let world = World::new();
    world.fake.state().add_release("v1.0.0", false, false);
    let to = |url: String| Act::Answer(Response::new(301, "{}").with("location", url));
    let path = format!("/repositories/{}/releases/latest", world.fake.state().repository.id);
    world.fake.fault("GET", "ship/releases/latest", 1..=1, to(format!("{}{path}", world.fake.url())));
    assert_eq!(found(world.github().latest().await), "v1.0.0");
    // Elsewhere, it isn't; and not for ever.
    let elsewhere = crate::support::http::Server::start(|_| Response::new(200, r#"{"tag_name":"v9.9.9"}"#));
    world.fake.fault("GET", "ship/releases/latest", 1..=1, to(format!("{}/x", elsewhere.url())));
    assert_eq!(unknown(world.github().latest().await).status, Some(301));
    let circle = format!("{}/repos/acme/ship/releases/latest", world.fake.url());
    world.fake.fault("GET", "ship/releases/latest", 1..=usize::MAX, to(circle));
    assert!(unknown(world.github().latest().await).detail.contains("redirections"));
}
