//! What tests share.

pub mod sandbox;
