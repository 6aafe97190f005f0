//! The docs' table of rules is the list of rules.

use sealift::lint::RULES;

#[test]
fn the_docs_have_every_rule_as_it_is() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lint.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = RULES
        .iter()
        .map(|rule| format!("| `{}` | {} | {} | {} |", rule.id, rule.level.name(), rule.what, rule.hint))
        .collect();
    assert_eq!(rows, expected, "docs/lint.md has another table");
}

#[test]
fn each_rule_has_a_file_an_id_and_words_of_its_own() {
    for rule in RULES {
        let file = format!("src/lint/rules/{}.rs", rule.id.replace('-', "_"));
        assert!(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).is_file(), "{file}");
        assert_eq!(RULES.iter().filter(|other| other.id == rule.id || other.what == rule.what).count(), 1);
        assert!(rule.what.ends_with('.') && !rule.hint.ends_with('.'), "{}", rule.id);
        assert!(rule.hint.starts_with(|c: char| c.is_lowercase()), "{}", rule.id);
    }
}
