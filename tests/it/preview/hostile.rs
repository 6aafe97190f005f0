//! What comes from a pull request is data: in logs, in summaries, in comments.

use super::*;

/// Names of folders that would do something, were they not made safe.
const NAMES: [&str; 7] = [
    "::error::owned",
    "@team <img src=x onerror=alert(1)>",
    "a|b `c` [x](https:y)",
    "<details> #987",
    "bidi\u{202e}gpj",
    "esc\u{1b}[2J",
    "new\n::warning::line\nmore",
];

/// What an author writes into files.
const WORDS: &str = "@team `x` <img src=x> | [a](b) </details> \u{202e} #987 ##[add-mask]y https://evil.example/ www.evil.example GH-98";

/// A pull request whose names and values are all hostile. Its number.
fn attacked(world: &World) -> u64 {
    let clone = world.clone_of(RC_BRANCH);
    for (n, name) in NAMES.iter().enumerate() {
        let digest = sha(&n.to_string());
        let text = format!("stray: {digest} # {WORDS}\n\"{WORDS}\": \"{OWNED}/gone-{n}:v0.1.0@{digest}\"\n");
        add(&clone, &format!("packages/apps/{name}/values.yaml"), &text);
        // A survivor, where nothing else looks.
        let line = format!("{{{{ .Host }}}}/cozystack/cozystack/x:v1.6.2-rc.1 {WORDS}\n");
        add(&clone, &format!("packages/system/{name}/x.tpl"), &line);
    }
    // And a place for a conflict.
    add(&clone, NAMES[0], "ours\n");
    world.sandbox.commit_all(&clone, WORDS);
    let branch = "evil-`b`-<img>-|-@team";
    world.push(&clone, &[&format!("HEAD:refs/heads/{branch}")]);
    open(world, branch, &format!("{WORDS}\n::error::title"))
}

/// Markdown whose hostile words are words: nothing outside code is active.
#[track_caller]
fn tame(document: &str) {
    let mut outside = String::new();
    for line in document.lines() {
        // Without code spans, and without what a backslash takes the force from.
        let (mut in_code, mut chars) = (false, line.chars());
        while let Some(c) = chars.next() {
            match c {
                '\\' if !in_code => drop(chars.next()),
                '`' => in_code = !in_code,
                _ if !in_code => outside.push(c),
                _ => {}
            }
        }
        assert!(!in_code, "a code span is left open: {line}");
        outside.push('\n');
    }
    for bad in ["<img", "@team", "](b)", "](https", "#987", "##[", "\u{202e}", "\u{1b}", "https://evil", "www.", "GH-"]
    {
        assert!(!outside.contains(bad), "{bad:?} is in {}", around(&outside, bad));
    }
    // Inside code nothing is active but what ends it, and what a runner or a terminal obeys.
    for bad in ["\u{202e}", "\u{1b}", "##["] {
        assert!(!document.contains(bad), "{bad:?} is in {}", around(document, bad));
    }
    assert_eq!(outside.matches("<details>").count(), outside.matches("</details>").count(), "a fold is broken");
    assert!(document.lines().all(|line| !line.trim_start().starts_with("::")), "{document}");
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let tables: Vec<&str> = document.lines().filter(|line| line.starts_with('|')).collect();
    for pair in tables.windows(2).filter(|pair| pair[1].starts_with("|---")) {
        assert_eq!(columns(pair[0]), columns(pair[1]));
    }
}

fn around(text: &str, bad: &str) -> String {
    text.lines().find(|line| line.contains(bad)).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_it_is_obeyed_by_a_runner_a_terminal_or_a_reader() {
    let world = fresh().await;
    let number = attacked(&world);
    world.person_commits("main", NAMES[0], "theirs\n");
    let ran = look(&world, number).await;
    ran.must_be(State::Refused);
    let topics: Vec<Topic> = preview(&ran).findings.iter().map(|finding| finding.topic).collect();
    for topic in [Topic::Conflict, Topic::Unclaimed, Topic::Unpullable, Topic::Survivor] {
        assert!(topics.contains(&topic), "{topic:?} is not tried: {topics:?}");
    }
    let document = Markdown::new();
    ran.events.iter().for_each(|event| sealift::engine::Observer::event(&document, event));
    tame(&document.comment("<!-- x -->", None));
    tame(&document.render(Markdown::SUMMARY));

    let summary = world.sandbox.path("summary.md");
    let environment = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())];
    for verbose in [&[][..], &["-v"]] {
        let number = number.to_string();
        let words = [&["preview", "--pull-request", &number, "--comment"], verbose].concat();
        let output = sealift(&world, &words, &environment, &world.arguments());
        assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
        let ours = ["::error file=", "::error title=", "::warning file=", "::warning title=", "::notice title="];
        for line in text(&output.stdout).lines().chain(text(&output.stderr).lines()) {
            assert!(!line.contains(['\u{1b}', '\u{202e}']) && !line.contains("##["), "{line:?}");
            let command = line.trim_start().starts_with("::");
            assert!(!command || ours.iter().any(|ours| line.starts_with(ours)), "{line:?}");
            if command {
                // One command a line: names are encoded in it.
                let properties = line[2..].split("::").next().unwrap();
                assert!(!properties.contains("owned,") || properties.contains("%3A%3Aerror%3A%3Aowned"), "{line}");
            }
        }
    }
    tame(&std::fs::read_to_string(&summary).unwrap());
    let comments = world.github().state().comments.clone();
    assert_eq!(comments.len(), 1);
    tame(&comments[0].body);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_keeps_every_word_on_its_line() {
    let world = fresh().await;
    let number = attacked(&world);
    let words = ["preview", "--pull-request", &number.to_string(), "--format", "json"];
    let output = sealift(&world, &words, &[("GITHUB_ACTIONS", "true")], &world.arguments());
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 1);
    let value: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    assert!(value["subject"]["pull"]["title"].as_str().unwrap().contains("::error::title"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_can_not_choose_what_is_trusted() {
    let world = fresh().await;
    // Its own pipeline file, marker and commit trailers say otherwise: none of them is asked.
    let number = change(&world, |tree| {
        add(tree, "pipelines/cozystack.yaml", "name: mine\n");
        add(tree, ".sealift.yaml", "name: mine\n");
        let line = "third: registry.evil.example/x:v1.6.2-rc.1@";
        edit(tree, POSTGRES, |text| format!("{text}{line}{}\n", sha("evil")));
    });
    let session = world.session();
    let ran = previewed(&session, number, None).await;
    ran.must_be(State::Holds);
    // A host that only the pull request names is asked nothing: it would be unknown, and is not.
    only(&ran, &[]);
    let names = &preview(&ran).destinations;
    assert!(names.iter().all(|destination| !destination.name.contains("evil")), "{names:?}");
}
