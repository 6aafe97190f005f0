//! Applied tables: what changes, and that nothing else does.

use proptest::prelude::*;
use sealift::overrides::{self, Key, Options};

use super::{HEX, apply, rewrite, rules, table};
use crate::support::golden::golden;

const VALUES: &str = include_str!("../../../fixtures/overrides/apply/values.yaml");
const MANIFESTS: &str = include_str!("../../../fixtures/overrides/apply/manifests.yaml");

#[test]
fn a_stream_of_manifests_keeps_every_other_byte() {
    let key: Key = "registries.imageOverrides".parse().unwrap();
    let table = overrides::read("values.yaml", VALUES.as_bytes(), &key).unwrap();
    let after = rewrite(&table, MANIFESTS).unwrap();
    golden("overrides/apply", "rewritten.yaml", &after);
    let applied = apply(&table, MANIFESTS).unwrap();
    assert_eq!((applied.documents, applied.images, applied.matched.clone()), (4, 8, vec![1, 3, 1, 0, 1]));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, now) = (lines(MANIFESTS), lines(&after));
    let changed: Vec<usize> = (0..before.len()).filter(|&at| before[at] != now[at]).map(|at| at + 1).collect();
    assert_eq!((before.len(), changed), (now.len(), applied.edits.iter().map(|edit| edit.line).collect()));
    let warnings = overrides::warnings(&table, &[("manifests.yaml".to_owned(), applied)]);
    let told: String = warnings.iter().map(|warning| format!("{}: {warning}\n", warning.rule.id())).collect();
    golden("overrides/apply", "warnings.txt", &told);
}

#[test]
fn ephemeral_containers_are_rewritten_when_asked() {
    let table = table("[{name: nginx, newName: m}]");
    let text = "spec: {ephemeralContainers: [{image: nginx:1}], containers: [{image: nginx:1}]}";
    let edits = |ephemeral| {
        overrides::apply(&table, "m", text.as_bytes(), Options { ephemeral, ..Options::default() }).unwrap().edits.len()
    };
    assert_eq!((edits(false), edits(true)), (1, 2));
}

#[test]
fn twice_is_once() {
    let table = table(&format!("[{{name: nginx, newTag: v2, digest: 'sha256:{HEX}'}}]"));
    let once = rewrite(&table, "containers: [{image: nginx:1}]").unwrap();
    let applied = apply(&table, &once).unwrap();
    assert_eq!((applied.edits.len(), applied.matched), (0, vec![1]));
}

#[test]
fn every_spelling_of_a_scalar_is_edited_in_its_place() {
    let table =
        table("- {name: nginx, newTag: v2}\n- {name: seven, newName: '123'}\n- {name: six, newName: '[::1]:5000/x'}\n");
    for (before, after) in [
        ("- image: nginx:1 # c", "- image: nginx:v2 # c"),
        ("- image: 'nginx:1'", "- image: 'nginx:v2'"),
        ("- {\"image\":\"nginx:1\",name: x}", "- {\"image\":\"nginx:v2\",name: x}"),
        ("- image: \"n\\u0067inx:1\"", "- image: \"nginx:v2\""),
        ("- image: 'nginx:1'   ", "- image: 'nginx:v2'   "),
        ("- image: \"ngi\\\n    nx:1\" # c", "- image: \"nginx:v2\" # c"),
        ("- image:\n    nginx:1", "- image:\n    nginx:v2"),
        ("- ? image\n  : nginx:1", "- ? image\n  : nginx:v2"),
        ("- image: !!str nginx:1", "- image: !!str nginx:v2"),
        ("- image: &a nginx:1", "- image: &a nginx:v2"),
        ("- 'image' : nginx", "- 'image' : nginx:v2"),
        ("- \"im\\u0061ge\": nginx", "- \"im\\u0061ge\": nginx:v2"),
        // What YAML would read as a number or a list gets quotes.
        ("- image: seven", "- image: \"123\""),
        ("- image: six:1", "- image: \"[::1]:5000/x:1\""),
        ("- image: 'seven'", "- image: '123'"),
        // Nothing of it is an image of that name.
        ("- image: nginx/x", "- image: nginx/x"),
        ("- image: Nginx", "- image: Nginx"),
        ("- image: ' nginx'", "- image: ' nginx'"),
        ("- image: nginx\n    foo", "- image: nginx\n    foo"),
        ("- image: |\n    other:1", "- image: |\n    other:1"),
    ] {
        for (head, tail) in [
            ("containers:\n", "\n"),
            ("a: \"\u{e9}\"\r\ncontainers:\r\n", "\r\nb: [ ]\r\n"),
            ("\u{feff}containers:\n", ""),
        ] {
            let [before, after] = [before, after].map(|text| format!("{head}{text}{tail}"));
            assert_eq!(rewrite(&table, &before).as_deref(), Ok(after.as_str()));
        }
    }
}

