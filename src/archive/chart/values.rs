//! The values of a YAML file of one document, by their key paths.

use std::collections::HashSet;

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
    yaml: Yaml,
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
        Ok(Self { text, paths: paths(&yaml), yaml })
    }

    /// The positions of values at a path: more than one where a key is there twice.
    pub(super) fn all(&self, path: &str) -> impl Iterator<Item = usize> {
        self.paths.iter().enumerate().filter(move |(_, (found, _))| found == path).map(|(at, _)| at)
    }

    /// The position of the one value at a path.
    pub(super) fn find(&self, path: &str) -> Result<Option<usize>, Fault> {
        let mut all = self.all(path);
        match (all.next(), all.next()) {
            (_, Some(second)) => {
                Err(Fault { line: self.line(second), reason: format!("`{path}` is there twice; remove one") })
            }
            (first, None) => Ok(first),
        }
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        &self.yaml.nodes[self.paths[at].1]
    }

    /// Where a value's line begins to say something: in a map, at its key.
    pub(super) fn start(&self, at: usize) -> usize {
        let node = self.node(at);
        node.key.map_or(node, |key| &self.yaml.nodes[key]).span.start
    }

    pub(super) fn line(&self, at: usize) -> usize {
        line(self.text.as_bytes(), self.start(at))
    }

    /// Every path, with what is said there if it is a scalar.
    pub(super) fn says(&self) -> Vec<(&str, Option<&str>)> {
        let said = |id: Id| match &self.yaml.nodes[id].content {
            Content::Scalar(scalar) => Some(scalar.shown()),
            _ => None,
        };
        self.paths.iter().map(|(path, id)| (path.as_str(), said(*id))).collect()
    }
}

/// A collection comes before what is in it, so that its path is known by then.
fn paths(yaml: &Yaml) -> Vec<(String, Id)> {
    let mut paths = vec![String::new(); yaml.nodes.len()];
    let mut keys = HashSet::new();
    for (id, node) in yaml.nodes.iter().enumerate() {
        let path = paths[id].clone();
        let join = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
        match &node.content {
            Content::Map(entries) => entries.iter().for_each(|&(key, value)| {
                keys.insert(key);
                // A key may be a collection with values of its own.
                (paths[key], paths[value]) = ("?".to_owned(), join(yaml.step(key)));
            }),
            Content::Sequence(items) => {
                items.iter().enumerate().for_each(|(at, &item)| paths[item] = join(&at.to_string()))
            }
            Content::Scalar(_) | Content::Alias(_) => {}
        }
    }
    paths.into_iter().zip(0..).filter(|(_, id)| !keys.contains(id)).collect()
}

/// The line of an offset, from 1. A lone CR ends a line too (YAML 1.2, 5.4).
fn line(bytes: &[u8], offset: usize) -> usize {
    let ends = |at: &usize| match bytes.get(*at) {
        Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
        byte => byte == Some(&b'\n'),
    };
    (0..offset).filter(ends).count() + 1
}
