//! JSON lines, one per event, for `--format json`.

use std::io::{self, Write};

use super::sink::Sink;
use super::{Problem, Reporter};
use crate::engine::event::{Event, Observer};

/// Field names are those of [`Event`], stable; `event` says which one a line is. A problem is a
/// line with `"event":"error"`.
pub struct Json(Sink);

#[derive(serde::Serialize)]
struct ErrorLine<'a> {
    event: &'static str,
    #[serde(flatten)]
    problem: &'a Problem,
}

impl Json {
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self(Sink::new(out))
    }

    fn line(&self, value: &impl serde::Serialize) {
        match serde_json::to_string(value) {
            Ok(line) => self.0.line(&line),
            Err(error) => self.0.fail(error.into()),
        }
    }
}

impl Observer for Json {
    fn event(&self, event: &Event) {
        self.line(event);
    }
}

impl Reporter for Json {
    fn problem(&self, problem: &Problem) {
        self.line(&ErrorLine { event: "error", problem });
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}
