//! Stages look at the world and decide; they never act.
//!
//! A stage checks its own target, never its predecessors: the engine goes through [`STAGES`] in
//! order and begins one only when the one before holds. To add a stage: one file, one line there.

use futures_util::future::BoxFuture;

pub mod abandon;
pub mod action;
mod alias;
mod assets;
pub mod base;
mod body;
mod changelog;
pub mod chart;
mod commit;
mod draft;
pub mod evidence;
pub mod finalize;
mod gate;
pub mod images;
mod pin;
pub mod proof;
mod propose;
mod pull;
mod push;
pub mod record;
mod recorded;
pub mod release;
pub mod retag;
mod rewrite;
mod uploads;
pub mod verdict;
mod verify;
mod wait;
mod world;

pub use crate::model::{Code, Refusal};
pub use action::{Action, Summary, There, VERBS};
pub use verdict::{Plan, Step, Verdict, Wait};
pub use world::{Facts, Inputs, Memory, Sight, World};

/// One step of a promotion, and how it looks at the world.
pub trait Stage: Send + Sync {
    fn name(&self) -> &'static str;

    /// What is left to do, from the world as it is.
    ///
    /// # Errors
    /// When it could not look. A no is a value.
    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>>;

    /// What must be true once this stage holds, beyond its mark. A refusal here is a broken
    /// invariant: nothing later may begin.
    ///
    /// # Errors
    /// When it could not look.
    fn invariants<'a>(&'a self, _world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Vec<Refusal>>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// The stages, in the only order there is: public names come last.
pub const STAGES: &[&dyn Stage] = &[
    &gate::Gate,
    &rewrite::Rewrite,
    &commit::Commit,
    &push::Push,
    &pin::Pin,
    &propose::Propose,
    &wait::Wait,
    &verify::Verify,
    &retag::Retag,
    &finalize::Finalize,
];

/// The first stage that makes a public name.
pub const POINT_OF_NO_RETURN: &str = "retag";
