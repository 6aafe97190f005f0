//! Which credential is used, by the binary: none is taken for another, and none for nobody.

use std::process::Output;

use super::{RC, fresh, printed};
use crate::support::world::World;

/// A plan on the pipeline's own GitHub, which nobody reaches: its API is a closed port.
fn planned(world: &World, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path(""));
    command.args(["plan", RC, "--github-api", "http://127.0.0.1:9", "--pipeline"]).arg(&world.shipped.file);
    command.args(words).envs(variables.iter().copied()).output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_file_is_no_token_and_not_nobody() {
    let world = fresh().await;
    let file = world.sandbox.path("empty");
    std::fs::write(&file, " \n").unwrap();
    let output = planned(&world, &["--github-token-file", &file.display().to_string()], &[]);
    assert_eq!(output.status.code(), Some(1));
    let told = printed(&output);
    assert!(told.contains("empty: there is no token in it") && told.contains("hint:"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_a_token_for_git_is_refused() {
    let world = fresh().await;
    for text in ["", " \n", "a b\nc", "\u{1}"] {
        let file = world.sandbox.path("junk");
        std::fs::write(&file, text).unwrap();
        for flag in ["--git-token-file", "--github-token-file"] {
            let output = planned(&world, &[flag, &file.display().to_string()], &[]);
            assert_eq!(output.status.code(), Some(1), "{text:?}");
            let told = printed(&output);
            assert!(told.contains("junk: there is no token in it"), "{text:?}: {told}");
            assert!(told.contains(&format!("or leave {flag} out")), "{told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_apps_key_without_its_id_is_a_usage_error() {
    let world = fresh().await;
    let output = planned(&world, &[], &[("SEALIFT_GITHUB_APP_KEY_FILE", "/key.pem"), ("GITHUB_TOKEN", "ghs_other")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(printed(&output).contains("--github-app-id"), "{}", printed(&output));
}

/// Stages judge what the forge's credential may do; another one must not push.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_credential_for_the_same_github_is_refused() {
    let world = fresh().await;
    let file = world.token_file("ghs_git");
    let words = ["--git-token-file", &file.display().to_string()];
    let output = planned(&world, &words, &[("GITHUB_TOKEN", "ghs_forge")]);
    assert_eq!(output.status.code(), Some(1));
    let told = printed(&output);
    assert!(
        told.contains("is pushed to with its own credential") && told.contains("leave --git-token-file out"),
        "{told}"
    );
}
