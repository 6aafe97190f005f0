//! Output for people: a plan, or a run with its progress.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::human::Human;
use super::paint::Paint;
use super::progress::Bars;
use super::sink::Sink;
use super::story::{Failure, Story};
use super::text::{Digests, led};
use super::{POINT_OF_NO_RETURN, Problem, Reporter};
use crate::engine::event::{Event, Observer, StageState, State};
use crate::stage::Summary;

/// What is data, and so goes to `out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What every stage found: `plan`, `status`.
    Plan,
    /// Where it ended; everything on the way is talk: `run`, `resume`.
    Run,
}

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub mode: Mode,
    /// Whether data is coloured, and talk: each goes where it goes.
    pub color: bool,
    pub talk_color: bool,
    /// The columns of the terminal behind `err`; `None`: plain lines instead of bars.
    pub progress: Option<u16>,
    /// From 1 on: every action, as it begins too, and every digest whole.
    pub verbose: u8,
    /// No talk, except what went wrong.
    pub quiet: bool,
}

pub struct Terminal {
    style: Style,
    /// The voice of data, and that of talk.
    human: Human,
    talker: Human,
    out: Arc<Sink>,
    err: Arc<Sink>,
    state: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    story: Story,
    digests: Digests,
    bars: Option<Bars>,
    /// The line of the point of no return has been printed.
    warned: bool,
    /// Actions of the stage at work, and how many of them have ended.
    progress: (usize, usize),
}

impl Terminal {
    pub fn new(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>, style: Style) -> Self {
        let human = |color: bool| Human { paint: Paint(color), verbose: style.verbose > 0 };
        let (human, talker) = (human(style.color), human(style.talk_color));
        let (out, err) = (Arc::new(Sink::new(out)), Arc::new(Sink::new(err)));
        let bars = style.progress.filter(|_| style.mode == Mode::Run && !style.quiet);
        let bars = bars.map(|columns| Bars::new(Arc::clone(&err), columns));
        Self { style, human, talker, out, err, state: Mutex::new(Inner { bars, ..Inner::default() }) }
    }

    /// The voice in which goal and stages are told: they are data of a plan, and talk of a run.
    fn voice(&self) -> Human {
        match self.style.mode {
            Mode::Plan => self.human,
            Mode::Run => self.talker,
        }
    }

    /// Prints what must be seen: past the bars, and also when quiet.
    fn shout(&self, inner: &Inner, lines: &[String]) {
        match &inner.bars {
            Some(bars) => bars.talk(|| self.err.lines(lines)),
            None => self.err.lines(lines),
        }
    }

    fn talk(&self, inner: &Inner, lines: &[String]) {
        if !self.style.quiet {
            self.shout(inner, lines);
        }
    }

    fn goal(&self, inner: &Inner) {
        let Some(goal) = &inner.story.goal else { return };
        let mut lines = self.voice().goal(goal, &inner.digests);
        lines.push(String::new());
        match self.style.mode {
            Mode::Plan => self.out.lines(&lines),
            Mode::Run => self.talk(inner, &lines),
        }
    }

    fn stage(&self, inner: &mut Inner, stage: &StageState) {
        let public = stage.stage == POINT_OF_NO_RETURN && stage.state != State::Holds && !inner.warned;
        if public {
            inner.warned = true;
            let line = self.voice().point_of_no_return(first_public(inner, Some(stage)).as_deref());
            match self.style.mode {
                Mode::Plan => self.out.line(&line),
                Mode::Run => self.talk(inner, &[line]),
            }
        }
        match self.style.mode {
            Mode::Plan => self.out.lines(&self.human.stage(stage, &inner.digests)),
            Mode::Run => self.progress(inner, stage),
        }
    }

