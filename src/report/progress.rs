//! Progress bars on a terminal: one per step of the stage at work.

use std::fmt;
use std::io;
use std::sync::Arc;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::sink::Sink;
use crate::engine::event::StageState;
use crate::stage::Summary;

pub struct Bars {
    multi: MultiProgress,
    steps: Vec<(ProgressBar, Vec<Summary>)>,
}

impl Bars {
    pub fn new(err: Arc<Sink>, columns: u16) -> Self {
        // A target of our own: indicatif's would open the terminal itself, and hide itself
        // (and every line printed through it) where it finds none.
        let target = ProgressDrawTarget::term_like(Box::new(Screen { err, columns }));
        Self { multi: MultiProgress::with_draw_target(target), steps: Vec::new() }
    }

    /// Shows a stage's steps in place of the former ones.
    pub fn begin(&mut self, stage: &StageState) {
        self.clear();
        for step in stage.steps.iter().filter(|step| !step.actions.is_empty()) {
            let length = step.actions.len() as u64;
            let hidden = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
            let bar = self.multi.add(hidden.with_style(style()).with_prefix(stage.stage).with_message(step.kind));
            bar.tick();
            self.steps.push((bar, step.actions.clone()));
        }
    }

    /// Counts an action that was done or has failed.
    pub fn count(&self, action: &Summary) {
        if let Some((bar, _)) = self.steps.iter().find(|(_, actions)| actions.contains(action)) {
            bar.inc(1);
            // Drawn now: `inc` alone skips draws that come fast, so a bar would end short of its end.
            bar.tick();
        }
    }

    /// Prints while the bars are out of the way.
    pub fn talk(&self, print: impl FnOnce()) {
        self.multi.suspend(print);
    }

    pub fn clear(&mut self) {
        for (bar, _) in self.steps.drain(..) {
            bar.finish_and_clear();
            self.multi.remove(&bar);
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{prefix:10}{msg:12} [{bar:30}] {pos}/{len}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

/// The terminal behind stderr, drawn on with ANSI sequences. Write errors are the sink's.
struct Screen {
    err: Arc<Sink>,
    columns: u16,
}

impl Screen {
    fn put(&self, text: &str) -> io::Result<()> {
        self.err.write(text);
        Ok(())
    }

    fn move_by(&self, n: usize, direction: char) -> io::Result<()> {
        if n == 0 { Ok(()) } else { self.put(&format!("\u{1b}[{n}{direction}")) }
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Screen({})", self.columns)
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        self.columns
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'D')
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.put(&format!("{line}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.put("\r\u{1b}[2K")
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}
