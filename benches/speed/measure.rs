//! One sample: what the kernel says of a process around a piece of work.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What a piece of work took.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Microseconds.
    pub wall: u64,
    /// User and system time of all threads, in milliseconds; the kernel counts it in tens.
    pub cpu: u64,
    /// Bytes through read and write calls (/proc/self/io); memory-mapped reads, as of git packs, are not in it.
    pub read: u64,
    pub written: u64,
    /// Bytes of the process, at their most (VmHWM).
    pub peak: u64,
    /// Requests by method.
    pub requests: Vec<(String, u64)>,
    /// What the yardstick took, in microseconds.
    pub yardstick: Option<u64>,
}

/// The medians of some samples.
#[derive(Clone, Debug)]
pub struct Measured {
    pub median: Sample,
    /// The median of each sample's ratio to its own yardstick.
    pub ratio: Option<f64>,
}

impl Sample {
    /// Does the work, beside what the yardstick took.
    pub fn of(yardstick: Option<Duration>, work: impl FnOnce() -> Vec<(String, u64)>) -> Self {
        let (before, cpu, started) = (io(), cpu(), Instant::now());
        let requests = work();
        let wall = micros(started.elapsed());
        let (after, cpu) = (io(), self::cpu() - cpu);
        let (read, written) = (after.0 - before.0, after.1 - before.1);
        Self { wall, cpu, read, written, peak: peak(), requests, yardstick: yardstick.map(micros) }
    }
}

/// The same in a new process of this program.
pub fn elsewhere(words: &[String]) -> Sample {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--sample").args(words).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    (work(), started.elapsed())
}

impl Measured {
    pub fn of(samples: Vec<Sample>) -> Self {
        let of = |part: fn(&Sample) -> u64| median(samples.iter().map(part).collect());
        let ratios = samples.iter().filter_map(|s| Some(s.wall as f64 / s.yardstick? as f64)).collect::<Vec<_>>();
        let median = Sample {
            wall: of(|s| s.wall),
            cpu: of(|s| s.cpu),
            read: of(|s| s.read),
            written: of(|s| s.written),
            peak: of(|s| s.peak),
            requests: samples[0].requests.clone(),
            yardstick: samples[0].yardstick.map(|_| of(|s| s.yardstick.unwrap_or_default())),
        };
        let ratio = (!ratios.is_empty()).then(|| middle(ratios));
        Self { median, ratio }
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap()
}

fn field(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

fn io() -> (u64, u64) {
    (field("/proc/self/io", "rchar:"), field("/proc/self/io", "wchar:"))
}

fn peak() -> u64 {
    field("/proc/self/status", "VmHWM:") * 1024
}

/// Ticks are a hundredth of a second wherever Linux runs (USER_HZ, see times(2)).
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The name of the program may have blanks; the fields after its bracket have none: utime is the 14th of all.
    let after = text.rsplit_once(')').unwrap().1;
    after.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum()
}
