//! The command, by the real binary: what it writes, what it prints, how it ends.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use super::*;

const API: &str = "packages/apps/api/values.yaml";

#[test]
fn a_plan_writes_nothing_and_a_run_twice_is_a_run_once() {
    let place = Place::new();
    let before = place.files();
    let (plan, err) = ends(&place.over(&["--from", "published", "--plan"]), 3);
    assert_eq!((place.files(), err.as_str()), (before.clone(), ""));
    assert!(plan.contains("Plan: 7 references in 5 files of change would become those of published."), "{plan}");
    let (done, _) = ends(&place.over(&["--from", "published"]), 0);
    assert!(done.ends_with("\n7 references in 5 files of change are now those of published.\n"), "{done}");
    let table = |text: &str| text.split("\n\n").next().unwrap().to_owned();
    assert_eq!(table(&plan), table(&done));
    let after = place.files();
    let changed: Vec<&str> =
        before.iter().zip(&after).filter(|(a, b)| a != b).map(|((path, _), _)| path.as_str()).collect();
    assert_eq!(
        changed,
        [
            "packages/apps/api/images/job.tag",
            API,
            "packages/system/net/templates/daemonset.yml",
            "packages/system/provider/files/components.gz",
            "packages/system/provider/files/components.yaml",
        ]
    );
    assert_eq!(before.len(), after.len());
    for words in [&["--from", "published"][..], &["--from", "published", "--plan"]] {
        let (again, _) = ends(&place.over(words), 0);
        assert!(again.contains("Nothing to take: change stays as it is."), "{again}");
    }
    assert_eq!(place.files(), after);
}

#[test]
fn a_refusal_writes_nothing() {
    let place = Place::new();
    std::fs::remove_file(place.path("published").join(API)).unwrap();
    let before = place.files();
    let (out, err) = ends(&place.over(&["--from", "published"]), 5);
    assert!(out.ends_with("Refused: nothing was written.\n"), "{out}");
    assert!(
        err.contains("error: the source lacks what is to be taken from it\n  at packages/apps/api/values.yaml: "),
        "{err}"
    );
    assert!(err.contains("hint: ") && err.contains("--if-missing skip"), "{err}");
    ends(&place.over(&["--from", "published", "--if-drift", "refuse", "--if-missing", "skip"]), 5);
    std::fs::write(place.path("built.json"), "[\"apps/gone\"]").unwrap();
    ends(&place.over(&["--from", "published", "--if-missing", "skip"]), 5);
    assert_eq!(place.files(), before);
    std::fs::write(place.path("built.json"), "[]").unwrap();
    let (out, _) = ends(&place.over(&["--from", "published", "--if-missing", "skip"]), 0);
    assert!(
        out.contains(
            "apps/api         missing          -      packages/apps/api/values.yaml: the source has no such file"
        ),
        "{out}"
    );
}

#[test]
fn a_directory_that_is_not_there_is_an_absent_source() {
    let place = Place::new();
    let before = place.files();
    let (_, err) = ends(&place.over(&["--from", "nowhere"]), 5);
    assert!(err.contains("there is no source"), "{err}");
    let (out, _) = ends(&place.over(&["--from", "nowhere", "--if-missing", "skip"]), 0);
    assert!(out.contains("Source: nowhere, a directory that is not there."), "{out}");
    // What may be meant as an artifact, and isn't one, is never absent.
    for (from, why) in [
        ("ghcr.io/org/pkg", "it has neither a tag nor a digest"),
        ("oci://ghcr.io/org/pkg", "it has neither a tag nor a digest"),
        ("org/pkg:main", "its host is not spelled"),
        ("ghcr.io/Org/pkg:main", "upper-case"),
        ("built.json", "it is no directory"),
    ] {
        for skip in [&[][..], &["--if-missing", "skip"]] {
            let (_, err) = ends(&place.over(&[&["--from", from], skip].concat()), 2);
            assert!(err.contains(why) && err.contains("hint: "), "{from}: {err}");
        }
    }
    assert_eq!(place.files(), before);
}

#[test]
fn the_packages_alone_are_a_source_as_an_unpacked_artifact_is() {
    let place = Place::new();
    let (out, _) = ends(&place.over(&["--from", "published/packages"]), 0);
    assert!(out.contains("7 references in 5 files"), "{out}");
    // Another folder altogether holds nothing to take from.
    std::fs::create_dir(place.path("empty")).unwrap();
    let (_, err) = ends(&place.over(&["--from", "empty", "--if-missing", "skip"]), 1);
    assert!(err.contains("empty has no files with references"), "{err}");
}

#[test]
fn lists_that_say_nothing_are_errors() {
    let place = Place::new();
    let before = place.files();
    for (name, text, why) in [
        ("built.json", "", "not a JSON list"),
        ("built.json", "null", "not a JSON list"),
        ("built.json", "[\"../x\"]", "is not the path of a package"),
        ("edited.txt", "", "names no path at all"),
        ("edited.txt", "M\tpackages/a\n", "line 1: a control character"),
    ] {
        let kept = std::fs::read(place.path(name)).unwrap();
        std::fs::write(place.path(name), text).unwrap();
        let (_, err) = ends(&place.over(&["--from", "published"]), 1);
        assert!(err.contains(name) && err.contains(why) && err.contains("hint: "), "{err}");
        std::fs::write(place.path(name), kept).unwrap();
    }
    let all = ["--onto", "change", "--from", "published"];
    let lists: [&[&str]; 5] = [
        &[],
        &["--built", "built.json"],
        &["--edited", "edited.txt"],
        &["--built", "built.json", "--edited", "edited.txt", "--nothing-edited"],
        &["--built", "built.json", "--nothing-edited", "--if-missing", "ignore"],
    ];
    for words in lists {
        ends(&place.run(&[&all, words].concat(), &[]), 2);
    }
    for name in ["built.json", "edited.txt"] {
        std::fs::remove_file(place.path(name)).unwrap();
        let (_, err) = ends(&place.over(&["--from", "published"]), 1);
        assert!(err.contains(&format!("{name}: what was")), "{err}");
        std::fs::write(place.path(name), "[]").unwrap();
    }
    assert_eq!(place.files(), before);
    let words = ["--built", "built.json", "--nothing-edited"];
    let (out, _) = ends(&place.run(&[&all[..], &words].concat(), &[]), 0);
    assert!(out.contains("system/db        taken"), "{out}");
}

