//! The port to GitHub, over the fake.

mod faults;
mod lag;
mod limits;
mod lists;
mod places;
mod reading;
mod rules;
mod tokens;
mod traps;
mod writing;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sealift::model::{Answer, Blob, CommitId, Content, Descriptor, Digest, RefName, Unknown};
use sealift::port::WriteError;
use sealift::port::forge::github::{Address, Config, GitHub, Tokens};
use sealift::port::forge::{NewPull, NewRelease};
use sealift::port::registry::RetryPolicy;

use crate::support::github::{FakeGitHub, MAINTAINER};
use crate::support::sandbox::Sandbox;

/// How often a request is sent at most.
const ATTEMPTS: u32 = 3;

/// A world of one commit on `main`.
struct World {
    sandbox: Sandbox,
    checkout: PathBuf,
    fake: FakeGitHub,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.init("origin.git", true);
        let checkout = sandbox.init("checkout", false);
        sandbox.write(&checkout, "README.md", "hello\n");
        sandbox.commit_all(&checkout, "first");
        sandbox.git(&checkout, &["remote", "add", "origin", &origin.to_string_lossy()]);
        sandbox.git(&checkout, &["push", "--quiet", "origin", "main"]);
        let fake = FakeGitHub::start(&origin, "acme/ship");
        Self { sandbox, checkout, fake }
    }

    /// A branch from `main` with one commit more, pushed.
    fn branch(&self, name: &str) -> CommitId {
        self.sandbox.git(&self.checkout, &["checkout", "--quiet", "-B", name, "main"]);
        self.sandbox.write(&self.checkout, &format!("{name}.txt"), name);
        let commit = self.sandbox.commit_all(&self.checkout, name);
        self.sandbox.git(&self.checkout, &["push", "--quiet", "--force", "origin", name]);
        commit.parse().unwrap()
    }

    fn main(&self) -> CommitId {
        self.sandbox.git(&self.checkout, &["rev-parse", "main"]).parse().unwrap()
    }

    fn github(&self) -> GitHub {
        self.github_as(Tokens::token(MAINTAINER))
    }

    fn github_as(&self, tokens: Tokens) -> GitHub {
        GitHub::open(config(&self.fake.url(), tokens)).unwrap()
    }

    /// How often that was asked, by the fake's own log.
    fn requests(&self) -> u64 {
        self.fake.log().len() as u64
    }
}

/// Without waiting: no pause between writes, short ones between attempts.
fn config(api: &str, tokens: Tokens) -> Config {
    let retry = RetryPolicy {
        attempts: ATTEMPTS,
        base: Duration::from_millis(1),
        cap: Duration::from_millis(2),
        budget: Duration::from_secs(20),
    };
    let address = Address::at("acme", "ship", api).unwrap();
    Config { retry, pause: Duration::ZERO, ..Config::new(address, tokens) }
}

fn branch(name: &str) -> RefName {
    RefName::branch(name).unwrap()
}

fn draft(tag: &str) -> NewRelease {
    let text = |text: &str| text.to_owned();
    NewRelease { tag: text(tag), name: text("a title"), body: text("a body"), target: text("main") }
}

fn new_pull(head: &str) -> NewPull {
    let (title, body) = ("Release".to_owned(), "what changes".to_owned());
    NewPull { title, body, head: branch(head), base: branch("main") }
}

fn blob(bytes: &[u8]) -> Blob {
    let (media_type, size, digest) = ("application/gzip".to_owned(), bytes.len() as u64, Digest::of(bytes));
    let descriptor = Descriptor { media_type, size, digest, platform: None };
    Blob { descriptor, content: Content::Bytes(Arc::from(bytes)) }
}

#[track_caller]
fn found<T: Debug>(answer: Answer<T>) -> T {
    match answer {
        Answer::Found(value) => value,
        other => panic!("expected it found, got {other:?}"),
    }
}

#[track_caller]
fn unknown<T: Debug>(answer: Answer<T>) -> Unknown {
    match answer {
        Answer::Unknown(unknown) => unknown,
        other => panic!("expected unknown, got {other:?}"),
    }
}

/// The status and the words of a refusal.
#[track_caller]
fn refused<T: Debug>(result: Result<T, WriteError>) -> (Option<u16>, String) {
    match result {
        Err(WriteError::Refused { status, detail, .. }) => (status, detail),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// The status and the words of a write that a limit turned away.
#[track_caller]
fn limited<T: Debug>(result: Result<T, WriteError>) -> (Option<u16>, String) {
    match result {
        Err(WriteError::Limited { status, detail, .. }) => (status, detail),
        other => panic!("expected a limit, got {other:?}"),
    }
}

#[track_caller]
fn unclear<T: Debug>(result: Result<T, WriteError>) -> Unknown {
    match result {
        Err(WriteError::Unknown(unknown)) => unknown,
        other => panic!("expected it unclear, got {other:?}"),
    }
}
