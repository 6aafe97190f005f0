//! sealift promotes a release candidate to stable without rebuilding anything.

#![forbid(unsafe_op_in_unsafe_fn)]

pub mod archive;
pub mod model;
pub mod pipeline;
pub mod port;
pub mod refs;
pub mod tree;
