//! The Flux artifact and Helm charts: bytes out, bytes in.

mod build;
mod chart;
mod hostile;
mod round_trip;
mod trees;
mod vectors;
