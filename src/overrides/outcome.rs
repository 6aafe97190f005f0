//! What an applied table did that may not have been meant.

use std::collections::{BTreeSet, HashMap};

use super::Table;
use super::apply::{Applied, Edit};
use super::problem::{Problem, Rule, shown};
use crate::model::Repository;

/// The warnings of a table that was applied to files: those of the table itself, every image that lost its
/// digest, and every entry that matched nothing.
pub fn warnings(table: &Table, files: &[(String, Applied)]) -> Vec<Problem> {
    // Whether an entry unpins is now known, image by image.
    let mut warnings: Vec<Problem> = table.warnings.iter().filter(|w| w.rule != Rule::Unpins).cloned().collect();
    for (file, applied) in files {
        warnings.extend(applied.edits.iter().filter(|edit| edit.unpinned).map(|edit| unpinned(file, edit)));
    }
    let matched = |entry: usize| files.iter().any(|(_, applied)| applied.matched.get(entry).is_some_and(|&n| n > 0));
    let unmatched: Vec<usize> = (0..table.entries.len()).filter(|&entry| !matched(entry)).collect();
    if unmatched.is_empty() {
        return warnings;
    }
    let names: BTreeSet<&str> =
        files.iter().flat_map(|(_, applied)| applied.names.iter().map(String::as_str)).collect();
    // Spelled otherwise and the same repository: `docker.io/library/nginx` for `nginx`.
    let mut spelled: HashMap<Repository, &str> = HashMap::new();
    for name in names {
        if let Ok(repository) = name.parse() {
            spelled.entry(repository).or_insert(name);
        }
    }
    warnings.extend(unmatched.into_iter().filter_map(|index| {
        let entry = table.entries.get(index)?;
        let near = entry.name.parse::<Repository>().ok().and_then(|repository| spelled.get(&repository));
        let help = match near {
            Some(other) => format!("names are compared letter by letter: write {}, as the manifests do", shown(other)),
            None => "delete the entry, or name the images as the manifests do".to_owned(),
        };
        Some(Problem {
            rule: Rule::Unmatched,
            entry: Some(index),
            file: table.file.clone(),
            line: entry.line,
            column: entry.column,
            message: format!("entry {index} matched nothing: no image has the name {}", shown(&entry.name)),
            help,
        })
    }));
    warnings
}

fn unpinned(file: &str, edit: &Edit) -> Problem {
    let entry = edit.entries.last().copied().unwrap_or_default();
    Problem {
        rule: Rule::Unpins,
        entry: Some(entry),
        file: file.to_owned(),
        line: edit.line,
        column: edit.column,
        message: format!("{} was pinned by a digest, and {} is not", shown(&edit.old), shown(&edit.new)),
        help: format!("add the tag's digest to entry {entry}"),
    }
}
