//! No secret in anything that is printed, kept or pushed, whatever a server says back.

use std::path::PathBuf;
use std::process::{Command, Output};

use base64::Engine as _;

use super::{RC, fresh, printed};
use crate::support::git_server::{GitServer, Reaction};
use crate::support::github::Act;
use crate::support::http::Response;
use crate::support::tls::Door;
use crate::support::world::World;
use crate::support::world::hosted::TOKEN;

/// A world whose origin is on the same host as its pipeline's GitHub, over TLS, behind a login.
struct Hosted {
    world: World,
    git: GitServer,
    door: Door,
    pipeline: PathBuf,
}

/// The token as git sends it.
fn basic() -> String {
    base64::engine::general_purpose::STANDARD.encode(format!("x-access-token:{TOKEN}"))
}

impl Hosted {
    async fn new() -> Self {
        let world = fresh().await;
        let served = world.sandbox.path("served/cozystack");
        std::fs::create_dir_all(&served).unwrap();
        std::os::unix::fs::symlink(world.origin(), served.join("cozystack")).unwrap();
        let git = GitServer::start(&world.sandbox.path("served"));
        git.require("x-access-token", TOKEN);
        let door = Door::before(git.address());
        let text = std::fs::read_to_string(&world.shipped.file).unwrap();
        let known = "repository: https://github.com/cozystack/cozystack\n";
        assert!(text.contains(known));
        let here = format!("repository: https://{}/cozystack/cozystack\n", door.address);
        let pipeline = world.sandbox.path("cozystack.yaml");
        std::fs::write(&pipeline, text.replacen(known, &here, 1)).unwrap();
        Self { world, git, door, pipeline }
    }

    /// The real binary here; the token comes from its file.
    fn command(&self, words: &[&str]) -> Command {
        let world = &self.world;
        let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
        let show = |path: PathBuf| path.display().to_string();
        command.args(words).args(["--pipeline".to_owned(), show(self.pipeline.clone())]);
        command.args(["--github-api".to_owned(), world.github().url()]);
        command.args(["--ca".to_owned(), show(self.door.authority())]);
        if words[0] != "status" {
            command.args(["--assets".to_owned(), show(world.assets().unwrap())]);
        }
        for host in world.hosts() {
            command.args(["--registry".to_owned(), format!("{host}=layout:{}", world.registry().display())]);
        }
        command.env("GITHUB_STEP_SUMMARY", world.sandbox.path("summary.md"));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        let file = self.world.sandbox.path("credential");
        std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
        self.command(words).args(["--github-token-file", &file.display().to_string()]).output().unwrap()
    }

    /// Everything that is there to be read: what was printed, the origin with its log, GitHub, the
    /// store, the summary.
    #[track_caller]
    fn silent(&self, what: &str, output: &Output) {
        let world = &self.world;
        let mut places = vec![("what it printed".to_owned(), printed(output).into_bytes())];
        let objects = |dir: PathBuf| {
            let all = ["cat-file", "--batch-all-objects", "--batch"];
            let output = world.sandbox.command("git", &dir).args(all).output().unwrap();
            assert!(output.status.success(), "{}", printed(&output));
            let refs = world.sandbox.git(&dir, &["for-each-ref"]).into_bytes();
            [output.stdout, refs].concat()
        };
        places.push(("the origin".to_owned(), objects(world.origin())));
        places.push(("GitHub".to_owned(), world.github().snapshot().join("\n").into_bytes()));
        places.push(("the summary".to_owned(), std::fs::read(world.sandbox.path("summary.md")).unwrap_or_default()));
        let stores = world.sandbox.path("home/.cache/sealift/stores");
        for store in std::fs::read_dir(stores).unwrap() {
            let store = store.unwrap().path();
            places.push((store.display().to_string(), objects(store.clone())));
            places.push(("its configuration".to_owned(), std::fs::read(store.join("config")).unwrap_or_default()));
        }
        for (place, bytes) in &places {
            for secret in [TOKEN.to_owned(), basic()] {
                let found = memchr::memmem::find(bytes, secret.as_bytes());
                let around = found.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(200)..at]).into_owned());
                assert!(found.is_none(), "{what}: the token is in {place}, after:\n{}", around.unwrap_or_default());
            }
        }
    }
}

