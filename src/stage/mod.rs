//! Stages look at the world and decide; they never act.

pub mod action;
pub mod verdict;

pub use action::{Action, Summary, VERBS};
pub use verdict::{Plan, Refusal, Step, Verdict, Wait};
