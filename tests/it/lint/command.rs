//! The command, as it is typed: exit codes, files, and what goes where.

use std::path::PathBuf;

use super::*;
use crate::support::sandbox::Sandbox;

/// A sandbox with a pipeline file and a repository's root in `tree`.
struct Typed {
    sandbox: Sandbox,
}

impl Typed {
    fn new(files: &[(&str, &str)]) -> Self {
        let typed = Self { sandbox: Sandbox::new() };
        std::fs::write(typed.path("pipeline.yaml"), pipeline_text("")).unwrap();
        let tree = tree(files);
        for entry in tree.entries().unwrap() {
            if let Some(bytes) = tree.get(&entry.path) {
                let path = typed.path("tree").join(String::from_utf8(entry.path).unwrap());
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
        }
        typed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &self.path(""));
        command.args(["lint", "--pipeline", "pipeline.yaml"]).args(args);
        if !args.contains(&"--tree") {
            command.args(["--tree", "tree"]);
        }
        command
    }

    /// Exit code, stdout and stderr.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

#[test]
fn the_exit_code_is_the_verdict() {
    let clean = Typed::new(&[]);
    assert_eq!(clean.run(&[]).0, 0);
    assert_eq!(clean.run(&["--no-such"]).0, 2);
    assert_eq!(clean.run(&["--write-baseline"]).0, 2);
    assert_eq!(clean.run(&["--fail-on", "unknown"]).0, 2);
    let floating = Typed::new(&[(VALUES, "a: OWN/x:latest@D1\n")]);
    assert_eq!(floating.run(&[]).0, 0);
    assert_eq!(floating.run(&["--fail-on", "warning"]).0, 5);
    let vendored = Typed::new(&[("packages/a/x/charts/c/values.yaml", "a: OWN/x:v1@D1\n")]);
    assert_eq!((vendored.run(&["--fail-on", "warning"]).0, vendored.run(&["--fail-on", "info"]).0), (0, 5));
    assert_eq!(Typed::new(&[(VALUES, "a: [\n")]).run(&["--fail-on", "info"]).0, 1);
    assert_eq!(Typed::new(&[(VALUES, "a: [\n"), ("packages/a/y/values.yaml", "a: OWN/y:v1\n")]).run(&[]).0, 5);
    let (code, out, err) = Typed::new(&[]).run(&["--tree", "no-such"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("neither a directory nor a revision"), "{err}");
}

#[test]
fn a_person_sees_the_line_and_what_is_meant() {
    let (code, out, err) = Typed::new(&[(VALUES, "a:\n  image: OWN/x:v0.1.0\n")]).run(&[]);
    let expected = "\
error[bare-tag]: registry.example/org/own/x:v0.1.0 has no digest
  --> packages/a/x/values.yaml:2:37
    |
  2 |   image: registry.example/org/own/x:v0.1.0
    |                                     ^^^^^^
  hint: pin it by digest: build the image, and write `@sha256:…` behind the tag

note: no-producer, two-producers, not-in-build-list do not apply: the repository has no Makefile at its root
note: packages/system/net/daemonset.yml: declared, and not in the tree (take it out of the pipeline if it is gone)
note: packages/system/provider/components.gz: declared, and not in the tree (take it out of the pipeline if it is gone)
lint: something is wrong: 1 error (3 references in 2 files; v2.3.0-rc.1, which most owned tags carry)
";
    assert_eq!((code, out.as_str(), err.as_str()), (5, expected, ""));
}

#[test]
fn json_is_one_object_with_every_place() {
    let (_, out, _) = Typed::new(&[(VALUES, "a: OWN/x:v0.1.0\n")]).run(&["--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&value["event"], &value["verdict"], &value["fail_on"]),
        (&"lint".into(), &"failed".into(), &"error".into())
    );
    let finding = &value["findings"][0];
    assert_eq!((&finding["rule"], &finding["level"]), (&"bare-tag".into(), &"error".into()));
    let place = &finding["place"];
    assert_eq!((&place["file"], &place["line"], &place["column"]), (&VALUES.into(), &1.into(), &31.into()));
    assert_eq!((&place["span"]["start"], &place["span"]["end"]), (&30.into(), &36.into()));
    assert_eq!(place["excerpt"]["marked"], "v0.1.0");
}

#[test]
fn a_log_is_written_beside_the_report_or_instead_of_it() {
    let typed = Typed::new(&[(VALUES, "a: OWN/x:v0.1.0\n")]);
    let (code, out, _) = typed.run(&["--sarif", "lint.sarif"]);
    assert!(code == 5 && out.starts_with("error[bare-tag]"), "{out}");
    let written = std::fs::read_to_string(typed.path("lint.sarif")).unwrap();
    assert_eq!(typed.run(&["--sarif", "-"]), (5, written.clone(), String::new()));
    assert!(written.contains("\"version\":\"2.1.0\""), "{written}");
    let (code, out, err) = typed.run(&["--sarif", "no/such/folder/lint.sarif"]);
    assert!(code == 5 && out.starts_with("error[bare-tag]") && err.contains("can't be written"), "{out}{err}");
    let clean = Typed::new(&[]);
    let (code, _, err) = clean.run(&["--sarif", "no/such/folder/lint.sarif"]);
    assert!(code == 1 && err.contains("can't be written"), "{err}");
}

#[test]
fn on_github_findings_stand_on_their_lines_and_a_log_stands_alone() {
    let typed = Typed::new(&[(VALUES, "a: OWN/x:v0.1.0\n")]);
    let actions = |args: &[&str]| {
        let mut command = typed.command(args);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", typed.path("summary.md"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let out = actions(&[]);
    assert!(
        out.contains("::error file=packages/a/x/values.yaml,line=1,col=31,title=sealift lint%3A bare-tag::"),
        "{out}"
    );
    let summary = std::fs::read_to_string(typed.path("summary.md")).unwrap();
    assert!(summary.starts_with("## Lint: something is wrong"), "{summary}");
    assert!(!actions(&["--sarif", "-"]).contains("::error"));
}

#[test]
fn a_baseline_is_written_used_and_refused() {
    let typed = Typed::new(&[(VALUES, "a: OWN/x:v0.1.0\n")]);
    let (code, _, err) = typed.run(&["--baseline", "base.json"]);
    assert!(
        code == 1 && err.contains("base.json: the baseline can't be read") && err.contains("--write-baseline"),
        "{err}"
    );
    let (code, _, err) = typed.run(&["--baseline", "base.json", "--write-baseline"]);
    assert_eq!((code, err.as_str()), (0, "base.json: 1 known finding\n"));
    let (code, out, _) = typed.run(&["--baseline", "base.json"]);
    assert!(code == 0 && out.contains("1 known by the baseline"), "{out}");
    std::fs::write(typed.path("tree").join(VALUES), fill("a: OWN/x:v0.1.0@D1\n")).unwrap();
    let (code, out, _) = typed.run(&["--baseline", "base.json"]);
    assert!(code == 0 && out.contains("note: baseline: bare-tag in packages/a/x/values.yaml:1 is gone"), "{out}");
    std::fs::write(typed.path("base.json"), "{\"format\": 9, \"findings\": []}").unwrap();
    let (code, _, err) = typed.run(&["--baseline", "base.json"]);
    assert!(code == 1 && err.contains("format 9"), "{err}");
    // It never holds what could not be looked at, and says so.
    std::fs::write(typed.path("tree").join(VALUES), "a: [\n").unwrap();
    let (code, _, err) = typed.run(&["--baseline", "base.json", "--write-baseline"]);
    assert!(code == 1 && err.contains("1 finding is not in the baseline"), "{err}");
    // Another file under that name is kept.
    std::fs::write(typed.path("base.json"), "name: shop\n").unwrap();
    let (code, _, err) = typed.run(&["--baseline", "base.json", "--write-baseline"]);
    assert!(code == 1 && err.contains("base.json: is there, and is no baseline"), "{err}");
    assert_eq!(std::fs::read_to_string(typed.path("base.json")).unwrap(), "name: shop\n");
}

#[test]
fn a_revision_is_linted_as_a_directory_is() {
    let typed = Typed::new(&[(VALUES, "a: OWN/x:v0.1.0\n")]);
    let (dir, sandbox) = (typed.path("tree"), &typed.sandbox);
    sandbox.git(&dir, &["init", "--quiet", "."]);
    sandbox.git(&dir, &["add", "."]);
    sandbox.git(&dir, &["commit", "--quiet", "-m", "x"]);
    let of_directory = typed.run(&[]);
    let of_revision = typed.run(&["--tree", "HEAD", "--repo", "tree"]);
    assert_eq!((of_revision.0, of_revision), (5, of_directory));
}
