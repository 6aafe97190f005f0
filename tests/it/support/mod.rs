//! What the areas share: a hermetic git, loopback servers, real peers, fixtures made from a seed.
#![allow(dead_code, unused_imports)] // every area uses its own part

pub mod crash;
pub mod docker_registry;
pub mod git_server;
pub mod http;
pub mod images;
pub mod registry_server;
pub mod sandbox;
pub mod world;
