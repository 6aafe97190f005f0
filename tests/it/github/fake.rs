//! The fake GitHub behaves like the real one where promotions depend on it.

mod actions;
mod apps;
mod description;
mod faults;
mod issues;
mod pulls;
mod refs;
mod releases;
mod rules;
mod tokens;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::github::{FakeGitHub, MAINTAINER};
use crate::support::sandbox::Sandbox;

/// A world of one commit on `main`, and a client that sends what it is told.
struct Fixture {
    sandbox: Sandbox,
    origin: PathBuf,
    checkout: PathBuf,
    fake: FakeGitHub,
    http: reqwest::blocking::Client,
}

/// An answer, read to its end.
struct Reply {
    status: u16,
    headers: reqwest::header::HeaderMap,
    bytes: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The address that the `Link` header gives to a relation.
    fn link(&self, rel: &str) -> Option<String> {
        let end = format!("rel=\"{rel}\"");
        let link = self.header("link").split(", ").find(|link| link.ends_with(&end))?;
        Some(link[1..link.find('>')?].to_owned())
    }
}

impl Fixture {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.init("origin.git", true);
        let checkout = sandbox.init("checkout", false);
        sandbox.write(&checkout, "README.md", "hello\n");
        sandbox.commit_all(&checkout, "first");
        sandbox.git(&checkout, &["remote", "add", "origin", &origin.to_string_lossy()]);
        sandbox.git(&checkout, &["push", "--quiet", "origin", "main"]);
        let fake = FakeGitHub::start(&origin, "acme/ship");
        let http = reqwest::blocking::Client::builder().user_agent("test").no_proxy().build().unwrap();
        Self { sandbox, origin, checkout, fake, http }
    }

    /// A branch from `main` with one commit more, pushed; its commit.
    fn branch(&self, name: &str) -> String {
        self.sandbox.git(&self.checkout, &["checkout", "--quiet", "-B", name, "main"]);
        self.sandbox.write(&self.checkout, &format!("{name}.txt"), name);
        let commit = self.sandbox.commit_all(&self.checkout, name);
        self.sandbox.git(&self.checkout, &["push", "--quiet", "--force", "origin", name]);
        commit
    }

    fn rev(&self, name: &str) -> String {
        self.sandbox.git(&self.origin, &["rev-parse", name])
    }

    /// `path` is below the repository, or begins with `/`, or is a whole address.
    fn address(&self, path: &str) -> String {
        match path {
            _ if path.starts_with("http") => path.to_owned(),
            "" => format!("{}/repos/acme/ship", self.fake.url()),
            _ if path.starts_with('/') => format!("{}{path}", self.fake.url()),
            _ => format!("{}/repos/acme/ship/{path}", self.fake.url()),
        }
    }

    fn send(&self, request: reqwest::blocking::RequestBuilder, token: &str) -> Reply {
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        let response = request.send().unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Reply { status, headers, bytes: response.bytes().unwrap().to_vec() }
    }

    fn call_as(&self, token: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let request = self.http.request(method.parse().unwrap(), self.address(path));
        self.send(if let Some(body) = body { request.json(body) } else { request }, token)
    }

    fn get(&self, path: &str) -> Reply {
        self.call_as(MAINTAINER, "GET", path, None)
    }

    fn get_as(&self, token: &str, path: &str) -> Reply {
        self.call_as(token, "GET", path, None)
    }

    fn post(&self, path: &str, body: Value) -> Reply {
        self.call_as(MAINTAINER, "POST", path, Some(&body))
    }

    fn patch(&self, path: &str, body: Value) -> Reply {
        self.call_as(MAINTAINER, "PATCH", path, Some(&body))
    }

    fn delete(&self, path: &str) -> Reply {
        self.call_as(MAINTAINER, "DELETE", path, None)
    }

    fn upload(&self, release: u64, query: &str, bytes: &[u8]) -> Reply {
        let address = format!("{}/repos/acme/ship/releases/{release}/assets?{query}", self.fake.uploads_url());
        let request = self.http.post(address).header("content-type", "text/plain").body(bytes.to_vec());
        self.send(request, MAINTAINER)
    }

    /// All items over all pages, and how many pages there were.
    fn pages(&self, path: &str) -> (Vec<Value>, usize) {
        let (mut items, mut count, mut next) = (Vec::new(), 0, Some(self.address(path)));
        while let Some(address) = next {
            let reply = self.get(&address);
            assert_eq!(reply.status, 200, "{address}: {}", reply.text());
            items.extend(reply.json().as_array().unwrap().clone());
            (count, next) = (count + 1, reply.link("next"));
        }
        (items, count)
    }
}

#[test]
fn a_world_can_be_copied_and_compared() {
    let world = Fixture::new();
    world.post("releases", json!({"tag_name": "v1.0.0", "draft": true, "body": "words"}));
    let other = world.sandbox.path("other.git");
    world
        .sandbox
        .git(&world.sandbox.path("home"), &["clone", "--quiet", "--bare", "../origin.git", &other.to_string_lossy()]);
    let copy = world.fake.copy(&other);
    assert_eq!(copy.snapshot(), world.fake.snapshot());
    world.fake.state().release_mut("v1.0.0").unwrap().body = Some("others".into());
    assert_ne!(copy.snapshot(), world.fake.snapshot());
    assert!(copy.log().is_empty() && world.fake.log().len() == 1);
}
