//! Several reporters told as one.

use std::io;

use super::{Problem, Reporter};
use crate::engine::event::{Event, Observer};

/// Tells everyone, in order.
#[derive(Default)]
pub struct Tee(pub Vec<Box<dyn Reporter>>);

impl Observer for Tee {
    fn event(&self, event: &Event) {
        self.0.iter().for_each(|reporter| reporter.event(event));
    }
}

impl Reporter for Tee {
    fn problem(&self, problem: &Problem) {
        self.0.iter().for_each(|reporter| reporter.problem(problem));
    }

    /// Closes everyone; the first error is given.
    fn close(&self) -> io::Result<()> {
        self.0.iter().map(|reporter| reporter.close()).fold(Ok(()), Result::and)
    }
}
