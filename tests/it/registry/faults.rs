//! What goes wrong on the way to a registry: each fault ends in a retry that works, or is
//! said to be unknown or refused. None is ever absence, and nothing is written past it.

use std::time::{Duration, Instant};

use sealift::model::{Descriptor, Digest, Repository};
use sealift::port::WriteError;
use sealift::port::registry::{At, Config, Mount, Registries, RegistryRead, RegistryWrite, RetryPolicy, Timeouts};

use super::remote::{config, registries};
use super::{found, repository, tag, unknown};
use crate::support::http::{Response, Server};
use crate::support::images;
use crate::support::registry_server::{Act, RegistryServer, oci_error};

const ATTEMPTS: usize = 4;

/// A server that holds `registry.test/org/x:v1`, and a client for it.
async fn holding() -> (RegistryServer, Registries, Repository) {
    let server = RegistryServer::start();
    let registries = registries(&server.url());
    let name = repository("registry.test/org/x");
    images::push_index(&registries, &name, Some("v1"), "x").await;
    server.clear_log();
    (server, registries, name)
}

fn throttled() -> Response {
    // The text a client that greps would take for absence.
    oci_error(429, "TOOMANYREQUESTS", "request 404-MANIFEST_UNKNOWN was throttled").with("retry-after", 1)
}

/// Everything a run does, once: which verbs it takes is known to the test below.
async fn everything(registries: &Registries, name: &Repository) {
    let manifest = found(registries.manifest(name, &At::Tag(tag("v1"))).await);
    registries.put_blob(name, &images::blob("a/b", *b"small")).await.unwrap();
    registries.put_blob(name, &images::blob("a/b", vec![1; 5 << 20])).await.unwrap();
    registries.put_manifest(name, &tag("v2"), &manifest).await.unwrap();
    assert_eq!(found(registries.tags(name).await), [tag("v1"), tag("v2")]);
    registries.mount_blob(name, name, &Digest::of(b"small")).await.unwrap();
    found(registries.blob(name, &images::blob("a/b", *b"small").descriptor).await);
}

/// The requests that [`everything`] is made of (method, part of the target); last, the first of all.
const VERBS: [(&str, &str); 10] = [
    ("GET", "/manifests/v1"),
    ("GET", "/tags/list"),
    ("GET", "/blobs/sha256:"),
    ("HEAD", "/blobs/sha256:"),
    ("POST", "/blobs/uploads/"),
    ("POST", "mount="),
    ("PATCH", "/blobs/uploads/"),
    ("PUT", "/blobs/uploads/"),
    ("PUT", "/manifests/v2"),
    ("", "/v2/"),
];

#[tokio::test]
async fn a_429_on_each_verb_is_waited_out() {
    let cases = VERBS.map(|(method, path)| async move {
        let (server, _, name) = holding().await;
        let retry = RetryPolicy { cap: Duration::from_secs(1), ..config("").retry };
        let registries = Registries::new(Config { retry, ..config(&server.url()) }).unwrap();
        server.fault(method, path, 1..=1, Act::Answer(throttled()));
        let started = Instant::now();
        everything(&registries, &name).await;
        assert!(started.elapsed() >= Duration::from_millis(500), "{method} {path} did not wait");
        let throttled: Vec<_> = server.requests().into_iter().filter(|r| r.status == 429).collect();
        assert_eq!(throttled.len(), 1, "{method} {path}");
        // Retry-After is seen on everything but a chunk; after it, nobody asks for a second.
        if method != "PATCH" {
            let early = server
                .requests()
                .iter()
                .filter(|r| r.at > throttled[0].at && r.at < throttled[0].at + Duration::from_secs(1))
                .count();
            assert_eq!(early, 0, "{method} {path}");
        }
    });
    futures_util::future::join_all(cases).await;
}

