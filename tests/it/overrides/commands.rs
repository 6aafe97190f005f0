//! The commands: where data and talk go, exit codes, files whole or not at all.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::sandbox::Sandbox;

const TABLE: &str = "t:\n- {name: nginx, newName: b}\n";
const MANIFEST: &str = "containers: [{image: nginx:1}]\n";

struct Place(Sandbox);

impl Place {
    /// A folder with a table and a manifest.
    fn new() -> Self {
        let place = Self(Sandbox::new());
        place.write("t.yaml", TABLE);
        place.write("m.yaml", MANIFEST);
        place
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.0.write(&self.0.path("home"), name, content);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path("home").join(name)).unwrap()
    }

    fn run(&self, words: &str, input: &str, code: i32) -> (String, String) {
        let mut command = self.0.command(env!("CARGO_BIN_EXE_sealift"), &self.0.path("home"));
        command.arg("overrides").args(words.split_whitespace());
        self.ran(command, input, code, words)
    }

    fn ran(&self, mut command: std::process::Command, input: &str, code: i32, words: &str) -> (String, String) {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It may have ended without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(status.code(), Some(code), "{words}\n{stdout}{stderr}");
        (stdout, stderr)
    }
}

#[test]
fn manifests_go_to_standard_output_and_the_report_to_standard_error() {
    let place = Place::new();
    let expected = "containers: [{image: b:1}]\n";
    for words in
        ["apply --table t.yaml --key t", "apply --table t.yaml --key t -", "apply --table t.yaml --key t m.yaml"]
    {
        let (out, err) = place.run(words, MANIFEST, 0);
        assert_eq!(out, expected, "{words}");
        assert!(err.ends_with("1 of 1 image in 1 document rewritten\n"), "{err}");
    }
    let (out, err) = place.run("apply --table t.yaml --key t --quiet", MANIFEST, 0);
    assert_eq!((out.as_str(), err.as_str()), (expected, ""));
    let (_, err) = place.run("apply --table t.yaml --key t -v m.yaml", "", 0);
    assert!(err.contains("m.yaml:1:22  ?/?  nginx:1 -> b:1\n"), "{err}");
    let (out, err) = place.run("apply --table t.yaml --key t --format json m.yaml", "", 0);
    let report: Value = serde_json::from_str(&err).unwrap();
    assert_eq!(
        (out.as_str(), &report["ended"], &report["entries"][0]["images"]),
        (expected, &"applied".into(), &1.into())
    );
    assert_eq!(report["files"][0]["edits"][0]["new"], "b:1");
    let (_, err) = place.run("apply --table t.yaml --key t --format markdown m.yaml", "", 0);
    assert!(err.contains("| `0` | `1` | `nginx` | `b` |"), "{err}");
    assert_eq!(place.read("m.yaml"), MANIFEST);
}

#[test]
fn several_files_are_one_stream_of_the_same_documents() {
    let place = Place::new();
    place.write("a.yaml", "a: 1");
    place.write("b.yaml", "# b\n---\nb: 1\n");
    place.write("c.yaml", "%YAML 1.2\n---\nc: 1\n");
    place.write("d.yaml", "\n");
    let (out, _) = place.run("apply --table t.yaml --key t a.yaml m.yaml b.yaml c.yaml d.yaml -", "e: 1\n", 0);
    let expected = "a: 1\n---\ncontainers: [{image: b:1}]\n# b\n---\nb: 1\n...\n%YAML 1.2\n---\nc: 1\n\n---\ne: 1\n";
    assert_eq!(out, expected);
    assert_eq!(sealift::yaml::Yaml::parse(&out).unwrap().documents.len(), 5);
    place.write("marked.yaml", "\u{feff}a: 1\n");
    let (out, err) = place.run("apply --table t.yaml --key t a.yaml marked.yaml", "", 1);
    assert!(out.is_empty() && err.contains("marked.yaml: it begins with a byte order mark"), "{err}");
    place.run("apply --table t.yaml --key t marked.yaml a.yaml", "", 0);
    // What is kept is kept byte for byte, and is no stream with others where it isn't text.
    let latin = b"# caf\xe9\ncontainers: [{image: nginx:1}]";
    place.write("latin.yaml", latin);
    let kept = |files: &[&str]| {
        let mut command = place.0.command(env!("CARGO_BIN_EXE_sealift"), &place.0.path("home"));
        command.args(["overrides", "apply", "--table", "absent.yaml", "--missing", "keep"]).args(files);
        command.output().unwrap()
    };
    let alone = kept(&["latin.yaml"]);
    assert_eq!((alone.status.code(), alone.stdout.as_slice()), (Some(0), &latin[..]));
    for files in [["m.yaml", "latin.yaml"], ["latin.yaml", "m.yaml"]] {
        let joined = kept(&files);
        let err = String::from_utf8_lossy(&joined.stderr);
        assert!(joined.stdout.is_empty() && joined.status.code() == Some(1), "{err}");
        assert!(err.contains("latin.yaml:1:6: not UTF-8") && err.contains("hint: "), "{err}");
    }
    let both = kept(&["m.yaml", "a.yaml"]);
    assert_eq!(String::from_utf8_lossy(&both.stdout), format!("{MANIFEST}---\na: 1"));
}

