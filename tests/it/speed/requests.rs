//! Retagging costs five requests an image, whatever else is going on, and one token for each scope.

use std::collections::BTreeSet;

use crate::support::registry_server::{Access, Bearer, RegistryServer};
use crate::support::retagging::{Images, PARALLEL, ROUND_TRIPS, registries};

/// Requests by method, apart from those for tokens.
fn counted(server: &RegistryServer) -> [(&'static str, usize); 3] {
    let requests = server.requests();
    let of = |method: &str| requests.iter().filter(|r| r.method == method && !r.target.starts_with("/token")).count();
    let (get, put) = (of("GET"), of("PUT"));
    let tokens = server.count("", "/token");
    [("GET", get), ("PUT", put), ("other", requests.len() - get - put - tokens)]
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_five_an_image() {
    for count in [1, 15, 16, 17, 40] {
        let (server, images) = (RegistryServer::start(), Images::apart(count));
        images.push(&server).await;
        server.clear_log();
        images.retag(&registries(&server, None)).await;
        assert_eq!(counted(&server), [("GET", 4 * count), ("PUT", count), ("other", 0)], "{count} images");
        assert_eq!(4 + 1, ROUND_TRIPS);
        // A second run finds all of it done.
        assert_eq!(server.tags().len(), count);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_asked_for_once_a_scope() {
    for images in [Images::apart(24), Images { count: 24, repositories: 1 }, Images { count: 24, repositories: 3 }] {
        let open = RegistryServer::start();
        images.push(&open).await;
        let bearer = Bearer { user: Some(("me".to_owned(), "secret".to_owned())), ..Bearer::default() };
        let server = open.guarded(Access::Bearer(bearer));
        let home = tempfile::tempdir().unwrap();
        let config = home.path().join("config.json");
        let auth = r#"{"auths":{"HOST":{"username":"me","password":"secret"}}}"#;
        std::fs::write(&config, auth.replace("HOST", crate::support::sized::HOST)).unwrap();
        images.retag(&registries(&server, Some(config))).await;
        let asked: Vec<String> =
            server.requests().into_iter().map(|r| r.target).filter(|t| t.starts_with("/token")).collect();
        let scopes: BTreeSet<&String> = asked.iter().collect();
        assert_eq!(asked.len(), scopes.len(), "a scope was asked for twice: {asked:#?}");
        assert_eq!(asked.len(), 2 * images.repositories, "one to pull and one to push for each repository: {asked:#?}");
        // Until the registry's challenge is known, the first requests go without a token.
        let [(_, get), (_, put), (_, other)] = counted(&server);
        assert!((4 * images.count..=4 * images.count + PARALLEL).contains(&get), "{get} GET for {images:?}");
        assert_eq!((put, other), (images.count, 0), "{images:?}");
    }
}
