//! What answers to credentials and to nobody else.

use super::*;
use crate::support::docker_registry::{DockerRegistry, Options, PASSWORD, USER};
use crate::support::http::Response;
use crate::support::registry_server::{Access, Act, Bearer, oci_error};

async fn two() -> Two {
    Two::with(async |to| {
        push(to, "open", "RC", "open").await;
        push(to, "closed", "RC", "closed").await;
    })
    .await
}

fn text() -> String {
    format!("a: OWN/open:RC@{}\nb: OWN/closed:RC@{}\nc: OWN/closed:RC\n", digest("open"), digest("closed"))
}

#[tokio::test]
async fn refused_to_those_without_credentials() {
    assert_eq!(found(&two().await.lint(&text()).await), Vec::<String>::new());
    for (status, code) in [(401, "UNAUTHORIZED"), (403, "DENIED"), (404, "NAME_UNKNOWN"), (404, "MANIFEST_UNKNOWN")] {
        let two = two().await;
        two.public.fault("GET", "/closed/", 1..=usize::MAX, Act::Answer(oci_error(status, code, "no")));
        let lint = two.lint(&text()).await;
        assert_eq!(found(&lint), ["2 not-public error", "3 not-public error"], "{status} {code}");
        let message = messages(&lint, "not-public")[0];
        assert!(message.contains("answers to these credentials, and is refused without: "), "{message}");
        // One look for the repository, whatever names it.
        assert_eq!(two.public.count("GET", "/closed/"), 1);
    }
}

#[tokio::test]
async fn what_is_no_refusal_is_unknown() {
    for answer in [
        oci_error(429, "TOOMANYREQUESTS", "you have reached your pull rate limit"),
        Response::new(500, ""),
        Response::new(200, "<html>log in</html>").with("content-type", "text/html"),
        Response::new(404, ""),
    ] {
        let two = two().await;
        two.public.fault("GET", "/closed/", 1..=usize::MAX, Act::Answer(answer));
        assert_eq!(found(&two.lint(&text()).await), ["2 not-public unknown", "3 not-public unknown"]);
    }
}

#[tokio::test]
async fn refused_to_both_is_unknown_and_absent_is_not_asked() {
    let two = two().await;
    for server in [&two.ours, &two.public] {
        server.fault("GET", "/closed/", 1..=usize::MAX, Act::Answer(oci_error(403, "DENIED", "no")));
    }
    let lint = two.lint(&format!("{}d: OWN/absent:RC\n", text())).await;
    let of_public: Vec<String> = found(&lint).into_iter().filter(|line| line.contains("not-public")).collect();
    assert_eq!(of_public, ["2 not-public unknown", "3 not-public unknown"]);
    assert_eq!((two.public.count("", "/closed/"), two.public.count("", "/absent/")), (0, 0));
}

/// A client with a user's credentials, and one without, of one place.
async fn by_login(location: Location, user: &str, password: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.json");
    let login = serde_json::json!({"auths": {HOST: {"username": user, "password": password}}});
    std::fs::write(&file, login.to_string()).unwrap();
    let ours = Registries::new(Config { docker_config: Some(file), ..config(&location) }).unwrap();
    push(&ours, "x", "RC", "x").await;
    let lint = lint_at(&ours, &at(&location), &format!("a: OWN/x:RC@{}\n", digest("x")), &Told::default()).await;
    found(&lint)
}

#[tokio::test]
async fn by_a_token_or_a_password_of_one_server() {
    let user = Some(("me".to_owned(), "hunter2".to_owned()));
    for anonymous_pull in [false, true] {
        let bearer = Bearer { user: user.clone(), anonymous_pull, ..Bearer::default() };
        let server = RegistryServer::with(Access::Bearer(bearer));
        let expected: &[&str] = if anonymous_pull { &[] } else { &["1 not-public error"] };
        assert_eq!(by_login(url(&server), "me", "hunter2").await, expected);
    }
    let server = RegistryServer::with(Access::Basic { user: "me".into(), password: "hunter2".into() });
    assert_eq!(by_login(url(&server), "me", "hunter2").await, ["1 not-public error"]);
}

#[tokio::test]
async fn by_a_password_of_docker_registry() {
    let Some(server) = DockerRegistry::with(Options { password: true, tls: false }) else { return };
    assert_eq!(by_login(Location::Url(server.url()), USER, PASSWORD).await, ["1 not-public error"]);
}