#[tokio::test]
async fn a_500_and_a_cut_connection_on_each_verb_are_repeated_or_unknown() {
    for (method, path) in VERBS {
        for (what, fault) in [
            ("500", Response::new(500, "404")),
            ("502", oci_error(502, "MANIFEST_UNKNOWN", "")),
            ("cut", Response::hang_up()),
        ] {
            let (server, registries, name) = holding().await;
            server.fault(method, path, 1..=1, Act::Answer(fault));
            if (method, path) == ("PUT", "/manifests/v2") {
                // Its outcome is unknown, and repeating it could undo somebody else's write.
                let manifest = found(registries.manifest(&name, &At::Tag(tag("v1"))).await);
                let outcome = registries.put_manifest(&name, &tag("v2"), &manifest).await;
                assert!(matches!(outcome, Err(WriteError::Unknown(_))), "{what}: {outcome:?}");
                assert_eq!(server.count("PUT", "/manifests/v2"), 1, "{what}");
            } else {
                everything(&registries, &name).await;
            }
        }
    }
}

#[tokio::test]
async fn a_fault_that_lasts_is_unknown_after_the_last_attempt() {
    for (status, sends) in [(429, ATTEMPTS), (500, ATTEMPTS), (503, ATTEMPTS), (501, 1), (403, 1), (401, 1), (418, 1)] {
        let (server, registries, name) = holding().await;
        server.fault("", "/v2/", 1..=usize::MAX, Act::Answer(oci_error(status, "MANIFEST_UNKNOWN", "404 not found")));
        let answer = unknown(registries.manifest(&name, &At::Tag(tag("v1"))).await);
        assert_eq!((answer.status, server.requests().len()), (Some(status), sends), "{answer}");
        assert!(answer.to_string().contains("registry.test/org/x:v1"), "{answer}");
        unknown(registries.tags(&name).await);
        unknown(registries.has_blob(&name, &Digest::of(b"")).await);
        unknown(registries.blob(&name, &images::blob("a/b", *b"x").descriptor).await);
        let manifest = images::index("x").0;
        assert!(registries.put_manifest(&name, &tag("v2"), &manifest).await.is_err());
        assert!(registries.put_blob(&name, &images::blob("a/b", *b"x")).await.is_err());
        assert!(registries.mount_blob(&name, &name, &Digest::of(b"x")).await.is_err());
        assert_eq!(server.tags().len(), 1);
    }
}

