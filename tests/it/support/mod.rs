//! What the areas share: a hermetic git, loopback servers, real peers, fixtures made from a seed.
#![allow(dead_code, unused_imports)] // every area uses its own part

pub mod git_server;
pub mod images;
pub mod sandbox;
pub mod world;
