//! Every reporter, told whole streams of events; the exact texts are held in `fixtures/report`.
//! `SEALIFT_BLESS=1` writes them anew.

pub(crate) mod samples;

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;

use sealift::engine::event::{Event, Observer, State};
use sealift::report::{Annotations, Json, Markdown, Mode, Outputs, Problem, Reporter, Style, Tee, Terminal};

use crate::support::page::Page;

const PLAIN: Style =
    Style { mode: Mode::Run, color: false, talk_color: false, progress: None, verbose: 0, quiet: false };

/// What a terminal shows: `out` and `err`.
fn terminal(events: &[Event], style: Style) -> (String, String) {
    let (out, err) = (Page::default(), Page::default());
    let reporter = Terminal::new(out.writer(), err.writer(), style);
    events.iter().for_each(|event| reporter.event(event));
    reporter.close().unwrap();
    (out.text(), err.text())
}

fn written(make: impl Fn(Box<dyn Write + Send>) -> Box<dyn Reporter>, events: &[Event]) -> String {
    let page = Page::default();
    let reporter = make(page.writer());
    events.iter().for_each(|event| reporter.event(event));
    reporter.close().unwrap();
    page.text()
}

fn markdown(events: &[Event], limit: usize) -> String {
    let reporter = Markdown::new();
    events.iter().for_each(|event| reporter.event(event));
    reporter.render(limit)
}

fn golden(name: &str, actual: &str) {
    crate::support::golden::golden("report", name, actual);
}

fn both((out, err): (String, String)) -> String {
    format!("=== stdout ===\n{out}=== stderr ===\n{err}")
}

#[test]
fn the_samples_hold_every_event_and_state() {
    let events: Vec<Event> = samples::all().into_iter().flat_map(|(_, events)| events).collect();
    let variant = |event: &Event| match event {
        Event::Goal(_) => 0,
        Event::Stage(_) => 1,
        Event::Acting { .. } => 2,
        Event::Acted { .. } => 3,
        Event::Failed { .. } => 4,
        Event::Warning { .. } => 5,
        Event::End(_) => 6,
        Event::Preview(_) => 7,
        Event::Lint(_) => 8,
        Event::Census(_) => 9,
        Event::Explanation(_) => 10,
    };
    let index = |state: State| match state {
        State::Holds => 0,
        State::Work => 1,
        State::Waiting => 2,
        State::Refused => 3,
        State::Failed => 4,
        State::Interrupted => 5,
    };
    let mut seen: (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for event in &events {
        seen.0.push(variant(event));
        match event {
            Event::Stage(stage) => seen.1.push(index(stage.state)),
            Event::End(end) => seen.1.push(index(end.state)),
            _ => {}
        }
    }
    assert!((0..11).all(|n| seen.0.contains(&n)) && (0..6).all(|n| seen.1.contains(&n)), "{seen:?}");
}

#[test]
fn a_plan_is_data() {
    for (name, events) in [("plan", samples::plan()), ("refused", samples::refused())] {
        let (out, err) = terminal(&events, Style { mode: Mode::Plan, ..PLAIN });
        golden(&format!("{name}-plan.txt"), &out);
        assert_eq!(err, "");
    }
    let (out, _) = terminal(&samples::plan(), Style { mode: Mode::Plan, verbose: 1, ..PLAIN });
    golden("plan-verbose.txt", &out);
}

#[test]
fn a_run_talks_on_stderr_and_ends_on_stdout() {
    for (name, events) in samples::all() {
        golden(&format!("{name}-run.txt"), &both(terminal(&events, PLAIN)));
    }
    let verbose = Style { verbose: 1, ..PLAIN };
    golden("interrupted-run-verbose.txt", &both(terminal(&samples::interrupted(), verbose)));
}

fn outputs(events: &[Event]) -> String {
    let reporter = Outputs::new();
    events.iter().for_each(|event| reporter.event(event));
    reporter.render()
}

#[test]
fn later_steps_get_what_is_known_a_line_each() {
    let (pin, seal) = (samples::commit("pin"), samples::digest("seal"));
    let waits = format!("pin-commit={pin}\npull-request=7\nseal={seal}\nstaging-branch=release-1.6.2\n");
    assert_eq!(outputs(&samples::waiting()), waits + "waiting-for=merge\n");
    assert_eq!(outputs(&samples::refused()), format!("seal={seal}\nstaging-branch=release-1.6.2\n"));
    assert_eq!(outputs(&[]), "");
    // A plan waits at several stages, behind work: it is work that is next.
    assert!(samples::plan().iter().any(|event| matches!(event, Event::Stage(stage) if stage.wait.is_some())));
    assert!(!outputs(&samples::plan()).contains("waiting-for"));
    // Nothing from outside makes a line of its own: the branch's name here is several.
    assert_eq!(outputs(&samples::hostile()), format!("seal={seal}\n"));
}

#[test]
fn quiet_keeps_the_end_and_what_went_wrong() {
    let quiet = Style { quiet: true, ..PLAIN };
    let (out, err) = terminal(&samples::waiting(), quiet);
    assert_eq!(out, terminal(&samples::waiting(), PLAIN).0);
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("warning: the log ref"), "{err}");
    let (_, err) = terminal(&samples::refused(), quiet);
    assert_eq!(err.matches("error: ").count(), 2, "{err}");
}

