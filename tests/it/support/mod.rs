//! What the areas share: a hermetic git, loopback servers, real peers, fixtures made from a seed.
#![allow(dead_code, unused_imports)] // every area uses its own part

pub mod crash;
pub mod docker_registry;
pub mod git_server;
pub mod http;
pub mod images;
pub mod registry_server;
pub mod sandbox;
pub mod tls;
pub mod world;

/// Says something that a test harness doesn't keep to itself when the test passes.
pub fn say(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}
