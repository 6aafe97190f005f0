//! What each text in a pipeline file must be, key by key, and what no text may be.
//!
//! One table, so that every wrong value is reported at its own place and all in one go.

use super::outline::{spell, text};
use super::problem::{Problem, Source};
use super::{github, names, paths, rules};
use crate::yaml::{Content, Id, Scalar, Style, Yaml, is_number};

type Rule = fn(&str) -> Result<(), String>;

/// Keys, with `*` for each item of a list or key of the user's own, and the rule for their text.
pub(super) const RULES: &[(&str, Rule)] = &[
    ("name", names::pipeline),
    ("repository", rules::origin),
    ("registries.*", rules::location),
    ("branches.rc", names::rc_branch),
    ("branches.staging", names::staging_branch),
    ("branches.line", names::line_branch),
    ("branches.default", names::branch),
    ("tags.rc", names::rc_tag),
    ("tags.stable", names::stable_tag),
    ("tags.modules.*", names::stable_tag),
    ("root", paths::path),
    ("identity.name", rules::person),
    ("identity.email", rules::person),
    ("allowed_paths.*", paths::glob),
    ("references.owned.*", rules::place),
    ("references.tag_prefixes.*", rules::tag_prefix),
    ("references.values.*", paths::glob),
    ("references.tag_files.*", paths::glob),
    ("references.text.*.path", paths::path),
    ("references.gzip.*.path", rules::gzip),
    ("references.gzip.*.plain", paths::path),
    ("references.exclude.*.path", paths::glob),
    ("references.exclude.*.line", rules::line),
    ("references.exclude.*.reason", rules::reason),
    ("artifact.repository", rules::place),
    ("artifact.source", rules::url),
    ("artifact.modes.file", rules::mode),
    ("artifact.modes.executable", rules::mode),
    ("artifact.modes.directory", rules::mode),
    ("artifact.rc_only.*", paths::glob),
    ("artifact.rc_tag.optional", rules::reason),
    ("installer.values", paths::path),
    ("installer.url_key", rules::key),
    ("installer.ref_key", rules::key),
    ("chart.path", paths::path),
    ("chart.repository", rules::place),
    ("chart.stamp.*.file", paths::path),
    ("chart.stamp.*.key", rules::key_path),
    ("chart.stamp.*.value", names::stamp),
    ("aliases.images.*", rules::alias),
    ("aliases.chart.*", rules::alias),
    ("verify.rest.report", rules::reason),
    ("overlay.packages.*", paths::glob),
    ("overlay.skip.*.path", paths::glob),
    ("overlay.skip.*.reason", rules::reason),
    ("lint.exclude.*.rule", rules::word),
    ("lint.exclude.*.path", paths::glob),
    ("lint.exclude.*.line", rules::line),
    ("lint.exclude.*.reason", rules::reason),
    ("producers.*.file", paths::glob),
    ("producers.*.key", rules::key_path),
    ("producers.*.by", rules::line),
    ("producers.*.reason", rules::reason),
    ("base_requires.*.file", paths::path),
    ("base_requires.*.contains", rules::line),
    ("evidence.*.workflow", github::rules::workflow),
    ("evidence.*.job", github::rules::job),
    ("evidence.*.branches.*", names::branch),
    ("proposal.label", github::rules::label),
    ("proposal.authors.*", github::rules::login),
    ("release.changelog", github::rules::changelog),
    ("release.assets.copied.*", github::rules::asset_name),
    ("release.assets.built.*", github::rules::asset_glob),
    ("release.starts", github::rules::workflow),
];

/// The keys whose value is `true` or `false`.
const BOOLEANS: [&str; 2] = ["required", "checks_by_hand"];

/// The keys whose value could carry a password: their messages never repeat it.
const ADDRESSES: [&str; 2] = ["repository", "artifact.source"];

/// Everything that is wrong with single values.
pub(super) fn check(source: &Source<'_>, yaml: &Yaml) -> Vec<Problem> {
    let mut problems = Vec::new();
    yaml.documents.iter().for_each(|&root| walk(source, yaml, &[], root, &mut problems));
    problems
}

