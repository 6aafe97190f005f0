//! Explain: what a line is and what would become of it, or why there is nothing; and the census as a command.

use std::time::{Duration, Instant};

use sealift::engine::{Event, Observer as _};
use sealift::explain::{Census, Change, Completeness, Explanation, PlaceError};
use sealift::lint::{Judging, Level, Lint, Subject};
use sealift::model::Digest;
use sealift::pipeline::{self, Pipeline};
use sealift::report::{Annotations, Json, Markdown, Mode, Reporter, Style, Terminal};
use sealift::tree::{MemTree, Tree};

use crate::support::counting::Counting;
use crate::support::page::Page;
use crate::support::pipelines::Text;
use crate::support::sandbox::Sandbox;

const VALUES: &str = "packages/a/x/values.yaml";

fn pipeline_text() -> String {
    let exclude = "  exclude: [{path: a/x/Makefile, line: DEFAULT, reason: a default that nothing pulls}]\n";
    let (text, gzip) = ("{path: system/net/daemonset.yml}", "system/provider/components");
    Text { text, gzip, references: exclude, more: "" }.build()
}

fn pipeline() -> Pipeline {
    pipeline::parse("test.yaml", &pipeline_text()).unwrap_or_else(|error| panic!("{error}"))
}

fn fill(text: &str) -> String {
    let text = text.replace("OWN", "registry.example/org/own").replace("RC", "v2.3.0-rc.1");
    (1..=9).fold(text, |text, n: u8| text.replace(&format!("D{n}"), &Digest::of(&[n]).to_string()))
}

/// One of each kind, and what is near it.
fn shop() -> MemTree {
    let mut tree = MemTree::new("test");
    for (path, text) in [
        ("Makefile", "build:\n\tmake -C packages/a/x image\n"),
        ("packages/a/x/Makefile", "# OWN/no:v1\nDEFAULT = OWN/x:v1\nimage:\n\tyq -i '.line = \"y\"' values.yaml\n"),
        (
            VALUES,
            "line: OWN/x:RC@D1\ncomponent: OWN/y:v0.9@D2\n# a comment\nthird: quay.io/q/r:1@D3\n\nbare: OWN/z:RC\n\
             split:\n  registry: registry.example\n  repository: org/own/s\n  tag: RC@D4\nname: OWN\nplain: 1\n\
             rival: OWN/x:v1.30-RC@D5\nalone: {tag: RC@D6}\nflags: --image=OWN/y:latest@D7\n# OWN/old:v1\n",
        ),
        ("packages/a/w/images/w.tag", "OWN/w:RC@D8\n"),
        ("packages/core/installer/values.yaml", "sourceUrl: oci://OWN/own-packages\nsourceRef: digest=D9\n"),
        ("packages/a/x/charts/c/values.yaml", "image: OWN/c:v1\nplain: 1\n"),
        ("packages/a/x/README.md", "OWN/x:v1\n\nwords\n"),
        ("packages/a/x/other.txt", "nothing\nrun OWN/undeclared:v1\n"),
        ("packages/a/x/odd:7", "nothing\n"),
        ("docs/page.txt", "OWN/x:v1\n"),
    ] {
        tree.put(path, 0o644, fill(text));
    }
    tree
}

fn explain_in(tree: &dyn Tree, place: &str) -> Result<Explanation, PlaceError> {
    Explanation::look(&pipeline(), tree, "test".into(), None, place)
}

#[track_caller]
fn explain(place: &str) -> Explanation {
    explain_in(&shop(), place).unwrap_or_else(|error| panic!("{place}: {error}"))
}

/// For the samples of reports.
pub fn census_event() -> Event {
    Event::Census(Box::new(census(&shop(), false)))
}

pub fn explanation_event(place: &str) -> Event {
    Event::Explanation(Box::new(explain(place)))
}

fn change(change: &Change) -> String {
    match change {
        Change::Changes { from, to, .. } => {
            format!("{} -> {to}", from.split(':').next_back().unwrap().get(..6).unwrap_or(from))
        }
        Change::Nothing { .. } => "nothing".to_owned(),
        Change::Refused { why } => format!("refused {}", why.split(':').next().unwrap()),
        Change::Unknown { .. } => "unknown".to_owned(),
    }
    .replace("registry.example/org/own", "OWN")
}

