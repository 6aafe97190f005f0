//! Talk of a command on standard error, beside what reporters tell: notes, and reports where standard output has data.
//!
//! Nobody may be listening any more, so that no write of talk ends a command: what it was to do is done, and its exit
//! code is its verdict's.

use std::io::Write as _;

use super::args::{LogFormat, Show};
use super::environment::Environment;
use crate::model::line::clean;
use crate::report::{Problem, json};

/// How talk is written.
#[derive(Clone, Copy, Debug)]
pub struct Talk {
    /// Each line as a JSON object.
    pub json: bool,
    pub quiet: bool,
    pub color: bool,
}

impl Talk {
    pub fn new(show: &Show, environment: &Environment) -> Self {
        let json = show.log_format == LogFormat::Json;
        Self { json, quiet: show.quiet, color: !json && environment.talk_color(show.color) }
    }

    /// A fact worth a line, which is no result: `note: …`.
    pub fn note(self, note: &str) {
        if !self.quiet {
            self.write(&if self.json { json::note(note) } else { format!("note: {}", clean(note)) });
        }
    }

    /// A line that stands for itself.
    pub fn line(self, line: &str) {
        if !self.quiet {
            self.always(line);
        }
    }

    /// The same also when quiet.
    pub fn always(self, line: &str) {
        self.write(&if self.json { json::note(line) } else { line.to_owned() });
    }

    /// What is wrong, also when quiet.
    pub fn problem(self, problem: &Problem) {
        self.write(&if self.json { json::error(problem) } else { problem.lines(self.color).join("\n") });
    }

    /// What is no error, and may not be meant.
    pub fn warning(self, problem: &Problem) {
        self.write(&if self.json { json::warning(problem) } else { problem.warning_lines(self.color).join("\n") });
    }

    /// A report that is whole lines already.
    pub fn text(self, lines: &str) {
        let _ = std::io::stderr().write_all(lines.as_bytes());
    }

    fn write(self, line: &str) {
        self.text(&format!("{line}\n"));
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::args::When;
    use crate::cli::environment::Environment;

    #[test]
    fn what_was_typed_counts_most_and_each_stream_for_itself() {
        let on = Environment { stdout_is_terminal: true, ..Environment::default() };
        assert!(on.color(When::Auto) && !on.talk_color(When::Auto));
        let dumb = Environment { dumb: true, ..on.clone() };
        assert!(!dumb.color(When::Auto) && dumb.color(When::Always));
        let no = Environment { no_color: true, force_color: true, ..on.clone() };
        assert!(!no.color(When::Auto) && no.color(When::Always));
        let forced = Environment { force_color: true, dumb: true, ..Environment::default() };
        assert!(forced.color(When::Auto) && forced.talk_color(When::Auto) && !forced.color(When::Never));
    }
}
