//! Trees of hostile hands: clear findings, bounded work, and nothing that a terminal, a runner or a page obeys.

use std::io::Write as _;
use std::time::{Duration, Instant};

use sealift::engine::Event;
use sealift::report::{Annotations, Json, Markdown, Mode, Reporter, Style, Terminal, sarif};
use sealift::tree::DirTree;

use super::*;
use crate::support::cost::{linear, within};
use crate::support::page::Page;
use crate::support::sandbox::Sandbox;

/// Names that would do something, were they not made safe.
const NAMES: [&str; 6] = [
    "::error::owned",
    "new\n::warning::line\nmore",
    "a|b `c` [x](y) @team #1 <img src=x>",
    "esc\u{1b}[2J",
    "bidi\u{202e}gpj",
    "##[set-env name=x]y",
];

/// Every form of the report, by name.
pub(super) fn forms(lint: &Lint) -> Vec<(&'static str, String)> {
    let event = Event::Lint(Box::new(lint.clone()));
    let page = |make: &dyn Fn(Box<dyn std::io::Write + Send>) -> Box<dyn Reporter>| {
        let page = Page::default();
        let reporter = make(page.writer());
        reporter.event(&event);
        reporter.close().unwrap();
        page.text()
    };
    let style = Style { mode: Mode::Plan, color: false, talk_color: false, progress: None, verbose: 1, quiet: false };
    let markdown = Markdown::new();
    sealift::engine::Observer::event(&markdown, &event);
    vec![
        ("human", page(&|out| Box::new(Terminal::new(out, Box::new(std::io::sink()), style)))),
        ("json", page(&|out| Box::new(Json::new(out)))),
        ("annotations", page(&|out| Box::new(Annotations::new(out)))),
        ("markdown", markdown.render(Markdown::SUMMARY)),
        ("sarif", sarif::text(lint)),
    ]
}

#[track_caller]
fn tame(lint: &Lint) {
    for (form, text) in forms(lint) {
        for bad in ["\u{1b}", "\u{202e}", "##[", "\r"] {
            assert!(!text.contains(bad), "{form} has {bad:?}:\n{text}");
        }
        let commands = text.lines().filter(|line| line.trim_start().starts_with("::"));
        for command in commands {
            let ours = ["::error file=packages/", "::error title=sealift lint::", "::warning file=packages/"];
            let ours = form == "annotations" && ours.iter().any(|begin| command.starts_with(begin));
            assert!(ours, "{form} commands the runner: {command}");
        }
    }
}

#[test]
fn names_and_values_stay_words_in_every_form() {
    let words = "@team `x` <img src=x> ##[add-mask]y \u{202e}";
    let mut tree = good();
    for (n, name) in NAMES.iter().enumerate() {
        let text = format!("a: OWN/x{n}:latest # {words}\nstray: D{} # {words}\n", n + 1);
        tree.put(format!("packages/a/{name}/values.yaml"), 0o644, fill(&text));
        tree.put(format!("packages/b/{name}/values.yaml"), 0o644, format!("{words}: [ ::error::\n"));
        tree.put(format!("packages/c/{name}/x.tpl"), 0o644, fill(&format!("OWN/y:v1 {words}\n")));
        tree.put(format!("packages/d/x/images/{}.tag", name.replace('/', "_")), 0o644, "::error::x\n");
    }
    let found = lint(&tree);
    for rule in
        ["bare-tag", "floating-tag", "unclaimed-digest", "unclaimed-reference", "unreadable", "malformed-reference"]
    {
        assert!(found.findings.iter().any(|finding| finding.rule == rule), "{rule}");
    }
    tame(&found);
}

#[test]
fn annotations_are_few_and_a_page_holds_what_is_said() {
    let text: String = (0..2_000).map(|n| format!("k{n}: OWN/x{n}:v0.1.0\n")).collect();
    let found = lint(&tree(&[(VALUES, &text)]));
    assert_eq!(found.count(Level::Error), 2_000);
    for (form, text) in forms(&found) {
        match form {
            "annotations" => {
                assert_eq!(text.lines().count(), 52, "fifty, how many there are, and the verdict");
                assert!(text.contains("2000 findings in all"), "{text}");
            }
            "markdown" => assert!(text.len() <= Markdown::SUMMARY),
            _ => assert!(text.matches("bare-tag").count() >= 2_000, "{form}"),
        }
    }
}