/// Class, shape, and what a promotion, a retag and a mirror would do.
fn says(place: &str) -> [String; 5] {
    let explanation = explain(place);
    let [explained] = explanation.references.as_slice() else { panic!("{place}: {explanation:#?}") };
    assert_eq!(explained.effects.iter().map(|e| e.of).collect::<Vec<_>>(), ["promotion", "retag", "mirror"]);
    let effects: Vec<String> = explained.effects.iter().map(|effect| change(&effect.change)).collect();
    [explained.class(), explained.shape(), effects[0].clone(), effects[1].clone(), effects[2].clone()]
}

#[test]
fn each_class_says_what_would_become_of_it() {
    let hex = |n: u8| Digest::of(&[n]).hex()[..6].to_owned();
    let at = |line: usize| format!("{VALUES}:{line}");
    for (place, expected) in [
        (
            at(1),
            [
                "version-line",
                "string",
                "v2.3.0 -> v2.3.0",
                &format!("{} -> OWN/x:v2.3.0", hex(1)),
                "regist -> <mirror>/x",
            ],
        ),
        (at(4), ["third-party", "string", "nothing", "nothing", "nothing"]),
        (at(6), ["version-line", "string", "v2.3.0 -> v2.3.0", "refused it has no digest", "refused it has no digest"]),
        (
            at(13),
            [
                "version-line",
                "string",
                "v1.30- -> v1.30-v2.3.0",
                &format!("{} -> OWN/x:v1.30-v2.3.0", hex(5)),
                "regist -> <mirror>/x",
            ],
        ),
        (
            at(14),
            [
                "no-repository",
                "tag-only",
                "refused its tag is the candidate's, and without a repository it is never rewritten",
                "nothing",
                "nothing",
            ],
        ),
        (
            "packages/a/w/images/w.tag".into(),
            [
                "version-line",
                "file",
                "v2.3.0 -> v2.3.0",
                &format!("{} -> OWN/w:v2.3.0", hex(8)),
                "regist -> <mirror>/w",
            ],
        ),
        (
            "packages/core/installer/values.yaml".into(),
            ["packages-artifact", "artifact-pair", "nothing", "nothing", "nothing"],
        ),
    ] {
        assert_eq!(says(&place), expected.map(str::to_owned), "{place}");
    }
    // Two digests want one name: `v2.3.0` beside each one's own tag.
    for line in [2, 15] {
        let found = says(&at(line));
        assert_eq!((found[0].as_str(), found[2].as_str()), ("component-versioned", "nothing"), "{line}");
        assert_eq!(found[3], "refused 2 digests of the tree want the name OWN/y", "{line}");
    }
}

#[test]
fn a_divided_reference_is_explained_from_each_of_its_lines() {
    let first = explain(&format!("{VALUES}:8"));
    for line in [9, 10] {
        assert_eq!(explain(&format!("{VALUES}:{line}")).references, first.references);
    }
    let Change::Refused { why } = &first.references[0].effects[2].change else { panic!("{first:#?}") };
    assert!(why.contains("divided over two keys") && why.contains("`registry`"), "{why}");
    // Lint says it of the host, and explain of the line with the tag, too.
    for line in [8, 10] {
        let rules: Vec<&str> = explain(&format!("{VALUES}:{line}")).findings.iter().map(|f| f.rule).collect();
        assert!(rules.contains(&"split-host"), "{line}: {rules:?}");
    }
}

#[test]
fn who_stamps_it_is_said() {
    let stamped = |place: &str| explain(place).references[0].stamped.clone();
    let by = stamped(&format!("{VALUES}:1"));
    assert!(by.starts_with("by packages/a/x/Makefile:4:") && by.contains("`image`"), "{by}");
    let by = stamped(&format!("{VALUES}:6"));
    assert!(by.starts_with("by nothing"), "{by}");
    assert!(stamped(&format!("{VALUES}:4")).starts_with("by nobody here"));
}

