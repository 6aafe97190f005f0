//! Who we are to a registry: challenges, tokens, credentials, and that none of it leaks.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sealift::model::Repository;
use sealift::port::registry::{At, Config, Mount, Registries, RegistryRead, RegistryWrite};
use serde_json::json;

use super::remote::{config, registries};
use super::{contract, found, repository, tag, unknown};
use crate::support::http::{Response, Server};
use crate::support::images;
use crate::support::registry_server::{Access, Act, Bearer, RegistryServer, oci_error};

const PASSWORD: &str = "hunter2";

fn bearer() -> Bearer {
    Bearer { user: Some(("me".into(), PASSWORD.into())), ..Bearer::default() }
}

fn docker_config(dir: &Path, content: serde_json::Value) -> PathBuf {
    let path = dir.join("config.json");
    std::fs::write(&path, content.to_string()).unwrap();
    path
}

fn logged_in() -> serde_json::Value {
    json!({"auths": {"registry.test": {"username": "me", "password": PASSWORD}}})
}

/// A client with a Docker configuration, and a `PATH` for helpers.
fn with(server: &RegistryServer, dir: &Path, content: serde_json::Value) -> Registries {
    let helper_path = Some(format!("{}:/usr/bin:/bin", dir.display()).into());
    let docker_config = Some(docker_config(dir, content));
    Registries::new(Config { docker_config, helper_path, ..config(&server.url()) }).unwrap()
}

/// A server that wants tokens and holds `org/x:v1`, and a client that can get them.
async fn holding(access: Bearer) -> (RegistryServer, Registries, Repository, tempfile::TempDir) {
    let (server, dir) = (RegistryServer::with(Access::Bearer(access)), tempfile::tempdir().unwrap());
    let registries = with(&server, dir.path(), logged_in());
    let name = repository("registry.test/org/x");
    images::push_index(&registries, &name, Some("v1"), "x").await;
    server.clear_log();
    // A new client, which knows no token yet.
    let registries = with(&server, dir.path(), logged_in());
    (server, registries, name, dir)
}

fn v1() -> At {
    At::Tag(tag("v1"))
}

#[tokio::test]
async fn the_contract_holds_with_tokens() {
    let (server, dir) = (RegistryServer::with(Access::Bearer(bearer())), tempfile::tempdir().unwrap());
    contract::check(&with(&server, dir.path(), logged_in()), "registry.test").await;
}

#[tokio::test]
async fn the_contract_holds_with_a_password() {
    let access = Access::Basic { user: "me".into(), password: PASSWORD.into() };
    let (server, dir) = (RegistryServer::with(access), tempfile::tempdir().unwrap());
    contract::check(&with(&server, dir.path(), logged_in()), "registry.test").await;
}

#[tokio::test]
async fn twenty_calls_at_once_take_one_token() {
    let (server, registries, name, _dir) = holding(bearer()).await;
    server.fault("GET", "/token", 1..=1, Act::Change(Box::new(|r| r.delay(Duration::from_millis(100)))));
    let at = v1();
    let all = futures_util::future::join_all((0..20).map(|_| registries.manifest(&name, &at))).await;
    all.into_iter().for_each(|answer| drop(found(answer)));
    assert_eq!(server.count("GET", "/token"), 1);
    // Once the challenge is known nobody is turned away any more.
    server.clear_log();
    found(registries.manifest(&name, &at).await);
    assert_eq!(server.requests().len(), 1);
    let other = repository("registry.test/org/other");
    assert!(registries.manifest(&other, &at).await.is_absent());
    assert_eq!((server.count("GET", "/token"), server.requests().iter().filter(|r| r.status == 401).count()), (1, 0));
}

