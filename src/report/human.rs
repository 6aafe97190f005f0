//! Goal, stages and end as lines of text.

use super::paint::Paint;
use super::problem::Problem;
use super::story::Story;
use super::text::{Digests, clean, count, led, unheard};
use super::{POINT_OF_NO_RETURN, headline, word};
use crate::engine::event::{End, Goal, StageState, State, StepState};
use crate::stage::Summary;

/// A step with more actions than this shows only the first [`FEW`], unless told otherwise.
pub(super) const MANY: usize = 8;
pub(super) const FEW: usize = 5;

#[derive(Clone, Copy)]
pub struct Human {
    pub paint: Paint,
    /// Every action, every digest whole.
    pub verbose: bool,
}

impl Human {
    pub fn goal(self, goal: &Goal, digests: &Digests) -> Vec<String> {
        let Goal { pipeline, rc, stable, rc_commit, rc_artifact, base, seal, content_commit, diff_id, images, .. } =
            goal;
        let title = format!("Promote {} to {}", clean(rc), clean(stable));
        let mut lines = vec![self.paint.bold(&title), String::new()];
        let mut row = |name: &str, value: &str| lines.push(format!("  {name:<16}{}", clean(value)));
        row("pipeline", pipeline);
        row("commit", &self.value(rc_commit, digests));
        row("artifact", &self.value(rc_artifact, digests));
        row("base", base.strip_prefix("refs/heads/").unwrap_or(base));
        if self.verbose {
            row("content commit", content_commit);
            row("diff id", diff_id);
        }
        row("images", &images.len().to_string());
        // Whole, because it is typed: `run --plan SEAL`.
        row("seal", seal);
        if self.verbose {
            let images = images.iter().map(|(name, digest)| format!("    {} {}", clean(name), clean(digest)));
            lines.extend(images);
        }
        lines
    }

    /// The stage's name, its state, and how much there is to do.
    pub fn stage_line(self, state: &StageState) -> String {
        let head = self.stage_head(state);
        let steps: Vec<String> = state.steps.iter().map(amount).collect();
        if steps.is_empty() { head } else { format!("{head}: {}", steps.join(", ")) }
    }

    fn stage_head(self, state: &StageState) -> String {
        format!("{:<10}{}", state.stage, self.paint.state(state.state, word(state.state)))
    }

    /// Everything a stage found.
    pub fn stage(self, state: &StageState, digests: &Digests) -> Vec<String> {
        let mut lines = vec![self.stage_head(state)];
        lines.extend(self.notes(state, digests));
        lines.extend(state.steps.iter().flat_map(|step| self.step(step, digests)));
        lines.extend(self.wait(state));
        lines.extend(self.refusals(state));
        lines
    }

    pub fn notes(self, state: &StageState, digests: &Digests) -> Vec<String> {
        state.notes.iter().flat_map(|note| led("  note: ", &self.value(note, digests))).collect()
    }

    pub fn wait(self, state: &StageState) -> Vec<String> {
        let Some(wait) = &state.wait else { return Vec::new() };
        let mut lines = led(&format!("  {}: ", wait.on), &wait.message);
        let typed = wait.commands.iter().flat_map(|command| command.lines());
        lines.extend(typed.map(|line| format!("    {}", unheard(&clean(line)))));
        lines
    }

    pub fn refusals(self, state: &StageState) -> Vec<String> {
        state.refusals.iter().flat_map(|refusal| Problem::from(refusal).indented("  ", self.paint)).collect()
    }

    /// What can't be known, and what that means.
    pub fn unknown(self, step: &StepState) -> Vec<String> {
        let lead = format!("    {} ", self.paint.error("unknown:"));
        let mut lines: Vec<String> = step.unknown.iter().flat_map(|unknown| led(&lead, unknown)).collect();
        if !lines.is_empty() {
            lines.push(format!("    everything after {} is withheld until this is known", step.kind));
        }
        lines
    }

    pub fn action(self, action: &Summary, digests: &Digests) -> String {
        let Summary { verb, target, value, expects } = action;
        let (target, value) = (clean(target), clean(&self.value(value, digests)));
        let expects = expects.as_ref().map(|e| format!(" (expects {})", clean(&self.value(e, digests))));
        format!("{verb} {target} -> {value}{}", self.paint.dim(&expects.unwrap_or_default()))
    }

    /// Where the point of no return is: public names are never taken back (contract §4).
    pub fn point_of_no_return(self, first: Option<&str>) -> String {
        let first = first.map(|name| format!(" (first: {})", clean(name))).unwrap_or_default();
        let text =
            format!("--- point of no return: from {POINT_OF_NO_RETURN} on, names are public and stay{first} ---");
        self.paint.bold(&text)
    }

    /// How it ended: what failed, what is done, what is left, and the command that goes on.
    pub fn end(self, end: &End, story: &Story, after_run: bool) -> Vec<String> {
        let End { state, done, left, next } = end;
        let mut lines = vec![self.paint.state(*state, headline(end))];
        if after_run {
            let waiting = story.stages.iter().filter(|stage| stage.state == State::Waiting);
            lines.extend(waiting.flat_map(|stage| self.wait(stage)));
            for failure in &story.failed {
                // Most causes begin with the very name.
                let target = &failure.action.target;
                let rest = failure.cause.strip_prefix(target.as_str());
                let named = rest.is_some_and(|rest| rest.starts_with([' ', ':']));
                let lead = if named { String::new() } else { format!("{}: ", clean(target)) };
                lines.extend(led(&format!("  failed  {lead}"), &failure.cause));
            }
            lines.extend(story.unknown().flat_map(|(_, unknown)| led("  unknown  ", unknown)));
        }
        let list = |stages: &[&str]| if stages.is_empty() { "nothing".to_owned() } else { stages.join(", ") };
        if !(done.is_empty() && left.is_empty()) {
            lines.push(format!("  done  {}", list(done)));
            lines.push(format!("  left  {}", list(left)));
        }
        lines.extend(next.iter().map(|command| format!("  next  {}", self.paint.bold(&clean(command)))));
        lines
    }

    fn step(self, step: &StepState, digests: &Digests) -> Vec<String> {
        let mut lines = vec![format!("  {}", amount(step))];
        let shown = if self.verbose || step.actions.len() <= MANY { step.actions.len() } else { FEW };
        let actions = step.actions.iter().take(shown).map(|action| format!("    {}", self.action(action, digests)));
        lines.extend(actions);
        let more = step.actions.len() - shown;
        if more > 0 {
            lines.push(format!("    … and {more} more (-v shows all)"));
        }
        lines.extend(self.unknown(step));
        lines
    }

    pub(super) fn value(self, text: &str, digests: &Digests) -> String {
        if self.verbose { text.to_owned() } else { digests.short(text) }
    }
}

/// `images (43)`, `images (42, 1 unknown)`.
pub fn amount(step: &StepState) -> String {
    match step.unknown.len() {
        0 => format!("{} ({})", step.kind, step.actions.len()),
        unknown => format!("{} ({}, {unknown} unknown)", step.kind, step.actions.len()),
    }
}

/// `3 actions`
pub fn actions(state: &StageState) -> String {
    count(state.steps.iter().map(|step| step.actions.len()).sum(), "action")
}
