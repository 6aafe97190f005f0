//! Ten times the tree takes hardly more memory: files are read one after the other.

use std::path::Path;
use std::time::Duration;

use super::{COMMANDS, command};
use crate::support::sized::{REAL, Size};

/// Peak resident memory at ten times the tree, to that at one.
const MOST: f64 = 1.25;

/// Bytes of a process at their most (VmHWM, proc(5)), looked at until it ends: it only ever rises.
fn peak(words: &[&str], tree: &Path) -> u64 {
    let home = tempfile::tempdir().unwrap();
    let mut child = command(&[], words, tree, home.path()).stderr(std::process::Stdio::inherit()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or_default() * 1024);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(matches!(status.code(), Some(0 | 5)), "{words:?}: {status}");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A tenth of a real release's tree, and all of it: `cargo bench` shows the same for ten of them, which would
/// take too long here.
#[test]
fn ten_times_the_tree_takes_hardly_more_memory() {
    let [one, ten] = [Size(REAL.0 / 10), REAL].map(|size| {
        let dir = tempfile::tempdir().unwrap();
        size.write(dir.path());
        COMMANDS.map(|(_, words)| peak(words, dir.path()))
    });
    let mut over = Vec::new();
    for (at, (name, _)) in COMMANDS.iter().enumerate() {
        let ratio = ten[at] as f64 / one[at] as f64;
        let line = format!(
            "{name}: {:.1} MB, ten times the tree {:.1} MB: {ratio:.2}",
            one[at] as f64 / 1e6,
            ten[at] as f64 / 1e6
        );
        println!("{line}");
        assert!(one[at] > 1_000_000, "nothing was measured: {line}");
        over.extend((ratio > MOST).then_some(line));
    }
    assert!(over.is_empty(), "more than {MOST} times:\n{}", over.join("\n"));
}
