//! What people use today for the same work, in the same run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::measure::{Measured, timed};
use super::support::sized;
use super::table::seconds;

/// Runs of a peer; the fastest counts.
const RUNS: usize = 3;

/// Whether a program is there.
pub fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The peer of a case on a directory.
pub fn of_tree(case: &str, dir: &Path, measured: &Measured) -> Option<String> {
    let (name, programs, script) = match case {
        "survivors" => ("`grep -rF`", vec!["grep"], "grep -rF -- \"$1\" . >/dev/null"),
        "archive" => ("`tar | gzip -6`", vec!["tar", "gzip"], "tar -cf - . | gzip -6 >/dev/null"),
        _ => return None,
    };
    if let Some(missing) = programs.into_iter().find(|program| !installed(program)) {
        return Some(format!("{missing} is not installed"));
    }
    let run = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh", sized::RC]).current_dir(dir.join(sized::ROOT)).env("LC_ALL", "C");
        let (status, time) = timed(|| shell.stdin(Stdio::null()).status().unwrap());
        assert!(status.success(), "{script}");
        time
    };
    let best = (0..RUNS).map(|_| run()).min().unwrap();
    Some(against(name, best, measured))
}

/// `tar | gzip -6` 2.10 s: 0.5 ×
pub fn against(name: &str, peer: Duration, measured: &Measured) -> String {
    let peer = u64::try_from(peer.as_micros()).unwrap();
    format!("{:.2} × {name} ({})", measured.median.wall as f64 / peer as f64, seconds(peer))
}
