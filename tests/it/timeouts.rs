//! Servers that accept and never answer, or answer a byte now and then: given up in bounded time, at every call,
//! with words that say so.

use std::future::Future;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use sealift::model::{Answer, Blob, Content, Descriptor, Digest, RefName, Repository};
use sealift::port::WriteError;
use sealift::port::forge::github::{Address, Config as GitHubConfig, GitHub, Tokens};
use sealift::port::forge::{
    Asset, AssetId, CommentId, ForgeRead, ForgeWrite, NewPull, NewRelease, PullEdit, ReleaseEdit, ReleaseId, RunId,
    RunQuery,
};
use sealift::port::registry::{
    At, Config, HELPER_TIMEOUT, Location, Registries, RegistryRead, RegistryWrite, RetryPolicy, Timeouts,
};
use sealift::port::repository::{Http, NewCommit, Origin, OriginRead, OriginWrite, RefUpdate, Store};

use crate::support::git_server::{GitServer, Reaction};
use crate::support::http::{Response, Server};
use crate::support::images;
use crate::support::sandbox::{NOW, Sandbox};

/// How a server takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slow {
    /// Not a byte, and what is sent isn't read.
    Silent,
    /// A header that never ends.
    Headers,
    /// A body of which a byte comes now and then.
    Body,
}

const ALL: [Slow; 3] = [Slow::Silent, Slow::Headers, Slow::Body];
const DRIP: Duration = Duration::from_millis(20);
/// Far above every limit that is set here, and far below those that hold otherwise.
const BOUND: Duration = Duration::from_secs(8);

/// A server that is slow to everybody; it ends with the test.
fn slow(slow: Slow) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming().map_while(Result::ok) {
            kept.extend(stream.try_clone());
            std::thread::spawn(move || drip(stream, slow));
        }
    });
    address
}

fn drip(mut stream: TcpStream, slow: Slow) {
    let head = match slow {
        Slow::Silent => return,
        Slow::Headers => "HTTP/1.1 200 OK\r\nx-slow: ",
        Slow::Body => "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n",
    };
    let mut reads = stream.try_clone().unwrap();
    // An answer before any question is none.
    if reads.read(&mut [0; 8192]).is_err() {
        return;
    }
    std::thread::spawn(move || while reads.read(&mut [0; 8192]).is_ok_and(|read| read > 0) {});
    let mut going = stream.write_all(head.as_bytes()).is_ok();
    while going {
        going = stream.write_all(b" ").is_ok();
        std::thread::sleep(DRIP);
    }
}

fn timeouts() -> Timeouts {
    let ms = Duration::from_millis;
    Timeouts { connect: ms(500), read: ms(200), total: ms(400), slowest: u64::MAX }
}

fn retry() -> RetryPolicy {
    let ms = Duration::from_millis;
    RetryPolicy { attempts: 2, base: ms(1), cap: ms(2), budget: Duration::from_secs(5) }
}

/// What became of a call, in words.
trait Told {
    fn told(self) -> Option<String>;
}

impl<T> Told for Answer<T> {
    fn told(self) -> Option<String> {
        self.known().err().map(|unknown| unknown.to_string())
    }
}

impl<T> Told for Result<T, WriteError> {
    fn told(self) -> Option<String> {
        self.err().map(|error| error.to_string())
    }
}

fn call<'a, T: Told>(
    name: &'static str,
    future: impl Future<Output = T> + Send + 'a,
) -> (&'static str, BoxFuture<'a, Option<String>>) {
    (name, Box::pin(async { future.await.told() }))
}

/// Every one of them ends soon, as what can't be known, and says that it took too long.
async fn all_end(slow: Slow, calls: Vec<(&'static str, BoxFuture<'_, Option<String>>)>) {
    for (name, future) in calls {
        let started = Instant::now();
        let told = tokio::time::timeout(BOUND, future).await.unwrap_or_else(|_| panic!("{slow:?}: {name} hangs"));
        let told = told.unwrap_or_else(|| panic!("{slow:?}: {name} took it for an answer"));
        let words = ["timed out", "too slow", "Timeout"].iter().any(|word| told.contains(word));
        assert!(words, "{slow:?}: {name}, after {:?}: {told}", started.elapsed());
    }
}

/// How many functions the traits of a port have, by their source.
fn functions(source: &str) -> usize {
    source.split("pub trait").skip(1).map(|rest| rest.split("\n}\n").next().unwrap().matches("\n    fn ").count()).sum()
}

fn bytes(length: usize) -> Blob {
    let content: Vec<u8> = vec![7; length];
    let (media_type, size, digest) = ("application/octet-stream".to_owned(), length as u64, Digest::of(&content));
    Blob {
        descriptor: Descriptor { media_type, size, digest, platform: None },
        content: Content::Bytes(content.into()),
    }
}

