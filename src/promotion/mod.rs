//! A promotion is a value: everything up to the merge follows from the frozen candidate.

pub mod candidate;

pub use candidate::Candidate;
