//! The table: Markdown, a row as soon as it is known.

use std::process::Command;

use super::measure::Measured;

pub struct Table;

impl Table {
    pub fn start() -> Self {
        println!("{}\n", machine());
        println!("| case | wall | CPU | peak memory | read | written | requests | beside |");
        println!("| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |");
        Self
    }

    /// A case, and what it is compared with.
    pub fn row(&mut self, name: &str, measured: &Measured, beside: &[String]) {
        let sample = &measured.median;
        let requests: Vec<String> = sample.requests.iter().map(|(verb, n)| format!("{n} {verb}")).collect();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} |",
            seconds(sample.wall),
            seconds(sample.cpu * 1_000),
            bytes(sample.peak),
            bytes(sample.read),
            bytes(sample.written),
            if requests.is_empty() { "–".to_owned() } else { requests.join(", ") },
            // A bar would end the cell.
            if beside.is_empty() { "–".to_owned() } else { beside.join("; ").replace('|', "\\|") },
        );
    }
}

/// Three digits, from microseconds.
pub fn seconds(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{:.2} s", micros as f64 / 1e6),
    }
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..100_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// What it ran on: figures mean nothing without.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or("unknown")
        .trim_matches([':', ' ', '\t']);
    let cores = std::thread::available_parallelism().map_or(0, |cores| cores.get());
    let git =
        Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let commit = git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{model}, {cores} cores; commit {commit}")
}
