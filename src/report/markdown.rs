//! A document: a GitHub step summary or the comment of a pull request.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use super::document::{Fold, List, Part, fit};
use super::explain::markdown as explained;
use super::human::{actions, amount};
use super::lint::markdown::parts as lint_parts;
use super::preview::{amount as amount_of, markdown};
use super::story::Story;
use super::text::count;
use super::{POINT_OF_NO_RETURN, Problem, Reporter, headline, word};
use crate::engine::event::{Event, Goal, Observer, StageState, State};
use crate::model::markdown::{block, code, link, prose, table};
use crate::stage::Summary;

/// Collects events; [`Markdown::render`] makes the document, at any time.
#[derive(Default)]
pub struct Markdown(Mutex<Story>);

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
        let told = story.lint.is_some()
            || story.census.is_some()
            || story.explanation.is_some()
            || story.preview.is_some()
            || story.goal.is_some()
            || !story.stages.is_empty()
            || story.end.is_some();
        !told && story.problems.is_empty() && story.warnings.is_empty()
    }

    /// The document in at most `limit` bytes: where it would be longer, lists lose their rows first.
    pub fn render(&self, limit: usize) -> String {
        self.render_with(limit, None)
    }

    /// The same; `more` is where the whole of it is, as Markdown.
    pub fn render_with(&self, limit: usize, more: Option<&str>) -> String {
        let story = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        fit(&document(&story), limit, more)
    }

    /// The body of a pull request's comment, known by the marker it begins with. `page` is the
    /// address of the run, whose summary has what a comment has no room for.
    pub fn comment(&self, marker: &str, page: Option<&str>) -> String {
        let more = page.map(|page| format!("in the summary of {}", link("this run", page)));
        let document = self.render_with(Self::COMMENT - marker.len() - 1, more.as_deref());
        format!("{marker}\n{}", document.trim_end())
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

fn document(story: &Story) -> Vec<Part> {
    let looked = story.lint.as_ref().map(lint_parts);
    let looked = looked.or_else(|| story.census.as_ref().map(explained::census));
    let looked = looked.or_else(|| story.explanation.as_ref().map(explained::explanation));
    let mut parts = match (looked, &story.preview) {
        (Some(parts), _) => parts,
        (None, Some(preview)) => markdown::head(preview),
        (None, None) => vec![Part::Essential(heading(story))],
    };
    parts.push(problems(story));
    parts.extend(story.goal.as_ref().map(goal).map(Part::Text));
    parts.push(Part::Text(waits(story)));
    parts.push(Part::Text(stages(story)));
    parts.extend(match &story.preview {
        Some(preview) => markdown::rest(preview),
        None => vec![changed(story), Part::Text(public(story))],
    });
    parts.extend(story.stages.iter().map(planned));
    // The destinations of a preview are these, and more.
    parts.extend(story.preview.is_none().then(|| tags(story)));
    parts.push(done(story));
    parts.push(Part::Essential(end(story)));
    parts
}

/// What the rewrite changes.
fn changed(story: &Story) -> Part {
    let changes = story.goal.as_ref().map(|goal| goal.changes.as_slice()).unwrap_or_default();
    markdown::files(changes, &amount_of(changes))
}

/// Where the point of no return is, while it is still to come.
fn public(story: &Story) -> String {
    let ahead = story.stages.iter().find(|stage| stage.stage == POINT_OF_NO_RETURN && stage.state != State::Holds);
    let Some(stage) = ahead else { return String::new() };
    let action = stage.steps.iter().find_map(|step| step.actions.first()).map(|action| action.target.as_str());
    let image = || story.goal.as_ref()?.images.first().map(|(name, _)| name.as_str());
    let first = action.or_else(image).map(|name| format!(" (first: {})", code(name))).unwrap_or_default();
    format!("The point of no return is {POINT_OF_NO_RETURN}: from there on names are public and stay{first}.\n")
}

fn heading(story: &Story) -> String {
    let state = story.end.as_ref().map_or("not finished", |end| word(end.state));
    match &story.goal {
        Some(Goal { rc, stable, .. }) => format!("## Promotion of {} to {}: {state}\n", code(rc), code(stable)),
        None => format!("## sealift: {state}\n"),
    }
}

fn goal(goal: &Goal) -> String {
    let Goal { pipeline, rc, stable, rc_commit, rc_artifact, base, seal, content_commit, diff_id, images, .. } = goal;
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
fn problems(story: &Story) -> Part {
    let mut rows = Vec::new();
    let mut add = |lead: &str, problem: &Problem| {
        let Problem { message, places, causes, hints } = problem;
        let mut text = format!("- {lead}: {}\n", prose(message));
        // Writing into a String can't fail.
        places.iter().for_each(|place| _ = writeln!(text, "  - at {}", code(place)));
        causes.iter().for_each(|cause| _ = writeln!(text, "  - caused by: {}", prose(cause)));
        hints.iter().for_each(|hint| _ = writeln!(text, "  - hint: {}", prose(hint)));
        rows.push(text);
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
    let refused = || story.stages.iter().any(|stage| stage.state == State::Refused);
    let title = match story.end.as_ref().map(|end| end.state) {
        Some(State::Refused) => "Refused",
        Some(State::Failed) => "Failed",
        None if story.preview.is_some() && refused() => "Refused",
        Some(State::Holds | State::Work | State::Waiting | State::Interrupted) | None => "To look at",
    };
    Part::List(List { title: title.into(), rows, first: true, fold: Fold::Never, ..List::default() })
}

fn waits(story: &Story) -> String {
    let wait = |wait: &crate::stage::Wait| {
        let commands = if wait.commands.is_empty() { String::new() } else { format!("\n{}", block(&wait.commands)) };
        format!("\n{}: {}\n{commands}", wait.on, prose(&wait.message))
    };
    let waits: String = story.stages.iter().filter_map(|stage| stage.wait.as_ref()).map(wait).collect();
    if waits.is_empty() { waits } else { format!("### Waiting\n{waits}") }
}

fn planned(state: &StageState) -> Part {
    let mut rows = Vec::new();
    for step in &state.steps {
        let gap = if rows.is_empty() { "" } else { "\n" };
        rows.push(format!("{gap}{}:\n\n", amount(step)));
        rows.extend(step.actions.iter().map(action));
    }
    let warning = if state.stage == POINT_OF_NO_RETURN { ", public from here on" } else { "" };
    let title = format!("{}: {}{warning}", state.stage, actions(state));
    Part::List(List { title, rows, fold: Fold::Always, ..List::default() })
}

fn tags(story: &Story) -> Part {
    let Some(Goal { images, .. }) = story.goal.as_ref() else { return Part::List(List::default()) };
    let tagged = story.stages.iter().any(|s| s.stage == POINT_OF_NO_RETURN && s.state == State::Holds);
    let title = if tagged { "What is tagged" } else { "What will be tagged" };
    let title = format!("{title}: {}", count(images.len(), "image"));
    let rows = images.iter().map(|(name, digest)| format!("| {} | {} |\n", code(name), code(digest))).collect();
    Part::List(List { title, head: table(&["tag", "digest"], []), rows, fold: Fold::Always, ..List::default() })
}

fn done(story: &Story) -> Part {
    let row = |(stage, summary): &(&str, Summary)| action(summary).replacen("- ", &format!("- {stage}: "), 1);
    let title = format!("Done now: {}", count(story.done.len(), "action"));
    let rows = story.done.iter().map(row).collect();
    Part::List(List { title, rows, fold: Fold::Always, ..List::default() })
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
    format!("- {verb} {} → {}{expects}\n", code(target), code(value))
}
