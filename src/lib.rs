//! sealift promotes a release candidate to stable without rebuilding anything.

pub mod archive;
pub mod cli;
pub mod engine;
pub mod model;
pub mod pipeline;
pub mod port;
pub mod promotion;
pub mod refs;
pub mod report;
pub mod stage;
pub mod tree;
pub mod yaml;