#[test]
fn in_place_writes_what_changes_and_keeps_its_mode() {
    let place = Place::new();
    place.write("other.yaml", "a: 1\n");
    let path = place.0.path("home").join("m.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let untouched = fs::metadata(place.0.path("home").join("other.yaml")).unwrap().modified().unwrap();
    let (out, err) = place.run("apply --table t.yaml --key t --in-place m.yaml other.yaml", "", 0);
    assert!(out.ends_with("1 of 1 image in 2 documents rewritten, 1 file written\n") && err.is_empty(), "{out}{err}");
    assert_eq!(place.read("m.yaml"), "containers: [{image: b:1}]\n");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::metadata(place.0.path("home").join("other.yaml")).unwrap().modified().unwrap(), untouched);
    let (out, _) = place.run("apply --table t.yaml --key t --in-place m.yaml", "", 0);
    assert!(out.contains("0 of 1 image in 1 document rewritten, 0 files written"), "{out}");
}

#[test]
fn in_place_all_files_are_written_or_none() {
    let place = Place::new();
    let home = place.0.path("home");
    place.write("refused.yaml", "containers: [{image: &a nginx, x: *a}]\n");
    place.write("broken.yaml", "a: [\n");
    place.write("far/real.yaml", MANIFEST);
    symlink("far/real.yaml", home.join("link.yaml")).unwrap();
    for (file, code, word) in [
        ("refused.yaml", 5, "is shared by an alias with another field"),
        ("broken.yaml", 1, "not YAML"),
        ("absent.yaml", 1, "absent.yaml: can't be read"),
        ("far", 1, "far: can't be read"),
        ("link.yaml", 1, "it is a link"),
    ] {
        let (out, err) = place.run(&format!("apply --table t.yaml --key t --in-place m.yaml {file}"), "", code);
        assert!(format!("{out}{err}").contains(word), "{file}: {out}{err}");
        assert_eq!(place.read("m.yaml"), MANIFEST, "{file}");
    }
    assert_eq!(place.read("far/real.yaml"), MANIFEST);
    let left: Vec<_> = fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".sealift")), "{left:?}");
}

#[test]
fn nothing_comes_out_where_something_is_refused() {
    let place = Place::new();
    place.write("bad.yaml", "[{name: nginx, newTag: 1.20}, {name: a:1, newName: b}]\n");
    let (out, err) = place.run("apply --table bad.yaml", MANIFEST, 5);
    assert!(out.is_empty() && err.contains("2 errors in the table: nothing was written"), "{err}");
    let stream = format!("{MANIFEST}---\ncontainers: [{{image: 'nginx:1:2'}}, {{image: &i nginx, x: *i}}]\n");
    let (out, err) = place.run("apply --table t.yaml --key t", &stream, 5);
    assert!(out.is_empty() && err.contains("refused for 2 reasons: nothing was written"), "{err}");
    let (out, err) = place.run("apply --table t.yaml --key t --format json", &stream, 5);
    let report: Value = serde_json::from_str(&err).unwrap();
    assert!(out.is_empty() && report["ended"] == "refused" && report["problems"].as_array().unwrap().len() == 2);
    let (out, _) = place.run("apply --table t.yaml --key t", &format!("{MANIFEST}---\na: [\n"), 1);
    assert!(out.is_empty());
}

