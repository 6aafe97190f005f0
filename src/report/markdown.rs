//! A document: a GitHub step summary or the comment of a pull request.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use super::human::{actions, amount};
use super::story::Story;
use super::text::count;
use super::{POINT_OF_NO_RETURN, Problem, Reporter, headline, word};
use crate::engine::event::{Event, Goal, Observer, StageState, State};
use crate::model::markdown::{block, code, details, prose, table};
use crate::stage::Summary;

/// Collects events; [`Markdown::render`] makes the document, at any time.
#[derive(Default)]
pub struct Markdown(Mutex<Story>);

/// How much of a document there is room for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Full,
    NoDetails,
    EndOnly,
}

impl Markdown {
    /// Bytes GitHub takes as a comment (65536 characters), with room for a caller's own line.
    pub const COMMENT: usize = 65_000;
    /// Bytes GitHub takes as a step summary (1024 KiB), with room for other steps' lines.
    pub const SUMMARY: usize = 1_000_000;

    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        let story = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let told = story.goal.is_some() || !story.stages.is_empty() || story.end.is_some();
        !told && story.problems.is_empty() && story.warnings.is_empty()
    }

    /// The document in at most `limit` bytes: where it would be longer, details go first.
    pub fn render(&self, limit: usize) -> String {
        let story = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for room in [Room::Full, Room::NoDetails, Room::EndOnly] {
            text = document(&story, room);
            if text.len() <= limit {
                return text;
            }
        }
        let fits = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|&end| end <= limit).last();
        text.truncate(fits.unwrap_or_default());
        text
    }
}

impl Observer for Markdown {
    fn event(&self, event: &Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).tell(event);
    }
}

impl Reporter for Markdown {
    fn problem(&self, problem: &Problem) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).problems.push(problem.clone());
    }
}

