//! Twice the tree takes twice the instructions, and no more: counted by valgrind, so that nobody's load shows.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{COMMANDS, command};
use crate::support::say;
use crate::support::sized::Size;

/// The commands that are counted: valgrind takes fifty times the time.
const COUNTED: [&str; 2] = ["lint", "rewrite"];

/// The instructions of the program, in all of its threads (`summary:` in callgrind's output).
fn instructions(words: &[&str], tree: &Path) -> u64 {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("callgrind.out");
    let file = format!("--callgrind-out-file={}", out.display());
    let first = ["valgrind", "--tool=callgrind", "--quiet", &file];
    let output = command(&first, words, tree, home.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{words:?}: {}\n{said}", output.status);
    let text = std::fs::read_to_string(out).unwrap();
    let totals = text.lines().find_map(|line| line.strip_prefix("summary:").or_else(|| line.strip_prefix("totals:")));
    totals.unwrap().trim().parse().unwrap()
}

#[test]
fn twice_the_tree_takes_twice_the_instructions() {
    let valgrind = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if valgrind.is_err() {
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        say(format_args!("skipped: {test}: valgrind is not installed (Debian: apt-get install valgrind)"));
        assert_ne!(std::env::var("SEALIFT_REQUIRE_PEERS").as_deref(), Ok("1"), "valgrind is required here");
        return;
    }
    // Every kind of work but compressing, which is another's: they read references, look into all files, and edit.
    let commands = COMMANDS.into_iter().filter(|(name, _)| COUNTED.contains(name));
    let commands: Vec<_> = commands.collect();
    let counts = [1, 2, 3].map(|size| {
        let dir = tempfile::tempdir().unwrap();
        Size(size).write(dir.path());
        commands.iter().map(|(_, words)| instructions(words, dir.path())).collect::<Vec<_>>()
    });
    for (at, (name, _)) in commands.iter().enumerate() {
        let [one, two, three] = counts.each_ref().map(|count| count[at] as f64);
        // Whatever is done once falls out: the third part must cost what the second did.
        let ratio = (three - two) / (two - one);
        let line = format!("{name}: {one}, {two}, {three} instructions; the third part costs {ratio:.2} × the second");
        println!("{line}");
        assert!((0.7..1.3).contains(&ratio), "{line}");
    }
}
