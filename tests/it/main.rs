//! The one integration binary: a module per area, helpers in `support`.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests stand outside: they are the terminal, the environment and the neighbours"
)]

mod archive;
mod ci;
mod cli;
mod demo;
mod disk;
mod exits;
mod explain;
mod fuzzed;
mod github;
mod laws;
mod lint;
mod overlay;
mod overrides;
mod pipelines;
mod preview;
mod producers;
mod real;
mod refs;
mod registry;
mod report;
mod repository;
mod rows;
mod secrets;
mod shape;
mod soak;
mod speed;
mod stops;
mod support;
mod timeouts;
mod workflows;
