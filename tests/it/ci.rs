//! The summary that ends a check: it counts, and it fails where something was not run.

use std::fs;
use std::path::Path;
use std::process::Command;

const GOOD: &str = "\
   Compiling sealift v0.1.0
     Running unittests src/lib.rs (target/debug/deps/sealift-1)

running 2 tests
test model::tests::a ... ok
test model::tests::b ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/it/main.rs (target/debug/deps/it-1)

running 2 tests
test refs::c ... ok
test registry::layout::d ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

/// Runs the summary over a log, for an integration binary with these files.
fn summary(log: &str, main: &str, files: &[&str]) -> (bool, String) {
    summary_where(false, log, main, files)
}

/// The same, where there is reference data or not.
fn summary_where(without: bool, log: &str, main: &str, files: &[&str]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("main.rs"), main).unwrap();
    for file in files {
        fs::write(at(file), "").unwrap();
    }
    // The log lies outside the folder of modules.
    let logs = tempfile::tempdir().unwrap();
    fs::write(logs.path().join("log"), log).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/summary");
    let mut command = Command::new("bash");
    command.arg(script).arg(logs.path().join("log")).arg(folder.path()).env_remove("SEALIFT_WITHOUT_REFERENCE_DATA");
    if without {
        command.env("SEALIFT_WITHOUT_REFERENCE_DATA", "1");
    }
    let output = command.output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

const MAIN: &str = "mod refs;\nmod registry;\nmod support;\n";
const FILES: [&str; 3] = ["refs.rs", "registry.rs", "support.rs"];

#[test]
fn a_full_run_passes_and_is_counted() {
    let (passed, text) = summary(GOOD, MAIN, &FILES);
    assert!(passed, "{text}");
    assert!(text.ends_with("2 targets, 2 areas\n4 passed, 0 failed, 0 skipped\n"), "{text}");
}

#[test]
fn what_was_not_run_fails() {
    let skip = "skipped: docker-registry is not installed";
    for (log, why) in [
        (GOOD.replace("test registry::layout::d", "test refs::d"), "no cases in tests/it/registry"),
        (GOOD.replace("2 passed; 0 failed; 0 ignored", "0 passed; 0 failed; 0 ignored"), "no cases in src/lib.rs"),
        (GOOD.replacen("2 passed; 0 failed; 0 ignored", "1 passed; 0 failed; 1 ignored", 1), "1 ignored in src/lib.rs"),
        (GOOD.replacen("2 passed; 0 failed", "1 passed; 1 failed", 1), "1 failed cases"),
        (GOOD.replace("test refs::c ... ok", &format!("test refs::c ... ok\n{skip}")), skip),
        (GOOD.replace("refs::c ... ok", &format!("refs::c ... {skip}\nok")), skip),
        (GOOD.replacen("test result", "killed", 1), "1 targets ended without a result"),
        (String::new(), "nothing ran"),
    ] {
        let (passed, text) = summary(&log, MAIN, &FILES);
        assert!(!passed && text.contains(why), "{why}:\n{text}");
    }
}

#[test]
fn only_reference_data_may_be_missing_and_only_where_that_was_said() {
    let skip = "skipped (no reference data): tar vectors";
    let said = GOOD.replace("test refs::c ... ok", &format!("test refs::c ... ok\n{skip}"));
    let interleaved = GOOD.replace("refs::c ... ok", &format!("refs::c ... {skip}\nok"));
    for log in [&said, &interleaved] {
        let (passed, text) = summary_where(true, log, MAIN, &FILES);
        assert!(passed && text.contains(&format!("\n{skip}\n")), "{text}");
        assert!(text.ends_with("4 passed, 0 failed, 1 skipped (1 for want of reference data)\n"), "{text}");
        let (passed, text) = summary_where(false, log, MAIN, &FILES);
        assert!(!passed && text.contains(&format!("FAILED: skipped case: {skip}")), "{text}");
    }
    for other in ["skipped: docker-registry is not installed", "skipped: no reference data"] {
        let log = said.replace("test refs::c ... ok", &format!("test refs::c ... ok\n{other}"));
        let (passed, text) = summary_where(true, &log, MAIN, &FILES);
        assert!(!passed && text.contains(&format!("FAILED: skipped case: {other}")), "{text}");
        assert!(text.contains("2 skipped (1 for want of reference data)"), "{text}");
    }
    let (passed, text) = summary_where(true, GOOD, MAIN, &FILES);
    assert!(passed && text.ends_with(" 0 skipped\n"), "{text}");
}

#[test]
fn a_file_that_is_no_module_fails() {
    let (passed, text) = summary(GOOD, MAIN, &["refs.rs", "registry.rs", "support.rs", "forgotten.rs"]);
    assert!(!passed && text.contains("tests/it/forgotten is in no `mod` line"), "{text}");
}

/// What a check downloads besides crates and Debian's packages is pinned by digest, and comes from no
/// particular machine.
#[test]
fn what_is_installed_is_pinned() {
    let here = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let linters = here(".ci/lint.txt").replace("\\\n", " ");
    let linters: Vec<&str> = linters.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(linters.len(), 2);
    for line in linters {
        assert!(line.contains("==") && line.matches("--hash=sha256:").count() == 2, "{line}");
    }
    let lock: serde_json::Value = serde_json::from_str(&here("tests/emulate/package-lock.json")).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    assert!((2..10).contains(&packages.len()), "{} packages", packages.len());
    for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        assert!(package["integrity"].as_str().unwrap().starts_with("sha512-"), "{path}");
        assert!(package.get("resolved").is_none() && package.get("link").is_none(), "{path}");
    }
    assert_eq!(lock["packages"]["node_modules/emulate"]["version"], "0.11.2");
    let run = here(".ci/run");
    for line in ["target/ci/lint/bin/actionlint\n", "target/ci/lint/bin/zizmor --offline", "npm ci", "--require-hashes"]
    {
        assert!(run.contains(line), "{line}");
    }
}
