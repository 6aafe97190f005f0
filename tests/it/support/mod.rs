//! What tests share.

pub mod sandbox;
//! What the areas share: loopback servers, real peers, fixtures made from a seed.
#![allow(dead_code, unused_imports)] // every area uses its own part

pub mod images;
