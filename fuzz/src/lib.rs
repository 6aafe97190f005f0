//! What must hold for any bytes: one module per fuzz target, each with a `check` that panics when it
//! doesn't. The integration tests run the same checks over the fixtures and over what a fuzzer found.

pub mod archive;
pub mod edit;
pub mod pipeline;
pub mod reference;
pub mod registry;