#[test]
fn where_there_is_no_reference_it_says_why() {
    let nothing = |place: &str| {
        let explanation = explain(place);
        explanation.nothing.unwrap_or_else(|| panic!("{place}: {:?} {:?}", explanation.references, explanation.others))
    };
    for (place, why) in [
        ("packages/a/x/values.yaml:3", "comment"),
        ("packages/a/x/values.yaml:5", "empty"),
        ("packages/a/x/values.yaml:12", "the line holds neither"),
        ("packages/a/x/charts/c/values.yaml:2", "is upstream's"),
        ("packages/a/x/README.md:3", "Markdown is prose"),
        ("packages/a/x/README.md:2", "empty"),
        ("packages/a/x/other.txt:1", "not among those with references"),
        ("packages/a/x/odd:7", "the file holds neither"),
        ("docs/page.txt:1", "outside of `packages`"),
    ] {
        let said = nothing(place);
        assert!(said.contains(why), "{place}: {said}");
    }
    for (place, kind, why) in [
        ("packages/a/x/values.yaml:11", "mention", "a name alone"),
        ("packages/a/x/values.yaml:16", "mention", "comment"),
        ("packages/a/x/charts/c/values.yaml:1", "vendored", "upstream's"),
        ("packages/a/x/README.md", "prose", "Markdown"),
        ("packages/a/x/other.txt:2", "unclaimed", "the census refuses it"),
        ("packages/a/x/Makefile:1", "mention", "comment"),
        ("packages/a/x/Makefile:2", "exclusion", "a default that nothing pulls"),
    ] {
        let explanation = explain(place);
        let [other] = explanation.others.as_slice() else { panic!("{place}: {explanation:#?}") };
        assert_eq!((other.item.claim.kind(), explanation.nothing.as_ref()), (kind, None), "{place}");
        assert!(other.because.contains(why), "{place}: {}", other.because);
    }
}

#[test]
fn what_is_not_there_is_an_error_with_a_hint() {
    for (place, part) in [
        ("packages/a/x/no.yaml", "no such file"),
        ("packages/a/x", "it is no file"),
        ("packages/a/x/values.yaml:99", "there is no line 99: it has 16"),
        ("packages/a/x/values.yaml:0", "there is no line 0"),
    ] {
        let error = explain_in(&shop(), place).unwrap_err();
        assert!(error.to_string().contains(part) && error.is_usage() && !error.hint().is_empty(), "{place}: {error}");
    }
}

/// What other files hold tells the version, and who else wants a name: where one can't be read that is not known.
#[test]
fn what_another_file_may_say_is_unknown_where_it_cant_be_read() {
    let mut tree = shop();
    tree.put("packages/a/broken/values.yaml", 0o644, "a: [\n");
    let at = |line: usize| format!("{VALUES}:{line}");
    let explain = |place: &str, rc: Option<&str>| {
        let rc = rc.map(|rc| rc.parse().unwrap());
        Explanation::look(&pipeline(), &tree, "test".into(), rc.as_ref(), place).unwrap()
    };
    let effects = |explanation: &Explanation| -> Vec<String> {
        explanation.references[0].effects.iter().map(|effect| change(&effect.change)).collect()
    };
    let inferred = explain(&at(1), None);
    let unread: Vec<(&str, usize)> = inferred.unread.iter().map(|p| (p.file.as_str(), p.line)).collect();
    assert_eq!(unread, [("packages/a/broken/values.yaml", 1)]);
    assert_eq!(effects(&inferred)[..2], ["unknown", "unknown"]);
    // With the version named the text is known, and the name may have another claimant.
    let named = explain(&at(1), Some("2.3.0-rc.1"));
    assert_eq!(effects(&named)[..2], ["v2.3.0 -> v2.3.0", "unknown"]);
    let Change::Unknown { why } = &named.references[0].effects[1].change else { panic!("{named:#?}") };
    assert!(why.contains("could not be read") && why.contains("x:v2.3.0"), "{why}");
    // What is refused stays so, and what is nothing to a promotion doesn't depend on it.
    assert_eq!(effects(&explain(&at(2), Some("2.3.0-rc.1")))[1], "refused 2 digests of the tree want the name OWN/y");
    assert_eq!(effects(&explain(&at(4), None)), ["nothing", "nothing", "nothing"]);
    for event in [inferred, named].map(|explanation| Event::Explanation(Box::new(explanation))) {
        for (n, text) in forms(&event).into_iter().enumerate() {
            assert!(n == 2 || text.contains("packages/a/broken/values.yaml"), "{text}");
        }
    }
    assert!(self::explain(&at(1)).unread.is_empty());
}

