//! Doors to the world: registries, forges and git origins, and whom to trust there. Ports know the model
//! only.
//!
//! Reads answer with [`crate::model::Answer`]; writes say how they failed with
//! [`WriteError`]. A read port can't write: stages hold read ports only.

pub mod authority;
pub mod folder;
pub mod forge;
mod http;
pub mod registry;
pub mod repository;
mod turn;
pub mod whole;

pub use authority::{Authority, AuthorityError};

use crate::model::Unknown;

/// How a write failed. Only [`WriteError::Unknown`] leaves open whether it happened, and only
/// [`WriteError::Limited`] is worth another try, with a new look first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// What the write expected to find was not there: nothing was written.
    #[error("{what}: expected {expected}, found {found}")]
    Lost { what: String, expected: String, found: String },
    /// The server said no: nothing was written.
    #[error("{what}: refused{}: {detail}", .status.map(|s| format!(" with {s}")).unwrap_or_default())]
    Refused { what: String, status: Option<u16>, detail: String },
    /// The server takes no more at the moment: nothing was written. What was expected may be gone until it does.
    #[error("{what}: refused{} for now: {detail}", .status.map(|s| format!(" with {s}")).unwrap_or_default())]
    Limited { what: String, status: Option<u16>, detail: String },
    /// The outcome can't be known: look before repeating.
    #[error("{0}")]
    Unknown(#[from] Unknown),
}

/// An error with its causes, which HTTP clients keep out of their own text.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
