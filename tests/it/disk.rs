//! Disks that are full, read-only or not there: what is written is written whole, and messages say what to do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sealift::model::Digest;

use crate::support::sandbox::Sandbox;

const PIPELINE: &str = "\
name: shop
repository: https://git.example/shop
root: packages
identity: {name: shop-release, email: release@shop.example}
references: {owned: [registry.example/org/own]}
artifact: {repository: registry.example/org/own/own-packages, source: https://git.example/shop}
installer: {values: core/installer/values.yaml, url_key: sourceUrl, ref_key: sourceRef}
";

/// More than the limit of [`full`].
const LARGE: usize = 1 << 20;

/// A command to which the disk is full behind 64 KiB of any file: the system's own limit, whoever runs it.
fn full(sandbox: &Sandbox, words: &[&str]) -> Output {
    let mut command = sandbox.command("sh", &sandbox.path("home"));
    command.args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_sealift")]);
    command.args(words).output().unwrap()
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Every file below a folder, those that a command may have left beside them too.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut todo) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => todo.push(path),
                false => found.push((path.clone(), std::fs::read(&path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

/// A tree whose second file is large, and manifests that are so.
fn world() -> Sandbox {
    let sandbox = Sandbox::new();
    let home = sandbox.path("home");
    let put = |name: &str, text: String| sandbox.write(&home, name, text);
    put("p.yaml", PIPELINE.to_owned());
    put("built.json", "[]".to_owned());
    put("t.yaml", "[{name: nginx, newName: b}]\n".to_owned());
    let padding = format!("# {}\n", "x".repeat(LARGE));
    for (tree, digest) in [("tree", Digest::of(b"old")), ("other", Digest::of(b"new"))] {
        for (name, padding) in [("a", ""), ("b", padding.as_str()), ("c", "")] {
            let text = format!("{padding}image: registry.example/org/own/{name}:v1.0.0-rc.1@{digest}\n");
            put(&format!("{tree}/packages/x/{name}/values.yaml"), text);
        }
    }
    put("m/a.yaml", "containers: [{image: nginx}]\n".to_owned());
    put("m/b.yaml", format!("{padding}containers: [{{image: nginx}}]\n"));
    sandbox
}

#[test]
fn on_a_full_disk_all_files_of_an_edit_are_written_or_none() {
    for (words, named) in [
        ("rewrite --pipeline p.yaml --tree tree --rc 1.0.0-rc.1", "packages/x/b/values.yaml: can't be written"),
        (
            "overlay --pipeline p.yaml --onto tree --from other --built built.json --nothing-edited",
            "packages/x/b/values.yaml: can't be written",
        ),
        ("overrides apply --table t.yaml --in-place m/a.yaml m/b.yaml", "m/b.yaml: can't be written"),
    ] {
        let sandbox = world();
        let before = files(&sandbox.path("home"));
        let words: Vec<&str> = words.split(' ').collect();
        let output = full(&sandbox, &words);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(named) && told.contains("every file is as it was"), "{told}");
        assert!(told.contains("File too large"), "{told}");
        assert!(files(&sandbox.path("home")) == before, "{words:?}: {told}");
        // With room it is done, by the same command.
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_sealift"), &sandbox.path("home"));
        let output = command.args(&words).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let after = files(&sandbox.path("home"));
        let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        assert_eq!(names(&after), names(&before), "nothing is left beside them");
        assert!(after.iter().zip(&before).filter(|(a, b)| a.1 != b.1).count() >= 2);
    }
}

#[test]
fn on_a_full_disk_a_file_keeps_what_it_had() {
    let sandbox = world();
    let home = sandbox.path("home");
    sandbox.write(&home, "layer.tgz", "an older one");
    // What doesn't compress, so that the layer is as large.
    let noise: String = (0..8_192u32).map(|n| Digest::of(&n.to_le_bytes()).hex()).collect();
    sandbox.write(&home, "tree/packages/x/a/noise.txt", noise);
    let before = files(&home);
    let output = full(&sandbox, &["archive", "--pipeline", "p.yaml", "--tree", "tree", "--output", "layer.tgz"]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("File too large"), "{}", told(&output));
    assert!(files(&home) == before, "{}", told(&output));
}

#[test]
fn an_output_may_be_named_by_a_link_and_must_be_a_file() {
    let sandbox = world();
    let home = sandbox.path("home");
    let run = |output: &str| -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealift"));
        command.current_dir(&home).args(["archive", "--pipeline", "p.yaml", "--tree", "tree", "--output", output]);
        let output = command.output().unwrap();
        (output.status.code().unwrap(), told(&output))
    };
    sandbox.write(&home, "kept/layer.tgz", "an older one");
    std::os::unix::fs::symlink("kept/layer.tgz", home.join("link.tgz")).unwrap();
    assert_eq!(run("link.tgz").0, 0);
    assert!(home.join("link.tgz").is_symlink());
    assert!(std::fs::read(home.join("kept/layer.tgz")).unwrap().starts_with(&[0x1f, 0x8b]));
    let (code, told) = run("/dev/null");
    assert!(code == 1 && told.contains("/dev/null: can't be written") && told.contains("not a regular file"), "{told}");
    assert_eq!(run("kept").0, 1);
}
