//! How fast sealift is, in one table: `cargo bench`, or `cargo bench -- NAME` for cases whose name has NAME in it.
//!
//! Every sample is a process of its own, so that its peak memory and its reads are its own, too; the yardstick
//! beside a case is measured in the same process, right before it. See docs/speed.md.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "as tests: it is the terminal, the clock and the neighbours"
)]

mod measure;
mod peers;
mod promote;
mod retag;
mod table;
mod trees;

#[path = "../../tests/it/support/mod.rs"]
mod support;

use std::time::Duration;

use measure::{Measured, Sample};

/// Samples of one case: so many, or what fits into the time.
const SAMPLES: usize = 7;
const PATIENCE: Duration = Duration::from_secs(12);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("--sample", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        println!("{}", serde_json::to_string(&sampled(rest)).unwrap());
        return;
    }
    // Cargo says `--bench`; under a test harness's flags there is nothing to do.
    let filters: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter));
    if arguments.iter().any(|word| word == "--list") {
        trees::CASES.iter().for_each(|case| println!("{}: bench", case.name));
        ["plan", "verify", "retag"].iter().for_each(|name| println!("{name}: bench"));
        return;
    }
    let mut table = table::Table::start();
    trees::run(&wanted, &mut table);
    promote::run(&wanted, &mut table);
    retag::run(&wanted, &mut table);
}

/// What one sample of a case is, by its words.
fn sampled(words: &[String]) -> Sample {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["tree", name, dir] => trees::sample(name, dir.as_ref()),
        ["plan", rest @ ..] => promote::sample_plan(rest),
        ["verify", rest @ ..] => promote::sample_verify(rest),
        ["retag", url, images] => retag::sample(url, images.parse().unwrap()),
        other => panic!("no case {other:?}"),
    }
}

/// Samples of a case, each in a process of its own; `prepare` gives the words of the next one.
fn samples(mut prepare: impl FnMut() -> Vec<String>) -> Measured {
    let (mut samples, mut spent): (Vec<Sample>, _) = (Vec::new(), Duration::ZERO);
    while samples.len() < SAMPLES && (samples.is_empty() || spent < PATIENCE) {
        let started = std::time::Instant::now();
        samples.push(measure::elsewhere(&prepare()));
        spent += started.elapsed();
    }
    Measured::of(samples)
}