#[test]
fn bytes_that_are_no_text_and_names_that_are_none_are_unknown_and_never_overlooked() {
    let mut tree = good();
    tree.put(VALUES, 0o644, b"a: \xff\xfe\n".as_slice());
    tree.put(b"packages/a/\xff\xfe/values.yaml".as_slice(), 0o644, fill("a: OWN/x:v0.1.0\n"));
    tree.put(b"packages/a/t/images/\xff.tag".as_slice(), 0o644, fill("OWN/x:v0.1.0\n"));
    tree.put("packages/a/u/images/u.tag", 0o644, b"\xff".as_slice());
    let found = lint(&tree);
    let expected = [
        // What the name keeps from being read is looked into all the same.
        "unclaimed-reference error packages/a/\\xff\\xfe/values.yaml:1 registry.example/org/own/x:v0.1.0",
        "unclaimed-reference error packages/a/t/images/\\xff.tag:1 registry.example/org/own/x:v0.1.0",
        "unreadable unknown packages/a/\\xff\\xfe/values.yaml:0 ",
        "unreadable unknown packages/a/t/images/\\xff.tag:0 ",
        "unreadable unknown packages/a/u/images/u.tag:1 \u{fffd}",
        "unreadable unknown packages/a/x/values.yaml:1 \u{fffd}",
    ];
    assert_eq!(all(&found), expected);
    tame(&found);
}

#[test]
fn an_alias_bomb_is_what_it_is_written_as() {
    let mut text = String::from("a0: &a0 {image: OWN/x:v0.1.0}\n");
    for n in 1..40 {
        let before = n - 1;
        text.push_str(&format!("a{n}: &a{n} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"));
    }
    let (found, took) = timed(&tree(&[(VALUES, &text)]));
    assert_eq!(all(&found), ["bare-tag error packages/a/x/values.yaml:1 v0.1.0"]);
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn deep_nesting_ends_in_a_finding_or_in_nothing_and_never_in_a_crash() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        for depth in [100, 1_000, 100_000] {
            let text = format!("a: {}OWN/x:v0.1.0{}\n", open.repeat(depth), close.repeat(depth));
            let (found, took) = timed(&tree(&[(VALUES, &text)]));
            let rules: Vec<&str> = found.findings.iter().map(|finding| finding.rule).collect();
            assert!(
                rules == ["bare-tag"] || rules == ["unreadable"] || rules == ["unreadable", "unclaimed-reference"],
                "{depth}: {rules:?}"
            );
            assert!(took < Duration::from_secs(20), "{depth}: {took:?}");
        }
    }
    let block: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let (found, _) = timed(&tree(&[(VALUES, &format!("{block}{}image: OWN/x:v0.1.0\n", " ".repeat(2_000)))]));
    assert!(!found.findings.is_empty());
}

#[test]
fn a_link_that_leads_to_itself_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("packages/a");
    std::fs::create_dir_all(root.join("x/images")).unwrap();
    std::fs::create_dir_all(root.join("y")).unwrap();
    std::fs::write(root.join("y/values.yaml"), fill("a: OWN/y:v0.1.0\n")).unwrap();
    std::os::unix::fs::symlink("values.yaml", root.join("x/values.yaml")).unwrap();
    std::os::unix::fs::symlink("..", root.join("x/loop")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("x/images/p.tag")).unwrap();
    let found = lint(&DirTree::open(dir.path()).unwrap());
    assert_eq!(all(&found), ["bare-tag error packages/a/y/values.yaml:1 v0.1.0"]);
    assert_eq!(found.notes.iter().filter(|note| note.contains("symbolic link")).count(), 2, "{:?}", found.notes);
}

#[test]
fn a_gzip_bomb_is_refused_and_the_rest_is_found() {
    let mut tree = tree(&[(VALUES, "a: OWN/x:v0.1.0\n")]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0; 1 << 20];
    for _ in 0..1025 {
        encoder.write_all(&zeros).unwrap();
    }
    tree.put("packages/a/x/bomb.gz", 0o644, encoder.finish().unwrap());
    let (found, took) = timed(&tree);
    let expected = ["bare-tag error packages/a/x/values.yaml:1 v0.1.0", "unreadable unknown packages/a/x/bomb.gz:0 "];
    assert_eq!(all(&found), expected);
    assert!(found.findings[0].message.contains("1 GiB"), "{}", found.findings[0].message);
    assert!(took < Duration::from_secs(120), "{took:?}");
}

