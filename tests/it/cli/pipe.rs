//! A reader that has had enough: nobody is told, nothing is left half done, and no exit code lies.

use std::process::{Command, Stdio};

use super::{REFUSED, command, demo, here};
use crate::support::sandbox::Sandbox;

/// An end of a pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// The exit code and what stood on stderr, with nobody at stdout.
fn without_reader(command: &mut Command) -> (i32, String) {
    let output = command.stdout(closed()).stderr(Stdio::piped()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn nobody_is_told_of_a_closed_pipe() {
    let sandbox = Sandbox::new();
    let (pipeline, tree) = (here("pipelines/minimal.yaml"), here("fixtures/world/minimal"));
    let at = ["--pipeline", &pipeline, "--tree", &tree];
    // Like a command that SIGPIPE ends: the data was not delivered.
    for words in [
        &["schema"][..],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
        &["man"],
        &["check", &pipeline],
        &["check", &pipeline, "--format", "json"],
        &[&["refs", "list"][..], &at].concat(),
        &[&["refs", "list", "--format", "json"][..], &at].concat(),
        &[&["lint", "--sarif", "-"][..], &at].concat(),
    ] {
        let (code, err) = without_reader(&mut command(&sandbox, &[words, &["--quiet"]].concat()));
        assert_eq!((code, err.as_str()), (141, ""), "{words:?}");
    }
    for words in [&["--help"][..], &["plan", "--help"], &["--version"]] {
        let (code, err) = without_reader(&mut command(&sandbox, words));
        assert_eq!((code, err.as_str()), (0, ""), "{words:?}");
    }
}

#[test]
fn a_verdict_is_told_by_the_exit_code_all_the_same() {
    let sandbox = Sandbox::new();
    let pipeline = demo(&sandbox);
    for format in ["human", "json", "markdown"] {
        let words = ["plan", REFUSED, "--pipeline", &pipeline, "--format", format];
        let (code, err) = without_reader(&mut command(&sandbox, &words));
        assert_eq!((code, err.as_str()), (5, ""), "{format}");
    }
}

#[test]
fn nobody_at_stderr_stops_nothing() {
    let sandbox = Sandbox::new();
    let (pipeline, tree) = (here("pipelines/minimal.yaml"), here("fixtures/world/minimal"));
    let list = ["refs", "list", "--pipeline", &pipeline, "--tree", &tree];
    let whole = command(&sandbox, &list).output().unwrap();
    for log in ["text", "json"] {
        let mut deaf = command(&sandbox, &[&list[..], &["--log-format", log]].concat());
        let output = deaf.stdout(Stdio::piped()).stderr(closed()).output().unwrap();
        assert_eq!((output.status.code(), &output.stdout), (Some(0), &whole.stdout), "{log}");
    }
}
