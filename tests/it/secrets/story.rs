//! What goes well: a promotion from its first refusal to its end, and every command around it.

use sealift::port::registry::{Config, Location, Registries};

use super::*;
use crate::support::github::Kind;
use crate::support::github::apps::KEY;
use crate::support::github::state::{App, Level};
use crate::support::images;

/// Somebody who may push there, too.
fn registries(marked: &Marked) -> Registries {
    let locations = marked.world.hosts().map(|host| (host.to_owned(), Location::Url(marked.registry.url()))).collect();
    let docker_config = Some(PathBuf::from(marked.file("docker.json")));
    Registries::new(Config { locations, docker_config, ..Config::default() }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_and_all_that_is_around_it_leave_no_secret() {
    let marked = Marked::new().await;
    let world = &marked.world;
    let inputs = world.input_arguments();
    let with = |words: &[&str]| {
        let mut command = marked.command(words);
        command.args(&inputs);
        command
    };
    let (name, own) = world.images.iter().next().unwrap();
    let (repository, tag) = name.rsplit_once(':').unwrap();
    let path = repository.split_once('/').unwrap().1;
    // Refused first, and resumed once the reason is gone: the stable name is on another image of the repository.
    let before = marked.registry.tags();
    let other = images::push_index(&registries(&marked), &repository.parse().unwrap(), None, "another").await;
    assert_ne!(other, *own);
    marked.registry.tag(path, tag, other);
    marked.run(with(&["run", RC, "-vv"]), 5);
    marked.registry.untag(path, tag);
    assert_eq!(marked.registry.tags(), before);
    for format in ["human", "json", "markdown"] {
        marked.run(with(&["plan", RC, "--format", format]), 3);
    }
    marked.run(with(&["resume", RC, "-vv"]), 4);
    marked.run(with(&["verify", RC]), 0);
    let mut status = marked.command(&["status"]);
    status.env("GITHUB_ACTIONS", "true");
    marked.run(status, 4);
    let pull = world.github().state().pulls.last().unwrap().number.to_string();
    marked.run(marked.command(&["preview", "--pull-request", &pull, "--comment"]), 0);
    // Everything else that asks registries.
    let tree = world.clone_of(world.names().staging.short());
    let mut lint = marked.bare(&["lint", "--tree", &tree.display().to_string(), "--fail-on", "error"]);
    lint.arg("--pipeline").arg(&world.shipped.file);
    marked.registries(&mut lint, "docker.json");
    let output = lint.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1 | 5)), "{}", printed(&output));
    marked.search("lint", &output);
    world.merge();
    marked.run(with(&["resume", RC, "--format", "json"]), 0);
    marked.run(with(&["plan", RC]), 0);
    // They were used: each server was shown its own.
    let shown = |prefix: &str| {
        marked
            .registry
            .requests()
            .iter()
            .any(|request| request.authorization.as_deref().is_some_and(|shown| shown.starts_with(prefix)))
    };
    assert!(shown("Basic ") && shown("Bearer "));
    assert!(marked.git.requests().iter().any(|request| request.is_push() && request.authorization().is_some()));
    assert!(world.github().log().iter().any(|logged| logged.token.as_deref() == Some(GITHUB)));
    assert!(std::fs::metadata(marked.path("summary.md")).unwrap().len() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_does_one_that_is_abandoned() {
    let marked = Marked::new().await;
    marked.run(marked.command(&["run", RC, "--until", "pin"]), 0);
    marked.run(marked.command(&["abandon", RC]), 0);
}

/// An App's key, the words that it signs, and the tokens that it gets for them.
#[tokio::test(flavor = "multi_thread")]
async fn an_apps_key_and_its_tokens_are_nowhere() {
    let marked = Marked::new().await;
    let write = [("contents", Level::Write), ("pull_requests", Level::Write), ("actions", Level::Read)];
    {
        let mut state = marked.world.github().state();
        state.tokens.retain(|token| token.kind != Kind::Installation);
        state.app = Some(App::new("cozystack-ci", &write));
    }
    let key = marked.credential("app.pem", &KEY.pem);
    let mut command = marked.bare(&["run", RC, "--until", "pin", "-vv"]);
    marked.place(&mut command);
    marked.registries(&mut command, "docker.json");
    command.args(["--github-app-id", "4711", "--github-app-key-file", &key]);
    let told = marked.run(command, 0);
    for line in KEY.pem.lines().filter(|line| line.len() == 64) {
        assert!(!told.contains(line));
    }
    // Its word, and a token for it.
    let shown: Vec<String> = marked.world.github().log().into_iter().filter_map(|logged| logged.token).collect();
    assert!(shown.iter().any(|token| token.starts_with("eyJ")) && shown.iter().any(|token| !token.starts_with("eyJ")));
}
