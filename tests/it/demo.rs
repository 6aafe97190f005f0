//! `sealift demo`, by the real binary, as a stranger meets it: what it prints is typed and must work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::sandbox::Sandbox;

const BINARY: &str = env!("CARGO_BIN_EXE_sealift");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command and gives its exit code, stdout and stderr.
fn ended(mut command: Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code().unwrap(), text(&stdout), text(&stderr))
}

fn sealift(sandbox: &Sandbox, args: &[&str]) -> (i32, String, String) {
    let mut command = sandbox.command(BINARY, &sandbox.path("home"));
    command.args(args).env("TMPDIR", sandbox.path("home"));
    ended(command)
}

/// Makes a demo in `x`; panics with its words where it doesn't end as it should.
fn demo(sandbox: &Sandbox, args: &[&str]) -> (PathBuf, String) {
    let dir = sandbox.path("x");
    let place = dir.to_string_lossy().into_owned();
    let (code, out, err) = sealift(sandbox, &[&["demo", place.as_str()], args].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.lines().last(), Some(place.as_str()));
    (dir, out)
}

/// The lines to type below a heading: indented by four.
fn typed(out: &str, heading: &str) -> Vec<String> {
    let (_, section) = out.split_once(heading).unwrap_or_else(|| panic!("no `{heading}` in:\n{out}"));
    let section = section.split("\n== ").next().unwrap();
    section.lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

/// Types a line into a shell that has git, a HOME, and no identity but a repository's own.
fn sh(sandbox: &Sandbox, line: &str) -> (i32, String, String) {
    let mut command = sandbox.command("sh", &sandbox.path("home"));
    for key in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env_remove(key);
    }
    command.args(["-e", "-c", line]);
    ended(command)
}

