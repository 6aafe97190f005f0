//! The rules of a table. Every entry is looked at, whatever is wrong with those before it.

use std::collections::HashMap;
use std::ops::Range;

use super::cascade;
use super::entry::{FIELDS, Field, Written};
use super::image::split;
use super::problem::{Problem, Rule, shown};
use super::table::word;
use crate::model::{Digest, Lines};
use crate::yaml::{Content, Id, Reading, Yaml};

/// Bytes of a field, at most. The longest reference has some 450.
const LENGTH: usize = 512;
/// Problems told of one entry, at most.
const TOLD: usize = 16;

pub(super) struct Checker<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) yaml: &'a Yaml,
    pub(super) lines: &'a Lines<'a>,
    /// The list's key, as it was asked for.
    pub(super) key: String,
    pub(super) problems: Vec<Problem>,
}

impl Checker<'_> {
    /// Notes what is wrong, or may be, with an entry.
    pub(super) fn add(
        &mut self,
        rule: Rule,
        (entry, field): (usize, &str),
        span: &Range<usize>,
        message: impl AsRef<str>,
        help: impl Into<String>,
    ) {
        let (line, column) = self.lines.place(span.start);
        let dot = if field.is_empty() { "" } else { "." };
        let message = format!("{}[{entry}]{dot}{field}: {}", self.key, message.as_ref());
        let file = self.file.to_owned();
        self.problems.push(Problem { rule, entry: Some(entry), file, line, column, message, help: help.into() });
    }

    /// Every entry as it was written, and what is wrong with it in `problems`.
    pub(super) fn check(&mut self, items: &[Id]) -> Vec<Written> {
        let written: Vec<Written> = items.iter().enumerate().map(|(index, &item)| self.entry(index, item)).collect();
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (index, entry) in written.iter().enumerate() {
            let Some(name) = entry.name() else { continue };
            match names.get(name.text.as_str()) {
                None => {
                    names.insert(&name.text, index);
                }
                Some(first) => {
                    let message = format!("{} is listed twice, first in entry {first}", shown(&name.text));
                    self.add(Rule::RepeatedName, (index, "name"), &name.span, message, "keep one entry for a name");
                }
            }
        }
        self.problems.sort_by_key(|problem| problem.entry);
        written
    }

    /// That no image is renamed without an end.
    pub(super) fn depth(&mut self, written: &[Written], steps: &[Option<usize>]) {
        if let Some(index) = cascade::too_deep(steps) {
            let message = format!("its images would be renamed more than {} times, entry by entry", cascade::DEPTH);
            let help = "write the last name into each entry";
            self.add(Rule::DeepCascade, (index, "newName"), &written[index].span, message, help);
        }
    }

    fn entry(&mut self, index: usize, item: Id) -> Written {
        let yaml = self.yaml;
        let Some(node) = yaml.nodes.get(item) else { return Written::default() };
        let mut written = Written { span: node.span.clone(), ..Written::default() };
        let Content::Map(entries) = &node.content else {
            // What an alias stands for could be repeated without end, so an entry isn't read through one.
            let what = if matches!(node.content, Content::Alias(_)) { "an alias" } else { word(yaml, item) };
            let help = "write a map with `name` and at least one of `newName`, `newTag` and `digest`";
            self.add(Rule::NotAMap, (index, ""), &node.span, format!("{what}, where a map is expected"), help);
            return written;
        };
        let before = self.problems.len();
        let mut seen = [false; 4];
        for &(key, value) in entries {
            if self.problems.len() - before >= TOLD {
                self.add(Rule::UnknownField, (index, ""), &node.span, "and more of the kind", "correct the entry");
                break;
            }
            let Some(at) = FIELDS.iter().position(|field| yaml.key(key) == Some(*field)) else {
                self.unknown(index, key);
                continue;
            };
            if std::mem::replace(&mut seen[at], true) {
                let span = yaml.nodes.get(key).map(|node| node.span.clone()).unwrap_or_default();
                let message = "it is there twice";
                self.add(Rule::RepeatedField, (index, FIELDS[at]), &span, message, "keep one of them");
                continue;
            }
            written.fields[at] = self.string(index, FIELDS[at], value);
        }
        self.whole(index, &written, seen);
        written
    }

    fn unknown(&mut self, index: usize, key: Id) {
        let span = self.yaml.nodes.get(key).map(|node| node.span.clone()).unwrap_or_default();
        let name = self.yaml.key(key).map_or_else(|| "a key that is no text".to_owned(), shown);
        let help = match self.yaml.key(key) {
            Some("<<") => "write the fields out: merges are not followed",
            Some("tagSuffix") => "write the whole tag in `newTag`: a table has no `tagSuffix`",
            _ => "there are `name`, `newName`, `newTag` and `digest`, and no others",
        };
        self.add(Rule::UnknownField, (index, ""), &span, format!("unknown field {name}"), help);
    }

    /// A field's text, if it is text to every reader of YAML.
    fn string(&mut self, index: usize, field: &'static str, value: Id) -> Option<Field> {
        let yaml = self.yaml;
        let node = yaml.nodes.get(value)?;
        let (place, at) = (node.span.clone(), (index, field));
        let Some(scalar) = yaml.scalar(value) else {
            let message = format!("it must be a string, and is {}", word(yaml, value));
            self.add(Rule::NotAString, at, &place, message, "write one value, in quotes");
            return None;
        };
        if scalar.value.len() > LENGTH {
            let message = format!("{} bytes: no part of a reference has more than {LENGTH}", scalar.value.len());
            self.add(Rule::TooLong, at, &place, message, "write the value that is meant");
            return None;
        }
        let tag = yaml.nodes.get(yaml.resolve(value)).and_then(|node| self.text.get(node.tag.clone()?));
        let reading = match tag {
            None => scalar.reading(),
            Some("!" | "!!str" | "!<tag:yaml.org,2002:str>") => Reading::Text,
            Some(tag) => {
                let message = format!("it must be a string, and is tagged {}", shown(tag));
                self.add(Rule::NotAString, at, &place, message, "leave the tag out, and quote the value");
                return None;
            }
        };
        let read = match reading {
            Reading::Text => return Some(Field { text: scalar.value.clone(), span: place }),
            Reading::Null => "null".to_owned(),
            Reading::Boolean(value) => format!("the boolean {value}"),
            Reading::Number(value) => format!("the number {value}"),
            Reading::Date => "a date".to_owned(),
        };
        let (message, help) = match scalar.is_absent() || scalar.is_null() {
            true => {
                ("it must be a string, and is null".to_owned(), "write a value in quotes, or leave it out".to_owned())
            }
            false => (
                format!("it must be a string, and {} is read as {read}", shown(&scalar.value)),
                format!("quote it: {field}: \"{}\"", scalar.value),
            ),
        };
        self.add(Rule::NotAString, at, &place, message, help);
        None
    }

    /// What must hold between the fields. A field that is there and couldn't be read has been told of.
    fn whole(&mut self, index: usize, written: &Written, seen: [bool; 4]) {
        let unread = |at: usize| seen[at] && written.fields[at].is_none();
        match written.name() {
            None if unread(0) => {}
            None => {
                let help = "name the images it is for, without tag and digest";
                self.add(Rule::NoName, (index, ""), &written.span, "name is required", help);
            }
            Some(name) if split(&name.text).name.len() < name.text.len() => {
                let message = format!("{} must not carry a tag or a digest", shown(&name.text));
                let help = match split(&name.text).name {
                    "" => "write a name".to_owned(),
                    bare => format!("write {}", shown(bare)),
                };
                self.add(Rule::TaggedName, (index, "name"), &name.span, message, help);
            }
            Some(_) => {}
        }
        let changes = [written.new_name(), written.new_tag(), written.digest()];
        if changes.iter().all(Option::is_none) && !(1..4).any(unread) {
            let message = "it sets none of newName, newTag and digest";
            self.add(Rule::NoChange, (index, ""), &written.span, message, "set one of them, or delete the entry");
        }
        if let Some(digest) = written.digest().filter(|digest| digest.text.parse::<Digest>().is_err()) {
            let message = format!("{} is not `sha256:` and 64 lower-case hex digits", shown(&digest.text));
            let help = "copy the digest from the registry";
            self.add(Rule::MalformedDigest, (index, "digest"), &digest.span, message, help);
        }
    }
}
