//! What the areas share: a hermetic git, loopback servers, real peers, fixtures made from a seed.
#![allow(dead_code, unused_imports)] // every area uses its own part

pub mod cost;
pub mod counting;
pub mod crash;
pub mod docker_registry;
pub mod emulate;
pub mod git_server;
pub mod github;
pub mod golden;
pub mod http;
pub mod images;
pub mod json_schema;
pub mod judge;
pub mod page;
pub mod pipelines;
pub mod registry_server;
pub mod retagging;
pub mod sandbox;
pub mod sized;
pub mod tls;
pub mod world;

/// A file or folder of the reference data: a real release's, which is no part of this repository.
/// It lies beside the checkout, or where `SEALIFT_SHARED_DATA` says.
pub fn reference(name: &str) -> Option<std::path::PathBuf> {
    let beside = || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let found = std::env::var_os("SEALIFT_SHARED_DATA").map_or_else(beside, Into::into).join(name);
    found.exists().then_some(found)
}

/// The same; says that a test is skipped where it isn't there. `.ci/summary` knows the words.
pub fn reference_or_skip(name: &str) -> Option<std::path::PathBuf> {
    let found = reference(name);
    if found.is_none() {
        say(format_args!("skipped (no reference data): {name}"));
    }
    found
}

/// Says something that a test harness doesn't keep to itself when the test passes.
pub fn say(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}
