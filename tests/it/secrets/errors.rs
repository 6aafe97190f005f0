//! What goes wrong: servers that say back what they were told, in every way they could have got it.

use std::sync::Arc;

use super::*;
use crate::support::git_server::Reaction;
use crate::support::github::Act as GitHubAct;
use crate::support::http::{Response, Server};
use crate::support::registry_server::Act;

/// Words that hold a header and what it was made of, spelled in each way.
fn words(authorization: &str) -> String {
    let coded = authorization.split_once(' ').map_or("", |(_, coded)| coded);
    let decoded = base64::engine::general_purpose::STANDARD.decode(coded).unwrap_or_default();
    let decoded = String::from_utf8_lossy(&decoded).into_owned();
    let secret = decoded.split_once(':').map_or(coded, |(_, secret)| secret);
    // Within base64 at each alignment, and in a URL.
    let mut all: Vec<String> = ["", "u", "us"].map(|before| STANDARD_NO_PAD.encode(format!("{before}{secret}"))).into();
    all.push(URL_SAFE_NO_PAD.encode(authorization));
    all.extend(spellings(secret).into_iter().take(WHOLE).chain(spellings(coded).into_iter().take(WHOLE)));
    format!("who is {secret}? {authorization} {}", all.join(" "))
}

impl Marked {
    /// lint over one reference of the registry: each error costs one request.
    fn lint(&self, docker_config: &str) -> Command {
        let name = self.world.images.keys().next().unwrap();
        let digest = self.world.images[name];
        let tree = self.path("one");
        let text = format!("image: {}:{RC}@{digest}\n", name.rsplit_once(':').unwrap().0);
        self.world.sandbox.write(&tree, "packages/a/x/values.yaml", text);
        let mut command = self.bare(&["lint", "--tree", &tree.display().to_string(), "-vv"]);
        command.arg("--pipeline").arg(&self.world.shipped.file);
        self.registries(&mut command, docker_config);
        command
    }

