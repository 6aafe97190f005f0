//! Marked credentials, everything that sealift does with them, and a search of every byte that is left behind.

mod errors;
mod story;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use sealift::model::Digest;

use crate::support::git_server::GitServer;
use crate::support::github::Token;
use crate::support::registry_server::{Access, Bearer, RegistryServer, TOKEN_MARK};
use crate::support::world::hosted::PERMISSIONS;
use crate::support::world::{Case, World, shipped};

// With what URLs, JSON and base64 spell otherwise.
const USER: &str = "robot";
const PASSWORD: &str = "MarkedRegistry/pass+word=%7E&x";
const WRONG: &str = "MarkedWrong/pass+word=%7E&x";
const GIT: &str = "MarkedGit/tok+en=%7E&x";
const GITHUB: &str = "ghs_MarkedGitHubToken0123456789";
const RC: &str = "v1.6.2-rc.1";

/// How many of the first [`spellings`] have the whole secret.
const WHOLE: usize = 6;

/// How a secret may be spelled somewhere: as it is, in a URL, in JSON and HTML, and within base64 at any alignment.
fn spellings(secret: &str) -> Vec<String> {
    let percent = |upper: bool| -> String {
        let spell = |byte: u8| match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => char::from(byte).to_string(),
            byte if upper => format!("%{byte:02X}"),
            byte => format!("%{byte:02x}"),
        };
        secret.bytes().map(spell).collect()
    };
    let json = secret.replace('&', r"\u0026");
    let mut all = vec![secret.to_owned(), percent(true), percent(false), json.clone(), json.replace('/', r"\/")];
    all.push(secret.replace('&', "&amp;"));
    for before in 0..3 {
        // Of whole groups alone: what stands before and after doesn't show in them.
        let skipped = (3 - before) % 3;
        let inner = &secret.as_bytes()[skipped..];
        let inner = &inner[..inner.len() / 3 * 3];
        all.extend([STANDARD_NO_PAD.encode(inner), URL_SAFE_NO_PAD.encode(inner)]);
    }
    all
}

#[test]
fn a_spelling_is_found_whatever_stands_around_it() {
    for before in ["", "u", "us", "use", "user"] {
        for after in ["", "!", "!!"] {
            let encoded = STANDARD_NO_PAD.encode(format!("{before}{PASSWORD}{after}"));
            assert!(spellings(PASSWORD).iter().any(|spelled| encoded.contains(spelled)), "{encoded}");
        }
    }
}

/// A world behind servers that want to know who asks.
struct Marked {
    world: World,
    registry: RegistryServer,
    git: GitServer,
    /// For which secrets, and the contents that hold none of them.
    searched: Mutex<(Vec<String>, HashSet<Digest>)>,
}

impl Marked {
    async fn new() -> Self {
        let hosted = shipped().into_iter().find(|shipped| shipped.pipeline.github().is_some()).unwrap();
        let world = World::build(&Case::of(&hosted)).await;
        let registry = RegistryServer::start();
        world.push_to(&registry.url()).await;
        let bearer = Bearer { user: Some((USER.into(), PASSWORD.into())), ..Bearer::default() };
        registry.require(Access::Bearer(bearer));
        let git = GitServer::start(&world.sandbox.path(""));
        git.require("x-access-token", GIT);
        let author = hosted.pipeline.proposal.as_ref().unwrap().authors[0].clone();
        let slug = author.strip_suffix("[bot]").unwrap_or(&author).to_owned();
        world.github().state().tokens.push(Token::installation(GITHUB, &slug, &PERMISSIONS));
        let marked = Self { world, registry, git, searched: Mutex::default() };
        std::fs::create_dir(marked.path("credentials")).unwrap();
        std::fs::create_dir(marked.path("tmp")).unwrap();
        marked.credential("git", GIT);
        marked.credential("github", &format!("{GITHUB}\n"));
        marked.docker_config("docker.json", PASSWORD);
        marked.docker_config("wrong.json", WRONG);
        marked
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.sandbox.path(name)
    }

    /// A file that may hold a secret: the only folder that is not searched.
    fn credential(&self, name: &str, text: &str) -> String {
        let file = self.path("credentials").join(name);
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    fn docker_config(&self, name: &str, password: &str) {
        let entry = serde_json::json!({ "username": USER, "password": password });
        let auths: serde_json::Map<String, serde_json::Value> =
            self.world.hosts().map(|host| (host.to_owned(), entry.clone())).collect();
        self.credential(name, &serde_json::json!({ "auths": auths }).to_string());
    }

    fn file(&self, name: &str) -> String {
        self.path("credentials").join(name).display().to_string()
    }

    /// The real binary with words alone; its temporary files stay in the sandbox.
    fn bare(&self, words: &[&str]) -> Command {
        let mut command = self.world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &self.path("home"));
        command.args(words).env("TMPDIR", self.path("tmp")).env("RUST_BACKTRACE", "full");
        command.env("GITHUB_STEP_SUMMARY", self.path("summary.md")).env("GITHUB_OUTPUT", self.path("outputs"));
        command
    }

    fn registries(&self, command: &mut Command, docker_config: &str) {
        command.args(["--docker-config", &self.file(docker_config)]);
        for host in self.world.hosts() {
            command.args(["--registry", &format!("{host}={}", self.registry.url())]);
        }
    }

