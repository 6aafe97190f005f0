//! What tests share.

pub mod git_server;
pub mod sandbox;