#[test]
fn what_was_built_may_come_on_standard_input() {
    let place = Place::new();
    let mut command = place.0.command(env!("CARGO_BIN_EXE_sealift"), &place.path(""));
    command.args(["overlay", "--pipeline", "pipeline.yaml", "--onto", "change", "--from", "published"]);
    command.args(["--built", "-", "--edited", "edited.txt", "--plan"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"[\"apps/shop\", \"apps/api\"]").unwrap();
    let (out, _) = ends(&child.wait_with_output().unwrap(), 3);
    assert!(out.contains("apps/api         built"), "{out}");
}

#[test]
fn a_revision_is_shown_and_never_written() {
    let place = Place::new();
    let git = |words: &[&str]| place.0.git(&place.path("change"), words);
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "change"]);
    let head = git(&["rev-parse", "HEAD"]);
    let before = place.files();
    let words =
        ["--onto", &head, "--repo", "change", "--from", "published", "--built", "built.json", "--edited", "edited.txt"];
    let (out, _) = ends(&place.run(&words, &[]), 3);
    assert!(out.contains("would become those of published. Nothing was written."), "{out}");
    assert_eq!((place.files(), git(&["status", "--porcelain"])), (before, String::new()));
    // What git says was edited, in both of its forms.
    std::fs::write(place.path("change").join("packages/system/db/ä\n.yaml"), "x").unwrap();
    git(&["add", "--all"]);
    for form in [&["diff", "--cached", "--name-only"][..], &["diff", "--cached", "--name-only", "-z"]] {
        let output = place.0.command("git", &place.path("change")).args(form).output().unwrap();
        std::fs::write(place.path("edited.txt"), output.stdout).unwrap();
        let (out, _) = ends(&place.over(&["--from", "published", "--plan"]), 3);
        assert!(out.contains("system/db        edited"), "{out}");
    }
    let (_, err) = ends(&place.run(&[&["--onto", "no-such"], &words[2..]].concat(), &[]), 1);
    assert!(err.contains("neither a directory nor a revision"), "{err}");
}

#[test]
fn every_form_says_the_same() {
    let place = Place::new();
    let (out, _) = ends(&place.over(&["--from", "published", "--plan", "--format", "json"]), 3);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["taken"], 7);
    assert_eq!(document["written"], false);
    assert_eq!(document["edits"].as_array().unwrap().len(), 9);
    let states = document["packages"].as_array().unwrap().iter();
    let states: Vec<String> = states.map(|p| format!("{} {}", p["path"], p["state"])).collect();
    assert_eq!(states[3..5], ["\"core/installer\" \"elsewhere\"", "\"system/cache\" \"drift\""]);
    let drift = &document["packages"][4]["files"]["packages/system/cache/values.yaml"];
    assert_eq!((&drift["line"], &drift["here"]), (&1.into(), &"replicas: 2".into()));
    let (out, _) = ends(&place.over(&["--from", "published", "--plan", "--format", "markdown"]), 3);
    assert!(out.starts_with("Overlay: Plan: 7 references"), "{out}");
    assert!(out.contains("| `apps/api` | `taken` | `3` | `packages/apps/api/values.yaml: 5 lines` |"), "{out}");
}

#[test]
fn a_runner_is_told_what_is_left_alone() {
    let place = Place::new();
    let file = place.path("summary.md");
    let runner = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", file.to_str().unwrap())];
    let words = ["--onto", "change", "--from", "published", "--built", "built.json", "--edited", "edited.txt"];
    let (out, _) = ends(&place.run(&words, &runner), 0);
    let drift =
        "::warning file=packages/system/cache/values.yaml,line=1,title=sealift overlay::references are not taken: ";
    assert!(out.contains(drift), "{out}");
    let summary = std::fs::read_to_string(&file).unwrap();
    assert!(summary.contains("| `system/cache` | `drift` |"), "{summary}");
    let (out, _) = ends(&place.run(&[&words[..], &["--if-drift", "refuse"]].concat(), &runner), 5);
    assert!(out.contains("::error file=packages/system/cache/values.yaml,line=1,title=sealift::"), "{out}");
    assert!(!out.contains("::warning"), "{out}");
}

#[test]
fn files_keep_their_permissions() {
    let place = Place::new();
    let file = place.path("change").join(API);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    ends(&place.over(&["--from", "published"]), 0);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn the_example_in_the_document_is_what_happens() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/overlay.md")).unwrap();
    let block = page.split("```text\n").nth(1).expect("an example").split("```").next().unwrap();
    let (command, expected) = block.split_once('\n').unwrap();
    let words: Vec<&str> = command.strip_prefix("$ sealift overlay ").unwrap().split(' ').collect();
    let place = Place::new();
    let mut all = place.0.command(env!("CARGO_BIN_EXE_sealift"), &place.path(""));
    let (out, err) = ends(&all.arg("overlay").args(words).output().unwrap(), 0);
    assert_eq!((out.as_str(), err.as_str()), (expected, ""));
}
