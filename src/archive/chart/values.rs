//! The values of a YAML file of one document, by their key paths.

use crate::yaml::{Content, Id, Node, Yaml};

/// Why an edit isn't possible: a line (from 1; 0 is the whole file) and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub line: usize,
    pub reason: String,
}

/// A file's values. Keys are no values of their own.
pub(super) struct Values<'t> {
    pub text: &'t str,
    pub yaml: Yaml,
    /// Keys and list positions, joined by dots; in the order of the text.
    paths: Vec<(String, Id)>,
}

impl<'t> Values<'t> {
    pub(super) fn read(bytes: &'t [u8]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = line(bytes, error.valid_up_to());
            Fault { line, reason: "not UTF-8; save the file as UTF-8".into() }
        })?;
        let yaml = Yaml::parse_one(text).map_err(|error| {
            let reason = match error.second_document {
                true => "a second YAML document; keep one in the file".into(),
                false => format!("not readable as YAML: {}", error.message),
            };
            Fault { line: line(bytes, error.span.start), reason }
        })?;
        let mut values = Self { text, yaml, paths: Vec::new() };
        for &root in &values.yaml.documents {
            walk(&values.yaml, root, String::new(), &mut values.paths);
        }
        Ok(values)
    }

    /// The values at a path: more than one where a key is there twice.
    pub(super) fn all(&self, path: &str) -> impl Iterator<Item = Id> {
        self.paths.iter().filter(move |(found, _)| found == path).map(|&(_, id)| id)
    }

    /// The one value at a path.
    pub(super) fn find(&self, path: &str) -> Result<Option<Id>, Fault> {
        let mut all = self.all(path);
        let first = all.next();
        match all.next() {
            Some(second) => {
                Err(Fault { line: self.line(second), reason: format!("`{path}` is there twice; remove one") })
            }
            None => Ok(first),
        }
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.yaml.nodes[id]
    }

    /// The line of a value: in a map, that of its key.
    pub(super) fn line(&self, id: Id) -> usize {
        line(self.text.as_bytes(), self.node(self.node(id).key.unwrap_or(id)).span.start)
    }

    /// As many blanks as there are characters before a node on its line.
    pub(super) fn indent(&self, id: Id) -> String {
        let before = self.text.get(..self.node(id).span.start).unwrap_or_default();
        let before = before.rsplit('\n').next().unwrap_or_default();
        " ".repeat(before.trim_start_matches('\u{feff}').chars().count())
    }

    /// Every value with its path, and what it says if it is a scalar.
    pub(super) fn says(&self) -> impl Iterator<Item = (Id, &str, Option<&str>)> {
        self.paths.iter().map(|(path, id)| match &self.node(*id).content {
            Content::Scalar(scalar) => (*id, path.as_str(), Some(scalar.shown())),
            _ => (*id, path.as_str(), None),
        })
    }
}

fn walk(yaml: &Yaml, id: Id, path: String, paths: &mut Vec<(String, Id)>) {
    paths.push((path.clone(), id));
    below(yaml, id, &path, paths);
}

/// The values inside a collection.
fn below(yaml: &Yaml, id: Id, path: &str, paths: &mut Vec<(String, Id)>) {
    let join = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
    match &yaml.nodes[id].content {
        Content::Map(entries) => {
            for &(key, value) in entries {
                // A key may be a collection with values of its own.
                below(yaml, key, "?", paths);
                walk(yaml, value, join(yaml.step(key)), paths);
            }
        }
        Content::Sequence(items) => {
            for (at, &item) in items.iter().enumerate() {
                walk(yaml, item, join(&at.to_string()), paths);
            }
        }
        Content::Scalar(_) | Content::Alias(_) => {}
    }
}

fn line(bytes: &[u8], offset: usize) -> usize {
    bytes.get(..offset).unwrap_or_default().iter().filter(|&&b| b == b'\n').count() + 1
}
