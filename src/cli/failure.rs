//! Errors that end a command: what failed, why, and what to do.

use std::fmt;

use crate::engine::State;

/// An error with a hint: a command to run or one imperative sentence.
#[derive(Debug)]
pub struct Hinted {
    pub message: String,
    pub hint: String,
    /// Whether it is what was typed that is wrong.
    pub usage: bool,
}

/// The exit code of wrong usage.
pub const USAGE: u8 = 2;

/// The exit code where nobody reads standard output any more: what a shell tells of a command that SIGPIPE ended.
pub const BROKEN_PIPE: u8 = 141;

impl Hinted {
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), usage: false }
    }

    /// Of what was typed.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { usage: true, ..Self::new(message, hint) }
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// How a command ended: a state that has been told, or an error that has not.
pub type Ended = anyhow::Result<State>;
