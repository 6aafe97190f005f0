//! Remote registries: the contract against our own server and against a real one, and what
//! a healthy exchange costs in requests.

use std::time::Duration;

use sealift::port::Authority;
use sealift::port::registry::{
    At, Config, Layout, Location, Mount, Registries, RegistryRead, RegistryWrite, RetryPolicy,
};

use super::{contract, found, repository, tag, unknown};
use crate::support::docker_registry::{DockerRegistry, Options, PASSWORD, USER};
use crate::support::images;
use crate::support::registry_server::RegistryServer;

/// Registries whose waits are short and that know one plain-http host.
pub fn config(url: &str) -> Config {
    let ms = Duration::from_millis;
    Config {
        locations: [("registry.test".to_owned(), Location::Url(url.to_owned()))].into(),
        retry: RetryPolicy { attempts: 4, base: ms(1), cap: ms(20), budget: Duration::from_secs(20) },
        ..Config::default()
    }
}

pub fn registries(url: &str) -> Registries {
    Registries::new(config(url)).unwrap()
}

#[tokio::test]
async fn our_own_server_holds_the_contract() {
    let server = RegistryServer::start();
    let cases = contract::check(&registries(&server.url()), "registry.test").await;
    crate::support::say(format_args!("remote, own server: {cases} contract cases"));
}

#[tokio::test]
async fn docker_registry_holds_the_contract() {
    let Some(server) = DockerRegistry::start() else { return };
    let cases = contract::check(&registries(&server.url()), "registry.test").await;
    crate::support::say(format_args!("remote, docker-registry: {cases} contract cases"));
}

#[tokio::test]
async fn docker_registry_with_a_password_holds_the_contract() {
    let Some(server) = DockerRegistry::with(Options { password: true, tls: false }) else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.json");
    let entry = serde_json::json!({"auths": {"registry.test": {"username": USER, "password": PASSWORD}}});
    std::fs::write(&file, entry.to_string()).unwrap();
    let with = Registries::new(Config { docker_config: Some(file), ..config(&server.url()) }).unwrap();
    contract::check(&with, "registry.test").await;
    let without = registries(&server.url());
    let answer = unknown(without.manifest(&repository("registry.test/contract/deep/index"), &At::Tag(tag("v1"))).await);
    assert_eq!(answer.status, Some(401));
}

#[tokio::test]
async fn docker_registry_over_tls_needs_its_authority() {
    let Some(server) = DockerRegistry::with(Options { password: false, tls: true }) else { return };
    let trusting = Config { ca: vec![server.authority().into()], ..config(&server.url()) };
    contract::check(&Registries::new(trusting).unwrap(), "registry.test").await;
    let name = repository("registry.test/contract/deep/index");
    let of = |host: &str| {
        let authority = Authority { host: Some(host.to_owned()), file: server.authority() };
        Registries::new(Config { ca: vec![authority], ..config(&server.url()) }).unwrap()
    };
    assert!(of(&server.host()).manifest(&name, &At::Tag(tag("v1"))).await.is_absent(), "it is answered");
    unknown(of("elsewhere.test").manifest(&name, &At::Tag(tag("v1"))).await);
    let answer = unknown(registries(&server.url()).manifest(&name, &At::Tag(tag("v1"))).await);
    assert!(answer.to_string().contains("certificate"), "{answer}");
    let plain = server.url().replace("https", "http");
    unknown(registries(&plain).manifest(&name, &At::Tag(tag("v1"))).await);
}

#[tokio::test]
async fn a_layout_location_holds_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    let location = Location::Layout(dir.path().to_owned());
    let config = Config { locations: [("registry.test".to_owned(), location)].into(), ..Config::default() };
    let registries = Registries::new(config).unwrap();
    contract::check(&registries, "registry.test").await;
    let name = repository("registry.test/contract/deep/index");
    found(Layout::new(dir.path()).manifest(&name, &At::Tag(tag("v1.0.0-rc.1"))).await);
    assert_eq!(registries.stats().counts().requests(), 0);
}

#[tokio::test]
async fn a_tag_already_right_costs_one_get_and_a_new_one_moves_no_blob() {
    let server = RegistryServer::start();
    let registries = registries(&server.url());
    let name = repository("registry.test/org/x");
    let digest = images::push_index(&registries, &name, Some("v1"), "x").await;
    server.clear_log();
    let before = registries.stats().counts();
    let seen = found(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    assert_eq!(seen.digest(), digest);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(
        (server.count("GET", "/manifests/v1"), registries.stats().counts().requests()),
        (1, before.requests() + 1)
    );
    registries.put_manifest(&name, &tag("v2"), &seen).await.unwrap();
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.count("", "/blobs/"), 0);
}

#[tokio::test]
async fn a_blob_that_is_there_is_not_sent() {
    let server = RegistryServer::start();
    let registries = registries(&server.url());
    let (name, blob) = (repository("registry.test/org/x"), images::blob("a/b", *b"here"));
    registries.put_blob(&name, &blob).await.unwrap();
    assert_eq!(registries.stats().counts().sent, 4);
    server.clear_log();
    registries.put_blob(&name, &blob).await.unwrap();
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.count("HEAD", "/blobs/"), 1);
    assert_eq!(registries.stats().counts().sent, 4);
}