/// What a badly made server or a proxy says back: the token itself, in every way it was sent.
fn echo(status: u16) -> Act {
    let words = format!("Bad credentials: Bearer {TOKEN}; Basic {}; x-access-token:{TOKEN}", basic());
    let body = serde_json::json!({"message": words, "errors": [{"message": format!("token {TOKEN}")}]});
    Act::Answer(
        Response::new(status, body.to_string())
            .with("content-type", "application/json")
            .with("x-accepted-github-permissions", format!("contents={TOKEN}")),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_repeats_the_token_is_told_without_it() {
    for (method, target, status, words, code) in [
        ("GET", "*/cozystack", 403, &["plan", RC][..], 5),
        ("POST", "*/graphql", 401, &["plan", RC], 5),
        ("GET", "*/releases?*", 403, &["plan", RC, "--format", "markdown"], 5),
        ("GET", "*/actions/workflows/*", 403, &["plan", RC, "--format", "json"], 5),
        ("GET", "*/releases/tags/*", 422, &["plan", RC, "-vv"], 5),
        ("POST", "*/releases", 422, &["run", RC, "--format", "json"], 1),
        ("GET", "*/pulls?*", 403, &["status", RC], 5),
    ] {
        let hosted = Hosted::new().await;
        if words[0] == "status" {
            let output = hosted.run(&["run", RC, "--until", "pin"]);
            assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        }
        hosted.world.github().fault(method, target, 1..=usize::MAX, echo(status));
        let output = hosted.run(words);
        let what = format!("{method} {target} {words:?}");
        assert_eq!(output.status.code(), Some(code), "{what}\n{}", printed(&output));
        let said = ["<secret>", "&lt;secret&gt;"].iter().any(|word| printed(&output).contains(word));
        assert!(said, "{what}: it was said, and made safe\n{}", printed(&output));
        hosted.silent(&what, &output);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_repeats_the_token_is_told_without_it() {
    for push in [false, true] {
        let hosted = Hosted::new().await;
        hosted.git.intercept(move |request| {
            if request.is_push() != push {
                return Reaction::Pass;
            }
            let said = format!("who is {}, {TOKEN}?", request.authorization().unwrap_or_default());
            Reaction::Canned(403, vec![("Content-Type", "text/plain".into())], said)
        });
        let output = hosted.run(&["run", RC, "--until", "pin", "--format", if push { "json" } else { "human" }]);
        assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
        assert!(printed(&output).contains("who is "), "{}", printed(&output));
        hosted.silent(&format!("git, push: {push}"), &output);
    }
}

/// Everything goes well: it is in no log, no commit, no report either; and git pushed with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_leaves_the_token_nowhere() {
    let hosted = Hosted::new().await;
    let output = hosted.run(&["run", RC, "-vv"]);
    assert_eq!(output.status.code(), Some(4), "{}", printed(&output));
    hosted.silent("a run", &output);
    let requests = hosted.git.requests();
    let pushes: Vec<_> = requests.iter().filter(|request| request.is_push()).collect();
    assert!(pushes.len() >= 2, "the branch, the pin");
    let shown = format!("Basic {}", basic());
    assert!(pushes.iter().all(|push| push.authorization() == Some(shown.as_str())));
    assert!(!hosted.world.sandbox.git(&hosted.world.origin(), &["for-each-ref", "refs/sealift"]).is_empty());
    assert!(std::fs::metadata(hosted.world.sandbox.path("summary.md")).unwrap().len() > 0);
    // From the environment, as workflows have it, and in the other formats.
    for format in ["json", "markdown", "human"] {
        let output = hosted.command(&["plan", RC, "--format", format]).env("GITHUB_TOKEN", TOKEN).output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{}", printed(&output));
        hosted.silent(format, &output);
    }
}

/// The forge's credential goes to the forge's own host: an origin elsewhere is shown none.
#[tokio::test(flavor = "multi_thread")]
async fn an_origin_elsewhere_is_not_shown_the_token() {
    let world = fresh().await;
    let git = GitServer::start(&world.sandbox.path(""));
    let token = world.token_file(TOKEN);
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    command.args(["run", RC, "--until", "pin", "--repo", &git.url("origin.git")]);
    command.args(["--pipeline", &world.shipped.file.display().to_string(), "--github-api", &world.github().url()]);
    command.args(["--github-token-file", &token.display().to_string()]);
    for host in world.hosts() {
        command.args(["--registry", &format!("{host}=layout:{}", world.registry().display())]);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(git.requests().len() > 3);
    assert!(git.requests().iter().all(|request| request.authorization().is_none()));
}

/// A rehearsal must name the GitHub that goes with it: the real one is nobody's playground.
#[tokio::test(flavor = "multi_thread")]
async fn an_origin_elsewhere_without_its_github_is_an_error_with_a_hint() {
    let world = fresh().await;
    let mut arguments = world.arguments();
    let api = arguments.iter().position(|word| word == "--github-api").unwrap();
    arguments.drain(api..api + 2);
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    let output = command.args(["plan", RC]).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let all = printed(&output);
    assert!(all.contains("--repo names no repository on GitHub, and this pipeline has `forge: github`"), "{all}");
    assert!(all.contains("hint: name the GitHub that goes with it: --github-api URL"), "{all}");
    assert!(world.github().log().is_empty());
}
