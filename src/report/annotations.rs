//! GitHub workflow commands: `::error file=…,line=…::…`.
//!
//! Source of the escapes: the runner's command parser, which decodes `%25 %0D %0A` in data and
//! `%3A %2C` besides in properties.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::sink::Sink;
use super::story::{Failure, Story};
use super::text::clean;
use super::{Problem, Reporter, headline};
use crate::engine::event::{End, Event, Observer, StageState, State};

/// GitHub shows ten of a kind for each step; more than these only make a log longer.
pub(super) const MOST: usize = 50;

/// Writes each annotation once, however often a stage is looked at.
pub struct Annotations {
    out: Sink,
    written: Mutex<BTreeSet<String>>,
}

/// A place in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub file: &'a str,
    pub line: u32,
    pub col: Option<u32>,
}

impl Annotations {
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out: Sink::new(out), written: Mutex::default() }
    }

    pub(super) fn write(&self, level: &str, title: &str, place: Option<Place<'_>>, message: &str) {
        let mut properties = Vec::new();
        if let Some(Place { file, line, col }) = place {
            properties.push(format!("file={},line={line}", property(file)));
            properties.extend(col.map(|col| format!("col={col}")));
        }
        properties.push(format!("title={}", property(title)));
        let line = format!("::{level} {}::{}", properties.join(","), data(message));
        if self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
            self.out.line(&line);
        }
    }

    /// An odd thing at its places, which keeps nobody from going on.
    pub fn warn(&self, title: &str, problem: &Problem) {
        self.told("warning", title, problem);
    }

    fn error(&self, title: &str, problem: &Problem) {
        self.told("error", title, problem);
    }

    /// One annotation per place in a file; the other places are named in the message.
    fn told(&self, level: &str, title: &str, problem: &Problem) {
        let (files, others): (Vec<&String>, Vec<&String>) =
            problem.places.iter().partition(|text| place(text).is_some());
        let mut message = vec![problem.message.clone()];
        message.extend(others.iter().map(|place| format!("at {place}")));
        message.extend(problem.causes.iter().map(|cause| format!("caused by: {cause}")));
        message.extend(problem.hints.iter().map(|hint| format!("hint: {hint}")));
        let message = message.join("\n");
        if files.is_empty() {
            self.write(level, title, None, &message);
        }
        for text in files {
            self.write(level, title, place(text), &message);
        }
    }

    fn stage(&self, stage: &StageState) {
        let title = format!("sealift {}", stage.stage);
        stage.refusals.iter().for_each(|refusal| self.error(&title, &Problem::from(refusal)));
        for unknown in stage.steps.iter().flat_map(|step| &step.unknown) {
            self.write("error", &title, None, &format!("can't be known: {unknown}"));
        }
        if let Some(wait) = &stage.wait {
            let lines: Vec<&str> = std::iter::once(&wait.message).chain(&wait.commands).map(String::as_str).collect();
            self.write("notice", &title, None, &lines.join("\n"));
        }
    }

    fn end(&self, end: &End) {
        let level = match end.state {
            State::Holds | State::Work | State::Waiting => "notice",
            State::Refused | State::Failed | State::Interrupted => "error",
        };
        let list = |stages: &[&str]| if stages.is_empty() { "nothing".to_owned() } else { stages.join(", ") };
        let mut message = format!("{}\ndone: {}\nleft: {}", headline(end), list(&end.done), list(&end.left));
        message.extend(end.next.iter().map(|next| format!("\nnext: {next}")));
        self.write(level, "sealift", None, &message);
    }
}

impl Observer for Annotations {
    fn event(&self, event: &Event) {
        match event {
            Event::Preview(preview) => self.preview(preview),
            Event::Lint(lint) => self.lint(lint),
            Event::Census(census) => self.census(census),
            Event::Explanation(_) | Event::Goal(_) | Event::Acting { .. } | Event::Acted { .. } => {}
            Event::Stage(stage) => self.stage(stage),
            Event::Failed { stage, .. } => {
                let mut story = Story::default();
                story.tell(event);
                let problems = story.failed.iter().map(Failure::problem);
                problems.for_each(|problem| self.error(&format!("sealift {stage}"), &problem));
            }
            Event::Warning { message } => self.write("warning", "sealift", None, message),
            Event::End(end) => self.end(end),
        }
    }
}

impl Reporter for Annotations {
    fn problem(&self, problem: &Problem) {
        self.error("sealift", problem);
    }

    fn close(&self) -> io::Result<()> {
        self.out.close()
    }
}

/// `path:line[:col]`; anything else is no place in a file.
pub(super) fn place(text: &str) -> Option<Place<'_>> {
    let number = |text: &str| text.parse().ok().filter(|&n: &u32| n > 0 && !text.starts_with('+'));
    let (front, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    let (file, line, col) = match front.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
        Some((file, line)) => (file, line, Some(last)),
        None => (front, last, None),
    };
    (!file.is_empty() && !file.contains("://")).then_some(Place { file, line, col })
}

fn data(text: &str) -> String {
    let lines: Vec<String> = text.trim().lines().map(clean).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_places() {
        assert_eq!(place("a/b.yaml:12"), Some(Place { file: "a/b.yaml", line: 12, col: None }));
        assert_eq!(place("a:b.yaml:12:3"), Some(Place { file: "a:b.yaml", line: 12, col: Some(3) }));
        for text in ["a/b.yaml", "a:0", ":3", "https://host:443", "ghcr.io/a/b:v1", "a:+1", ""] {
            assert_eq!(place(text), None, "{text:?}");
        }
    }

    #[test]
    fn escapes_data_and_properties() {
        assert_eq!(data("50%\r\n::error::x, y"), "50%25%0A::error::x, y");
        assert_eq!(property("a:b,c%\nd"), "a%3Ab%2Cc%25%0Ad");
    }
}
