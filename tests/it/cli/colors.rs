//! `--color`, `NO_COLOR`, `CLICOLOR_FORCE`, `-q` and `-v`.

use super::{CANDIDATE, REFUSED, command, demo, ended, sealift};
use crate::support::sandbox::Sandbox;

const ESCAPE: char = '\u{1b}';

/// Whether a plan is coloured, with these flags and variables, into a pipe.
fn colored(sandbox: &Sandbox, pipeline: &str, flags: &[&str], variables: &[(&str, &str)]) -> bool {
    let mut command = command(sandbox, &[&["plan", REFUSED, "--pipeline", pipeline], flags].concat());
    let (code, out, err) = ended(command.envs(variables.iter().copied()));
    assert_eq!((code, err.as_str()), (5, ""), "{out}");
    out.contains(ESCAPE)
}

#[test]
fn what_was_typed_counts_most_then_no_color_then_force() {
    let sandbox = Sandbox::new();
    let pipeline = demo(&sandbox);
    let (no, force) = (("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"));
    for (flags, variables, expected) in [
        (&[][..], &[][..], false),
        (&["--color", "always"], &[], true),
        (&["--color", "always"], &[no], true),
        (&[], &[force], true),
        (&[], &[force, ("TERM", "dumb")], true),
        (&[], &[("CLICOLOR_FORCE", "0")], false),
        (&[], &[no, force], false),
        (&[], &[("NO_COLOR", ""), force], true),
        (&["--color", "never"], &[force], false),
        (&["--color", "auto"], &[force], true),
    ] {
        assert_eq!(colored(&sandbox, &pipeline, flags, variables), expected, "{flags:?} {variables:?}");
    }
}

#[test]
fn data_for_machines_and_documents_is_never_coloured() {
    let sandbox = Sandbox::new();
    let pipeline = demo(&sandbox);
    for format in ["json", "markdown"] {
        let (code, out, err) =
            sealift(&sandbox, &["plan", REFUSED, "--pipeline", &pipeline, "--color", "always", "--format", format]);
        assert_eq!((code, err.as_str()), (5, ""));
        assert!(out.len() > 500 && !out.contains(ESCAPE), "{format}: {out}");
    }
    let mut talk = command(&sandbox, &["plan", "v9.9.9", "--pipeline", &pipeline, "--log-format", "json"]);
    let (_, _, err) = ended(talk.env("CLICOLOR_FORCE", "1"));
    assert!(!err.is_empty() && !err.contains(ESCAPE), "{err}");
}

#[test]
fn quiet_is_results_only_and_verbose_is_everything() {
    let sandbox = Sandbox::new();
    let pipeline = demo(&sandbox);
    let run = |flag: &[&str]| sealift(&sandbox, &[&["run", CANDIDATE, "--pipeline", &pipeline], flag].concat());
    let (code, out, err) = run(&[]);
    assert_eq!(code, 4, "{out}{err}");
    assert!(err.contains("gate") && out.contains("Waiting"), "{out}{err}");
    let (code, quiet, err) = run(&["-q"]);
    assert_eq!((code, quiet, err.as_str()), (4, out.clone(), ""));
    let (_, _, verbose) = run(&["-v"]);
    assert!(verbose.contains("content commit"), "{verbose}");
    // What is wrong is told also then.
    let (code, _, err) = sealift(&sandbox, &["run", REFUSED, "--pipeline", &pipeline, "-q"]);
    assert_eq!(code, 5);
    assert!(err.contains("is spent"), "{err}");
}