fn document(story: &Story, room: Room) -> String {
    let mut parts = vec![heading(story)];
    match room {
        Room::EndOnly => parts.push("The rest is left out: it is too long for this place.\n".into()),
        Room::Full | Room::NoDetails => {
            parts.extend(story.goal.as_ref().map(goal));
            parts.push(problems(story));
            parts.push(waits(story));
            parts.push(stages(story));
        }
    }
    match room {
        Room::Full => {
            parts.extend(story.stages.iter().map(planned));
            parts.push(tags(story));
            parts.push(done(story));
        }
        Room::NoDetails => parts.push("Details are left out: they are too long for this place.\n".into()),
        Room::EndOnly => {}
    }
    parts.push(end(story));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn heading(story: &Story) -> String {
    let state = story.end.as_ref().map_or("not finished", |end| word(end.state));
    match &story.goal {
        Some(Goal { rc, stable, .. }) => format!("## Promotion of {} to {}: {state}\n", code(rc), code(stable)),
        None => format!("## sealift: {state}\n"),
    }
}

fn goal(goal: &Goal) -> String {
    let Goal { pipeline, rc, stable, rc_commit, rc_artifact, base, seal, content_commit, diff_id, images } = goal;
    let images = images.len().to_string();
    let rows = [
        ("pipeline", pipeline),
        ("from", rc),
        ("to", stable),
        ("commit", rc_commit),
        ("artifact", rc_artifact),
        ("base", base),
        ("content commit", content_commit),
        ("diff id", diff_id),
        ("images", &images),
        ("seal", seal),
    ];
    let rows = rows.map(|(name, value)| vec![name.to_owned(), code(value)]);
    table(&["goal", ""], rows)
}

fn stages(story: &Story) -> String {
    if story.stages.is_empty() {
        return String::new();
    }
    table(
        &["stage", "state", "what"],
        story.stages.iter().map(|state| {
            let mut what: Vec<String> = state.steps.iter().map(amount).collect();
            what.extend(state.wait.iter().map(|wait| format!("{}: {}", wait.on, prose(&wait.message))));
            if !state.refusals.is_empty() {
                what.push(count(state.refusals.len(), "refusal"));
            }
            what.extend(state.notes.iter().map(|note| format!("note: {}", prose(note))));
            vec![state.stage.to_owned(), word(state.state).to_owned(), what.join("<br>")]
        }),
    )
}

/// Everything that went wrong, with its place and what to do.
fn problems(story: &Story) -> String {
    let mut text = String::new();
    let mut add = |lead: &str, problem: &Problem| {
        let Problem { message, places, causes, hints } = problem;
        // Writing into a String can't fail.
        let _ = writeln!(text, "- {lead}: {}", prose(message));
        places.iter().for_each(|place| _ = writeln!(text, "  - at {}", code(place)));
        causes.iter().for_each(|cause| _ = writeln!(text, "  - caused by: {}", prose(cause)));
        hints.iter().for_each(|hint| _ = writeln!(text, "  - hint: {}", prose(hint)));
    };
    for stage in &story.stages {
        stage.refusals.iter().for_each(|refusal| add(stage.stage, &Problem::from(refusal)));
    }
    for (stage, unknown) in story.unknown() {
        add(stage, &Problem::new(format!("can't be known: {unknown}")));
    }
    for failure in &story.failed {
        let message = format!("{} {}", failure.action.verb, failure.action.target);
        add(failure.stage, &Problem::new(message).caused_by(&failure.cause));
    }
    story.problems.iter().for_each(|problem| add("error", problem));
    story.warnings.iter().for_each(|warning| add("warning", &Problem::new(warning)));
    let title = match story.end.as_ref().map(|end| end.state) {
        Some(State::Refused) => "Refused",
        Some(State::Failed) => "Failed",
        Some(State::Holds | State::Work | State::Waiting | State::Interrupted) | None => "To look at",
    };
    if text.is_empty() { text } else { format!("### {title}\n\n{text}") }
}

fn waits(story: &Story) -> String {
    let wait = |wait: &crate::stage::Wait| {
        let commands = if wait.commands.is_empty() { String::new() } else { format!("\n{}", block(&wait.commands)) };
        format!("\n{}: {}\n{commands}", wait.on, prose(&wait.message))
    };
    let waits: String = story.stages.iter().filter_map(|stage| stage.wait.as_ref()).map(wait).collect();
    if waits.is_empty() { waits } else { format!("### Waiting\n{waits}") }
}

fn planned(state: &StageState) -> String {
    if state.steps.is_empty() {
        return String::new();
    }
    let mut lines = Vec::new();
    for step in &state.steps {
        lines.push(format!("{}:\n", amount(step)));
        lines.extend(step.actions.iter().map(action));
        lines.push(String::new());
    }
    let warning = if state.stage == POINT_OF_NO_RETURN { ", public from here on" } else { "" };
    details(&format!("{}: {}{warning}", state.stage, actions(state)), &lines.join("\n"))
}

fn tags(story: &Story) -> String {
    let Some(Goal { images, .. }) = story.goal.as_ref().filter(|goal| !goal.images.is_empty()) else {
        return String::new();
    };
    let tagged = story.stages.iter().any(|s| s.stage == POINT_OF_NO_RETURN && s.state == State::Holds);
    let title = if tagged { "What is tagged" } else { "What will be tagged" };
    let rows = images.iter().map(|(name, digest)| vec![code(name), code(digest)]);
    details(&format!("{title}: {}", count(images.len(), "image")), &table(&["tag", "digest"], rows))
}

fn done(story: &Story) -> String {
    if story.done.is_empty() {
        return String::new();
    }
    let lines: Vec<String> =
        story.done.iter().map(|(stage, summary)| action(summary).replacen("- ", &format!("- {stage}: "), 1)).collect();
    details(&format!("Done now: {}", count(story.done.len(), "action")), &lines.join("\n"))
}

fn end(story: &Story) -> String {
    let Some(end) = &story.end else { return String::new() };
    let list = |stages: &[&str]| if stages.is_empty() { "nothing".to_owned() } else { stages.join(", ") };
    let mut text = format!("{}\n", headline(end));
    if !(end.done.is_empty() && end.left.is_empty()) {
        let _ = write!(text, "\n- done: {}\n- left: {}\n", list(&end.done), list(&end.left));
    }
    if let Some(next) = &end.next {
        let _ = write!(text, "\nTo go on:\n\n{}", block(std::slice::from_ref(next)));
    }
    text
}

fn action(action: &Summary) -> String {
    let Summary { verb, target, value, expects } = action;
    let expects = expects.as_ref().map(|expects| format!(" (expects {})", code(expects))).unwrap_or_default();
    format!("- {verb} {} → {}{expects}", code(target), code(value))
}