#[test]
fn every_refusal_is_told_at_once_with_its_place() {
    let table = table("[{name: nginx, newName: b}]");
    let text = "---\nx: &a {image: nginx}\ncontainers:\n- *a\n- image: |-\n    nginx:1\n---\ncontainers:\n- image: nginx:1:2\n- image: nginx:{X}\n- image: nginx\n";
    let applied = apply(&table, text).unwrap();
    assert_eq!(rules(&applied.refusals), ["shared-image", "block-scalar", "not-a-reference", "no-reference-made"]);
    let places: Vec<_> = applied.refusals.iter().map(|problem| (problem.line, problem.column)).collect();
    assert_eq!(places, [(2, 15), (6, 5), (9, 10), (10, 10)]);
}

#[test]
fn what_can_not_be_read_is_told_with_its_place() {
    let table = table("[{name: nginx, newName: b}]");
    let problem = |bytes: &[u8]| {
        let problem = apply(&table, bytes).unwrap_err();
        assert_eq!(problem.rule.id(), "unreadable");
        (problem.line, problem.column, problem.message)
    };
    assert_eq!(problem(b"a: 1\n---\nb: \xff\n"), (3, 4, "not UTF-8".to_owned()));
    let (line, _, message) = problem(b"a: 1\n---\nb: 1\n---\nc: [1\nd: {\n");
    assert!(line >= 5 && message.starts_with("not YAML"), "{line} {message}");
    let (line, _, message) = problem(b"a: 1\n---\n{{ if x }}\nb: 1\n");
    assert!(line >= 3 && message.starts_with("not YAML"), "{line} {message}");
}

#[test]
fn an_entry_that_matches_nothing_is_told_the_spelling_that_would() {
    let table =
        table("- {name: nginx, newName: b}\n- {name: docker.io/library/redis, newName: r}\n- {name: c, newName: d}\n");
    let applied = apply(&table, "containers: [{image: 'docker.io/library/nginx:1'}, {image: redis}]").unwrap();
    let warnings = overrides::warnings(&table, &[("m".to_owned(), applied)]);
    assert_eq!(rules(&warnings), ["unmatched"; 3]);
    let helps: Vec<&str> = warnings.iter().map(|warning| warning.help.as_str()).collect();
    assert!(helps[0].contains("`docker.io/library/nginx`") && helps[1].contains("`redis`"), "{helps:?}");
    assert!(helps[2].starts_with("delete the entry"), "{helps:?}");
}

proptest! {
    /// Whatever a hand slips into a stream: it is refused, or the images change and nothing else does.
    #[test]
    fn any_change_to_a_stream_is_survived(
        cut in 0..MANIFESTS.len(),
        length in 0_usize..30,
        slip in "[-a-z0-9 {}\\[\\]:,*&!|>'\"#\n\t/.~ß\u{0}\r]{0,8}",
    ) {
        let boundary = |at: usize| (at.min(MANIFESTS.len())..=MANIFESTS.len()).find(|&at| MANIFESTS.is_char_boundary(at)).unwrap();
        let (start, end) = (boundary(cut), boundary(cut + length));
        let text = [&MANIFESTS[..start], &slip, &MANIFESTS[end..]].concat();
        let table = table("- {name: nginx, newTag: v2}\n- {name: quay.io/app, newName: b}\n- {name: busybox, newName: c}\n");
        match apply(&table, &text) {
            Err(problem) => prop_assert!(problem.line <= text.split('\n').count(), "{}", problem),
            Ok(applied) if applied.refusals.is_empty() => {
                let after = rewrite(&table, &text).unwrap();
                let again = apply(&table, &after).unwrap();
                prop_assert_eq!((again.documents, again.images), (applied.documents, applied.images));
                // Between the images every byte is where it was, and each is the new one, in quotes or not.
                let (mut at, mut rest) = (0, after.as_str());
                for edit in &applied.edits {
                    rest = rest.strip_prefix(&text[at..edit.span.start]).unwrap();
                    let quoted = format!("\"{}\"", edit.new);
                    rest = rest.strip_prefix(&edit.new).or_else(|| rest.strip_prefix(&quoted)).unwrap();
                    at = edit.span.end;
                }
                prop_assert_eq!(rest, &text[at..]);
            }
            Ok(_) => {}
        }
    }
}