    /// A command of a promotion, with the credentials that are asked for.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare(words);
        self.place(&mut command);
        command.args(["--github-token-file", &self.file("github")]);
        self.registries(&mut command, "docker.json");
        command
    }

    fn place(&self, command: &mut Command) {
        command.arg("--pipeline").arg(&self.world.shipped.file).args(["--repo", &self.git.url("origin.git")]);
        command.args(["--git-token-file", &self.file("git"), "--github-api", &self.world.github().url()]);
    }

    /// Runs, and searches what is there afterwards.
    #[track_caller]
    fn run(&self, command: Command, code: i32) -> String {
        self.ends(command, &[code])
    }

    /// The same, where several endings are right.
    #[track_caller]
    fn ends(&self, mut command: Command, codes: &[i32]) -> String {
        let output = command.output().unwrap();
        let words: Vec<_> = command.get_args().take(3).map(|word| word.to_string_lossy().into_owned()).collect();
        let words = words.join(" ");
        let told = printed(&output);
        assert!(output.status.code().is_some_and(|code| codes.contains(&code)), "{words}: {}\n{told}", output.status);
        self.search(&words, &output);
        told
    }

    /// Every secret: those that were given, and those that servers gave out since.
    fn secrets(&self) -> Vec<String> {
        let mut all: Vec<String> = [PASSWORD, WRONG, GIT, GITHUB].map(str::to_owned).into();
        all.push(base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{PASSWORD}")));
        // There are many; they end alike.
        all.push(TOKEN_MARK.to_owned());
        all.extend(self.world.github().log().into_iter().filter_map(|logged| logged.token));
        all.sort();
        all.dedup();
        all
    }

    /// Everything that is there to be read but the credentials' own files.
    #[track_caller]
    fn search(&self, what: &str, output: &Output) {
        let mut places = vec![("what it printed".to_owned(), printed(output).into_bytes())];
        let mut todo = vec![self.path("")];
        while let Some(dir) = todo.pop() {
            if dir.ends_with("credentials") {
                continue;
            }
            if dir.join("HEAD").is_file() && dir.join("objects").is_dir() {
                places.push((format!("git in {}", dir.display()), self.objects(&dir)));
            }
            for entry in std::fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                let name = path.display().to_string();
                match path.symlink_metadata().unwrap() {
                    found if found.is_dir() => todo.push(path),
                    found if found.is_file() => places.push((name.clone(), std::fs::read(&path).unwrap())),
                    _ => {}
                }
                places.push(("a file's name".to_owned(), name.into_bytes()));
            }
        }
        places.push(("GitHub".to_owned(), self.world.github().snapshot().join("\n").into_bytes()));
        places.push(("the registry".to_owned(), self.registry.contents()));
        // What was sent to somebody whose it isn't.
        let asked =
            |place: &str, targets: Vec<String>| (format!("requests to {place}"), targets.join("\n").into_bytes());
        places.push(asked("GitHub", self.world.github().log().into_iter().map(|logged| logged.target).collect()));
        places.push(asked("the registry", self.registry.requests().into_iter().map(|logged| logged.target).collect()));
        places.push(asked("git", self.git.requests().iter().map(|r| format!("{}?{}", r.path, r.query)).collect()));
        let secrets = self.secrets();
        let mut searched = self.searched.lock().unwrap();
        if searched.0 != secrets {
            *searched = (secrets.clone(), HashSet::new());
        }
        for (place, bytes) in &places {
            // What was searched before and is the same needs no second look.
            if !searched.1.insert(Digest::of(bytes)) {
                continue;
            }
            for secret in &secrets {
                for spelled in BTreeSet::from_iter(spellings(secret)) {
                    let found = memchr::memmem::find(bytes, spelled.as_bytes());
                    let around =
                        found.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(200)..at]).into_owned());
                    assert!(found.is_none(), "{what}: {secret} is in {place}, after:\n{}", around.unwrap_or_default());
                }
            }
        }
        self.shown_to_nobody_else(what);
    }

    /// Each credential goes to its own server.
    #[track_caller]
    fn shown_to_nobody_else(&self, what: &str) {
        let basic =
            |user: &str, secret: &str| base64::engine::general_purpose::STANDARD.encode(format!("{user}:{secret}"));
        for request in self.registry.requests() {
            let shown = request.authorization.unwrap_or_default();
            let ours = shown.is_empty()
                || shown.starts_with("Bearer token-")
                || [PASSWORD, WRONG].iter().any(|secret| shown == format!("Basic {}", basic(USER, secret)));
            assert!(ours, "{what}: the registry was shown {shown}");
        }
        for request in self.git.requests() {
            let shown = request.authorization().unwrap_or_default();
            assert!(shown.is_empty() || shown == format!("Basic {}", basic("x-access-token", GIT)), "{what}: {shown}");
        }
        for logged in self.world.github().log() {
            let theirs = logged.token.as_deref().is_some_and(|token| token.contains("Marked") && token != GITHUB);
            assert!(!theirs, "{what}: GitHub was shown {:?}", logged.token);
            assert!(!logged.target.starts_with("/storage/") || logged.token.is_none(), "{what}: {logged:?}");
        }
    }

    /// Every object of a repository, unpacked, with its refs and configuration.
    fn objects(&self, dir: &Path) -> Vec<u8> {
        let git = |words: &[&str]| self.world.sandbox.command("git", dir).args(words).output().unwrap().stdout;
        let all = git(&["cat-file", "--batch-all-objects", "--batch"]);
        assert!(!all.is_empty() || !dir.ends_with("origin.git"), "git says nothing of the origin");
        [all, git(&["for-each-ref"]), git(&["config", "--list"])].concat()
    }
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
