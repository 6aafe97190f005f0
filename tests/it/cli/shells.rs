//! Completions and man pages: taken by the shells and by groff, and about the commands there are.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use clap::CommandFactory as _;
use sealift::cli::args::Cli;

use super::{BINARY, here, sealift};
use crate::support::sandbox::Sandbox;

/// Whether a program is there; visibly not, and never where peers are required.
fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        crate::support::say(format_args!("skipped: {program} is not installed (Debian: apt-get install {program})"));
        assert_ne!(std::env::var("SEALIFT_REQUIRE_PEERS").as_deref(), Ok("1"), "{program} is required here");
    }
    found
}

/// A command's output; its stderr must be empty.
#[track_caller]
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && err.is_empty(), "{command:?}: {} {err}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn script(sandbox: &Sandbox, shell: &str, name: &str) -> String {
    let (code, out, err) = sealift(sandbox, &["completions", shell]);
    assert_eq!((code, err.as_str()), (0, ""));
    let path = sandbox.path(name);
    fs::write(&path, out).unwrap();
    path.display().to_string()
}

#[test]
fn bash_takes_its_script_and_completes_by_it() {
    let sandbox = Sandbox::new();
    let script = script(&sandbox, "bash", "sealift.bash");
    said(sandbox.command("bash", &sandbox.path("")).args(["-n", &script]));
    let complete =
        "source \"$1\"; COMP_WORDS=(sealift refs ce); COMP_CWORD=2; _sealift sealift ce refs; echo \"${COMPREPLY[@]}\"";
    let said = said(sandbox.command("bash", &sandbox.path("")).args(["-c", complete, "bash", &script]));
    assert_eq!(said, "census\n");
}

#[test]
fn zsh_takes_its_script() {
    if !installed("zsh") {
        return;
    }
    let sandbox = Sandbox::new();
    let script = script(&sandbox, "zsh", "_sealift");
    said(sandbox.command("zsh", &sandbox.path("")).args(["-f", "-n", &script]));
    let load = "autoload -Uz compinit; compinit -u -d \"$2\"; fpath=(\"$1\" $fpath); autoload -Uz _sealift; autoload +X _sealift; print ok";
    let (folder, dump) = (sandbox.path("").display().to_string(), sandbox.path("dump").display().to_string());
    let said = said(sandbox.command("zsh", &sandbox.path("")).args(["-f", "-c", load, "zsh", &folder, &dump]));
    assert_eq!(said, "ok\n");
}

#[test]
fn fish_takes_its_script_and_completes_by_it() {
    if !installed("fish") {
        return;
    }
    let sandbox = Sandbox::new();
    let script = script(&sandbox, "fish", "sealift.fish");
    said(sandbox.command("fish", &sandbox.path("")).args(["--no-execute", &script]));
    let complete = format!("source {script}; complete -C 'sealift refs ce'");
    let said = said(sandbox.command("fish", &sandbox.path("")).args(["--no-config", "-c", &complete]));
    assert!(said.starts_with("census\t"), "{said}");
}

#[test]
fn every_command_has_a_page_that_groff_takes() {
    let sandbox = Sandbox::new();
    let dir = sandbox.path("man/man1");
    let (code, _, err) = sealift(&sandbox, &["man", &dir.display().to_string()]);
    assert_eq!((code, err.as_str()), (0, ""));
    let pages = fs::read_dir(&dir).unwrap();
    let pages: BTreeSet<String> =
        pages.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    let mut root = Cli::command();
    root.build();
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        assert!(pages.contains(&format!("sealift-{}.1", command.get_name())), "{pages:?}");
    }
    assert!(pages.contains("sealift.1") && pages.contains("sealift-refs-census.1"), "{pages:?}");
    let (_, own, _) = sealift(&sandbox, &["man"]);
    assert!(own.contains("sealift\\-plan(1)") && own.contains("SUBCOMMANDS"), "{own}");
    if !installed("groff") {
        return;
    }
    for page in &pages {
        let shown =
            said(sandbox.command("groff", &dir).args(["-Kutf8", "-man", "-ww", "-Tutf8", "-P-cbou", page.as_str()]));
        assert!(shown.contains("NAME") && shown.contains("OPTIONS"), "{page}: {shown}");
        assert!(shown.contains("\nEXAMPLE\n"), "{page} has no example: {shown}");
    }
}

#[test]
fn the_schema_is_printed_as_it_is_committed() {
    let (code, out, err) = sealift(&Sandbox::new(), &["schema"]);
    assert_eq!((code, out, err.as_str()), (0, fs::read_to_string(here("pipelines/schema.json")).unwrap(), ""));
}

/// What a release has beside the binary; twice the same bytes.
#[test]
fn a_release_has_all_of_it_in_one_archive() {
    let sandbox = Sandbox::new();
    let pack = |name: &str| {
        let file = sandbox.path(name);
        said(sandbox.command(here(".ci/extras"), &sandbox.path("")).args([BINARY, &file.display().to_string()]));
        fs::read(file).unwrap()
    };
    let first = pack("a.tar.gz");
    assert_eq!(first, pack("b.tar.gz"));
    let listed = said(sandbox.command("tar", &sandbox.path("")).args(["-tzf", "a.tar.gz"]));
    for file in [
        "share/man/man1/sealift.1",
        "share/man/man1/sealift-plan.1",
        "share/bash-completion/completions/sealift",
        "share/zsh/site-functions/_sealift",
        "share/fish/vendor_completions.d/sealift.fish",
        "share/sealift/pipeline.schema.json",
    ] {
        assert!(listed.lines().any(|line| line == file), "no {file} in:\n{listed}");
    }
}
