//! The shape of the project itself: arrows point one way, and everything is listed, tested, documented.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sealift::stage::{STAGES, VERBS};

/// Modules in the order of the arrows: each may know those before it, and itself.
const ORDER: [&str; 17] = [
    "model",
    "yaml",
    "port",
    "tree",
    "overrides",
    "refs",
    "archive",
    "pipeline",
    "overlay",
    "producers",
    "promotion",
    "stage",
    "preview",
    "lint",
    "explain",
    "engine",
    "cli",
];

/// Reports know events, and the words events are made of.
const REPORT_KNOWS: [&str; 6] = ["model", "stage", "preview", "lint", "explain", "engine"];

/// Where a crate may be known, below src: what it is behind can be replaced there and nowhere else.
const CRATES: [(&str, &[&str]); 15] = [
    ("clap", &["cli"]),
    ("clap_complete", &["cli/args/shell.rs", "cli/shell.rs"]),
    ("clap_mangen", &["cli/shell.rs"]),
    ("flate2", &["archive/gzip.rs", "refs/gzip.rs", "cli/demo"]),
    ("git2", &["port/repository"]),
    ("granit_parser", &["yaml/parse.rs"]),
    ("indicatif", &["report/progress.rs"]),
    ("oci_client", &["port/registry/remote"]),
    ("octocrab", &["port/forge/github"]),
    ("regex_automata", &["pipeline/schema.rs", "producers/pattern.rs"]),
    ("reqwest", &["port/authority.rs", "port/forge/github", "port/http", "port/registry", "port/repository"]),
    ("schemars", &["pipeline"]),
    ("serde_yaml", &["archive/chart/metadata.rs", "pipeline"]),
    ("sha2", &["model"]),
    ("tar", &["archive", "cli/demo", "refs/inventory/packed.rs"]),
];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(here(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn files(dir: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![here(dir)];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A source file without its comments.
fn code(source: &str) -> String {
    source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// `crate::NAME` in a source file, its own tests left out.
fn knows(source: &str) -> BTreeSet<String> {
    let code = code(source.split("#[cfg(test)]").next().unwrap_or_default());
    let names = code
        .split("crate::")
        .skip(1)
        .map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>());
    names.filter(|name| here(&format!("src/{name}")).is_dir()).collect()
}

fn module(file: &Path) -> String {
    let below = file.strip_prefix(here("src")).unwrap();
    below.iter().next().unwrap().to_string_lossy().into_owned()
}

/// Whether a module may know another.
fn may_know(module: &str, other: &str) -> bool {
    let rank = |name: &str| ORDER.iter().position(|module| *module == name);
    match module {
        _ if module == other => true,
        "report" => REPORT_KNOWS.contains(&other),
        "port" => other == "model",
        "cli" => true,
        _ => matches!((rank(module), rank(other)), (Some(own), Some(others)) if others < own),
    }
}

#[test]
fn arrows_never_turn_back() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files("src", "rs") {
        let module = module(&file);
        for other in knows(&fs::read_to_string(&file).unwrap()) {
            seen += 1;
            if !module.ends_with(".rs") && !may_know(&module, &other) {
                wrong.push(format!("{}: {module} knows {other}", file.display()));
            }
        }
    }
    assert!(seen > 50, "only {seen} arrows were seen");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_arrow_test_can_fail() {
    assert!(!may_know("model", "refs") && !may_know("stage", "engine") && !may_know("report", "port"));
    assert!(!may_know("port", "tree") && !may_know("refs", "promotion"));
    assert!(may_know("engine", "stage") && may_know("report", "engine"));
    assert_eq!(knows("use crate::engine::x;\n// crate::cli\n"), BTreeSet::from(["engine".to_owned()]));
}

/// Whether code names a crate: `NAME::`, and no longer word that ends so.
fn names(code: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices(&format!("{name}::")).any(|(at, _)| !code[..at].ends_with(word))
}

#[test]
fn each_crate_is_behind_its_own_door() {
    assert!(names("use tar::Builder;", "tar") && !names("x_tar::y; // tar", "tar"));
    let sources: Vec<_> =
        files("src", "rs").into_iter().map(|file| (code(&fs::read_to_string(&file).unwrap()), file)).collect();
    for (name, doors) in CRATES {
        let knowing = sources.iter().filter(|(code, _)| names(code, name)).map(|(_, file)| file);
        let (inside, outside): (Vec<_>, Vec<_>) =
            knowing.partition(|file| doors.iter().any(|door| file.starts_with(here("src").join(door))));
        assert!(outside.is_empty(), "{name} is known outside {doors:?}: {outside:?}");
        let left = doors.iter().find(|door| !inside.iter().any(|file| file.starts_with(here("src").join(door))));
        assert_eq!(left, None, "{name} is not there any more");
    }
}

#[test]
fn stages_are_listed_documented_and_tested() {
    let readme = text("README.md");
    let names: Vec<&str> = STAGES.iter().map(|stage| stage.name()).collect();
    assert_eq!(names, sealift::pipeline::STAGES, "the pipeline file knows other stages");
    let tests: String = files("tests/it", "rs").iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    for name in names {
        assert!(here(&format!("src/stage/{name}.rs")).is_file(), "src/stage/{name}.rs");
        assert!(readme.contains(&format!("| {name} |")), "{name} is not in the README's table of stages");
        assert!(tests.contains(&format!("\"{name}\"")), "no test names {name}");
    }
}

#[test]
fn actions_are_listed_and_documented() {
    let contributing = text("CONTRIBUTING.md");
    for verb in VERBS {
        assert!(contributing.contains(&format!("`{verb}`")), "{verb} is not in CONTRIBUTING.md");
    }
}

#[test]
fn pipelines_and_fixtures_are_listed() {
    let readme = text("README.md");
    for file in files("pipelines", "yaml") {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(readme.contains(&format!("pipelines/{name}")), "{name} is not in the README");
    }
    let fixtures = text("fixtures/README.md");
    for entry in fs::read_dir(here("fixtures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            assert!(fixtures.contains(&format!("`{name}/`")), "fixtures/{name} is not in fixtures/README.md");
        }
    }
}

#[test]
fn no_module_outgrows_a_page() {
    for file in files("src", "rs") {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 500, "{} has {lines} lines", file.display());
    }
}

#[test]
fn each_direct_dependency_has_its_reason() {
    let manifest = text("Cargo.toml");
    let (_, tables) = manifest.split_once("[dependencies]\n").unwrap();
    let mut before = "";
    let mut seen = 0;
    for line in tables.lines().take_while(|line| !line.starts_with("[lints")) {
        if line.contains(" = ") && !line.starts_with('#') {
            assert!(before.starts_with("# ") && before.len() > 20, "no reason above: {line}");
            seen += 1;
        }
        before = line;
    }
    assert!(seen > 25, "only {seen} were seen");
}
