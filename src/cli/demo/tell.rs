//! What the demo says between the reports, and who hears what happens.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::cli::args::{Format, LogFormat, Show};
use crate::engine::{Event, Observer, StageState};
use crate::report::{Mode, Reporter as _, Style, Terminal, json};
use crate::stage::Wait;

/// The demo's voice: on stdout for people; beside data on stderr.
pub struct Tell<'a> {
    pub show: &'a Show,
    pub color: bool,
    /// Beside data each text is a JSON object.
    json: bool,
    out: Mutex<Box<dyn Write + Send>>,
    sections: Mutex<u32>,
}

impl<'a> Tell<'a> {
    pub fn new(show: &'a Show, color: bool) -> Self {
        let out: Box<dyn Write + Send> = match show.format {
            Format::Human => Box::new(io::stdout()),
            Format::Json | Format::Markdown => Box::new(io::stderr()),
        };
        let json = show.format != Format::Human && show.log_format == LogFormat::Json;
        Self { show, color, json, out: Mutex::new(out), sections: Mutex::default() }
    }

    /// A heading, and what is about to happen.
    pub fn section(&self, title: &str, text: &str) -> io::Result<()> {
        let mut number = self.sections.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        let (bold, plain) = if self.color { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        self.say(&format!("\n{bold}== {number}. {title}{plain}\n\n{text}"))
    }

    pub fn say(&self, text: &str) -> io::Result<()> {
        if self.show.quiet {
            return Ok(());
        }
        self.result(text)
    }

    /// The one line that is always printed.
    pub fn result(&self, text: &str) -> io::Result<()> {
        let note = self.json.then(|| json::note(text));
        let text = note.as_deref().unwrap_or(text);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{text}")?;
        out.flush()
    }

    /// A reporter for one command of the demo; where data is wanted, the command line's own.
    /// `goal` says whether people are told what is promoted: once is enough.
    pub fn watch<'o>(&self, mode: Mode, goal: bool, otherwise: &'o dyn Observer) -> Watch<'o> {
        let style = Style {
            mode,
            color: self.color,
            talk_color: self.color,
            progress: None,
            verbose: self.show.verbose,
            quiet: self.show.quiet,
        };
        let human = self.show.format == Format::Human;
        let terminal = human.then(|| Terminal::new(Box::new(io::stdout()), Box::new(io::stdout()), style));
        Watch { terminal, goal, otherwise, wait: Mutex::default() }
    }
}

/// Passes events on, and keeps the commands a person has to type: the demo shows them itself.
pub struct Watch<'o> {
    terminal: Option<Terminal>,
    goal: bool,
    otherwise: &'o dyn Observer,
    wait: Mutex<Option<Wait>>,
}

impl Watch<'_> {
    /// What is waited for; errors of writing come to light here.
    pub fn close(self) -> io::Result<Option<Wait>> {
        self.terminal.map_or(Ok(()), |terminal| terminal.close())?;
        Ok(self.wait.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Watch<'_> {
    fn event(&self, event: &Event) {
        let Some(terminal) = &self.terminal else {
            self.keep(event);
            return self.otherwise.event(event);
        };
        match self.keep(event) {
            None if matches!(event, Event::Goal(_)) && !self.goal => {}
            Some(stage) => terminal.event(&Event::Stage(stage)),
            None => terminal.event(event),
        }
    }
}

impl Watch<'_> {
    /// Keeps a wait that has commands; answers with the stage as it is shown without them.
    fn keep(&self, event: &Event) -> Option<StageState> {
        let Event::Stage(stage) = event else { return None };
        let wait = stage.wait.as_ref().filter(|wait| !wait.commands.is_empty())?;
        *self.wait.lock().unwrap_or_else(PoisonError::into_inner) = Some(wait.clone());
        let wait = Wait { commands: Vec::new(), ..wait.clone() };
        Some(StageState { wait: Some(wait), ..stage.clone() })
    }
}
