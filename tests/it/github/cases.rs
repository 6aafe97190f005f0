//! Promotions on GitHub, one named test for each thing that can be the case there: what people are
//! told, what GitHub looks like then, and what must not have been written.

mod abandon;
mod app;
mod assets;
mod credentials;
mod drafts;
mod evidence;
mod finalize;
mod gate;
mod identity;
mod labels;
mod latest;
mod leaks;
mod limited;
mod many;
mod numbered;
mod published;
mod pulls;
mod record;
mod replaced;
mod rules;
mod scopes;
mod skipped;
mod squashed;
mod texts;
mod told;

use std::process::Output;

use sealift::engine::State;
use serde_json::Value;

use told::{failed, not_noted, noted, refused, refused_untouched, said, waits};

use crate::support::github::{FakeGitHub, How, MAINTAINER, Token};
use crate::support::world::hosted::client;
use crate::support::world::{Case, Session, Shipped, World, shipped};

const STAGING: &str = "release-1.6.2";
const LINE: &str = "refs/heads/release-1.6";
const TAG: &str = "refs/tags/v1.6.2";
const VERSION: &str = "v1.6.2";
const RC: &str = "v1.6.2-rc.1";
const CHANGELOG: &str = "docs/changelogs/v1.6.2.md";
const COPIED: &str = "metal-amd64.iso";
const BUILT: &str = "cozypkg-linux-amd64.tar.gz";
const RECORD: &str = "sealift.json";

/// What somebody does to a world.
type Change = fn(&World);

/// The pipeline with everything that GitHub has.
fn cozystack() -> Shipped {
    shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap()
}

/// A candidate, and nothing promoted.
async fn fresh() -> World {
    World::build(&Case::of(&cozystack())).await
}

/// The same, to be promoted into a line that is there from the start.
async fn on_a_line() -> World {
    World::build(&Case::of(&cozystack()).on_a_line()).await
}

/// Pinned, and nothing of it on GitHub but its branch.
async fn pinned() -> World {
    let world = fresh().await;
    world.session().run_until(&world.request(), "pin").await.must_be(State::Holds);
    world
}

/// Promoted up to the wait.
async fn waiting() -> World {
    let world = fresh().await;
    world.run().await.must_be(State::Waiting);
    world
}

/// Merged by a person, with the button.
async fn merged() -> (World, String) {
    let world = waiting().await;
    let merge = world.github().merge_pull(1, How::Merge);
    (world, merge)
}

/// Everything done.
async fn done() -> World {
    let (world, _) = merged().await;
    world.run().await.must_be(State::Holds);
    world
}

/// Another machine, which is somebody else to GitHub.
fn session_as(world: &World, token: Token) -> Session {
    let secret = token.secret.clone();
    let known = world.github().state().tokens.iter().any(|known| known.secret == secret);
    if !known {
        world.github().state().tokens.push(token);
    }
    with_secret(world, &secret)
}

fn with_secret(world: &World, secret: &str) -> Session {
    let mut session = world.session();
    session.forge = Some(client(world.github(), world.pipeline(), Some(secret)));
    session
}

/// A person of the project, who may push.
fn maintainer(world: &World) -> Session {
    with_secret(world, MAINTAINER)
}

/// The commit that a branch or a tag names.
#[track_caller]
fn names(world: &World, name: &str) -> String {
    world.names_of(name).unwrap_or_else(|| panic!("{name} is not there"))
}

fn staging(world: &World) -> String {
    names(world, &format!("refs/heads/{STAGING}"))
}

/// The commit that everything is built from: the pin, under whatever people put on top of it.
fn pin(world: &World) -> String {
    let log = ["log", "-1", "--format=%H", "--grep=^Sealift-Artifact: ", STAGING];
    world.sandbox.git(&world.origin(), &log)
}

