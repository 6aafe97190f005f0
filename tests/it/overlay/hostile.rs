//! Trees and lists made by somebody else: nothing escapes, nothing is followed.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn names_with_line_ends_are_names() {
    let name = "apps/a\n::error::b/values.yaml";
    let case = || Case::file(name, "image: OWN/x:v1@old\n", "image: CI/x:v2@new\n");
    assert_eq!(case().after(name), fill("image: CI/x:v2@new\n"));
    let package = "apps/a\\n::error::b";
    assert_eq!(case().states(), [(package.to_owned(), State::Taken)]);
    assert_eq!(case().edited("\"packages/apps/a\\n::error::b/x\"\n").states(), [(package.to_owned(), State::Edited)]);
    assert_eq!(case().edited("packages/apps/a\n::error::b/x\n").states(), [(package.to_owned(), State::Taken)]);
    assert_eq!(case().edited("packages/apps/a\n::error::b/x\0").states(), [(package.to_owned(), State::Edited)]);
    assert_eq!(case().built("[\"apps/a\\n::error::b\"]").states(), [(package.to_owned(), State::Built)]);
}

#[test]
fn nothing_from_a_tree_commands_a_runner_or_a_terminal() {
    let place = Place::new();
    for side in ["change", "published"] {
        let dir = place.path(side).join("packages/::error file=x::y/b\u{1b}[2J\n::warning::c");
        std::fs::create_dir_all(&dir).unwrap();
        let text = format!("x: \"##[group]\u{202e}{side}\"\nimage: {}\n", fill("OWN/x:v1@old"));
        std::fs::write(dir.join("values.yaml"), text).unwrap();
    }
    let words =
        ["--onto", "change", "--from", "published", "--built", "built.json", "--edited", "edited.txt", "--plan"];
    for format in ["human", "json", "markdown"] {
        let output = place.run(&[&words[..], &["--format", format]].concat(), &[("GITHUB_ACTIONS", "true")]);
        let (out, err) = ends(&output, 3);
        let ours = "::warning ";
        for line in out.lines().chain(err.lines()) {
            let commanded = line.trim_start().starts_with("::") && !line.starts_with(ours);
            assert!(
                !commanded && !line.contains("##[") && !line.contains(['\u{1b}', '\u{202e}']),
                "{format}: {line:?}"
            );
        }
        let warnings = out.lines().filter(|line| line.starts_with(ours)).count();
        assert_eq!(warnings, if format == "human" { 2 } else { 0 }, "{out}");
    }
}

#[test]
fn links_are_never_followed() {
    let place = Place::new();
    let outside = place.path("outside.yaml");
    std::fs::write(&outside, fill("image: OWN/web:v9@new\n")).unwrap();
    let web = |side: &str| place.path(side).join("packages/apps/web/values.yaml");
    // A link in the source is no file to take from.
    std::fs::remove_file(web("published")).unwrap();
    symlink(&outside, web("published")).unwrap();
    let before = place.files();
    let (_, err) = ends(&place.over(&["--from", "published"]), 5);
    assert!(err.contains("packages/apps/web/values.yaml: a symbolic link in the source"), "{err}");
    assert_eq!(place.files(), before);
    ends(&place.over(&["--from", "published", "--if-missing", "skip"]), 0);
    // A link here is not written through, nor is its target.
    std::fs::rename(web("change"), place.path("kept.yaml")).unwrap();
    symlink(place.path("kept.yaml"), web("change")).unwrap();
    let kept = std::fs::read(place.path("kept.yaml")).unwrap();
    let (_, err) = ends(&place.over(&["--from", "published"]), 0);
    assert!(err.contains("note: packages/apps/web/values.yaml: a symbolic link where a file"), "{err}");
    assert_eq!(std::fs::read(place.path("kept.yaml")).unwrap(), kept);
    // A folder that is a link has no files; the package it would hold is not one.
    let system = place.path("published/packages/system");
    std::fs::rename(&system, place.path("system")).unwrap();
    symlink(place.path("system"), &system).unwrap();
    let (_, err) = ends(&place.over(&["--from", "published"]), 5);
    assert!(err.contains("the source has no such package"), "{err}");
    // The trees themselves may be named by links: a person did.
    symlink(place.path("published"), place.path("link")).unwrap();
    ends(&place.over(&["--from", "link", "--if-missing", "skip"]), 0);
}

#[test]
fn a_directory_that_holds_itself_ends() {
    let place = Place::new();
    for side in ["change", "published"] {
        symlink(".", place.path(side).join("packages/apps/api/loop")).unwrap();
    }
    let (out, _) = ends(&place.over(&["--from", "published"]), 0);
    assert!(out.contains("7 references in 5 files"), "{out}");
}

#[test]
fn a_tree_that_can_t_be_written_as_planned_is_not_written() {
    let place = Place::new();
    let case = Case::file("apps/x/values.yaml", "image: OWN/x:v1@old\n", "image: CI/x:v2@new\n");
    let plan = case.plan();
    let dir = place.path("other");
    write(&case.onto, &dir);
    let file = dir.join("packages/apps/x/values.yaml");
    std::fs::write(&file, "somebody was here\n").unwrap();
    assert!(refs::apply_to_directory(&dir, &plan.edits).is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "somebody was here\n");
}

#[test]
fn many_references_cost_what_they_are() {
    let lines = |registry: &str, digest: &str, n: usize| -> String {
        (0..n).map(|i| format!("i{i}: {registry}/x{i}:v1@{digest}\n")).collect()
    };
    let n = 20_000;
    let case = Case::file("apps/x/values.yaml", &lines("OWN", "old", n), &lines("CI", "new", n));
    let start = std::time::Instant::now();
    let plan = case.plan();
    assert_eq!(plan.taken(), n);
    assert!(start.elapsed() < std::time::Duration::from_secs(60), "{:?}", start.elapsed());
}
