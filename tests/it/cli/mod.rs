//! The command line itself, by the real binary: its words, colours, talk, and what goes beside it.

mod colors;
mod helps;
mod log;
mod pipe;
mod shells;

use std::path::Path;
use std::process::{Command, Output};

use crate::support::sandbox::Sandbox;

const BINARY: &str = env!("CARGO_BIN_EXE_sealift");

/// A candidate of the demo that is refused, since a name of it is taken.
const REFUSED: &str = "v1.5.0-rc.1";
/// The one that the demo promotes.
const CANDIDATE: &str = "v1.4.2-rc.1";

fn here(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.command(BINARY, &sandbox.path("home"));
    command.args(args).env("TMPDIR", sandbox.path("home")).stdin(std::process::Stdio::null());
    command
}

/// Exit code, stdout and stderr.
fn ended(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code().unwrap(), text(&stdout), text(&stderr))
}

fn sealift(sandbox: &Sandbox, args: &[&str]) -> (i32, String, String) {
    ended(&mut command(sandbox, args))
}

/// A demo that waits for its merge; its pipeline's path.
fn demo(sandbox: &Sandbox) -> String {
    let dir = sandbox.path("x").display().to_string();
    let (code, out, err) = sealift(sandbox, &["demo", &dir, "--stop-at-wait", "--quiet"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    format!("{dir}/pipeline.yaml")
}
