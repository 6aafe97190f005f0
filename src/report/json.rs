//! JSON lines, one per event, for `--format json`.

use std::io::{self, Write};

use super::sink::Sink;
use super::{Problem, Reporter};
use crate::engine::event::{Event, Observer};
use crate::model::line::is_invisible;

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
            Ok(line) => self.0.line(&unheard(&line)),
            Err(error) => self.0.fail(error.into()),
        }
    }
}

/// A line of talk that no event stands for: `{"event":"note","message":…}`.
pub fn note(message: &str) -> String {
    unheard(&serde_json::json!({ "event": "note", "message": message }).to_string())
}

/// The line of a problem, as [`Json`] writes it.
pub fn error(problem: &Problem) -> String {
    line("error", problem)
}

/// The line of a problem that is no error, with `"event":"warning"`.
pub fn warning(problem: &Problem) -> String {
    line("warning", problem)
}

fn line(event: &'static str, problem: &Problem) -> String {
    let line = serde_json::to_string(&ErrorLine { event, problem });
    line.map_or_else(|_| note(&problem.message), |line| unheard(&line))
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

/// The same JSON without what a terminal or GitHub's runner would obey: none of it stands outside of
/// strings, where each character may be spelled by its number.
pub fn unheard(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '[' if safe.ends_with("##") => safe.push_str("\\u005b"),
            _ if c.is_control() || is_invisible(c) => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_nothing_is_lost() {
        let text = "x ##[add-mask]y \u{1b}[2J \u{202e}\u{9b}\u{7f} ##\n[ ä";
        let json = serde_json::to_string(text).unwrap();
        let safe = unheard(&json);
        assert!(!safe.contains("##[") && !safe.contains(['\u{202e}', '\u{9b}', '\u{7f}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }
}