#[tokio::test]
async fn a_large_blob_goes_in_chunks_of_four_mebibytes() {
    let server = RegistryServer::start();
    let registries = registries(&server.url());
    let blob = images::blob("a/b", vec![3; (8 << 20) + 1]);
    registries.put_blob(&repository("registry.test/org/x"), &blob).await.unwrap();
    assert_eq!((server.count("POST", ""), server.count("PATCH", ""), server.count("PUT", "")), (1, 3, 1));
    let counts = registries.stats().counts();
    assert_eq!((counts.post, counts.patch, counts.put, counts.sent), (1, 3, 1, (8 << 20) + 1));
}

#[tokio::test]
async fn tags_are_followed_over_all_pages() {
    let server = RegistryServer::start();
    let registries = registries(&server.url());
    let name = repository("registry.test/org/x");
    let digest = images::push_index(&registries, &name, Some("v0"), "x").await;
    (1..25).for_each(|n| server.tag("org/x", &format!("v{n}"), digest));
    server.page_size(10);
    server.clear_log();
    let tags = found(registries.tags(&name).await);
    assert_eq!((tags.len(), server.count("GET", "/tags/list")), (25, 3));
    assert!(tags.is_sorted());
}

#[tokio::test]
async fn concurrency_is_bounded() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counting, peak) = (Arc::clone(&now), Arc::clone(&most));
    let server = crate::support::http::Server::start(move |_| {
        peak.fetch_max(counting.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        counting.fetch_sub(1, SeqCst);
        crate::support::registry_server::oci_error(404, "NAME_UNKNOWN", "")
    });
    let registries = Registries::new(Config { concurrency: 3, ..config(&server.url()) }).unwrap();
    let (name, at) = (repository("registry.test/org/x"), At::Tag(tag("v1")));
    let all = futures_util::future::join_all((0..12).map(|_| registries.manifest(&name, &at))).await;
    assert!(all.iter().all(|answer| answer.is_absent()));
    let most = most.load(SeqCst);
    assert!((1..=3).contains(&most), "{most} at once");
}

#[tokio::test]
async fn a_mount_across_hosts_is_an_upload() {
    let server = RegistryServer::start();
    let registries = registries(&server.url());
    let (to, from) = (repository("registry.test/org/x"), repository("elsewhere.test/org/x"));
    let mount = registries.mount_blob(&to, &from, &sealift::model::Digest::of(b"")).await;
    assert_eq!(mount.unwrap(), Mount::NotMounted);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_wrong_configuration_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name)
    };
    for url in ["ftp://x", "registry.test", "http://", "http://me:hunter2@x", "https://x/path", "https://x?a=b"] {
        let error = Registries::new(config(url)).err().unwrap().to_string();
        assert!(error.contains("registry.test") && !error.contains("hunter2"), "{error}");
    }
    let junk = "-----BEGIN CERTIFICATE-----\nanVuaw==\n-----END CERTIFICATE-----\n";
    for (name, text) in [("none.pem", ""), ("text.pem", "hello"), ("junk.pem", junk), ("cut.pem", &junk[..40])] {
        let error = Registries::new(Config { ca: vec![file(name, text).into()], ..Config::default() })
            .err()
            .map(|e| e.to_string());
        assert!(error.as_ref().is_some_and(|e| e.contains(name)), "{name}: {error:?}");
    }
    let missing = Config { ca: vec![dir.path().join("missing.pem").into()], ..Config::default() };
    assert!(Registries::new(missing).is_err());
    let docker = file("config.json", r#"{"auths": "hunter2"}"#);
    let error = Registries::new(Config { docker_config: Some(docker), ..Config::default() }).err().unwrap().to_string();
    assert!(error.contains("config.json") && !error.contains("hunter2"), "{error}");
    let absent = Config { docker_config: Some(dir.path().join("no.json")), ..Config::default() };
    assert!(Registries::new(absent).is_ok());
}

#[tokio::test]
async fn the_server_counts_writes_and_stops_at_any() {
    use std::sync::{Arc, Mutex};
    let server = Arc::new(RegistryServer::start());
    let registries = registries(&server.url());
    let name = repository("registry.test/org/x");
    images::push_index(&registries, &name, Some("v1"), "x").await;
    let manifest = found(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    let (seen, before) = (Arc::new(Mutex::new(Vec::new())), server.writes());
    for after in [false, true] {
        let (log, world) = (Arc::clone(&seen), Arc::clone(&server));
        server.on_write(2, after, move || log.lock().unwrap().push(world.tags().len()));
    }
    for to in ["v2", "v3", "v4"] {
        registries.put_manifest(&name, &tag(to), &manifest).await.unwrap();
    }
    assert_eq!(server.writes(), before + 3);
    // Before the second write v1 and v2 are there, after it v3 too.
    assert_eq!(*seen.lock().unwrap(), [2, 3]);
}