#[test]
fn the_point_of_no_return_is_named_even_when_its_stage_was_not_reached() {
    let mut events = samples::plan();
    events.retain(|event| !matches!(event, Event::Stage(stage) if stage.stage == "retag"));
    let (out, _) = terminal(&events, Style { mode: Mode::Plan, ..PLAIN });
    assert!(
        out.contains(
            "point of no return: from retag on, names are public and stay (first: ghcr.io/acme/demo/image-01:v1.6.2)"
        ),
        "{out}"
    );
    assert_eq!(out.matches("point of no return").count(), 1);
}

#[test]
fn bars_count_on_a_terminal_and_leave_nothing_behind() {
    let (out, err) = terminal(&samples::failed(), Style { progress: Some(80), color: true, talk_color: true, ..PLAIN });
    let plain = terminal(&samples::failed(), PLAIN).0;
    assert_eq!(strip(&out), plain);
    assert!(err.contains("images") && err.contains("0/42") && err.contains("42/42"), "{err:?}");
    let after = &err[err.rfind("42/42").unwrap()..];
    assert!(after.contains("\u{1b}[2K"), "the last bar is cleared: {after:?}");
    // Lines are printed past the bars, which indicatif swallows on a hidden target.
    assert!(strip(&err).contains("unknown: ghcr.io/acme/demo/image-18:v1.6.2: the server answered 429"), "{err:?}");
    assert!(!err.contains("put-manifest"), "single actions are the bar's: {err:?}");
}

/// Without ANSI sequences.
fn strip(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| piece.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, text)| text));
    first + &rest.collect::<String>()
}

#[test]
fn json_is_one_object_per_event() {
    for (name, events) in samples::all() {
        let text = written(|out| Box::new(Json::new(out)), &events);
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), events.len(), "{name}");
        assert!(lines.iter().all(|line| line["event"].is_string()), "{name}");
    }
    for (name, events) in [("waiting", samples::waiting()), ("refused", samples::refused())] {
        golden(&format!("{name}.jsonl"), &written(|out| Box::new(Json::new(out)), &events));
    }
}

#[test]
fn markdown_is_a_document() {
    for (name, events) in samples::all() {
        golden(&format!("{name}.md"), &markdown(&events, Markdown::SUMMARY));
    }
    assert_eq!(markdown(&[], Markdown::SUMMARY), "## sealift: not finished\n");
}

#[test]
fn markdown_that_is_too_long_loses_its_details_first_and_never_the_way_on() {
    let full = markdown(&samples::plan(), Markdown::SUMMARY);
    for limit in [full.len() - 1, 3000, 700] {
        let text = markdown(&samples::plan(), limit);
        assert!(text.len() <= limit && text.contains("sealift run v1.6.2-rc.1 --plan"), "{limit}: {text}");
    }
    assert!(markdown(&samples::plan(), full.len() - 1).contains("| retag | to do |"));
    assert_eq!(markdown(&samples::plan(), 5), "## Pr");
}

#[test]
fn a_preview_of_thousands_fits_says_what_is_missing_and_keeps_its_verdict() {
    let whole = markdown(&samples::previews::huge(20), usize::MAX);
    let events = samples::previews::huge(800);
    let reporter = Markdown::new();
    events.iter().for_each(|event| reporter.event(event));
    let page = Some("https://github.com/acme/demo/actions/runs/1");
    let comment = reporter.comment("<!-- marker -->", page);
    // GitHub takes 65536 characters.
    assert!(comment.chars().count() <= 65_536 && comment.len() > 55_000, "{}", comment.len());
    assert!(comment.starts_with("<!-- marker -->\n## Preview of #7: a promotion would be refused\n"));
    assert!(
        comment.contains("The whole is in the summary of [this run](https://github.com/acme/demo/actions/runs/1).")
    );
    for part in ["would refuse (800)", "… and ", "Files and tags that change: 1600 lines in 800 files", "advisory"] {
        assert!(comment.contains(part), "{part}");
    }
    assert!(reporter.render(Markdown::SUMMARY).len() <= 1 << 20);
    assert!(
        whole.contains("and 20 more places") && !whole.contains(&"x".repeat(1000)),
        "one text leaves room for others"
    );
    for limit in [0, 500] {
        assert!(reporter.render(limit).len() <= limit);
    }
    assert!(reporter.render(500).contains("The rest is left out"));
}

#[test]
fn hostile_words_stay_words() {
    for events in [samples::hostile(), samples::previews::hostile()] {
        stay_words(&events);
    }
}