#[test]
fn explain_finds_in_a_file_what_lint_finds_there() {
    let (tree, pipeline) = (shop(), pipeline());
    let subject = Subject::read(&pipeline, &tree, "test".into(), None);
    let whole = Lint::of(&subject, Judging { fail_on: Level::Error, baseline: None });
    assert!(whole.findings.len() > 5);
    for entry in tree.entries().unwrap().into_iter().filter(|entry| entry.size > 0) {
        let file = String::from_utf8(entry.path).unwrap();
        let of_file: Vec<_> = whole.findings.iter().filter(|finding| finding.place.file == file).cloned().collect();
        assert_eq!(explain(&file).findings, of_file, "{file}");
    }
}

/// Of one file: the files with references (for the version, and for digests that want one name), the Makefiles (for
/// what stamps), and itself.
#[test]
fn explain_reads_no_more_than_it_must_and_nothing_twice() {
    for (place, itself) in [
        (format!("{VALUES}:1"), 0),
        ("packages/a/x/other.txt".to_owned(), 1),
        ("packages/a/x/charts/c/values.yaml".to_owned(), 1),
    ] {
        let counting = Counting::new(shop());
        explain_in(&counting, &place).unwrap();
        let opened = counting.opened.lock().unwrap().clone();
        let names: Vec<String> = opened.keys().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        assert!(opened.values().all(|&times| times == 1), "{place}: {opened:?}");
        let must = |name: &str| {
            name.ends_with("Makefile") || name.ends_with(".tag") || name == VALUES || name.contains("installer")
        };
        let more: Vec<&String> = names.iter().filter(|name| !must(name)).collect();
        assert_eq!(more.len(), itself, "{place}: {more:?}");
        assert_eq!(names.len() - more.len(), 5, "{place}: {names:?}");
    }
}

fn census(tree: &dyn Tree, strict: bool) -> Census {
    Census::of(&pipeline(), tree, "test".into(), None, strict)
}

#[test]
fn the_census_has_a_table_and_a_verdict() {
    let tree = shop();
    let found = census(&tree, false);
    assert_eq!((found.verdict, found.places("unclaimed"), found.excluded.len()), (Completeness::Incomplete, 1, 1));
    assert_eq!(found.counts.iter().map(|count| count.places).sum::<usize>(), found.rows.len());
    assert_eq!(found.claimed, found.places("shape"));
    let kinds: Vec<&str> = found.counts.iter().map(|count| count.kind).collect();
    assert_eq!(kinds.first().zip(kinds.last()), Some((&"shape", &"unclaimed")));
    let mut clean = MemTree::new("test");
    clean.put(VALUES, 0o644, fill("a: OWN/x:RC@D1\nb: |\n  c: {repository: OWN/c, tag: v1}\n"));
    assert_eq!(census(&clean, false).verdict, Completeness::Complete);
    // Overlooked is told, and refused when that is asked for.
    assert_eq!(
        (census(&clean, false).places("overlooked"), census(&clean, true).verdict),
        (1, Completeness::Incomplete)
    );
    clean.put("packages/a/y/values.yaml", 0o644, b"a: \xff\n".as_slice());
    assert_eq!(census(&clean, false).verdict, Completeness::Unknown);
}

/// Every form of a report.
fn forms(event: &Event) -> Vec<String> {
    let page = |make: &dyn Fn(Box<dyn std::io::Write + Send>) -> Box<dyn Reporter>| {
        let page = Page::default();
        let reporter = make(page.writer());
        reporter.event(event);
        reporter.close().unwrap();
        page.text()
    };
    let style = Style { mode: Mode::Plan, color: false, talk_color: false, progress: None, verbose: 1, quiet: false };
    let markdown = Markdown::new();
    markdown.event(event);
    vec![
        page(&|out| Box::new(Terminal::new(out, Box::new(std::io::sink()), style))),
        page(&|out| Box::new(Json::new(out))),
        page(&|out| Box::new(Annotations::new(out))),
        markdown.render(Markdown::SUMMARY),
    ]
}