/// Digests that nothing claims, on a line each, and all on one.
#[test]
fn a_hundred_thousand_unclaimed_digests_are_each_found_at_a_cost_by_their_number() {
    let hex = |n: usize| format!("sha256:{n:064x}");
    for (name, end) in [("on a line each", "\n# "), ("on one line", " ")] {
        let text = |n: usize| format!("a: OWN/x:RC@D1\n# {}\n", (0..n).map(hex).collect::<Vec<_>>().join(end));
        let found = lint(&tree(&[(VALUES, &text(100_000))]));
        assert_eq!(found.count(Level::Error), 100_000, "{name}");
        assert!(found.findings.iter().all(|finding| finding.rule == "unclaimed-digest"), "{name}");
        linear(name, 10_000, |n| lint(&tree(&[(VALUES, &text(n))])));
    }
}

/// A values file of 200 MB, in a directory of its own.
fn large(line: impl Fn(usize) -> String) -> (Sandbox, u64) {
    let sandbox = Sandbox::new();
    let path = sandbox.path("tree").join(VALUES);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(sandbox.path("pipeline.yaml"), pipeline_text("")).unwrap();
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    file.write_all(fill("first: OWN/x:RC\n").as_bytes()).unwrap();
    let mut written = 0;
    for n in 0.. {
        let line = line(n);
        file.write_all(line.as_bytes()).unwrap();
        written += line.len();
        if written > 200 << 20 {
            break;
        }
    }
    file.write_all(fill("last: OWN/y:RC\n").as_bytes()).unwrap();
    file.flush().unwrap();
    (sandbox, written as u64)
}

/// The real program over 200 MB, with four times as much memory and no more.
#[test]
fn two_hundred_megabytes_are_read_or_refused_within_a_few_times_their_size() {
    let comment =
        "# a line of a comment, as long as people write them in the files of a real chart, and not any longer\n";
    for (name, line, ends) in [
        // Read to the end.
        ("comments", &(|_| comment.to_owned()) as &dyn Fn(usize) -> String, [(5, "bare-tag", 2), (0, "2 claimed", 1)]),
        // More values than are held: that is unknown, and never the beginning alone.
        ("keys", &|n| format!("k{n}: v\n"), [(1, "more than 2000000 values", 1), (1, "more than 2000000 values", 1)]),
    ] {
        let (sandbox, size) = large(line);
        for (words, (code, part, times)) in [["lint"].as_slice(), &["refs", "census"]].into_iter().zip(ends) {
            let mut command = within(4 * size, env!("CARGO_BIN_EXE_sealift"), &sandbox.path(""));
            command.env_clear().args(words).args(["--pipeline", "pipeline.yaml", "--tree", "tree"]);
            let output = command.output().unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(code), "{name} {words:?}: {out}{err}");
            assert_eq!(out.matches(part).count(), times, "{name} {words:?}: {out}{err}");
            assert!(out.len() < 4_000, "{name} {words:?}: {}", out.len());
        }
    }
}

#[test]
fn a_hundred_thousand_references_take_time_by_their_number() {
    let text = |n: usize, end: &str| -> String {
        let one = |n: usize| format!("\"k{n}\": \"OWN/x{n}:v0.1.0\"");
        format!("{{{}}}\n", (0..n).map(one).collect::<Vec<_>>().join(end))
    };
    // On a line each, and all on one.
    for (number, end) in [(100_000, ",\n"), (20_000, ", ")] {
        let found = lint(&tree(&[(VALUES, &text(number, end))]));
        assert_eq!(found.count(Level::Error), number);
        linear(end, 5_000, |n| lint(&tree(&[(VALUES, &text(n, end))])));
        // Each is a line and a few words, however long the line is that it stands on.
        let longest = found.findings.iter().map(|finding| {
            let excerpt = finding.place.excerpt.as_ref().unwrap();
            excerpt.before.len() + excerpt.marked.len() + excerpt.after.len()
        });
        assert!(longest.max().unwrap() < 1_000);
    }
}

#[test]
fn a_message_never_repeats_a_whole_file() {
    let long = "a".repeat(1_000_000);
    let found = lint(&tree(&[(VALUES, &format!("a: OWN/x:{long}@D1\nb: OWN/{long}/B:v1@D2\n"))]));
    assert_eq!(found.count(Level::Error), 2, "{:?}", found.findings.len());
    for finding in &found.findings {
        assert!(finding.message.chars().count() <= 401, "{}", finding.message.len());
        assert!(finding.place.excerpt.as_ref().unwrap().marked.chars().count() <= 161);
    }
}

fn timed(tree: &dyn Tree) -> (Lint, Duration) {
    let start = Instant::now();
    let found = lint(tree);
    (found, start.elapsed())
}
