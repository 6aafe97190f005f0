//! YAML as nodes with the bytes they were read from: what lets an edit touch one value and
//! nothing else. `parse.rs` is the one place that knows the parser and its traps.
//!
//! Every node of a file lies in one list, in the order of the text, so that the place in the
//! list is the place in the structure. Duplicate keys, merges and aliases are kept as they
//! stand: what they mean is for those who read.

mod parse;
mod reading;
mod scalar;

use std::ops::Range;

pub use reading::Reading;
pub use scalar::{Scalar, Style, is_boolean, is_number};

/// Values of one text that are held: each takes some two hundred bytes, whatever it says.
pub const MOST: usize = 2_000_000;

/// An index into [`Yaml::nodes`].
pub type Id = usize;

/// Every document of a file.
#[derive(Debug, Default)]
pub struct Yaml {
    pub nodes: Vec<Node>,
    /// The root of each document.
    pub documents: Vec<Id>,
}

/// A node: what it is, and where.
#[derive(Debug)]
pub struct Node {
    pub content: Content,
    /// A scalar with its quotes, an alias; of a collection only where it begins. Anchor and tag
    /// are outside.
    pub span: Range<usize>,
    /// The key before it, in a map.
    pub key: Option<Id>,
    /// Whether it stands in `{…}` or `[…]`.
    pub in_flow: bool,
    pub anchored: bool,
    /// Where its tag is.
    pub tag: Option<Range<usize>>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    Scalar(Scalar),
    /// Keys and values.
    Map(Vec<(Id, Id)>),
    Sequence(Vec<Id>),
    /// What an alias stands for.
    Alias(Id),
}

/// Why a file can't be read.
#[derive(Debug)]
pub struct YamlError {
    /// The byte offset; of a second document, its beginning.
    pub span: Range<usize>,
    /// The parser's words.
    pub message: String,
    /// Whether it is a document more than was asked for, and no fault of syntax.
    pub second_document: bool,
    /// Whether it is only more than is held at once.
    pub too_many: bool,
}

impl Yaml {
    /// The node that an alias stands for; any other node itself.
    pub fn resolve(&self, id: Id) -> Id {
        match self.nodes.get(id).map(|node| &node.content) {
            Some(Content::Alias(target)) => *target,
            _ => id,
        }
    }

    /// A node's content, through an alias.
    fn content(&self, id: Id) -> Option<&Content> {
        Some(&self.nodes.get(self.resolve(id))?.content)
    }

    /// The scalar at a node, through an alias.
    pub fn scalar(&self, id: Id) -> Option<&Scalar> {
        if let Content::Scalar(scalar) = self.content(id)? { Some(scalar) } else { None }
    }

    /// The entries of a map, through an alias.
    pub fn map(&self, id: Id) -> Option<&[(Id, Id)]> {
        if let Content::Map(entries) = self.content(id)? { Some(entries) } else { None }
    }

    /// The items of a sequence, through an alias.
    pub fn sequence(&self, id: Id) -> Option<&[Id]> {
        if let Content::Sequence(items) = self.content(id)? { Some(items) } else { None }
    }

    /// Every scalar, in order; what an alias repeats comes once.
    pub fn scalars(&self) -> impl Iterator<Item = &Scalar> {
        self.nodes
            .iter()
            .filter_map(|node| if let Content::Scalar(scalar) = &node.content { Some(scalar) } else { None })
    }

    /// The value under a key of a map; failing that, under the same key of a map merged
    /// into it by `<<`. Of duplicate keys the last counts, as in every YAML reader that allows them.
    pub fn get(&self, entries: &[(Id, Id)], key: &str) -> Option<Id> {
        let own = |entries: &[(Id, Id)], key: &str| {
            entries.iter().rev().find(|(k, _)| self.key(*k) == Some(key)).map(|&(_, value)| value)
        };
        own(entries, key).or_else(|| own(self.map(own(entries, "<<")?)?, key))
    }

    /// A key's text, through an alias; `None` for a key that is no scalar.
    pub fn key(&self, id: Id) -> Option<&str> {
        self.scalar(id).map(|scalar| scalar.value.as_str())
    }

    /// A key as a path spells it: always something, and nothing is looked through.
    pub fn step(&self, key: Id) -> &str {
        match self.nodes.get(key).map(|node| &node.content) {
            Some(Content::Scalar(scalar)) => scalar.shown(),
            Some(Content::Alias(_)) => "*",
            _ => "?",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_through_aliases_and_merges() {
        let text = "d: &d {repository: r, tag: &t one}\nx: {<<: *d, tag: *t}\ny: {<<: *d, tag: two}\n";
        let yaml = Yaml::parse(text).unwrap();
        let top = yaml.map(yaml.documents[0]).unwrap();
        let value = |map: &str, key: &str| {
            let map = yaml.map(yaml.get(top, map).unwrap()).unwrap();
            yaml.scalar(yaml.get(map, key).unwrap()).unwrap().clone()
        };
        assert_eq!(value("x", "repository").value, "r");
        assert!(value("x", "tag").aliased);
        assert_eq!(value("y", "tag").value, "two");
        assert!(!value("y", "tag").aliased);
    }
}
