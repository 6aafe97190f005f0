//! The loop that makes the world equal to a promotion, and its one interpreter.

pub mod event;

pub use event::{End, Event, Goal, Observer, StageState, State, StepState};
