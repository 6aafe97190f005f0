//! The registry client: whatever comes over a connection, a thing that is found has the digest that was
//! asked for, nothing panics, and nothing waits for ever.

use std::time::Duration;

use sealift::model::{Answer, Descriptor, Digest, Repository};
use sealift::port::registry::{At, Config, Location, Registries, RegistryRead as _, RetryPolicy, Timeouts};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Ends one answer and begins the next.
const NEXT: &[u8] = b"\n--\n";

/// The bytes are the answers, one after another, as they go over the wire.
pub fn check(data: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(answered(data.to_vec()));
}

async fn answered(data: Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut answers = split(&data).into_iter();
        while let (Ok((mut stream, _)), Some(answer)) = (listener.accept().await, answers.next()) {
            let mut asked = [0; 4096];
            // What the client sent is of no matter here.
            let _ = stream.read(&mut asked).await;
            let _ = stream.write_all(&answer).await;
        }
    });
    let short = Duration::from_millis(300);
    let registries = Registries::new(Config {
        locations: [("registry.example".to_owned(), Location::Url(url))].into(),
        retry: RetryPolicy { attempts: 1, base: Duration::ZERO, cap: Duration::ZERO, budget: Duration::ZERO },
        timeouts: Timeouts { connect: short, read: short, total: short, ..Timeouts::default() },
        ..Config::default()
    })
    .unwrap();
    let repository: Repository = "registry.example/org/app".parse().unwrap();
    let digest = Digest::of(b"asked for");
    if let Answer::Found(manifest) = registries.manifest(&repository, &At::Tag("v1".parse().unwrap())).await {
        assert_eq!(Digest::of(manifest.bytes()), manifest.digest());
    }
    if let Answer::Found(manifest) = registries.manifest(&repository, &At::Digest(digest)).await {
        panic!("other bytes under a digest: {manifest:?}");
    }
    let descriptor = Descriptor { media_type: "application/octet-stream".into(), size: 9, digest, platform: None };
    if let Answer::Found(bytes) = registries.blob(&repository, &descriptor).await {
        assert_eq!(bytes, b"asked for");
    }
    let _ = registries.tags(&repository).await;
}

fn split(data: &[u8]) -> Vec<Vec<u8>> {
    let (mut answers, mut rest) = (Vec::new(), data);
    while let Some(at) = rest.windows(NEXT.len()).position(|window| window == NEXT) {
        answers.push(rest[..at].to_vec());
        rest = &rest[at + NEXT.len()..];
    }
    answers.push(rest.to_vec());
    answers
}
