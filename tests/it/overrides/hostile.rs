//! Input that wants to cost, or to command: bounded by what is counted, never by a clock.

use sealift::overrides::{self, Key, Options, TableError, read};

use super::{apply, rewrite, rules, table};

#[test]
fn a_hundred_thousand_containers_are_one_edit_each() {
    let table = table("[{name: nginx, newTag: v2}]");
    let one = "- image: nginx:1\n";
    let text = format!("kind: X\nspec:\n  containers:\n{}", format!("  {one}").repeat(100_000));
    let applied = apply(&table, &text).unwrap();
    assert_eq!((applied.images, applied.edits.len(), applied.matched), (100_000, 100_000, vec![100_000]));
    assert_eq!(applied.edits[99_999].line, 100_003);
    assert_eq!(applied.names.len(), 1);
}

#[test]
fn a_long_stream_is_taken_document_by_document() {
    let table = table("[{name: nginx, newTag: v2}]");
    // A text without a thing to rewrite is the bulk of it, as in real ones.
    let bulk = format!("---\nkind: ConfigMap\ndata:\n  x: |\n{}", "    some text: that is long\n".repeat(10_000));
    let text = format!("{}---\ncontainers: [{{image: nginx}}]\n", bulk.repeat(20));
    let after = rewrite(&table, &text).unwrap();
    assert_eq!(after, text.replace("{image: nginx}", "{image: nginx:v2}"));
}

#[test]
fn more_values_than_are_held_are_an_error() {
    let table = table("[{name: nginx, newTag: v2}]");
    let text = format!("a: 1\n---\n[{}]\n", "a,".repeat(99));
    let within = |values| overrides::apply(&table, "m", text.as_bytes(), Options { values, ..Options::default() });
    assert!(within(100).is_ok());
    let problem = within(99).unwrap_err();
    assert_eq!((problem.message.as_str(), problem.line), ("not YAML: more than 99 values in one text", 3));
    assert_eq!(Options::default().values, 2_000_000);
}

#[test]
fn depth_is_an_error_and_never_a_stack() {
    let table = table("[{name: nginx, newTag: v2}]");
    for (open, shut) in [("[", "]"), ("- ", ""), ("{a: ", "}"), ("? ", "")] {
        let text = format!("{}nginx{}\n", open.repeat(100_000), shut.repeat(100_000));
        let problem = apply(&table, &text).unwrap_err();
        assert!(problem.message.starts_with("not YAML"), "{problem}");
        assert!(matches!(read("t", text.as_bytes(), &Key::default()), Err(TableError::Invalid(_))));
    }
}

/// Nine to the power of nine lists of containers, in ten lines.
fn bomb() -> String {
    let mut text = "a0: &a0 {containers: [{image: nginx}]}\n".to_owned();
    for level in 1..10 {
        let below = level - 1;
        text.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{below}"); 9].join(", ")));
    }
    text
}

#[test]
fn an_alias_bomb_is_one_image() {
    let table = table("[{name: nginx, newTag: v2}]");
    let after = rewrite(&table, &bomb()).unwrap();
    assert_eq!(after, bomb().replace("image: nginx", "image: nginx:v2"));
}

#[test]
fn a_table_is_no_bomb() {
    // Entries through aliases would repeat a map of many keys many times.
    let keys: String = (0..1000).map(|key| format!("k{key}: v, ")).collect();
    let text = format!("x: &x {{{keys}}}\nt: [{}]\n", "*x, ".repeat(1000));
    let Err(TableError::Invalid(problems)) = read("t", text.as_bytes(), &"t".parse().unwrap()) else { panic!("valid") };
    assert_eq!(rules(&problems), vec!["not-a-map"; 1000]);
    // One entry with many faults is told of some.
    let text = format!("[{{{keys}}}]");
    let Err(TableError::Invalid(problems)) = super::read(text) else { panic!("valid") };
    assert!(problems.len() < 20, "{}", problems.len());
    // One long text in many fields.
    let long = "x".repeat(100_000);
    let text = format!("x: &x {long}\nt: [{}]\n", "{name: *x, newName: b}, ".repeat(1000));
    let Err(TableError::Invalid(problems)) = read("t", text.as_bytes(), &"t".parse().unwrap()) else { panic!("valid") };
    assert_eq!(rules(&problems), vec!["too-long"; 1000]);
    assert!(problems.iter().all(|problem| problem.message.len() < 200));
}

#[test]
fn a_table_has_ten_thousand_entries_at_most() {
    let text: String = (0..10_001).map(|n| format!("- {{name: n{n}, newName: m}}\n")).collect();
    let Err(TableError::Invalid(problems)) = super::read(&text) else { panic!("valid") };
    assert_eq!((rules(&problems), problems[0].line), (vec!["too-many"], 10_001));
    let text: String = text.lines().take(10_000).map(|line| format!("{line}\n")).collect();
    assert_eq!(table(&text).entries.len(), 10_000);
}

#[test]
fn what_comes_from_files_commands_nobody() {
    let hostile = "::error::x\\n::error::y\\e[2J\\u202e##[set-env]";
    let text =
        format!("kind: \"{hostile}\"\ncontainers:\n- image: \"nginx:{hostile}\"\n- image: \"::error::{hostile}\"\n");
    let applied = apply(&table("[{name: nginx, newTag: v2}]"), &text).unwrap();
    let told: String = applied.refusals.iter().map(|problem| format!("{problem}\n")).collect();
    assert_eq!((applied.refusals.len(), told.lines().count()), (1, 1));
    assert!(!told.contains(['\u{1b}', '\u{202e}']) && !told.contains("##["), "{told:?}");
}
