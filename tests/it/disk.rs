//! Disks that are full, read-only or not there: what is written is written whole, and messages say what to do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sealift::model::Digest;

use crate::support::pipelines::PLAIN;
use crate::support::sandbox::Sandbox;
use crate::support::world::{Case, World, shipped};

/// More than the limit of [`full`].
const LARGE: usize = 1 << 20;

/// A command to which the disk is full behind 64 KiB of any file: the system's own limit, whoever runs it.
fn full(sandbox: &Sandbox, words: &[&str]) -> Output {
    full_behind(128, sandbox, words)
}

/// The same behind so many blocks of 512 bytes.
fn full_behind(blocks: usize, sandbox: &Sandbox, words: &[&str]) -> Output {
    let mut command = sandbox.command("sh", &sandbox.path("home"));
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    command.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_sealift")]);
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
    put("p.yaml", PLAIN.to_owned());
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
fn on_a_full_disk_no_man_page_is_half_written() {
    let sandbox = world();
    let home = sandbox.path("home");
    sandbox.write(&home, "pages/sealift.1", "an older one");
    let before = files(&home);
    let output = full_behind(1, &sandbox, &["man", "pages"]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("pages: the man pages can't be written"), "{}", told(&output));
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

/// Where nobody can make a folder, whoever runs this: the system's own file system is not for files.
const READ_ONLY: &str = "/proc/sealift";

async fn promotion() -> World {
    let plain = shipped().into_iter().find(|shipped| shipped.pipeline.github().is_none()).unwrap();
    World::build(&Case::of(&plain)).await
}

/// The real binary over a world, with words and this cache.
fn over(world: &World, words: &[&str], cache: &str) -> Command {
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    command.args(words).args(["--cache", cache]).args(world.arguments());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cache_that_can_t_be_written_is_named_with_what_to_do() {
    let world = promotion().await;
    let rc = format!("v{}", world.rc);
    // A file stands where the folder would.
    let file = world.sandbox.path("file");
    std::fs::write(&file, "").unwrap();
    for cache in [READ_ONLY, &file.join("cache").display().to_string()] {
        let output = over(&world, &["plan", &rc], cache).output().unwrap();
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(cache) && told.contains("can't be made") && told.contains("--cache DIR"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_tmpdir_everything_works_that_needs_none() {
    let world = promotion().await;
    let (rc, nowhere) = (format!("v{}", world.rc), "/nowhere/at/all");
    let cache = world.sandbox.path("cache").display().to_string();
    for (words, code) in [(&["plan", &rc][..], 3), (&["run", &rc], 4), (&["plan", &rc], 4)] {
        let output = over(&world, words, &cache).env("TMPDIR", nowhere).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", told(&output));
    }
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), Path::new("/proc"));
    let output = command.arg("demo").env("TMPDIR", nowhere).output().unwrap();
    let text = told(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("no new folder can be made") && text.contains("sealift demo DIR"), "{text}");
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), Path::new("/proc"));
    command.args(["archive", "--tree"]).arg(world.clone_of("main")).arg("--pipeline").arg(&world.shipped.file);
    let output = command.env("TMPDIR", nowhere).output().unwrap();
    let text = told(&output);
    assert!(output.status.code() == Some(1) && text.contains("no place to spool the layer"), "{text}");
    assert!(text.contains("hint: set TMPDIR"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_on_a_full_disk_stops_and_goes_on_with_room() {
    let world = promotion().await;
    let (rc, cache) = (format!("v{}", world.rc), world.sandbox.path("cache").display().to_string());
    let (program, before) = (env!("CARGO_BIN_EXE_sealift"), world.snapshot());
    // Less than any object of git needs.
    let mut command = world.sandbox.command("sh", &world.sandbox.path("home"));
    command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh", program, "run", &rc, "--cache", &cache]);
    let output = command.args(world.arguments()).stdout(std::process::Stdio::piped()).output().unwrap();
    let text = told(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("error: "), "{text}");
    before.assert_same(&world.snapshot(), "nothing was written anywhere");
    let output = over(&world, &["run", &rc], &cache).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", told(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_share_a_cache() {
    let world = promotion().await;
    let (rc, cache) = (format!("v{}", world.rc), world.sandbox.path("cache").display().to_string());
    let at_once = |words: &[&str]| -> Vec<Output> {
        let spawn = |_| {
            let mut command = over(&world, words, &cache);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..4).map(spawn).collect();
        children.into_iter().map(|child| child.wait_with_output().unwrap()).collect()
    };
    // From an empty cache on: all of them make it.
    for code in [3, 4] {
        let outputs = at_once(&["plan", &rc, "--format", "json"]);
        for output in &outputs {
            assert_eq!(output.status.code(), Some(code), "{}", told(output));
            assert_eq!(output.stdout, outputs[0].stdout, "they see the same");
        }
        if code == 3 {
            // One of them may find that another was faster; what was made is whole all the same.
            let ran = at_once(&["run", &rc]);
            let all: String = ran.iter().map(|output| format!("{}: {}\n", output.status, told(output))).collect();
            assert!(ran.iter().any(|output| output.status.code() == Some(4)), "{all}");
            assert!(ran.iter().all(|output| matches!(output.status.code(), Some(1 | 4))), "{all}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["stores"], "what was spooled is gone");
}
