//! Finding a table in a file. That there is none is an answer of its own, and never an empty table.

use std::collections::HashMap;

use super::check::Checker;
use super::entry::Entry;
use super::key::Key;
use super::problem::{Problem, Rule};
use super::{NODES, cascade, warn};
use crate::model::Lines;
use crate::yaml::{Content, Id, Style, Yaml};

/// A table that may be applied.
#[derive(Debug)]
pub struct Table {
    /// The file as the user named it.
    pub file: String,
    /// In the order of the file, which is the order they apply in.
    pub entries: Vec<Entry>,
    /// What may not be meant, in the order of the entries.
    pub warnings: Vec<Problem>,
    pub(super) by_name: HashMap<String, usize>,
}

/// Why there is no table to apply.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file, the key or the list isn't there. Whether that may be is for the caller's caller.
    #[error("{file}: there is no table of overrides: {what}")]
    Missing { file: String, what: String },
    /// In the order of the file; there is at least one.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid(Vec<Problem>),
}

/// Entries in a table, at most.
pub(super) const ENTRIES: usize = 10_000;

/// Reads the table at a key of a file, or at its top. `file` is what messages call it.
pub fn read(file: &str, bytes: &[u8], key: &Key) -> Result<Table, TableError> {
    let lines = Lines::new(bytes);
    let problem = |offset: usize, rule, message: String, help: &str| {
        let (line, column) = lines.place(offset);
        Problem { rule, entry: None, file: file.to_owned(), line, column, message, help: help.to_owned() }
    };
    let unreadable = |offset, message: String, help: &str| {
        TableError::Invalid(vec![problem(offset, Rule::Unreadable, message, help)])
    };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| unreadable(error.valid_up_to(), "not UTF-8".into(), "write the file in UTF-8"))?;
    let yaml = Yaml::parse_one_bounded(text, NODES).map_err(|error| match error.second_document {
        true => unreadable(error.span.start, "another document begins".into(), "keep one document in the file"),
        false => unreadable(error.span.start, format!("not YAML: {}", error.message), "correct the file's syntax"),
    })?;
    let items = match find(&yaml, key) {
        Ok(items) => items,
        Err(NoList::Missing(what)) => return Err(TableError::Missing { file: file.to_owned(), what }),
        Err(NoList::Wrong { at, rule, message, help }) => {
            let offset = yaml.nodes.get(at).map_or(0, |node| node.span.start);
            return Err(TableError::Invalid(vec![problem(offset, rule, message, help)]));
        }
    };
    if let Some(&first) = items.get(ENTRIES) {
        let offset = yaml.nodes.get(first).map_or(0, |node| node.span.start);
        let message = format!("{} has {} entries, of {ENTRIES} at most", key.shown(), items.len());
        let help = "keep the entries whose images are used";
        return Err(TableError::Invalid(vec![problem(offset, Rule::TooMany, message, help)]));
    }
    let mut checker = Checker { file, text, yaml: &yaml, lines: &lines, key: key.to_string(), problems: Vec::new() };
    let written = checker.check(items);
    let steps = cascade::steps(&written);
    checker.depth(&written, &steps);
    if !checker.problems.is_empty() {
        return Err(TableError::Invalid(checker.problems));
    }
    warn::warn(&mut checker, &written, &steps);
    let entries: Vec<Entry> = written.iter().map(|entry| entry.entry(lines.place(entry.span.start))).collect();
    let by_name = entries.iter().enumerate().map(|(index, entry)| (entry.name.clone(), index)).collect();
    Ok(Table { file: file.to_owned(), entries, warnings: checker.problems, by_name })
}

/// Why there is no list at a key.
enum NoList {
    Missing(String),
    Wrong { at: Id, rule: Rule, message: String, help: &'static str },
}

/// The items of the list at a key. What a merge (`<<`) would bring is not looked for: it could be
/// the table, so it is never taken for an absent one.
fn find<'y>(yaml: &'y Yaml, key: &Key) -> Result<&'y [Id], NoList> {
    let Some(&root) = yaml.documents.first() else {
        return Err(NoList::Missing("the file is empty".to_owned()));
    };
    let mut at = root;
    for (depth, part) in key.parts().iter().enumerate() {
        let here = || key.up_to(depth).shown();
        if yaml.scalar(at).is_some_and(|scalar| scalar.is_null()) {
            return Err(NoList::Missing(format!("{} is null", here())));
        }
        let Some(entries) = yaml.map(at) else {
            let message = format!("{} is {}, where a map with {part:?} is expected", here(), word(yaml, at));
            let help = "name the key of the table's list with --key";
            return Err(NoList::Wrong { at, rule: Rule::NotAList, message, help });
        };
        let mut found = entries.iter().filter(|(k, _)| yaml.key(*k) == Some(part));
        at = match (found.next(), found.next()) {
            (Some(&(_, value)), None) => value,
            (Some(_), Some(&(again, _))) => {
                let message = format!("{} is there twice", key.up_to(depth + 1).shown());
                return Err(NoList::Wrong { at: again, rule: Rule::AmbiguousKey, message, help: "keep one of them" });
            }
            (None, _) => return Err(absent(yaml, entries, key, depth)),
        };
    }
    let list = key.shown();
    match yaml.sequence(at) {
        Some(items) => Ok(items),
        None if yaml.scalar(at).is_some_and(|scalar| scalar.is_null()) => {
            Err(NoList::Missing(format!("{list} is null")))
        }
        None => {
            let message = format!("{list} is {}, where a list is expected", word(yaml, at));
            let help = match key.parts() {
                [] => "name the key of the table's list with --key",
                _ => "write a list of entries; a table that overrides nothing is `[]`",
            };
            Err(NoList::Wrong { at, rule: Rule::NotAList, message, help })
        }
    }
}

fn absent(yaml: &Yaml, entries: &[(Id, Id)], key: &Key, depth: usize) -> NoList {
    let name = key.up_to(depth + 1).shown();
    let merge =
        |(k, _): &&(Id, Id)| yaml.scalar(*k).is_some_and(|scalar| scalar.style == Style::Plain && scalar.value == "<<");
    match entries.iter().find(merge) {
        None => NoList::Missing(format!("{name} isn't there")),
        Some(&(at, _)) => NoList::Wrong {
            at,
            rule: Rule::AmbiguousKey,
            message: format!("{name} isn't there, unless this merge brings it, and merges are not followed"),
            help: "write the key out",
        },
    }
}

/// What a node is, for people.
pub(super) fn word(yaml: &Yaml, id: Id) -> &'static str {
    match yaml.nodes.get(yaml.resolve(id)).map(|node| &node.content) {
        Some(Content::Map(_)) => "a map",
        Some(Content::Sequence(_)) => "a list",
        Some(Content::Scalar(scalar)) if scalar.is_null() => "null",
        Some(Content::Scalar(_)) => "a single value",
        Some(Content::Alias(_)) | None => "an alias",
    }
}