/// A call of a person's to the API, as a web page or another tool makes it.
async fn person(world: &World, method: &str, path: &str, body: Value) -> Value {
    let github = world.github();
    let full_name = github.state().full_name();
    let url = format!("{}/repos/{full_name}/{path}", github.url());
    let client = reqwest::Client::builder().user_agent("a person's").no_proxy().build().unwrap();
    let request = client.request(method.parse().unwrap(), url).bearer_auth(MAINTAINER).json(&body);
    let response = request.send().await.unwrap();
    let (status, text) = (response.status(), response.text().await.unwrap());
    assert!(status.is_success(), "{method} {path}: {status} {text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// The id of the one release or draft of that name.
#[track_caller]
fn release_id(world: &World, name: &str) -> u64 {
    let state = world.github().state();
    let ids: Vec<u64> = state
        .releases
        .iter()
        .filter(|release| release.name.as_deref() == Some(name))
        .map(|release| release.id)
        .collect();
    let [id] = ids.as_slice() else { panic!("{} releases are named {name}", ids.len()) };
    *id
}

/// The text of a release or a draft.
fn release_body(world: &World) -> String {
    let (id, state) = (release_id(world, VERSION), world.github().state());
    state.releases.iter().find(|release| release.id == id).unwrap().body.clone().unwrap_or_default()
}

fn pull_body(world: &World, number: u64) -> String {
    world.github().state().pull(number).unwrap().body.clone().unwrap_or_default()
}

/// Names and bytes of the files of the stable release, in the order in which they came.
fn assets(world: &World) -> Vec<(String, Vec<u8>)> {
    let (id, state) = (release_id(world, VERSION), world.github().state());
    let release = state.releases.iter().find(|release| release.id == id).unwrap();
    assert!(release.assets.iter().all(|asset| asset.state == "uploaded"), "half uploads: {:?}", release.assets);
    release.assets.iter().map(|asset| (asset.name.clone(), asset.bytes.to_vec())).collect()
}

/// Puts one more file on the stable release.
fn add_asset(world: &World, name: &str) {
    let id = release_id(world, VERSION);
    world.github().state().add_asset(id, name, "x");
}

#[track_caller]
fn asset(world: &World, name: &str) -> Vec<u8> {
    let found = assets(world).into_iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("{name} is not there")).1
}

/// How often a method was used on a path with that end.
fn calls(world: &World, method: &str, end: &str) -> usize {
    let path = |target: &str| target.split('?').next().unwrap_or_default().ends_with(end);
    world.github().log().iter().filter(|logged| logged.method == method && path(&logged.target)).count()
}

/// Writes that GitHub was asked for from now on, what was refused too.
struct Writes<'a> {
    github: &'a FakeGitHub,
    before: usize,
}

impl<'a> Writes<'a> {
    fn of(world: &'a World) -> Self {
        Self { github: world.github(), before: world.github().log().len() }
    }

    fn seen(&self) -> Vec<String> {
        let writes = |logged: &&crate::support::github::Logged| {
            logged.method != "GET" && !logged.target.ends_with("/graphql") && !logged.target.ends_with("/access_tokens")
        };
        let log = self.github.log();
        log[self.before..].iter().filter(writes).map(|logged| format!("{} {}", logged.method, logged.target)).collect()
    }

    #[track_caller]
    fn none(&self) {
        assert_eq!(self.seen(), Vec::<String>::new());
    }
}

/// Every public name of the version that is there.
fn public(world: &World) -> Vec<String> {
    let public = |name: &String| {
        let tag = name.starts_with("tag ") && !name.contains("-rc.") && !name.contains(":promotion-");
        let git = name.starts_with("refs/tags/") && !name.contains("-rc.");
        let release = name.starts_with("github release v1.6.2 ") && !name.contains("\" draft");
        tag || git || release || name == LINE
    };
    world.snapshot().0.into_keys().filter(public).collect()
}

#[track_caller]
fn nothing_public(world: &World) {
    assert_eq!(public(world), Vec::<String>::new());
}

/// What people see of one kind on GitHub: `release`, `asset`, `pull`, `comment`.
fn seen(world: &World, kind: &str) -> Vec<String> {
    let start = format!("{kind} ");
    world.github().snapshot().into_iter().filter(|line| line.starts_with(&start)).collect()
}

/// The real binary in a world; its exit code and what it printed come with the panic.
#[track_caller]
fn exits(world: &World, words: &[&str], code: i32) -> Output {
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    let output = command.args(words).args(world.arguments()).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}\n{}", printed(&output));
    output
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
