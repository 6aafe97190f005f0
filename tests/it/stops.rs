//! `docs/when-it-stops.md` has every refusal and wait there is, in the words that the source has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex_automata::meta::Regex;
use sealift::model::Code;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Everything below src, the tests in it left out.
fn sources() -> String {
    let (mut found, mut folders) = (String::new(), vec![here("src")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push_str(text.split("#[cfg(test)]\nmod tests").next().unwrap());
            }
        }
    }
    found
}

/// A text of the source as it is read: joined lines, and `…` for what is filled in.
fn spoken(literal: &str) -> String {
    let joined = Regex::new(r"\\\n *").unwrap();
    let mut text = literal.to_owned();
    while let Some(found) = joined.find(&text) {
        text.replace_range(found.range(), "");
    }
    let mut spoken = String::new();
    let mut depth = 0;
    for c in text.replace("\\\"", "\"").chars() {
        match c {
            '{' => {
                depth += 1;
                spoken.push('…');
            }
            '}' => depth -= 1,
            _ if depth == 0 => spoken.push(c),
            _ => {}
        }
    }
    spoken
}

/// What begins with a word and a name, and the text behind it, if it is spelled out there.
fn said(source: &str, pattern: &str) -> Vec<(String, Option<String>)> {
    let pattern = Regex::new(&format!(r#"{pattern}(?:[\n ]*(?:format!\([\n ]*)?"((?:[^"\\]|\\[^x])*)")?"#)).unwrap();
    let mut found = Vec::new();
    for captures in pattern.captures_iter(source) {
        let part = |n: usize| captures.get_group(n).map(|span| source[span.range()].to_owned());
        found.push((part(1).unwrap(), part(2).map(|text| spoken(&text))));
    }
    found
}

/// The rows of the page: what is first in them, the messages, what to do.
fn rows(page: &str) -> Vec<(String, Vec<String>, String)> {
    let cells = |line: &str| -> Option<(String, Vec<String>, String)> {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ");
        let name = cells.next()?.trim_end_matches('`').to_owned();
        let messages = cells.next()?.split("<br>").map(|message| message.trim_matches(['`', ' ']).to_owned()).collect();
        Some((name, messages, cells.next()?.to_owned()))
    };
    page.lines().filter_map(cells).collect()
}

fn page() -> (String, String) {
    let page = fs::read_to_string(here("docs/when-it-stops.md")).unwrap();
    let (waits, refusals) = page.split_once("\n## Refusals").unwrap();
    (waits.to_owned(), refusals.to_owned())
}

/// Names there are, and their messages, against the page's rows.
#[track_caller]
fn compare(rows: &[(String, Vec<String>, String)], names: &BTreeSet<&str>, said: &[(String, Option<String>)]) {
    let listed: Vec<&str> = rows.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(listed.len(), names.len(), "a row is there twice, or lacks");
    assert_eq!(&listed.iter().copied().collect::<BTreeSet<_>>(), names);
    let by_name: BTreeMap<&str, &Vec<String>> = rows.iter().map(|(name, said, _)| (name.as_str(), said)).collect();
    for (name, message) in said {
        let Some(message) = message else { continue };
        // A message that is made of parts is spelled out by the page alone.
        let bare = message.trim_matches(['`', ' ']);
        let known = by_name[name.as_str()];
        let parts = message.chars().filter(|c| c.is_alphabetic()).count() < 4;
        assert!(parts || known.iter().any(|row| row == bare), "{name}: the page lacks `{message}`, it has {known:?}");
    }
    for (name, messages, what_to_do) in rows {
        assert!(!messages.is_empty() && messages.iter().all(|message| message.len() > 5), "{name}");
        assert!(what_to_do.len() > 15 && what_to_do.ends_with('.'), "{name}: {what_to_do}");
    }
}

/// Each message of the page is somewhere in the source: the longest piece of it that nothing is filled into.
#[track_caller]
fn are_in(source: &str, rows: &[(String, Vec<String>, String)]) {
    let source = spoken(source.replace(['{', '}'], "\u{1}").as_str());
    for (name, messages, _) in rows {
        for message in messages.iter().filter(|message| message.contains('…')) {
            let piece = message.split('…').max_by_key(|piece| piece.len()).unwrap().trim();
            assert!(source.contains(piece), "{name}: nothing in src says `{piece}`");
        }
    }
}

fn kebab(name: &str) -> String {
    let parts = name.chars().enumerate().map(|(at, c)| match c.is_uppercase() {
        true if at > 0 => format!("-{}", c.to_lowercase()),
        true => c.to_lowercase().to_string(),
        false => c.to_string(),
    });
    parts.collect()
}

#[test]
fn the_page_has_every_refusal() {
    let (_, refusals) = page();
    let source = sources();
    let said: Vec<_> = said(&source, r"(?:Refusal|Self)::new\([\n ]*Code::([A-Za-z]+),")
        .into_iter()
        .map(|(name, text)| (kebab(&name), text))
        .collect();
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::ALL.len());
    // Each code is used, and each refusal was seen.
    assert_eq!(names, said.iter().map(|(name, _)| name.as_str()).collect::<BTreeSet<_>>());
    assert!(said.len() > 90 && said.iter().filter(|(_, text)| text.is_some()).count() > 80);
    let rows = rows(&refusals);
    compare(&rows, &names, &said);
    are_in(&source, &rows);
}

#[test]
fn the_page_has_every_wait() {
    let (waits, _) = page();
    let source = sources();
    let mut said = said(&source, r#"Plan::wait\([\n ]*"([a-z-]+)","#);
    said.extend(self::said(&source, r#"on: "([a-z-]+)","#).into_iter().map(|(on, _)| (on, None)));
    assert!(said.len() > 9, "{said:?}");
    let names: BTreeSet<&str> = said.iter().map(|(on, _)| on.as_str()).collect();
    let rows = rows(&waits);
    compare(&rows, &names, &said);
    are_in(&source, &rows);
}

#[test]
fn a_message_is_read_as_people_see_it() {
    let source = "Refusal::new(\n    Code::NoBase,\n    format!(\"a {b} \\\n        c \\\"{}\\\" d\", e),\n)";
    let said = said(source, r"(?:Refusal|Self)::new\([\n ]*Code::([A-Za-z]+),");
    assert_eq!(said, [("NoBase".to_owned(), Some("a … c \"…\" d".to_owned()))]);
    assert_eq!(kebab("NoBase"), "no-base");
}