#[tokio::test]
async fn a_refused_write_says_status_and_words() {
    let (server, registries, name) = holding().await;
    server.fault("PUT", "/manifests/", 1..=1, Act::Answer(oci_error(403, "DENIED", "no permission to write")));
    let error = registries.put_manifest(&name, &tag("v2"), &images::index("x").0).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, WriteError::Refused { status: Some(403), .. }), "{error:?}");
    assert!(text.contains("registry.test/org/x:v2") && text.contains("no permission to write"), "{text}");
    for size in [5, 5 << 20] {
        server.fault("POST", "/blobs/uploads/", 1..=1, Act::Answer(oci_error(403, "DENIED", "no permission to write")));
        let error = registries.put_blob(&name, &images::blob("a/b", vec![9; size])).await.unwrap_err();
        assert!(matches!(error, WriteError::Refused { status: Some(403), .. }), "{error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_manifest_is_unknown() {
    let manifest = images::index("x").0;
    let kind = manifest.media_type().to_owned();
    let json = |status| Response::new(status, manifest.bytes()).with("content-type", &kind);
    let other = Digest::of(b"other");
    let cases = [
        ("empty 200", Response::new(200, "").with("content-type", &kind)),
        ("HTML 200", Response::new(200, "<html>log in</html>").with("content-type", "text/html")),
        ("HTML 200 that claims a type", Response::new(200, "<html>log in</html>").with("content-type", &kind)),
        ("right bytes as HTML", json(200).with("content-type", "text/html")),
        ("a type that isn't inside", json(200).with("content-type", sealift::model::manifest::OCI_MANIFEST)),
        ("wrong digest header", json(200).with("docker-content-digest", other)),
        ("unreadable digest header", json(200).with("docker-content-digest", "sha256:1")),
        ("an empty object", Response::new(200, "{}").with("content-type", &kind)),
        ("schema 1", Response::new(200, r#"{"schemaVersion":1}"#).with("content-type", &kind)),
        ("203", json(203)),
        ("204", Response::new(204, "")),
        ("206", json(206)),
        ("too large", Response::new(200, vec![b' '; (4 << 20) + 1]).with("content-type", &kind)),
        ("404 without a body", Response::new(404, "")),
        ("404 in text", Response::new(404, "404 page not found")),
        ("404 in HTML", Response::new(404, "<h1>MANIFEST_UNKNOWN</h1>")),
        ("404 with an empty list", Response::new(404, r#"{"errors":[]}"#)),
        ("404 with another code", oci_error(404, "DENIED", "MANIFEST_UNKNOWN")),
        ("404 for a blob", oci_error(404, "BLOB_UNKNOWN", "")),
        ("400 with the code", oci_error(400, "MANIFEST_UNKNOWN", "")),
        ("410 with the code", oci_error(410, "MANIFEST_UNKNOWN", "")),
        ("403 with the code", oci_error(403, "NAME_UNKNOWN", "")),
    ];
    for (what, response) in cases {
        let (server, registries, name) = holding().await;
        server.fault("GET", "/manifests/", 1..=usize::MAX, Act::Answer(response));
        for at in [At::Tag(tag("v1")), At::Digest(manifest.digest())] {
            let answer = unknown(registries.manifest(&name, &at).await);
            assert!(!answer.to_string().is_empty(), "{what}");
        }
    }
}

#[tokio::test]
async fn other_bytes_than_asked_for_are_unknown() {
    let (server, registries, name) = holding().await;
    let (wanted, other) = (images::index("x").0, images::index("y").0);
    let answer = Response::new(200, other.bytes()).with("content-type", other.media_type());
    server.fault("GET", "/manifests/", 1..=usize::MAX, Act::Answer(answer));
    unknown(registries.manifest(&name, &At::Digest(wanted.digest())).await);
    let blob = images::blob("a/b", *b"right");
    for bytes in ["wrong", "righ", "right!", ""] {
        server.fault("GET", "/blobs/", 1..=1, Act::Answer(Response::new(200, bytes)));
        unknown(registries.blob(&name, &blob.descriptor).await);
    }
}

#[tokio::test]
async fn a_body_larger_than_expected_is_not_read_to_its_end() {
    let (server, registries, name) = holding().await;
    let (wanted, blob) = (images::index("x").0, images::blob("a/b", *b"right"));
    let huge = || Act::Answer(Response::new(200, vec![b' '; 5 << 20]).with("content-type", wanted.media_type()));
    let small = Descriptor { size: 3, ..blob.descriptor };
    server.fault("GET", "", 1..=usize::MAX, huge());
    let answers = [
        unknown(registries.blob(&name, &small).await),
        unknown(registries.manifest(&name, &At::Tag(tag("v1"))).await),
        unknown(registries.tags(&name).await),
    ];
    for answer in answers {
        assert!(answer.detail.contains("larger than"), "{answer}");
    }
    let error = Response::new(403, vec![b'x'; 2 << 20]);
    server.fault("PUT", "/manifests/", 1..=1, Act::Answer(error));
    let outcome = registries.put_manifest(&name, &tag("v2"), &wanted).await.unwrap_err();
    assert!(outcome.to_string().contains("larger than"), "{outcome}");
}

#[tokio::test]
async fn absence_of_a_blob_needs_a_code() {
    let (server, registries, name) = holding().await;
    let nothing = Digest::of(b"nothing");
    assert!(registries.has_blob(&name, &nothing).await.is_absent());
    server.fault("GET", "/blobs/", 1..=usize::MAX, Act::Answer(Response::new(404, "")));
    unknown(registries.has_blob(&name, &nothing).await);
    server.fault(
        "HEAD",
        "/blobs/",
        1..=usize::MAX,
        Act::Change(Box::new(|r| r.with("docker-content-digest", Digest::of(b"?")))),
    );
    let there = images::index("x").1[0].1[0].descriptor.digest;
    unknown(registries.has_blob(&name, &there).await);
}

#[tokio::test]
async fn a_body_cut_once_is_read_again_and_cut_always_is_unknown() {
    let (server, registries, name) = holding().await;
    let manifest = images::index("x").0;
    for cut in [0, 1, manifest.bytes().len() - 1] {
        server.fault("GET", "/manifests/", 1..=1, Act::Change(Box::new(move |r| r.cut(cut))));
        server.clear_log();
        assert_eq!(found(registries.manifest(&name, &At::Tag(tag("v1"))).await), manifest);
        assert_eq!(server.requests().len(), 2);
    }
    server.fault("GET", "/manifests/", 1..=usize::MAX, Act::Change(Box::new(|r| r.cut(7))));
    server.clear_log();
    unknown(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    assert_eq!(server.requests().len(), ATTEMPTS);
}

#[tokio::test]
async fn a_manifest_put_whose_answer_is_lost_was_sent_once() {
    let (server, registries, name) = holding().await;
    let manifest = found(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    for (nth, change) in [Response::hang_up(), Response::new(504, ""), Response::new(200, ""), Response::new(302, "")]
        .into_iter()
        .enumerate()
    {
        let to = tag(&format!("lost-{nth}"));
        let path = format!("/manifests/{to}");
        server.fault("PUT", &path, 1..=1, Act::Change(Box::new(move |_| change.clone())));
        let outcome = registries.put_manifest(&name, &to, &manifest).await;
        assert!(matches!(outcome, Err(WriteError::Unknown(_))), "{outcome:?}");
        assert_eq!(server.count("PUT", &path), 1);
        // It happened: whoever looks before repeating sees it.
        assert_eq!(found(registries.manifest(&name, &At::Tag(to)).await), manifest);
    }
    server.fault(
        "PUT",
        "/manifests/said",
        1..=1,
        Act::Change(Box::new(|r| r.with("docker-content-digest", Digest::of(b"?")))),
    );
    let outcome = registries.put_manifest(&name, &tag("said"), &manifest).await;
    assert!(matches!(outcome, Err(WriteError::Unknown(_))), "{outcome:?}");
}

#[tokio::test]
async fn an_upload_session_that_is_gone_is_started_again() {
    for size in [5, 5 << 20] {
        let (server, registries, name) = holding().await;
        let blob = images::blob("a/b", vec![8; size]);
        server.fault("PUT", "/blobs/uploads/", 1..=1, Act::Answer(oci_error(404, "BLOB_UPLOAD_UNKNOWN", "")));
        registries.put_blob(&name, &blob).await.unwrap();
        assert_eq!(server.count("POST", "/blobs/uploads/"), 2);
        found(registries.blob(&name, &blob.descriptor).await);
    }
}

#[tokio::test]
async fn a_long_retry_after_is_not_waited_for_and_is_shared() {
    let (server, registries, name) = holding().await;
    server.fault("GET", "/manifests/", 1..=1, Act::Answer(throttled().with("retry-after", 3600)));
    let started = Instant::now();
    let answer = unknown(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    assert_eq!(answer.status, Some(429));
    // Nobody else asks that host before its time either.
    let next = unknown(registries.tags(&name).await);
    assert!(next.detail.contains("asks to wait"), "{next}");
    let write = registries.put_blob(&name, &images::blob("a/b", vec![0; 5 << 20])).await;
    assert!(write.is_err());
    assert_eq!(server.requests().len(), 1);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn one_retry_after_pauses_all_requests_to_a_host() {
    let (server, registries, name) = holding().await;
    server.fault("GET", "/manifests/", 1..=1, Act::Answer(throttled()));
    let at = At::Tag(tag("v1"));
    let first = registries.manifest(&name, &at);
    let others = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        futures_util::future::join_all((0..10).map(|_| registries.tags(&name))).await
    };
    let (first, others) = tokio::join!(first, others);
    found(first);
    others.into_iter().for_each(|tags| assert_eq!(found(tags), [tag("v1")]));
    let log = server.requests();
    let (start, early) = (log[0].at, log[0].at + Duration::from_secs(1));
    assert_eq!(log.iter().filter(|r| r.at > start && r.at < early).count(), 0);
}

#[tokio::test]
async fn a_retry_after_date_is_honoured() {
    let (server, registries, name) = holding().await;
    let late = Response::new(503, "")
        .with("date", "Sun, 29 Nov 2026 12:00:00 GMT")
        .with("retry-after", "Sun, 29 Nov 2026 12:00:01 GMT");
    server.fault("GET", "/manifests/", 1..=1, Act::Answer(late));
    let started = Instant::now();
    found(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_silent_server_is_unknown_in_bounded_time() {
    let (server, _, name) = holding().await;
    let ms = Duration::from_millis;
    let timeouts = Timeouts { connect: ms(500), read: ms(100), total: ms(200), ..Timeouts::default() };
    let registries = Registries::new(Config { timeouts, ..config(&server.url()) }).unwrap();
    server.fault("GET", "/manifests/", 1..=usize::MAX, Act::Change(Box::new(move |r| r.delay(ms(1000)))));
    let started = Instant::now();
    unknown(registries.manifest(&name, &At::Tag(tag("v1"))).await);
    assert!(started.elapsed() < Duration::from_secs(10));
    // Nobody there at all.
    let closed = super::remote::registries("http://127.0.0.1:1");
    unknown(closed.manifest(&name, &At::Tag(tag("v1"))).await);
    let write = closed.put_manifest(&name, &tag("v1"), &images::index("x").0).await;
    assert!(matches!(write, Err(WriteError::Unknown(_))), "{write:?}");
}

#[tokio::test]
async fn a_mount_that_is_not_taken_is_an_upload_or_a_refusal() {
    let (server, registries, name) = holding().await;
    let blob = images::index("x").1[0].1[0].clone();
    let to = repository("registry.test/org/y");
    server.fault(
        "POST",
        "mount=",
        1..=1,
        Act::Answer(Response::new(202, "").with("location", "/v2/org/y/blobs/uploads/1")),
    );
    assert_eq!(registries.mount_blob(&to, &name, &blob.descriptor.digest).await.unwrap(), Mount::NotMounted);
    registries.put_blob(&to, &blob).await.unwrap();
    found(registries.blob(&to, &blob.descriptor).await);
    server.fault(
        "POST",
        "mount=",
        1..=usize::MAX,
        Act::Answer(oci_error(401, "UNAUTHORIZED", "not yours").with("www-authenticate", "Basic realm=x")),
    );
    let refused = registries.mount_blob(&to, &name, &blob.descriptor.digest).await;
    assert!(matches!(refused, Err(WriteError::Refused { status: Some(401), .. })), "{refused:?}");
}

#[tokio::test]
async fn a_listing_that_is_cut_or_runs_in_a_circle_is_unknown() {
    let elsewhere = RegistryServer::start();
    let next = |link: &str| {
        let link = format!("<{link}>; rel=\"next\"");
        Act::Change(Box::new(move |r: Response| r.with("link", &link)))
    };
    let broken = [
        ("circle", next("/v2/org/x/tags/list?n=1000")),
        ("another host", next(&format!("{}/v2/org/x/tags/list", elsewhere.url()))),
        ("second page gone", next("/v2/org/unknown/tags/list")),
        ("no list", Act::Answer(Response::new(200, "<html>"))),
        ("empty", Act::Answer(Response::new(200, ""))),
        ("not tags", Act::Answer(Response::new(200, r#"{"tags":["a b"]}"#))),
        ("404 without a code", Act::Answer(Response::new(404, "404 page not found"))),
        ("404 with a manifest's code", Act::Answer(oci_error(404, "MANIFEST_UNKNOWN", ""))),
    ];
    for (what, act) in broken {
        let (server, registries, name) = holding().await;
        server.fault("GET", "/org/x/tags/list", 1..=usize::MAX, act);
        let answer = unknown(registries.tags(&name).await);
        assert!(answer.to_string().contains("the tags of"), "{what}: {answer}");
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn a_capped_page_without_a_link_is_continued() {
    for server_pages in [true, false] {
        let all: Vec<String> = (0..if server_pages { 1500 } else { 1000 }).map(|n| format!("v{n:05}")).collect();
        let server = Server::start(move |request| {
            let last = request.parameter("last").filter(|_| server_pages).unwrap_or_default();
            let page: Vec<&String> = all.iter().filter(|tag| **tag > last).take(1000).collect();
            Response::new(200, serde_json::json!({ "tags": page }).to_string())
        });
        let tags = found(registries(&server.url()).tags(&repository("registry.test/org/x")).await);
        assert_eq!(tags.len(), if server_pages { 1500 } else { 1000 });
    }
}