/// Every file of a demo but the cache, with its bytes; links with their targets.
fn snapshot(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path == dir.join("cache") {
                continue;
            }
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                files.insert(path.clone(), fs::read_link(&path).unwrap().to_string_lossy().into_owned().into_bytes());
            } else {
                files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// The tags of a repository's layout, with their digests.
fn tags(dir: &Path, repository: &str) -> BTreeMap<String, String> {
    let layout = dir.join("registry").join(repository);
    let index: Value = serde_json::from_slice(&fs::read(layout.join("index.json")).unwrap()).unwrap();
    let manifests = index["manifests"].as_array().unwrap().iter();
    let tag = |manifest: &Value| {
        let name = manifest["annotations"]["org.opencontainers.image.ref.name"].as_str()?.to_owned();
        Some((name, manifest["digest"].as_str().unwrap().to_owned()))
    };
    manifests.filter_map(tag).collect()
}

fn manifest(dir: &Path, repository: &str, digest: &str) -> Value {
    let hex = digest.strip_prefix("sha256:").unwrap();
    let blob = dir.join("registry").join(repository).join("blobs/sha256").join(hex);
    serde_json::from_slice(&fs::read(blob).unwrap()).unwrap()
}

/// The references of a revision of the demo's repository.
fn references(sandbox: &Sandbox, dir: &Path, revision: &str) -> Vec<Value> {
    let (pipeline, origin) = (dir.join("pipeline.yaml"), dir.join("origin.git"));
    let (pipeline, origin) = (pipeline.to_string_lossy(), origin.to_string_lossy());
    let args = ["refs", "list", "--pipeline", &pipeline, "--repo", &origin, "--tree", revision, "--format", "json"];
    let (code, out, err) = sealift(sandbox, &args);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

/// Judges the finished world by git and by the layouts' files alone.
fn check_promoted(sandbox: &Sandbox, dir: &Path) {
    let mut images = 0;
    for found in references(sandbox, dir, "release-1.4.2-rc.1") {
        let class = found["class"].as_str().unwrap();
        let owned = matches!(class, "version-line" | "component-versioned");
        let (Some(repository), Some(tag)) = (found["repository"].as_str(), found["tag"].as_str()) else { continue };
        if !owned {
            continue;
        }
        let stable = if class == "version-line" { tag.strip_suffix("-rc.1").unwrap() } else { "v1.4.2" };
        let tags = tags(dir, repository);
        let digest = found["digest"].as_str().unwrap();
        assert_eq!(tags.get(stable).map(String::as_str), Some(digest), "{repository}:{stable}");
        if let Some(own) = tags.get("v1.4.2") {
            assert_eq!(tags.get("latest"), Some(own), "{repository}:latest");
        }
        let index = manifest(dir, repository, digest);
        let platforms: Vec<_> = index["manifests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["platform"]["architecture"].as_str().unwrap())
            .collect();
        assert_eq!(platforms, ["amd64", "arm64"]);
        images += 1;
    }
    assert_eq!(images, 17, "references to owned images");
    let packages = tags(dir, "registry.example/shop/packages");
    assert_eq!(packages["v1.4.2"], packages["latest"]);
    let chart = tags(dir, "registry.example/shop/installer");
    assert_eq!(chart["1.4.2"], chart["latest"]);

    let origin = dir.join("origin.git");
    let git = |args: &[&str]| sandbox.git(&origin, args);
    let merge = git(&["rev-parse", "release-1.4"]);
    assert_eq!(git(&["cat-file", "-t", "v1.4.2"]), "tag");
    assert_eq!(git(&["rev-parse", "v1.4.2^{commit}"]), merge);
    assert_eq!(git(&["rev-parse", "api/v1.4.2^{commit}"]), merge);
    assert_eq!(git(&["rev-parse", "release-1.4^2"]), git(&["rev-parse", "release-1.4.2"]));
    assert_eq!(git(&["log", "-1", "--format=%s", "main"]), "platform: a first tenant");
    let pin = git(&["show", "v1.4.2:packages/core/installer/values.yaml"]);
    assert!(pin.contains(&format!("platformSourceRef: 'digest={}'", packages["v1.4.2"])), "{pin}");
    let changed = git(&["diff", "--name-only", "release-1.4.2-rc.1", "v1.4.2"]);
    for decoy in ["go.sum", "README.md", "charts/", "cache/values", "storage/"] {
        assert!(!changed.contains(decoy), "{decoy} was touched:\n{changed}");
    }
    let crlf = git(&["show", "v1.4.2:packages/apps/legacy/values.yaml"]);
    assert!(crlf.contains("legacy:v1.4.2@") && crlf.lines().count() == 3 && crlf.matches("\r\n").count() == 2);
}

/// What the README shows of the refused plan is what it prints; digests in errors are cut there.
fn readme_shows(refused: &str) {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, shown) = readme.split_once("$ sealift plan v1.5.0-rc.1 ").unwrap();
    let lines = shown.split("```").next().unwrap().lines().skip(1);
    assert!(lines.clone().count() > 10);
    for line in lines {
        let cut: Vec<&str> = line.split('…').collect();
        let printed = refused.lines().any(|printed| {
            let mut rest = Some(printed);
            cut.iter().for_each(|part| rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, rest)| rest));
            rest.is_some()
        });
        assert!(printed, "the README's line `{line}` is not in:\n{refused}");
    }
}

#[test]
fn runs_to_the_end_and_names_three_commands_that_work() {
    let sandbox = Sandbox::new();
    let (dir, out) = demo(&sandbox, &[]);
    check_promoted(&sandbox, &dir);
    let before = snapshot(&dir);
    let commands = typed(&out, "Try next");
    let [again, status, refused] = commands.as_slice() else { panic!("{commands:?}") };
    for (command, code, says) in [
        (again, 0, "Everything holds"),
        (status, 0, "finalize  holds"),
        (refused, 5, "v1.5.0 is spent: registry.example/shop/api:v1.5.0 already names"),
    ] {
        let (ended, out, err) = sh(&sandbox, command);
        assert_eq!(ended, code, "{command}\n{out}{err}");
        assert!(format!("{out}{err}").contains(says), "{command}\n{out}{err}");
        assert!(snapshot(&dir) == before, "{command} wrote something");
        if code == 5 {
            let plan = command.replacen(" run ", " plan ", 1);
            let (ended, out, err) = sh(&sandbox, &plan);
            assert_eq!(ended, code, "{plan}\n{out}{err}");
            readme_shows(&format!("{out}{err}"));
        }
    }
    let (_, again) = demo(&sandbox, &[]);
    assert!(again.contains("Nothing is made again") && again.contains("promoted already"), "{again}");
    assert_eq!(typed(&again, "Try next"), commands);
    assert!(snapshot(&dir) == before, "a second demo wrote something");
}