    #[track_caller]
    fn linted(&self, mut command: Command, what: &str) -> String {
        let output = command.output().unwrap();
        assert!(matches!(output.status.code(), Some(1 | 5)), "{what}: {}", printed(&output));
        self.search(what, &output);
        printed(&output)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_repeats_what_it_was_told_is_told_without_it() {
    for (path, status) in
        [("/manifests/", 401), ("/manifests/", 403), ("/manifests/", 400), ("/token", 401), ("/token", 403)]
    {
        let marked = Marked::new().await;
        marked.registry.fault(
            "GET",
            path,
            1..=usize::MAX,
            Act::Echo(Arc::new(move |shown: &str| {
                let body = serde_json::json!({"errors": [{"code": "DENIED", "message": words(shown)}]}).to_string();
                // A challenge that it can't be asked for says it, too.
                let challenge = format!("Odd-{shown} realm=\"{}\"", spellings(shown)[1]);
                Response::new(status, body).with("content-type", "application/json").with("www-authenticate", challenge)
            })),
        );
        let what = format!("{path} {status}");
        let told = marked.linted(marked.lint("docker.json"), &what);
        // What a token service or a registry says of a refusal is shown; that of a challenge isn't.
        if status != 401 || path == "/token" {
            assert!(told.contains("who is <secret>?"), "{what}: {told}");
        }
        // The same to whoever may not at all, and without JSON around it.
        let told = marked.linted(marked.lint("wrong.json"), &what);
        assert!(!told.contains("Marked"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_refused_with_the_credential_is_told_without_it() {
    for (method, path, status) in [("POST", "/blobs/uploads/", 403), ("PUT", "/manifests/", 400)] {
        let marked = Marked::new().await;
        let echo = move |shown: &str| Response::new(status, words(shown)).with("content-type", "text/plain");
        marked.registry.fault(method, path, 1..=usize::MAX, Act::Echo(Arc::new(echo)));
        let told = marked.ends(marked.command(&["run", RC, "--until", "push", "--format", "json"]), &[1, 5]);
        assert!(told.contains("who is <secret>?"), "{method} {path}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wrong_password_is_told_as_such_and_not_shown() {
    let marked = Marked::new().await;
    let mut command = marked.bare(&["plan", RC]);
    marked.place(&mut command);
    command.args(["--github-token-file", &marked.file("github")]);
    marked.registries(&mut command, "wrong.json");
    let told = marked.run(command, 5);
    assert!(told.contains("wrong user or password"), "{told}");
}

/// Whoever is redirected to sees no credential, neither in a header nor in the URL.
#[tokio::test(flavor = "multi_thread")]
async fn another_host_is_shown_nothing() {
    let marked = Marked::new().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let elsewhere = Server::start(move |request| {
        log.lock().unwrap().push(format!("{request:?} {}", String::from_utf8_lossy(&request.body)));
        Response::new(403, "who are you?")
    });
    let to = elsewhere.url();
    let there = move |status: u16| Response::new(status, "").with("location", format!("{to}/there/info/refs"));
    marked.registry.fault("GET", "/manifests/", 1..=usize::MAX, Act::Answer(there(307)));
    marked.linted(marked.lint("docker.json"), "redirected");
    let url = elsewhere.url();
    marked
        .git
        .intercept(move |_| Reaction::Canned(302, vec![("Location", format!("{url}/there/info/refs"))], String::new()));
    let told = marked.ends(marked.command(&["plan", RC]), &[1, 5]);
    assert!(told.contains("who are you?"), "{told}");
    let seen = seen.lock().unwrap();
    assert!(seen.len() >= 2, "{seen:?}");
    for request in seen.iter() {
        assert!(!request.to_lowercase().contains("authorization"), "{request}");
        for secret in marked.secrets() {
            assert!(spellings(&secret).iter().all(|spelled| !request.contains(spelled)), "{request}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn git_and_github_that_repeat_their_token_are_told_without_it() {
    for status in [401, 403, 500] {
        let marked = Marked::new().await;
        marked.git.intercept(move |request| {
            let said = words(request.authorization().unwrap_or_default());
            Reaction::Canned(status, vec![("Content-Type", "text/plain".into())], said)
        });
        let told = marked.ends(marked.command(&["plan", RC]), &[1, 5]);
        assert!(told.contains("who is "), "{told}");
        let marked = Marked::new().await;
        let body = serde_json::json!({"message": words(&format!("Bearer {GITHUB}"))}).to_string();
        let answer =
            Response::new(if status == 500 { 422 } else { status }, body).with("content-type", "application/json");
        marked.world.github().fault("GET", "*/releases?*", 1..=usize::MAX, GitHubAct::Answer(answer));
        let told = marked.ends(marked.command(&["plan", RC, "--format", "json"]), &[1, 5]);
        assert!(told.contains("who is <secret>?"), "{told}");
    }
}

/// What is shown of an answer is cut: a secret that is cut with it is one all the same, whatever stands behind it.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_at_the_end_of_what_is_shown_is_taken_out() {
    for status in [200, 500] {
        let marked = Marked::new().await;
        marked.git.intercept(move |request| {
            let coded = request.authorization().and_then(|shown| shown.split_once(' ')).map_or("", |(_, coded)| coded);
            let decoded = base64::engine::general_purpose::STANDARD.decode(coded).unwrap_or_default();
            let secret = String::from_utf8_lossy(&decoded).rsplit_once(':').map_or("", |(_, secret)| secret).to_owned();
            // Of 2048 bytes that are shown, twelve are the token's.
            let said = format!("{:<2036}{secret} and more", "you are");
            Reaction::Canned(status, vec![("Content-Type", "text/plain".into())], said)
        });
        let told = marked.ends(marked.command(&["plan", RC]), &[1, 5]);
        assert!(told.contains("you are") && told.contains("<secret>"), "{told}");
        assert!(!told.contains(&GIT[..8]), "{status}: {told}");
    }
}