fn stay_words(events: &[Event]) {
    let text = markdown(events, Markdown::SUMMARY);
    assert!(!text.contains('\u{1b}'), "{text}");
    let prose = without_blocks(&text);
    for broken in ["<script", "</details><", "a|b", "@team", "#1 [", "[l]("] {
        assert!(!prose.contains(broken), "{broken}: {prose}");
    }
    for row in text.lines().filter(|line| line.starts_with("| gate")) {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 4, "{row}");
    }
    let (out, err) = terminal(events, PLAIN);
    for line in out.lines().chain(err.lines()) {
        assert!(!line.contains('\u{1b}') && !line.contains("##["), "{line:?}");
    }
    let commands = written(|out| Box::new(Annotations::new(out)), events);
    assert!(
        commands.lines().all(|line| line.starts_with("::error ")
            || line.starts_with("::notice ")
            || line.starts_with("::warning ")),
        "{commands}"
    );
}

/// Without fenced blocks, each closed by the fence that opened it.
fn without_blocks(text: &str) -> String {
    let (mut kept, mut fence) = (String::new(), None);
    for line in text.lines() {
        let ticks = line.trim_end_matches("sh");
        match fence {
            None if ticks.starts_with("```") => fence = Some(ticks),
            None => kept.extend([line, "\n"]),
            Some(open) if open == line => fence = None,
            Some(_) => {}
        }
    }
    assert_eq!(fence, None, "a block is left open");
    kept
}

#[test]
fn no_line_of_a_terminal_is_a_command_to_a_runner() {
    for (mode, events) in [Mode::Plan, Mode::Run]
        .map(|mode| (mode, samples::hostile()))
        .into_iter()
        .chain([(Mode::Plan, samples::previews::hostile())])
    {
        let (out, err) = terminal(&events, Style { mode, verbose: 1, ..PLAIN });
        for line in out.lines().chain(err.lines()) {
            assert!(!line.trim_start().starts_with("::"), "{line:?}");
        }
    }
}

#[test]
fn annotations_name_file_and_line() {
    for (name, events) in samples::all() {
        golden(&format!("{name}-annotations.txt"), &written(|out| Box::new(Annotations::new(out)), &events));
    }
}

#[test]
fn annotations_are_written_once() {
    let twice: Vec<Event> = samples::refused().into_iter().chain(samples::refused()).collect();
    let make = |out| Box::new(Annotations::new(out)) as Box<dyn Reporter>;
    assert_eq!(written(make, &twice), written(make, &samples::refused()));
}

#[test]
fn a_problem_reaches_every_reporter() {
    let problem = Problem::new("can't read pipelines/demo.yaml")
        .caused_by("permission denied")
        .hint("chmod +r pipelines/demo.yaml");
    let (out, err, json, commands) = (Page::default(), Page::default(), Page::default(), Page::default());
    let document = Arc::new(Markdown::new());
    let tee = Tee(vec![
        Box::new(Terminal::new(out.writer(), err.writer(), PLAIN)),
        Box::new(Json::new(json.writer())),
        Box::new(Annotations::new(commands.writer())),
        Box::new(Arc::clone(&document)),
    ]);
    tee.problem(&problem);
    tee.close().unwrap();
    assert_eq!(out.text(), "");
    assert_eq!(
        err.text(),
        "error: can't read pipelines/demo.yaml\n  caused by: permission denied\n  hint: chmod +r pipelines/demo.yaml\n"
    );
    assert_eq!(
        json.text(),
        "{\"event\":\"error\",\"message\":\"can't read pipelines/demo.yaml\",\"causes\":[\"permission denied\"],\"hints\":[\"chmod +r pipelines/demo.yaml\"]}\n"
    );
    assert_eq!(
        commands.text(),
        "::error title=sealift::can't read pipelines/demo.yaml%0Acaused by: permission denied%0Ahint: chmod +r pipelines/demo.yaml\n"
    );
    assert!(
        document
            .render(Markdown::COMMENT)
            .contains("- error: can't read pipelines/demo.yaml\n  - caused by: permission denied\n")
    );
}

struct Broken(ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn a_reader_that_went_away_stops_nothing() {
    for (kind, told) in [(ErrorKind::BrokenPipe, false), (ErrorKind::StorageFull, true)] {
        let style = Style { progress: Some(80), ..PLAIN };
        let err = Page::default();
        let tee = Tee(vec![
            Box::new(Terminal::new(Box::new(Broken(kind)), Box::new(Broken(kind)), style)),
            Box::new(Json::new(Box::new(Broken(kind)))),
            Box::new(Annotations::new(Box::new(Broken(kind)))),
            Box::new(Terminal::new(Box::new(Broken(kind)), err.writer(), PLAIN)),
        ]);
        samples::failed().iter().for_each(|event| tee.event(event));
        assert_eq!(tee.close().is_err(), told, "{kind}");
        assert!(err.text().contains("[42/42]"), "the other writer goes on");
    }
}
