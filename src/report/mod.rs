//! What people see: made of events and nothing else.
//!
//! Every reporter is an [`Observer`] that is handed its writers and its style, so nothing here
//! reads the environment, the clock or the terminal. What comes from outside (names, messages,
//! a server's words) is made safe for the place it is printed in: [`text`] for terminals and
//! logs, [`crate::model::markdown`] for Markdown, [`annotations`] for GitHub workflow commands.
//!
//! Data goes to `out`, talk goes to `err`. A write that fails is remembered and stops that
//! writer, never the promotion: [`Reporter::close`] tells, and a closed pipe is silent.

pub mod annotations;
mod document;
mod explain;
mod human;
pub mod json;
mod lint;
mod log;
pub mod markdown;
pub mod outputs;
mod paint;
mod preview;
pub mod problem;
mod progress;
mod sink;
mod story;
pub mod summary;
pub mod tee;
pub mod terminal;
pub mod text;

use std::io;
use std::sync::Arc;

use crate::engine::event::{End, Event, Observer, State};
use crate::stage::POINT_OF_NO_RETURN;

pub use annotations::Annotations;
pub use json::Json;
pub use lint::sarif;
pub use log::Log;
pub use markdown::Markdown;
pub use outputs::Outputs;
pub use problem::Problem;
pub use summary::{append, append_summary};
pub use tee::Tee;
pub use terminal::{Mode, Style, Terminal};
pub use text::table;

/// An observer that also tells of errors no event stands for, and how its writing went.
pub trait Reporter: Observer {
    /// An error that ended the command outside the engine: a bad file, a look that was impossible.
    fn problem(&self, problem: &Problem) {
        let _ = problem;
    }

    /// Flushes. Errors: the first write that failed, a closed pipe excepted.
    fn close(&self) -> io::Result<()> {
        Ok(())
    }
}

impl<T: Observer + ?Sized> Observer for Arc<T> {
    fn event(&self, event: &Event) {
        (**self).event(event);
    }
}

/// So that a caller can keep what it puts into a [`Tee`] and ask it afterwards.
impl<T: Reporter + ?Sized> Reporter for Arc<T> {
    fn problem(&self, problem: &Problem) {
        (**self).problem(problem);
    }

    fn close(&self) -> io::Result<()> {
        (**self).close()
    }
}

/// The word for where a stage stands.
pub fn word(state: State) -> &'static str {
    match state {
        State::Holds => "holds",
        State::Work => "to do",
        State::Waiting => "waits",
        State::Refused => "refused",
        State::Failed => "failed",
        State::Interrupted => "interrupted",
    }
}

/// The sentence for how a command ended.
pub fn headline(end: &End) -> &'static str {
    match end.state {
        State::Holds if end.left.is_empty() && end.done.is_empty() => "Nothing is under way.",
        State::Holds if end.left.is_empty() => "Everything holds: nothing is left to do.",
        State::Holds => "What was asked for holds.",
        State::Work => "There is work to do.",
        State::Waiting => "Waiting: it is somebody else's turn.",
        State::Refused => "Refused.",
        State::Failed => "Failed: not everything could be done.",
        State::Interrupted => "Interrupted between two actions.",
    }
}