#[test]
fn hostile_names_and_words_stay_words_in_every_form() {
    let words = "@team `x` <img src=x> ##[add-mask]y \u{202e}\u{1b}[2J";
    let names = ["::error::owned", "new\n::warning::line", "a|b `c`", "esc\u{1b}[2J", "##[set-env name=x]y"];
    let mut tree = shop();
    let mut places = Vec::new();
    for (n, name) in names.iter().enumerate() {
        for (path, text) in [
            (
                format!("packages/h/{name}{n}/values.yaml"),
                format!("a: OWN/h{n}:v9@D1 # {words}\nb: \"OWN/i:v1 {words}\"\n"),
            ),
            (format!("packages/h/{name}{n}/t.tpl"), format!("OWN/j:v1 {words}\n::error::OWN/k:v1\n")),
        ] {
            tree.put(path.as_str(), 0o644, fill(&text));
            places.push(path);
        }
    }
    tree.put("packages/h/bytes/x.txt", 0o644, b"\xff registry.example/org/own/x:v1 \xff\n".as_slice());
    places.push("packages/h/bytes/x.txt".into());
    let mut events = vec![Event::Census(Box::new(census(&tree, false)))];
    events.extend(places.iter().map(|place| Event::Explanation(Box::new(explain_in(&tree, place).unwrap()))));
    for event in &events {
        for text in forms(event) {
            for bad in ["\u{1b}", "\u{202e}", "##[", "\r"] {
                assert!(!text.contains(bad), "{bad:?} in {text}");
            }
            for command in text.lines().filter(|line| line.trim_start().starts_with("::")) {
                let ours = ["::error file=packages/", "::error title=sealift census::"];
                assert!(ours.iter().any(|begin| command.starts_with(begin)), "{command}");
            }
        }
    }
}

#[test]
fn many_references_are_explained_in_time() {
    let text: String = (0..20_000).map(|n| format!("k{n}: OWN/x{n}:RC@D1\n")).collect();
    let mut tree = shop();
    tree.put("packages/a/many/values.yaml", 0o644, fill(&text));
    let start = Instant::now();
    let explanation = explain_in(&tree, "packages/a/many/values.yaml").unwrap();
    assert_eq!(explanation.references.len(), 20_000);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn the_commands_end_as_they_say() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("pipeline.yaml"), pipeline_text()).unwrap();
    let tree = shop();
    for entry in tree.entries().unwrap() {
        if let Some(bytes) = tree.get(&entry.path) {
            let path = sandbox.path("tree").join(String::from_utf8(entry.path).unwrap());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }
    let broken = sandbox.path("broken/packages/a");
    for (name, text) in [("x", fill("a: OWN/x:RC@D1\n")), ("broken", "a: [\n".to_owned())] {
        std::fs::create_dir_all(broken.join(name)).unwrap();
        std::fs::write(broken.join(name).join("values.yaml"), text).unwrap();
    }
    let run = |words: &str| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_sealift"), &sandbox.path(""));
        let output = command.args(words.split(' ')).args(["--pipeline", "pipeline.yaml"]).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    for (words, code, part) in [
        ("explain packages/a/x/values.yaml:1 --tree tree", 0, "promotion  v2.3.0-rc.1 becomes v2.3.0"),
        ("explain packages/a/x/values.yaml:1 --tree tree --format json", 0, "\"event\":\"explanation\""),
        (
            "explain packages/a/x/values.yaml:1 --tree tree --format markdown",
            0,
            "## Explained: `packages/a/x/values.yaml:1`",
        ),
        ("explain packages/a/x/values.yaml:2 --tree tree --rc v9.9.9-rc.1", 0, "registry.example/org/own/y:v9.9.9"),
        ("explain packages/a/x/values.yaml:99 --tree tree", 2, "there is no line 99"),
        ("explain packages/a/x/nowhere.yaml --tree tree", 2, "hint: name a file by its path"),
        ("explain packages/a/x/values.yaml:1 --tree broken", 1, "not read: packages/a/broken/values.yaml:1:4"),
        ("explain packages/a/x/values.yaml --tree nowhere", 1, "neither a directory nor a revision"),
        ("explain", 2, "required arguments"),
        ("refs census --tree tree", 5, "1 unclaimed"),
        ("refs census --tree tree -v", 5, "prose"),
        ("refs census --tree tree --format json", 5, "\"verdict\":\"incomplete\""),
        ("refs census --tree tree --format markdown", 5, "| `exclusion` | `1` |"),
        ("refs census --tree nowhere", 1, "neither a directory nor a revision"),
    ] {
        let (got, out, err) = run(words);
        assert_eq!(got, code, "{words}: {out}{err}");
        assert!(out.contains(part) || err.contains(part), "{words}: {out}{err}");
        let data = code == 0 || code == 5 || words.ends_with("--tree broken");
        assert_eq!(out.is_empty(), !data, "{words}: data where there is none: {out}");
    }
}