#[tokio::test]
async fn a_token_that_expires_in_mid_run_is_renewed_once() {
    let (server, registries, name, _dir) = holding(bearer()).await;
    found(registries.manifest(&name, &v1()).await);
    server.expire_tokens();
    server.clear_log();
    found(registries.manifest(&name, &v1()).await);
    assert_eq!((server.count("GET", "/token"), server.count("GET", "/manifests/")), (1, 2));
    // Twenty at once notice the same expiry and renew once, also for uploads of either kind.
    server.expire_tokens();
    server.clear_log();
    let at = v1();
    let all = futures_util::future::join_all((0..20).map(|_| registries.manifest(&name, &at))).await;
    all.into_iter().for_each(|answer| drop(found(answer)));
    assert_eq!(server.count("GET", "/token"), 1);
    for size in [5, 5 << 20] {
        registries.put_blob(&name, &images::blob("a/b", vec![1; size])).await.unwrap();
        server.expire_tokens();
        registries.put_blob(&name, &images::blob("a/b", vec![2; size])).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_that_expires_between_chunks_is_renewed() {
    let (server, registries, name, _dir) = holding(bearer()).await;
    let blob = images::blob("a/b", vec![1; 9 << 20]);
    let unauthorized = oci_error(401, "UNAUTHORIZED", "token expired");
    server.fault("PATCH", "", 2..=2, Act::Answer(unauthorized));
    registries.put_blob(&name, &blob).await.unwrap();
    found(registries.blob(&name, &blob.descriptor).await);
}

#[tokio::test]
async fn public_reads_and_private_uploads_mix() {
    let (server, _, name, dir) = holding(bearer()).await;
    // HEAD is answered to anybody, so the first to be challenged is the upload.
    server.fault("HEAD", "", 1..=usize::MAX, Act::Answer(Response::new(404, "")));
    for size in [5, 5 << 20] {
        let registries = with(&server, dir.path(), logged_in());
        registries.put_blob(&name, &images::blob("a/b", vec![3; size])).await.unwrap();
    }
}

#[tokio::test]
async fn expires_in_is_honoured() {
    for (seconds, tokens) in [(Some(0), 4), (Some(300), 1), (None, 1)] {
        let (server, registries, name, _dir) = holding(Bearer { expires_in: seconds, ..bearer() }).await;
        for _ in 0..4 {
            found(registries.manifest(&name, &v1()).await);
        }
        assert_eq!(server.count("GET", "/token"), tokens, "{seconds:?}");
    }
}

#[tokio::test]
async fn anonymous_reads_get_an_anonymous_token() {
    let (server, _, name, _dir) = holding(Bearer { anonymous_pull: true, ..bearer() }).await;
    let anonymous = registries(&server.url());
    found(anonymous.manifest(&name, &v1()).await);
    assert!(server.requests().iter().filter(|r| r.target.contains("/token")).all(|r| r.authorization.is_none()));
    let write = anonymous.put_manifest(&name, &tag("v2"), &images::index("x").0).await;
    assert!(write.is_err());
    assert_eq!(server.tags().len(), 1);
}

#[tokio::test]
async fn a_token_endpoint_in_trouble_is_retried() {
    for (what, fault) in [
        ("429", oci_error(429, "TOOMANYREQUESTS", "404").with("retry-after", 1)),
        ("503", Response::new(503, "")),
        ("cut", Response::hang_up()),
    ] {
        let (server, registries, name, _dir) = holding(bearer()).await;
        server.fault("GET", "/token", 1..=1, Act::Answer(fault));
        let started = Instant::now();
        found(registries.manifest(&name, &v1()).await);
        assert_eq!(server.count("GET", "/token"), 2, "{what}");
        assert!(what != "429" || started.elapsed() >= Duration::from_secs(1));
    }
}

#[tokio::test]
async fn a_token_endpoint_that_fails_is_unknown_and_never_anonymous() {
    for (what, fault, sends) in [
        ("429", oci_error(429, "TOOMANYREQUESTS", "404"), 4),
        ("503", Response::new(503, ""), 4),
        ("401", oci_error(401, "UNAUTHORIZED", ""), 1),
        ("404", oci_error(404, "NAME_UNKNOWN", ""), 1),
        ("HTML", Response::new(200, "<html>"), 1),
        ("empty", Response::new(200, ""), 1),
        ("no token", Response::new(200, "{}"), 1),
        ("empty token", Response::new(200, r#"{"token":""}"#), 1),
    ] {
        let (server, registries, name, _dir) = holding(Bearer { anonymous_pull: true, ..bearer() }).await;
        server.fault("GET", "/token", 1..=usize::MAX, Act::Answer(fault));
        let answer = unknown(registries.manifest(&name, &v1()).await);
        assert!(answer.to_string().contains("a token for"), "{what}: {answer}");
        assert_eq!((server.count("GET", "/token"), server.count("GET", "/manifests/")), (sends, 1), "{what}");
        // Whoever waits for the same token shares the failure.
        server.clear_log();
        let at = v1();
        let all = futures_util::future::join_all((0..20).map(|_| registries.manifest(&name, &at))).await;
        all.into_iter().for_each(|answer| drop(unknown(answer)));
        assert!(server.count("GET", "/token") <= 2 * sends, "{what}: {}", server.count("GET", "/token"));
        assert_eq!(server.count("GET", "/manifests/"), 0, "{what}");
    }
}

#[tokio::test]
async fn an_identity_token_is_exchanged_by_post() {
    let access = Bearer { identity: Some("refresh&me=1".into()), ..Bearer::default() };
    let (server, dir) = (RegistryServer::with(Access::Bearer(access)), tempfile::tempdir().unwrap());
    let entry = json!({"auths": {"registry.test": {"auth": "bWU6", "identitytoken": "refresh&me=1"}}});
    let registries = with(&server, dir.path(), entry);
    let name = repository("registry.test/org/x");
    images::push_index(&registries, &name, Some("v1"), "x").await;
    assert_eq!((server.count("POST", "/token"), server.count("GET", "/token")), (1, 0));
    server.fault("POST", "/token", 1..=1, Act::Answer(oci_error(429, "TOOMANYREQUESTS", "").with("retry-after", 1)));
    found(registries.manifest(&name, &v1()).await);
    assert_eq!(server.count("POST", "/token"), 3);
}

#[tokio::test]
async fn a_mount_asks_for_both_repositories() {
    let (server, registries, name, _dir) = holding(bearer()).await;
    let (to, blob) = (repository("registry.test/org/y"), images::index("x").1[0].1[0].clone());
    // Before any challenge is known: the 401 on the mount is answered.
    assert_eq!(registries.mount_blob(&to, &name, &blob.descriptor.digest).await.unwrap(), Mount::Mounted);
    let token = server.requests().into_iter().find(|r| r.target.contains("/token")).unwrap();
    assert_eq!(token.target.matches("scope=").count(), 2, "{}", token.target);
}

/// An executable `docker-credential-<name>`.
fn helper(dir: &Path, name: &str, script: &str) {
    let path = dir.join(format!("docker-credential-{name}"));
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_credential_helper_is_asked_once() {
    let (server, _, name, dir) = holding(bearer()).await;
    let log = dir.path().join("asked");
    let answer = format!(r#"{{"ServerURL":"x","Username":"me","Secret":"{PASSWORD}"}}"#);
    helper(dir.path(), "good", &format!("echo \"$1 $(cat)\" >>'{}'; echo '{answer}'", log.display()));
    for content in [
        json!({"credHelpers": {"registry.test": "good"}}),
        json!({"credsStore": "good", "auths": {"registry.test": {}}}),
    ] {
        let _ = std::fs::remove_file(&log);
        let registries = with(&server, dir.path(), content);
        let at = v1();
        let all = futures_util::future::join_all((0..5).map(|_| registries.manifest(&name, &at))).await;
        all.into_iter().for_each(|answer| drop(found(answer)));
        assert!(registries.manifest(&repository("registry.test/org/other"), &at).await.is_absent());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "get registry.test\n");
    }
}

#[tokio::test]
async fn a_helper_that_can_not_answer_is_unknown_and_never_anonymous() {
    let (server, _, name, dir) = holding(Bearer { anonymous_pull: true, ..bearer() }).await;
    helper(dir.path(), "fails", "echo 'token hunter2 expired'; exit 1");
    helper(dir.path(), "babbles", "echo hunter2");
    helper(dir.path(), "hangs", "exec sleep 600");
    for name_of in ["missing", "fails", "babbles", "hangs", "../missing"] {
        for content in [json!({"credHelpers": {"registry.test": name_of}}), json!({"credsStore": name_of})] {
            let docker_config = Some(docker_config(dir.path(), content));
            let helper_path = Some(format!("{}:/usr/bin:/bin", dir.path().display()).into());
            let helper_timeout = Some(Duration::from_millis(if name_of == "hangs" { 100 } else { 20_000 }));
            let config = Config { docker_config, helper_path, helper_timeout, ..config(&server.url()) };
            let registries = Registries::new(config).unwrap();
            server.clear_log();
            let answer = unknown(registries.manifest(&name, &v1()).await).to_string();
            assert!(answer.contains("docker-credential-") && !answer.contains("hunter2"), "{answer}");
            // The challenge, and then nothing.
            assert_eq!(server.requests().len(), 1, "{name_of}");
        }
    }
}

#[tokio::test]
async fn a_helper_that_has_none_means_anonymous() {
    let (server, _, name, dir) = holding(Bearer { anonymous_pull: true, ..bearer() }).await;
    helper(dir.path(), "none", "echo credentials not found in native keychain; exit 1");
    found(with(&server, dir.path(), json!({"credHelpers": {"registry.test": "none"}})).manifest(&name, &v1()).await);
    // What is written beside an empty store still counts.
    let content = json!({"credsStore": "none", "auths": {"registry.test": {"username": "me", "password": PASSWORD}}});
    let registries = with(&server, dir.path(), content);
    registries.put_manifest(&name, &tag("v2"), &images::index("x").0).await.unwrap();
}

#[tokio::test]
async fn the_longest_path_decides_who_asks() {
    let access = Bearer { user: Some(("org".into(), "right".into())), ..Bearer::default() };
    let (server, dir) = (RegistryServer::with(Access::Bearer(access)), tempfile::tempdir().unwrap());
    let entry = |user: &str, password: &str| json!({"username": user, "password": password});
    let content =
        json!({"auths": {"registry.test": entry("host", "wrong"), "registry.test/org": entry("org", "right")}});
    let registries = with(&server, dir.path(), content);
    assert!(registries.manifest(&repository("registry.test/org/x"), &v1()).await.is_absent());
    unknown(registries.manifest(&repository("registry.test/organisation/x"), &v1()).await);
}

#[tokio::test]
async fn credentials_do_not_follow_to_another_host() {
    let (server, registries, name, _dir) = holding(bearer()).await;
    let blob = images::index("x").1[0].1[0].clone();
    found(registries.manifest(&name, &v1()).await);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let content = match &blob.content {
        sealift::port::registry::Content::Bytes(bytes) => bytes.to_vec(),
        _ => unreachable!(),
    };
    let storage = Server::start(move |request| {
        log.lock().unwrap().push((request.method.clone(), request.header("authorization").map(str::to_owned)));
        match request.method.as_str() {
            "GET" => Response::new(200, content.clone()),
            // A foreign 401 must not talk us into sending anything.
            "PUT" => Response::new(401, "").with("www-authenticate", "Basic realm=x"),
            _ => Response::new(202, "").with("location", &request.target),
        }
    });
    let away = format!("{}/signed?secret=signature", storage.url());
    server.fault("GET", "/blobs/", 1..=1, Act::Answer(Response::new(307, "").with("location", &away)));
    found(registries.blob(&name, &blob.descriptor).await);
    assert!(server.requests().iter().any(|r| r.status == 307 && r.authorization.is_some()));
    for size in [6, 5 << 20] {
        let away = away.clone();
        server.fault("POST", "/blobs/uploads/", 1..=1, Act::Change(Box::new(move |r| r.with("location", &away))));
        // The storage refuses, and another session may go well; what matters is what it was shown.
        let _ = registries.put_blob(&name, &images::blob("a/b", vec![b's'; size])).await;
    }
    let seen = seen.lock().unwrap();
    for method in ["GET", "PUT", "PATCH"] {
        assert!(seen.iter().any(|(seen, _)| seen == method), "{method}: {seen:?}");
    }
    assert!(seen.iter().all(|(_, authorization)| authorization.is_none()), "{seen:?}");
}

#[tokio::test]
async fn redirects_are_bounded_and_never_leave_http() {
    let (server, registries, name, _dir) = holding(bearer()).await;
    let blob = images::index("x").1[0].1[0].descriptor.clone();
    for location in
        [format!("/v2/org/x/blobs/{}", blob.digest), "file:///etc/passwd".into(), "ftp://x/".into(), "http://".into()]
    {
        let away = location.clone();
        server.fault("GET", "/blobs/", 1..=20, Act::Answer(Response::new(302, "").with("location", &away)));
        server.clear_log();
        unknown(registries.blob(&name, &blob).await);
        assert!(server.requests().len() <= 8, "{location}");
    }
}

#[tokio::test]
async fn no_secret_is_ever_said() {
    let (server, registries, name, dir) = holding(bearer()).await;
    found(registries.manifest(&name, &v1()).await);
    let token =
        server.requests().into_iter().filter_map(|r| r.authorization).find(|a| a.starts_with("Bearer")).unwrap();
    let token = token.trim_start_matches("Bearer ").to_owned();
    // A server that repeats what it was told, in an error and in a token's refusal.
    let echo = format!("you sent {token} and {PASSWORD} and bWU6aHVudGVyMg==");
    let mut said = Vec::new();
    for status in [400, 403, 500] {
        server.fault("", "/v2/", 1..=1_000, Act::Answer(oci_error(status, "DENIED", &echo)));
        said.push(unknown(registries.manifest(&name, &v1()).await).to_string());
        said.push(registries.put_manifest(&name, &tag("v2"), &images::index("x").0).await.unwrap_err().to_string());
        said.push(registries.put_blob(&name, &images::blob("a/b", vec![0; 5 << 20])).await.unwrap_err().to_string());
    }
    let server = RegistryServer::with(Access::Bearer(bearer()));
    let fresh = with(&server, dir.path(), logged_in());
    let echo = format!("you sent {PASSWORD} and bWU6aHVudGVyMg==");
    server.fault("GET", "/token", 1..=1_000, Act::Answer(oci_error(403, "DENIED", &echo)));
    said.push(unknown(fresh.manifest(&name, &v1()).await).to_string());
    for text in said {
        assert!(!text.contains(&token) && !text.contains(PASSWORD) && !text.contains("bWU6aHVudGVyMg"), "{text}");
    }
    assert!(server.requests().iter().all(|r| !r.target.contains(PASSWORD) && !r.target.contains(&token)));
}