#[test]
fn a_reader_merges_with_git_and_resumes() {
    let sandbox = Sandbox::new();
    let (dir, out) = demo(&sandbox, &["--stop-at-wait"]);
    let mut merge = typed(&out, "A person merges");
    let resume = merge.pop().unwrap();
    assert!(merge[0].starts_with("cd ") && merge.iter().skip(1).all(|line| line.starts_with("git ")), "{merge:?}");
    let (code, _, err) = sh(&sandbox, &merge.join("\n"));
    assert_eq!(code, 0, "{merge:?}\n{err}");
    let author = sandbox.git(&dir.join("origin.git"), &["log", "-1", "--format=%an", "release-1.4"]);
    assert_eq!(author, "Demo Maintainer");
    let (code, out, err) = sh(&sandbox, &resume);
    assert_eq!(code, 0, "{resume}\n{out}{err}");
    check_promoted(&sandbox, &dir);
}

#[test]
fn goes_on_where_it_stands() {
    let sandbox = Sandbox::new();
    demo(&sandbox, &["--stop-at-wait"]);
    let (_, waiting) = demo(&sandbox, &["--stop-at-wait"]);
    assert!(waiting.contains("That is left to you"), "{waiting}");
    let (dir, out) = demo(&sandbox, &[]);
    assert!(out.contains("Nothing is made again") && !out.contains("create-ref refs/heads/release-1.4.2 "), "{out}");
    check_promoted(&sandbox, &dir);
}

#[test]
fn two_demos_are_the_same_even_when_one_was_cut_off() {
    let (one, two) = (Sandbox::new(), Sandbox::new());
    demo(&one, &[]);
    // As a demo leaves it that was killed while it made the world.
    fs::create_dir_all(two.path("x/work")).unwrap();
    fs::create_dir_all(two.path("x/registry/registry.example/shop")).unwrap();
    fs::write(two.path("x/.sealift-demo"), "sealift demo, format 1\nbeing made\n").unwrap();
    demo(&two, &[]);
    let refs = |sandbox: &Sandbox| {
        sandbox
            .git(&sandbox.path("x/origin.git"), &["for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"])
    };
    assert_eq!(refs(&one), refs(&two));
    assert!(refs(&one).contains("refs/sealift/v1.4.2 "));
    let shop = fs::read_dir(one.path("x/registry/registry.example/shop")).unwrap();
    let repositories: Vec<_> = shop.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(repositories.len(), 15);
    for name in repositories {
        let repository = format!("registry.example/shop/{name}");
        assert_eq!(tags(&one.path("x"), &repository), tags(&two.path("x"), &repository), "{repository}");
    }
}

#[test]
fn a_folder_that_is_not_a_demos_is_left_alone() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("x/deep")).unwrap();
    fs::write(sandbox.path("x/deep/letter"), "dear").unwrap();
    fs::write(sandbox.path("file"), "mine").unwrap();
    let newer = sandbox.path("newer");
    fs::create_dir(&newer).unwrap();
    fs::write(newer.join(".sealift-demo"), "sealift demo, format 2\nready\n").unwrap();
    let before = snapshot(&sandbox.path("x"));
    for (name, says) in
        [("x", "is not empty, and not a demo's own"), ("file", "can't be used"), ("newer", "another version")]
    {
        let (code, out, err) = sealift(&sandbox, &["demo", &sandbox.path(name).to_string_lossy()]);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.starts_with("error: ") && err.contains(says) && err.contains("\n  hint: "), "{err}");
    }
    assert_eq!(snapshot(&sandbox.path("x")), before);
    assert_eq!(fs::read(sandbox.path("file")).unwrap(), b"mine");
}