/// Values that YAML doesn't read as text or that break their rule, and items that are in a list twice.
fn walk(source: &Source<'_>, yaml: &Yaml, path: &[&str], id: Id, problems: &mut Vec<Problem>) {
    let key = spell(&path.join("."));
    let problem = |id: Id, what: String| source.problem(&yaml.nodes[id].span, format!("{key}: {what}"));
    match &yaml.nodes[id].content {
        Content::Scalar(scalar) => {
            let boolean_is_fine = path.last().is_some_and(|key| BOOLEANS.contains(key));
            if let Some(why) = not_text(scalar, boolean_is_fine) {
                problems.push(problem(id, why));
            } else if let Some((pattern, rule)) = RULES.iter().find(|(pattern, _)| leads_to(pattern, path))
                && let Err(message) = rule(&scalar.value)
            {
                let may_hold_a_secret = ADDRESSES.contains(pattern) && scalar.value.contains('@');
                let problem = problem(id, message);
                problems.push(if may_hold_a_secret { problem.without_excerpt() } else { problem });
            }
        }
        Content::Sequence(items) => {
            for (position, &item) in items.iter().enumerate() {
                let earlier = items.iter().take(position).any(|&other| text(yaml, other) == text(yaml, item));
                if let (Some(text), true) = (text(yaml, item), earlier) {
                    problems.push(problem(item, format!("`{text}` is there twice; keep one")));
                }
                walk(source, yaml, &[path, &[&position.to_string()]].concat(), item, problems);
            }
        }
        Content::Map(entries) => {
            for &(key, value) in entries {
                walk(source, yaml, &[path, &[yaml.step(key)]].concat(), value, problems);
            }
        }
        // Refused before.
        Content::Alias(_) => {}
    }
}

fn leads_to(pattern: &str, path: &[&str]) -> bool {
    let steps: Vec<&str> = pattern.split('.').collect();
    steps.len() == path.len() && steps.iter().zip(path).all(|(step, name)| *step == "*" || step == name)
}

/// Why a scalar is not text: what YAML reads it as, and how to write it.
fn not_text(scalar: &Scalar, boolean_is_fine: bool) -> Option<String> {
    match scalar.value.as_str() {
        _ if scalar.style != Style::Plain => None,
        "" => Some("there is no value; give one or delete the key".into()),
        text @ ("~" | "null" | "Null" | "NULL") => Some(format!("`{text}` is no value; give one or delete the key")),
        text @ ("true" | "True" | "TRUE" | "false" | "False" | "FALSE") if !boolean_is_fine => {
            Some(format!("`{text}` is a truth value where text is meant; expected text, quoted: \"{text}\""))
        }
        text if is_number(text) => {
            Some(format!("`{text}` is a number where text is meant; expected text, quoted: \"{text}\""))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::outline::{join, read};
    use super::*;

    /// The words serde judges itself.
    const WORDS: [&str; 4] = ["forge", "required", "event", "checks_by_hand"];

    fn texts(yaml: &Yaml, path: &str, id: Id, found: &mut Vec<String>) {
        match &yaml.nodes[id].content {
            Content::Scalar(_) => found.push(path.to_owned()),
            Content::Sequence(items) => items.iter().for_each(|&item| texts(yaml, &join(path, "*"), item, found)),
            Content::Map(entries) => {
                let step = |key: Id| if path == "registries" { "*" } else { yaml.key(key).unwrap() };
                entries.iter().for_each(|&(key, value)| texts(yaml, &join(path, step(key)), value, found));
            }
            Content::Alias(_) => panic!("an alias at {path}"),
        }
    }

    #[test]
    fn every_text_has_a_rule() {
        let text = include_str!("../../fixtures/pipelines/good/full.yaml");
        let yaml = read(&Source { name: "full.yaml", text }).unwrap();
        let mut found = Vec::new();
        texts(&yaml, "", yaml.documents[0], &mut found);
        for path in &found {
            let ruled = RULES.iter().any(|(pattern, _)| pattern == path);
            let word = path.rsplit('.').next().is_some_and(|key| WORDS.contains(&key)) || path == "stages.*";
            assert!(ruled || word, "{path} has no rule");
        }
        for (pattern, _) in RULES {
            assert!(found.iter().any(|path| path == pattern), "{pattern} is not in full.yaml");
        }
    }
}
