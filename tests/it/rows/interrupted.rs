//! Ctrl-C: the action at work is finished, none begins, and the way on is said.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use sealift::model::Manifest;
use sealift::port::registry::{Config, Layout, Location, Registries, RegistryRead, RegistryWrite};

use super::commands::sealift;
use super::merged;
use crate::support::images;
use crate::support::registry_server::{Act, RegistryServer};
use crate::support::sandbox::Sandbox;
use crate::support::world::World;

const HOST: &str = "ghcr.io";

/// Everything a world's layouts hold of a host, served over HTTP.
async fn served(world: &World) -> RegistryServer {
    let server = RegistryServer::start();
    let locations = [(HOST.to_owned(), Location::Url(server.url()))].into();
    let to = Registries::new(Config { locations, ..Config::default() }).unwrap();
    let from = Layout::new(world.registry());
    let mut folders = vec![world.registry().join(HOST)];
    while let Some(dir) = folders.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("blobs") {
                folders.push(path);
            }
        }
        if !dir.join("index.json").is_file() {
            continue;
        }
        let name = dir.strip_prefix(world.registry()).unwrap().display().to_string();
        let repository = name.parse().unwrap();
        let (mut manifests, mut indexes) = (Vec::new(), Vec::new());
        for blob in std::fs::read_dir(dir.join("blobs/sha256")).unwrap() {
            let bytes = std::fs::read(blob.unwrap().path()).unwrap();
            match Manifest::new(bytes.clone(), None) {
                Ok(manifest) if manifest.is_index() => indexes.push(manifest),
                Ok(manifest) => manifests.push(manifest),
                Err(_) => to.put_blob(&repository, &images::blob("application/octet-stream", bytes)).await.unwrap(),
            }
        }
        for manifest in manifests.iter().chain(&indexes) {
            to.put_manifest_by_digest(&repository, manifest).await.unwrap();
        }
        for tag in from.tags(&repository).await.known().unwrap().unwrap_or_default() {
            let at = sealift::port::registry::At::Tag(tag.clone());
            let manifest = from.manifest(&repository, &at).await.known().unwrap().unwrap();
            to.put_manifest(&repository, &tag, &manifest).await.unwrap();
        }
    }
    server
}

fn interrupt(process: u32) {
    let sent = Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn between_two_tags_it_ends_with_130_and_the_printed_command_goes_on() {
    let (world, merge) = merged().await;
    let server = served(&world).await;
    let (writing, written) = channel();
    let (go, gone) = channel::<()>();
    let (writing, gone) = (Mutex::new(writing), Mutex::new(gone));
    server.fault(
        "PUT",
        "/manifests/v1.6.2",
        1..=1,
        Act::Before(Box::new(move || {
            writing.lock().unwrap().send(()).unwrap();
            let _ = gone.lock().unwrap().recv();
        })),
    );
    let mut words: Vec<String> = vec!["run".into(), "v1.6.2-rc.1".into(), "--parallel".into(), "1".into()];
    words.extend(["--pipeline".into(), world.shipped.file.display().to_string()]);
    words.extend(["--repo".into(), world.origin().display().to_string()]);
    words.extend(["--registry".into(), format!("{HOST}={}", server.url())]);
    words.extend(world.forge_arguments());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = sealift(&world, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let (output, told) = tokio::task::spawn_blocking(move || {
        written.recv().unwrap();
        interrupt(process);
        // The answer to the write comes after the signal was heard.
        let mut told = String::new();
        while !told.contains("stopping after the current action") {
            assert_ne!(talk.read_line(&mut told).unwrap(), 0, "it ended without a word of stopping:\n{told}");
        }
        go.send(()).unwrap();
        talk.read_to_string(&mut told).unwrap();
        (child.wait_with_output().unwrap(), told)
    })
    .await
    .unwrap();
    let said = format!("{}{told}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(130), "{said}");
    let tags = |server: &RegistryServer| server.tags().keys().filter(|name| name.ends_with("v1.6.2")).count();
    assert_eq!(tags(&server), 1, "the write at work was finished, none was begun:\n{said}");
    let next = said.lines().find_map(|line| line.trim().strip_prefix("next  ")).unwrap_or_else(|| panic!("{said}"));
    let (program, words) = next.split_once(' ').unwrap();
    assert_eq!(program, env!("CARGO_BIN_EXE_sealift"), "as it was called");
    let words: Vec<&str> = words.split(' ').collect();
    assert_eq!(words[..2], ["resume", "v1.6.2-rc.1"]);
    let resumed = sealift(&world, &words).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}{}", text(&resumed.stdout), text(&resumed.stderr));
    assert!(tags(&server) > 5);
    assert_eq!(world.names_of(super::TAG), Some(merge));
}

/// A file that nobody writes is a read that lasts for ever.
#[test]
fn a_command_over_a_tree_ends_at_once() {
    let sandbox = Sandbox::new();
    for words in [
        &["refs", "list", "--tree", "."][..],
        &["refs", "census"],
        &["archive"],
        &["rewrite", "--tree", ".", "--rc", "v1.6.2-rc.1"],
        &["check"],
    ] {
        let pipe = sandbox.path(&format!("pipe-{}", words.join("-").replace('/', "")));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_sealift"), &sandbox.path("home"));
        command.args(words);
        if words != ["check"] {
            command.arg("--pipeline");
        }
        let child = command.arg(&pipe).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Opens once it is read.
        let held = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        interrupt(child.id());
        let output = child.wait_with_output().unwrap();
        drop(held);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{words:?}: {told}");
        assert!(told.contains("interrupted: nothing was written"), "{words:?}: {told}");
    }
    let left: Vec<_> = std::fs::read_dir(sandbox.path("home")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".sealift-")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_hangs_ends_at_once() {
    let (world, _) = merged().await;
    let server = served(&world).await;
    let before = server.tags();
    let (looking, looked) = channel();
    let (go, gone) = channel::<()>();
    let (looking, gone) = (Mutex::new(looking), Mutex::new(gone));
    server.fault(
        "GET",
        "/manifests/",
        1..=1,
        Act::Before(Box::new(move || {
            looking.lock().unwrap().send(()).unwrap();
            let _ = gone.lock().unwrap().recv();
        })),
    );
    let pipeline = world.shipped.file.display().to_string();
    let (repo, registry) = (world.origin().display().to_string(), format!("{HOST}={}", server.url()));
    let forge = world.forge_arguments();
    let mut words = vec!["plan", "v1.6.2-rc.1", "--pipeline", &pipeline, "--repo", &repo, "--registry", &registry];
    words.extend(forge.iter().map(String::as_str));
    let child = sealift(&world, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let output = tokio::task::spawn_blocking(move || {
        looked.recv().unwrap();
        interrupt(process);
        child.wait_with_output().unwrap()
    })
    .await
    .unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("interrupted: nothing was written"), "{told}");
    // Only now is the look answered.
    go.send(()).unwrap();
    assert_eq!(server.tags(), before);
}