#[test]
fn without_a_folder_and_without_a_home() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(BINARY, &sandbox.path("home"));
    command.arg("demo").env_remove("HOME").env("TMPDIR", sandbox.path("home"));
    let (code, out, err) = ended(command);
    assert_eq!(code, 0, "{out}{err}");
    let dir = PathBuf::from(out.lines().last().unwrap());
    assert!(dir.starts_with(sandbox.path("home")) && dir.join("pipeline.yaml").is_file(), "{out}");
    let again = &typed(&out, "Try next")[0];
    let (code, _, err) = sh(&sandbox, &format!("unset HOME\n{again}"));
    assert_eq!(code, 0, "{again}\n{err}");
}

#[test]
fn credentials_of_other_places_are_not_read() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("home/.docker")).unwrap();
    fs::write(sandbox.path("home/.docker/config.json"), "not JSON").unwrap();
    let (dir, _) = demo(&sandbox, &[]);
    // Where they are read, such a file stops everything.
    let (code, _, err) = sealift(&sandbox, &["status", "--pipeline", &dir.join("pipeline.yaml").to_string_lossy()]);
    assert!(code == 1 && err.contains(".docker/config.json"), "{err}");
}

#[test]
fn data_stays_data() {
    let sandbox = Sandbox::new();
    let place = sandbox.path("x").to_string_lossy().into_owned();
    let (code, out, err) = sealift(&sandbox, &["demo", &place, "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ends: Vec<_> = events.iter().filter(|e| e["event"] == "end").map(|e| e["state"].as_str().unwrap()).collect();
    assert_eq!(ends, ["work", "waiting", "holds", "holds"]);
    assert!(err.contains("Try next") && err.trim_end().ends_with(&place), "{err}");
}

/// Each command on a demo's world, with its exit code and something it says.
#[test]
fn every_command_on_a_demos_world() {
    let sandbox = Sandbox::new();
    let (dir, _) = demo(&sandbox, &["--stop-at-wait"]);
    let pipeline = dir.join("pipeline.yaml").to_string_lossy().into_owned();
    let origin = dir.join("origin.git").to_string_lossy().into_owned();
    let clone = sandbox.path("clone").to_string_lossy().into_owned();
    sandbox.git(&dir, &["clone", "--quiet", "--branch=release-1.4.2-rc.1", &origin, &clone]);
    let other_clone = sandbox.path("other-clone").to_string_lossy().into_owned();
    sandbox.git(&dir, &["clone", "--quiet", "--branch=release-1.4.2-rc.1", &origin, &other_clone]);
    let other_seal = format!("sha256:{}", "0".repeat(64));
    for (line, code, says) in [
        ("status", 4, "/sealift resume v1.4.2 --pipeline /"),
        ("plan v1.4.2-rc.1", 4, "point of no return"),
        ("plan v1.4.2-rc.1 --format json", 4, "\"state\":\"waiting\""),
        ("plan v1.4.2-rc.1 --format markdown", 4, "## Promotion of `v1.4.2-rc.1` to `v1.4.2`: waits"),
        ("run v1.4.2-rc.1", 4, "git merge --no-ff --no-edit origin/release-1.4.2"),
        ("run v1.4.2-rc.1 --until propose", 0, "What was asked for holds."),
        ("run v1.4.2-rc.1 --until propose --format markdown", 0, "| propose | holds |"),
        ("run v1.4.2-rc.1 --until nowhere", 2, "[possible values: gate, "),
        ("run v1.4.2-rc.1 --plan OTHER", 5, "this is not the promotion that was reviewed"),
        ("verify v1.4.2", 0, "what the prospective merge holds"),
        ("verify v1.5.0-rc.1", 4, "there is no staging branch to verify yet"),
        ("run v1.4.2", 4, "  left  wait, "),
        ("run v1.4", 2, "`v1.4` is not a release candidate"),
        ("plan v1.5.0-rc.1", 5, "hint: a published tag is never moved: release v1.5.1 instead"),
        ("plan v1.5.0-rc.1 --format json", 5, "\"refusals\":[{"),
        ("status v1.9.0", 5, "no promotion of v1.9.0 is under way"),
        ("abandon v1.5.0-rc.1", 0, "release-1.5.0 does not exist"),
        ("abandon v1.4.2", 0, "delete-ref refs/heads/release-1.4.2"),
        ("status", 0, "Nothing is under way."),
        ("plan v1.4.2-rc.1", 3, "create-ref refs/heads/release-1.4.2"),
        ("run v1.4.2-rc.1 --until commit", 0, "/sealift resume v1.4.2-rc.1 --pipeline /"),
        ("refs list --repo ORIGIN --tree main", 0, "digest-in-tag+registry"),
        ("refs list --repo ORIGIN --tree main --format markdown", 0, "| `third-party` | "),
        ("refs list --repo ORIGIN --tree nowhere", 1, "caused by: `nowhere` names no commit"),
        ("refs census --repo ORIGIN --tree main", 0, "none unclaimed"),
        ("refs census --repo ORIGIN --tree main --format json", 0, "\"excluded\":[]"),
        ("refs census --repo ORIGIN --tree main --format markdown", 0, "| `unclaimed` | `0` |"),
        ("archive --repo ORIGIN --tree main", 0, "manifest sha256:"),
        ("archive --repo ORIGIN --tree main --format markdown", 0, "| `diffId` | `sha256:"),
        ("archive --tree CLONE --format json", 0, "{\"diffId\":\"sha256:"),
        ("rewrite --tree CLONE --rc v1.4.2-rc.1 --format markdown", 0, "/legacy/values.yaml` | `1` |"),
        ("rewrite --tree OTHER-CLONE --rc v1.4.2-rc.1", 0, "13 files, 15 lines"),
        ("rewrite --tree CLONE --rc v1.4.2-rc.1", 5, "hint: name the candidate whose tags the tree carries"),
    ] {
        let words = line
            .replace("ORIGIN", &origin)
            .replace("OTHER-CLONE", &other_clone)
            .replace("CLONE", &clone)
            .replace("OTHER", &other_seal);
        let mut args: Vec<&str> = words.split(' ').collect();
        args.extend(["--pipeline", &pipeline]);
        let (ended, out, err) = sealift(&sandbox, &args);
        assert_eq!(ended, code, "{line}\n{out}{err}");
        assert!(format!("{out}{err}").contains(says), "{line} doesn't say {says}:\n{out}{err}");
        if line.ends_with("json") {
            let whole = serde_json::from_str::<Value>(&out).is_ok();
            assert!(whole || out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{line}\n{out}");
        }
    }
    for (args, code, says) in [
        (["check", pipeline.as_str(), "--format=human"], 0, "is well-formed"),
        (["check", pipeline.as_str(), "--format=markdown"], 0, "| `demo` | `yes` |"),
        (["check", "nowhere.yaml", "--format=human"], 1, "caused by: No such file"),
    ] {
        let (ended, out, err) = sealift(&sandbox, &args);
        assert!(ended == code && format!("{out}{err}").contains(says), "{args:?}\n{out}{err}");
    }
}

/// `docs/demo.svg` is drawn by a script from what the demo prints.
#[test]
fn the_recording_in_the_docs_is_what_it_prints() {
    let sandbox = Sandbox::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/record-demo");
    if Command::new("python3").arg("--version").output().is_err() {
        crate::support::say(format_args!("skipped: python3 is not installed (Debian: apt-get install python3)"));
        assert_ne!(std::env::var("SEALIFT_REQUIRE_PEERS").as_deref(), Ok("1"), "python3 is required here");
        return;
    }
    let mut record = sandbox.command("python3", &sandbox.path("home"));
    record.arg(script).args([BINARY, "--check"]).env("LC_ALL", "C.UTF-8");
    let (code, out, err) = ended(record);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
}