fn registries(url: String) -> Registries {
    let locations = [("registry.test".to_owned(), Location::Url(url))].into();
    Registries::new(Config { locations, retry: retry(), timeouts: timeouts(), ..Config::default() }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_takes_its_time_is_given_up_at_every_call() {
    let (name, other): (Repository, Repository) =
        ("registry.test/org/x".parse().unwrap(), "registry.test/org/y".parse().unwrap());
    let (manifest, _) = images::index("x");
    // One that is sent at once, and one that goes in pieces and fills every buffer on the way.
    let (small, large) = (bytes(10), bytes(40 << 20));
    let (at, tag) = (At::Digest(manifest.digest()), "v1".parse().unwrap());
    for slow_as in ALL {
        let to = registries(format!("http://{}", slow(slow_as)));
        let digest = small.descriptor.digest;
        let calls = vec![
            call("manifest", to.manifest(&name, &at)),
            call("blob", to.blob(&name, &large.descriptor)),
            call("has_blob", to.has_blob(&name, &digest)),
            call("tags", to.tags(&name)),
            call("put_blob", to.put_blob(&name, &small)),
            call("put_manifest", to.put_manifest(&name, &tag, &manifest)),
            call("put_manifest_by_digest", to.put_manifest_by_digest(&name, &manifest)),
            call("mount_blob", to.mount_blob(&name, &other, &digest)),
        ];
        assert_eq!(calls.len(), functions(include_str!("../../src/port/registry/mod.rs")), "one of each");
        // A body that comes slowly is the answer to nothing but a read.
        let ends =
            |(call, _): &(&'static str, _)| slow_as != Slow::Body || !call.starts_with("put_") && *call != "has_blob";
        let calls = calls.into_iter().filter(ends).collect();
        all_end(slow_as, calls).await;
        if slow_as == Slow::Silent {
            all_end(slow_as, vec![call("put_blob in pieces", to.put_blob(&name, &large))]).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_server_that_takes_its_time_is_given_up() {
    let name: Repository = "registry.test/org/x".parse().unwrap();
    for slow_as in ALL {
        let realm = format!("Bearer realm=\"http://{}/token\",service=\"x\"", slow(slow_as));
        let server = Server::start(move |_| Response::new(401, "").with("www-authenticate", &realm));
        let to = registries(server.url());
        let told = to.tags(&name).await.told().unwrap();
        assert!(told.contains("a token for registry.test/org/x"), "{told}");
        all_end(slow_as, vec![call("a token", to.tags(&name))]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_github_that_takes_its_time_is_given_up_at_every_call() {
    let spool = tempfile::tempdir().unwrap();
    let branch = |name: &str| RefName::branch(name).unwrap();
    let (main, text) = (branch("main"), |text: &str| text.to_owned());
    let draft = NewRelease { tag: text("v1"), name: text("v1"), body: text("x"), target: text("main") };
    let pull = NewPull { title: text("x"), body: text("x"), head: branch("x"), base: main.clone() };
    let query = RunQuery { workflow: text("x.yml"), event: text("push"), head_commit: None, since: None };
    let asset = Asset { id: AssetId(1), name: text("x"), size: 1, digest: None, complete: true };
    let (release_edit, pull_edit, blob) = (ReleaseEdit::default(), PullEdit::default(), bytes(10));
    for slow_as in ALL {
        let address = Address::at("acme", "ship", &format!("http://{}", slow(slow_as))).unwrap();
        let config = GitHubConfig::new(address, Tokens::token("ghp_x"));
        let to = GitHub::open(GitHubConfig { retry: retry(), timeouts: timeouts(), pause: Duration::ZERO, ..config });
        let to = to.unwrap();
        let calls = vec![
            call("repository", to.repository()),
            call("viewer", to.viewer()),
            call("releases", to.releases()),
            call("release", to.release(ReleaseId(1))),
            call("published", to.published("v1")),
            call("latest", to.latest()),
            call("assets", to.assets(ReleaseId(1))),
            call("download", to.download(&asset, spool.path())),
            call("pulls_from", to.pulls_from(&main)),
            call("pull", to.pull(1)),
            call("comments", to.comments(1)),
            call("runs", to.runs(&query)),
            call("jobs", to.jobs(RunId(1))),
            call("branch_rules", to.branch_rules(&main)),
            call("tag_rulesets", to.tag_rulesets()),
            call("protection", to.protection(&main)),
            call("create_draft", to.create_draft(&draft)),
            call("edit_release", to.edit_release(ReleaseId(1), &release_edit)),
            call("delete_release", to.delete_release(ReleaseId(1))),
            call("upload", to.upload(ReleaseId(1), "x", &blob)),
            call("delete_asset", to.delete_asset(AssetId(1))),
            call("open_pull", to.open_pull(&pull)),
            call("edit_pull", to.edit_pull(1, &pull_edit)),
            call("add_label", to.add_label(1, "x")),
            call("create_comment", to.create_comment(1, "x")),
            call("edit_comment", to.edit_comment(CommentId(1), "x")),
        ];
        assert_eq!(calls.len(), functions(include_str!("../../src/port/forge/mod.rs")), "one of each");
        all_end(slow_as, calls).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_origin_that_takes_its_time_is_given_up_at_every_call() {
    let sandbox = Sandbox::new();
    let bare = sandbox.init("origin.git", true);
    let work = sandbox.init("work", false);
    sandbox.write(&work, "file", "one\n");
    sandbox.commit_all(&work, "one");
    sandbox.git(&work, &["push", "--quiet", &bare.to_string_lossy(), "main"]);
    let main = RefName::branch("main").unwrap();
    for (slow_as, part) in [
        (Slow::Silent, "info/refs"),
        (Slow::Headers, "info/refs"),
        (Slow::Body, "info/refs"),
        (Slow::Silent, "/git-"),
        (Slow::Headers, "/git-"),
        (Slow::Body, "/git-"),
    ] {
        let server = GitServer::start(&sandbox.path(""));
        let open = |store: &str| {
            let store = Arc::new(Store::open(&sandbox.path(store)).unwrap());
            let http = Http { patience: Duration::from_millis(400), ..Http::default() };
            Origin::over(store, &server.url("origin.git"), None, &http).unwrap()
        };
        // Something to push, from a time when it still answered.
        let origin = open("pushing");
        origin.fetch(std::slice::from_ref(&main)).await.unwrap();
        let head = sandbox.git(&work, &["rev-parse", "HEAD"]).parse().unwrap();
        let (name, email, message) = ("Bot".to_owned(), "bot@example.org".to_owned(), "mine\n".to_owned());
        let tree = origin.store().tree_of(head).unwrap();
        let commit = NewCommit { tree, parents: vec![head], name, email, time_seconds: NOW, message };
        let mine = origin.store().write_commit(&commit).unwrap();
        server.intercept(move |request| match (request.path.contains(part), slow_as) {
            (false, _) => Reaction::Pass,
            (true, Slow::Silent) => Reaction::Stall,
            (true, Slow::Headers) => Reaction::Drip { body: false },
            (true, Slow::Body) => Reaction::Drip { body: true },
        });
        let fresh = open(&format!("fetching-{slow_as:?}-{}", part.len()));
        let update = RefUpdate { name: RefName::branch("b").unwrap(), expect: None, target: Some(mine) };
        let fetch = async {
            match fresh.fetch(std::slice::from_ref(&main)).await {
                Ok(()) => Answer::Found(()),
                Err(unknown) => Answer::Unknown(unknown),
            }
        };
        let mut calls = vec![call("fetch", fetch), call("update", origin.update(&update))];
        if part == "info/refs" {
            calls.push(call("refs", origin.refs()));
        }
        all_end(slow_as, calls).await;
    }
    assert_eq!(functions(include_str!("../../src/port/repository/mod.rs")), 3, "refs, fetch, update");
}

/// What is waited for otherwise, as the documentation has it.
#[test]
fn the_limits_are_the_documented_ones() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/waits.md")).unwrap();
    let (timeouts, retry, http) = (Timeouts::default(), RetryPolicy::default(), Http::default());
    for (what, limit) in [
        ("a connection", format!("{} s", timeouts.connect.as_secs())),
        ("the next piece of an answer", format!("{} s", timeouts.read.as_secs())),
        ("a whole small request", format!("{} s", timeouts.total.as_secs())),
        (
            "a large body",
            format!(
                "as long as it takes at {} KiB/s, and those {} s",
                timeouts.slowest >> 10,
                timeouts.total.as_secs()
            ),
        ),
        ("a request that is repeated", format!("{} attempts in {} s", retry.attempts, retry.budget.as_secs())),
        ("git's next piece", format!("{} s", http.patience.as_secs())),
        (
            "git's whole list of refs",
            format!("{} KiB/s, looked at every {} s of waiting", Http::SLOWEST >> 10, http.patience.as_secs()),
        ),
        (
            "git's whole answer to a fetch or a push",
            format!(
                "the same, and given up when it was slower {} times, {} minutes in all",
                Http::LULLS,
                (Http::LULLS * http.patience).as_secs() / 60
            ),
        ),
        ("a credential helper", format!("{} s", HELPER_TIMEOUT.as_secs())),
    ] {
        let row = format!("| {what} | {limit} |");
        assert!(page.contains(&row), "docs/waits.md has no row: {row}");
    }
}
