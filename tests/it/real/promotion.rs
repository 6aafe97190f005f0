//! A whole promotion, killed and resumed elsewhere, then judged and counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::channel;

use super::parts::{Git, Machine, Parts, Showed, Tree};
use super::proxy::{Hold, Seen};
use crate::support::git_server::Reaction;

#[tokio::test(flavor = "multi_thread")]
async fn over_smart_http_killed_and_resumed_elsewhere() {
    let Some(parts) = Parts::assemble(Git::Http, false, Tree::Golden).await else { return };
    promote(&parts, Git::Http, Hold::Before);
    judged(&parts);
    second_reader(&parts);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_file_on_a_line_killed_and_resumed_elsewhere() {
    let Some(parts) = Parts::assemble(Git::File, true, Tree::Golden).await else { return };
    promote(&parts, Git::File, Hold::After);
    judged(&parts);
    second_reader(&parts);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_few() {
    let Some(parts) = Parts::assemble(Git::File, false, Tree::Golden).await else { return };
    let machine = Machine::new();
    parts.run(&machine, &["run"]).must_be(4);
    parts.world.merge();
    parts.proxy.take();
    parts.run(&machine, &["run"]).must_be(0);
    let fresh = by_image(&parts.proxy.take());
    parts.run(&machine, &["run"]).must_be(0);
    let again = parts.proxy.take();
    assert_eq!(writes(&again), Vec::<String>::new(), "the second run writes");
    let right = by_image(&again);
    assert!(!fresh.is_empty() && fresh.len() == right.len(), "{fresh:#?}{right:#?}");
    let most = |counts: &BTreeMap<String, Vec<String>>| counts.values().map(Vec::len).max().unwrap();
    println!("requests: {} images; fresh at most {}, right at most {}", fresh.len(), most(&fresh), most(&right));
    for (image, requests) in &fresh {
        assert!(requests.len() <= 5, "a fresh tag {image}: {requests:#?}");
    }
    for (image, requests) in &right {
        assert_eq!(requests.len(), 1, "a right tag {image}: {requests:#?}");
    }
}

/// The server's own words reach the user; no alias moves before the release is there; once the
/// server lets it through, the same command goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_rejects_is_heard_and_resumed() {
    let Some(parts) = Parts::assemble(Git::Http, false, Tree::Fixture).await else { return };
    let machine = Machine::new();
    let hook = parts.world.origin().join("hooks/update");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script =
        |name: &str| format!("#!/bin/sh\n[ \"$1\" = {name} ] || exit 0\necho 'ask the release managers' >&2\nexit 1\n");
    std::fs::write(&hook, script("refs/heads/release-1.6.2")).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let rejected = parts.run(&machine, &["run"]);
    println!("{}{}", rejected.err, rejected.out);
    rejected.must_be(1);
    assert!(
        rejected.err.contains("refs/heads/release-1.6.2") && rejected.err.contains("hook declined"),
        "{}",
        rejected.err
    );
    assert_eq!(writes(&parts.proxy.take()), Vec::<String>::new(), "the branch is the lock: nothing is written past it");

    std::fs::write(&hook, script("refs/tags/v1.6.2")).unwrap();
    parts.run(&machine, &["run"]).must_be(4);
    parts.world.merge();
    let rejected = parts.run(&machine, &["run"]);
    println!("{}{}", rejected.err, rejected.out);
    rejected.must_be(1);
    assert!(rejected.err.contains("refs/tags/v1.6.2") && rejected.err.contains("hook declined"), "{}", rejected.err);
    let aliased = parts.proxy.take().iter().filter(|seen| seen.writes() && seen.path.ends_with("/latest")).count();
    assert_eq!(aliased, 0, "aliases come after the release");
    std::fs::remove_file(&hook).unwrap();
    parts.run(&Machine::new(), &["resume"]).must_be(0);
    judged(&parts);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_of_real_size() {
    let Some(parts) = Parts::assemble(Git::Http, false, Tree::Large).await else { return };
    let (machine, started) = (Machine::new(), std::time::Instant::now());
    parts.run(&machine, &["run"]).must_be(4);
    println!("up to the merge: {:?}", started.elapsed());
    parts.world.merge();
    parts.run(&machine, &["run"]).must_be(0);
    println!("to the end: {:?}", started.elapsed());
    judged(&parts);
}

/// Plans, is killed after the pin, goes on elsewhere up to the merge, is killed in the middle of
/// retagging, and goes on to the end on a third machine.
fn promote(parts: &Parts, git: Git, at: Hold) {
    let (first, second, third) = (Machine::new(), Machine::new(), Machine::new());
    parts.run(&first, &["plan"]).must_be(3);
    assert_eq!(writes(&parts.proxy.take()), Vec::<String>::new(), "a plan writes");

    killed_after_the_pin(parts, &first, git);
    let staged = staging(parts).expect("the staging branch is the checkpoint");
    assert_eq!(stable_tags(&parts.proxy.take()), 0, "a public name came before the merge");

    let waiting = parts.run(&second, &["run"]);
    waiting.must_be(4);
    assert_eq!(staging(parts), Some(staged), "the same commits on another machine");
    println!("--- waiting\n{}{}", waiting.out, waiting.err);
    let names = parts.world.names();
    parts.world.person_commits(names.staging.short(), "docs/changelogs/v1.6.2.md", "# v1.6.2\n");
    parts.world.merge();

    killed_while_retagging(parts, &second, at);
    let tagged = stable_tags(&parts.proxy.take());
    assert!(tagged >= 5, "killed before anything was tagged");

    let done = parts.run(&third, &["resume"]);
    done.must_be(0);
    println!("--- done, {tagged} names were there\n{}{}", done.out, done.err);
    parts.proxy.take();
    parts.run(&first, &["run"]).must_be(0);
    assert_eq!(writes(&parts.proxy.take()), Vec::<String>::new(), "a second run writes");
    parts.run(&third, &["plan"]).must_be(0);
}

/// The first request to git, or to the registry, that finds the pin commit in the origin.
fn killed_after_the_pin(parts: &Parts, machine: &Machine, git: Git) {
    let (origin, rc) = (parts.world.origin(), parts.world.names().rc_branch.as_str().to_owned());
    let staging = parts.world.names().staging.as_str().to_owned();
    let pinned = move || commits(&origin, &format!("{rc}..{staging}")) == Some(2);
    match git {
        Git::Http => {
            let (held, receiver) = channel();
            let (release, released) = channel::<()>();
            parts.git.intercept(move |_| {
                if !pinned() {
                    return Reaction::Pass;
                }
                let _ = held.send(());
                // Until whoever waits for it has killed the client.
                let _ = released.recv();
                Reaction::CutBefore
            });
            parts.kill(machine, &receiver);
            drop(release);
            parts.git.intercept(|_| Reaction::Pass);
        }
        Git::File => {
            let held = parts.proxy.hold(move |_, _| if pinned() { Hold::Before } else { Hold::Pass });
            parts.kill(machine, &held);
            parts.proxy.release();
        }
    }
}

/// Five stable names are there; the next is not written, or is and nobody hears of it.
fn killed_while_retagging(parts: &Parts, machine: &Machine, at: Hold) {
    let held = parts.proxy.hold(move |request, seen| {
        let next = request.method == "PUT" && request.path().ends_with("/manifests/v1.6.2");
        if next && stable_tags(seen) >= 5 { at } else { Hold::Pass }
    });
    parts.kill(machine, &held);
    parts.proxy.release();
}

/// How many commits a range has; `None` where one end isn't there.
fn commits(origin: &Path, range: &str) -> Option<usize> {
    let output = Command::new("git").arg("-C").arg(origin).args(["rev-list", "--count", range]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

fn staging(parts: &Parts) -> Option<String> {
    parts.world.names_of(parts.world.names().staging.as_str())
}

fn writes(seen: &[Seen]) -> Vec<String> {
    seen.iter().filter(|seen| seen.writes()).map(|seen| format!("{} {}", seen.method, seen.path)).collect()
}

fn stable_tags(seen: &[Seen]) -> usize {
    let tagged = |seen: &&Seen| seen.method == "PUT" && seen.status == 201 && seen.path.ends_with("/manifests/v1.6.2");
    seen.iter().filter(tagged).count()
}

/// Requests about an image's stable name and the digest behind it; its alias is another name.
fn by_image(seen: &[Seen]) -> BTreeMap<String, Vec<String>> {
    let mut counts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for seen in seen {
        let Some((repository, at)) = seen.path.split_once("/manifests/") else { continue };
        let other = ["cozystack-packages", "cozy-installer"].iter().any(|name| repository.ends_with(name));
        if !other && at != "latest" && !at.ends_with("-rc.1") {
            counts.entry(repository.to_owned()).or_default().push(format!("{} {at} {}", seen.method, seen.status));
        }
    }
    counts
}

fn judged(parts: &Parts) {
    let judged = parts.judge();
    println!("{}", judged.out);
    judged.must_be(0);
    // The judge reads the tree by itself, and must have found as many images as the program.
    let plan = parts.run(&Machine::new(), &["plan", "--format", "json"]);
    let goals = plan.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let images = goals.filter_map(|event| Some(event.get("images")?.as_array()?.len())).next();
    let found = judged.out.lines().filter(|line| line.starts_with("ok   image ")).count();
    assert!(judged.err.is_empty() && found >= 10, "{}{}", judged.out, judged.err);
    assert_eq!(images, Some(found), "{}", plan.out);
}

/// skopeo, as somebody else's client, reads the very bytes that were built.
fn second_reader(parts: &Parts) {
    if Command::new("skopeo").arg("--version").output().is_err() {
        crate::support::say(format_args!("skipped: skopeo is not installed (Debian: apt-get install skopeo)"));
        assert_ne!(std::env::var("SEALIFT_REQUIRE_PEERS").as_deref(), Ok("1"), "skopeo is required here");
        return;
    }
    let own = parts.world.registry().join("ghcr.io/cozystack/cozystack");
    let mut read = 0;
    for name in std::fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        let built = indexes(&own.join(&name));
        let reference = format!("docker://{}/cozystack/cozystack/{name}:v1.6.2", parts.registry.host());
        if built.len() != 1 || read == 5 {
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new("skopeo");
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home.path());
        let output = command.args(["inspect", "--raw", "--tls-verify=false", &reference]).output().unwrap();
        Showed::new(output.status, &[], &output.stderr).must_be(0);
        assert_eq!(output.stdout, built[0], "{reference}");
        read += 1;
    }
    assert_eq!(read, 5, "images that skopeo read");
}

/// Every index in a layout.
fn indexes(layout: &Path) -> Vec<Vec<u8>> {
    let Ok(blobs) = std::fs::read_dir(layout.join("blobs/sha256")) else { return Vec::new() };
    let read = |path: PathBuf| std::fs::read(path).unwrap();
    let is_index = |bytes: &Vec<u8>| {
        serde_json::from_slice::<serde_json::Value>(bytes).is_ok_and(|value| value.get("manifests").is_some())
    };
    blobs.map(|blob| read(blob.unwrap().path())).filter(is_index).collect()
}