#[test]
fn a_missing_table_is_refused_or_kept_and_never_empty() {
    let place = Place::new();
    place.write("null.yaml", "t:\n");
    place.write("empty.yaml", "");
    for table in ["t.yaml --key nope", "null.yaml --key t", "empty.yaml", "absent.yaml"] {
        let (out, err) = place.run(&format!("apply --table {table}"), MANIFEST, 5);
        assert!(out.is_empty() && err.contains("there is no table of overrides"), "{table}: {err}");
        let (out, err) = place.run(&format!("apply --table {table} --missing keep"), MANIFEST, 0);
        assert!(out == MANIFEST && err.contains("the manifests are as they were"), "{table}: {err}");
        place.run(&format!("apply --table {table} --missing keep --in-place m.yaml"), "", 0);
        assert_eq!(place.read("m.yaml"), MANIFEST);
        let (out, _) = place.run(&format!("check {table}"), "", 5);
        assert!(out.contains("there is no table of overrides"), "{table}: {out}");
    }
    // A table that can't be read, or is something else, is not a missing one.
    place.run("apply --table t.yaml --missing keep", MANIFEST, 5);
    place.run("apply --table . --missing keep", MANIFEST, 1);
    place.write("none.yaml", "[]\n");
    let (out, _) = place.run("apply --table none.yaml", MANIFEST, 0);
    assert_eq!(out, MANIFEST);
}

#[test]
fn check_says_everything_on_standard_output() {
    let place = Place::new();
    let (out, err) = place.run("check t.yaml --key t", "", 0);
    assert_eq!((out.as_str(), err.as_str()), ("t.yaml: 1 entry, 0 warnings\n", ""));
    place.write("bad.yaml", "[{name: nginx, newTag: 1.20}, {name: a:1, newName: b}]\n");
    let (out, err) = place.run("check bad.yaml", "", 5);
    let expected = "error: [0].newTag: it must be a string, and `1.20` is read as the number 1.2
  at bad.yaml:1:24
  hint: quote it: newTag: \"1.20\"
error: [1].name: `a:1` must not carry a tag or a digest
  at bad.yaml:1:38
  hint: write `a`
bad.yaml: 2 errors in the table
";
    assert_eq!((out.as_str(), err.as_str()), (expected, ""));
    let (out, _) = place.run("check bad.yaml --format json", "", 5);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["valid"], &report["problems"][1]["rule"]), (&false.into(), &"tagged-name".into()));
    let (out, _) = place.run("check bad.yaml --format markdown", "", 5);
    assert!(out.contains("| `tagged-name` | `bad.yaml:1:38` |"), "{out}");
    let (out, _) = place.run("check t.yaml --key t --format json", "", 0);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["valid"], &report["entries"][0]["newName"]), (&true.into(), &"b".into()));
}

#[test]
fn words_that_do_not_fit_are_wrong_usage() {
    let place = Place::new();
    for words in [
        "apply",
        "check",
        "apply --table t.yaml --in-place",
        "apply --table t.yaml --in-place -",
        "apply --table t.yaml - -",
        "apply --table t.yaml --missing maybe",
        "check t.yaml --key a..b",
    ] {
        place.run(words, "", 2);
    }
}

#[test]
fn a_file_commands_no_runner() {
    let place = Place::new();
    let name = "::error::x.yaml";
    place.write(name, "- {name: \"a\\n::error::x\", newTag: \"\\e[2J##[set-env]:x\"}\n- {name: \"::error::y\", \"::error::z\\n\": 1}\n");
    place.write("::warning::m.yaml", "kind: \"::error::k\"\ncontainers:\n- image: \"nginx:\\n::error::x\"\n");
    let runs = [format!("check {name}"), "apply --table t.yaml --key t ::warning::m.yaml".to_owned()];
    for words in runs {
        for format in ["human", "json", "markdown"] {
            let mut command = place.0.command(env!("CARGO_BIN_EXE_sealift"), &place.0.path("home"));
            command.env("GITHUB_ACTIONS", "true").args(["overrides", "--format", format]).args(words.split(' '));
            let (out, err) = place.ran(command, "", 5, &words);
            let told = out + &err;
            assert!(!told.contains('\u{1b}') && !told.contains("##["), "{told}");
            for line in told.lines().filter(|line| line.trim_start().starts_with("::")) {
                let ours =
                    line.starts_with("::error file=%3A%3Aerror%3A%3Ax.yaml,line=") && line.contains(",title=sealift::");
                assert!(ours && format == "human", "{line}");
            }
        }
    }
}