    /// A stage of a run: one line, and what went wrong. What it waits for is told at the end.
    fn progress(&self, inner: &mut Inner, stage: &StageState) {
        if let Some(bars) = &mut inner.bars {
            bars.clear();
        }
        let mut lines = vec![self.talker.stage_line(stage)];
        lines.extend(self.talker.notes(stage, &inner.digests));
        self.talk(inner, &lines);
        let unknown = stage.steps.iter().flat_map(|step| self.talker.unknown(step));
        let wrong: Vec<String> = unknown.chain(self.talker.refusals(stage)).collect();
        self.shout(inner, &wrong);
        inner.progress = (stage.steps.iter().map(|step| step.actions.len()).sum(), 0);
        if let Some(bars) = &mut inner.bars {
            bars.begin(stage);
        }
    }

    fn acted(&self, inner: &mut Inner, stage: &str, action: &Summary) {
        self.count(inner, action);
        if inner.bars.is_none() || self.human.verbose {
            let (all, done) = inner.progress;
            let how_far = if all == 0 { String::new() } else { format!("[{done}/{all}] ") };
            let line = format!("{stage:<10}{how_far}{}", self.talker.action(action, &inner.digests));
            self.talk(inner, &[line]);
        }
    }

    fn count(&self, inner: &mut Inner, action: &Summary) {
        inner.progress.1 += 1;
        if let Some(bars) = &inner.bars {
            bars.count(action);
        }
    }

    fn end(&self, inner: &mut Inner) {
        if let Some(mut bars) = inner.bars.take() {
            bars.clear();
        }
        let Some(end) = &inner.story.end else { return };
        let after_run = self.style.mode == Mode::Run;
        let mut lines = Vec::new();
        let goes_on = matches!(end.state, State::Work | State::Waiting);
        if !after_run && !inner.warned && goes_on && end.left.contains(&POINT_OF_NO_RETURN) {
            lines.push(self.human.point_of_no_return(first_public(inner, None).as_deref()));
        }
        if !after_run && !inner.story.stages.is_empty() {
            lines.push(String::new());
        }
        lines.extend(self.human.end(end, &inner.story, after_run));
        self.out.lines(&lines);
    }
}

/// The first name that will be public: the first action's, or the first image's where the
/// stage has none yet.
fn first_public(inner: &Inner, stage: Option<&StageState>) -> Option<String> {
    let action = stage.and_then(|stage| stage.steps.iter().find_map(|step| step.actions.first()));
    let image = || inner.story.goal.as_ref()?.images.first().map(|(name, _)| name.clone());
    action.map(|action| action.target.clone()).or_else(image)
}

impl Observer for Terminal {
    fn event(&self, event: &Event) {
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *guard;
        inner.digests.see(event);
        inner.story.tell(event);
        match event {
            Event::Preview(preview) => self.out.lines(&self.human.preview(preview, &inner.digests)),
            Event::Lint(lint) => self.out.lines(&self.human.lint(lint)),
            Event::Census(census) => self.out.lines(&self.human.census(census)),
            Event::Explanation(explanation) => self.out.lines(&self.human.explanation(explanation)),
            Event::Goal(_) => self.goal(inner),
            Event::Stage(stage) => self.stage(inner, stage),
            Event::Acting { stage, action } => {
                if self.human.verbose {
                    let line = format!("{stage:<10}begins {}", self.talker.action(action, &inner.digests));
                    self.talk(inner, &[line]);
                }
            }
            Event::Acted { stage, action } => self.acted(inner, stage, action),
            Event::Failed { action, .. } => {
                let problem = inner.story.failed.last().map(Failure::problem);
                self.shout(inner, &problem.map(|p| p.lines(self.style.talk_color)).unwrap_or_default());
                self.count(inner, action);
            }
            Event::Warning { message } => {
                let lead = format!("{} ", self.talker.paint.warning("warning:"));
                self.shout(inner, &led(&lead, message));
            }
            Event::End(_) => self.end(inner),
        }
    }
}

impl Reporter for Terminal {
    fn problem(&self, problem: &Problem) {
        let mut inner = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bars) = &mut inner.bars {
            bars.clear();
        }
        self.err.lines(&problem.lines(self.style.talk_color));
    }

    fn close(&self) -> io::Result<()> {
        if let Some(bars) = &mut self.state.lock().unwrap_or_else(PoisonError::into_inner).bars {
            bars.clear();
        }
        self.out.close().and(self.err.close())
    }
}
