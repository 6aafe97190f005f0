//! What happens, as JSON lines for `--log-format json`: talk for machines, as [`super::Terminal`]'s is for people.

use std::io::{self, Write};

use super::{Json, Problem, Reporter};
use crate::engine::event::{Event, Observer};

/// The lines are those of [`Json`], without the events that are a command's result and not talk.
pub struct Log {
    json: Json,
    verbose: u8,
    quiet: bool,
}

impl Log {
    pub fn new(err: Box<dyn Write + Send>, verbose: u8, quiet: bool) -> Self {
        Self { json: Json::new(err), verbose, quiet }
    }

    /// Whether people are told of it, too: when quiet what went wrong, and an action's begin when verbose.
    fn tells(&self, event: &Event) -> bool {
        match event {
            Event::Preview(_) | Event::Lint(_) | Event::Census(_) | Event::Explanation(_) => false,
            Event::Failed { .. } | Event::Warning { .. } => true,
            Event::Stage(stage) => {
                let unknown = stage.steps.iter().any(|step| !step.unknown.is_empty());
                !self.quiet || unknown || !stage.refusals.is_empty()
            }
            Event::Acting { .. } => self.verbose > 0 && !self.quiet,
            Event::Goal(_) | Event::Acted { .. } | Event::End(_) => !self.quiet,
        }
    }
}

impl Observer for Log {
    fn event(&self, event: &Event) {
        if self.tells(event) {
            self.json.event(event);
        }
    }
}

impl Reporter for Log {
    fn problem(&self, problem: &Problem) {
        self.json.problem(problem);
    }

    fn close(&self) -> io::Result<()> {
        self.json.close()
    }
}
