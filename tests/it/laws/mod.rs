//! The laws of a promotion, each over every shipped pipeline.

mod world;
