//! The loop that makes the world equal to a promotion, and its one interpreter.
//!
//! [`plan`] looks, [`run`] looks and acts; both ask the same stages. Holding is planned, not
//! remembered: after acting the engine looks again, and only a stage that holds lets the next begin.
//! [`preview()`] looks at a tree that nobody has made a candidate of.

pub mod apply;
mod comment;
mod drive;
mod end;
pub mod event;
mod hosted;
mod log;
mod look;
mod ports;
mod preview;
mod pull;
mod run;

pub use comment::comment;
pub use event::{End, Event, Goal, Observer, StageState, State, StepState};
pub use ports::{Effects, Looker, Patience, Settings, Stop};
pub use preview::{Asked, preview};
pub use pull::{Proposed, proposed_by};
pub use run::{Scope, abandon, plan, run, unfinished, verify};
