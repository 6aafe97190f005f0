//! YAML as nodes with the bytes they were read from. The one place that knows the parser.
//!
//! Measured traps of the parser that are dealt with here: comments are switched off (its
//! buffer for them rejects real files); a quoted scalar's span includes the quotes; an
//! implicit null reads as `~` over an empty span; a block scalar's span starts at its
//! content, not at `|`; `<<` arrives as a plain key; duplicate keys are not detected; an
//! alias has an event of its own.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

/// An index into [`Yaml::nodes`].
pub(super) type Id = usize;

/// Every document of a file.
#[derive(Debug, Default)]
pub(super) struct Yaml {
    pub nodes: Vec<Node>,
    pub documents: Vec<Id>,
}

#[derive(Debug)]
pub(super) enum Node {
    Scalar(Scalar),
    Map(Vec<(Id, Id)>),
    Sequence(Vec<Id>),
    /// What an alias stands for.
    Alias(Id),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scalar {
    /// The value after escapes and folding.
    pub value: String,
    /// The bytes between the quotes; of a block scalar, its content.
    pub span: Range<usize>,
    pub style: Style,
    /// Whether another place of the file repeats this scalar by an alias.
    pub aliased: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

/// Why a file is not YAML: the byte offset, and the parser's words.
#[derive(Debug)]
pub(super) struct YamlError {
    pub offset: usize,
    pub message: String,
}

impl Scalar {
    /// Whether the bytes are the value, so that a place in one is a place in the other.
    pub(super) fn is_verbatim(&self, text: &str) -> bool {
        self.style != Style::Block && text.get(self.span.clone()) == Some(self.value.as_str())
    }

    /// YAML's core schema: nothing, `~` and three spellings of `null`.
    pub(super) fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(self.value.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Whether YAML reads this as a number, so that `1.10` may be rendered as `1.1`.
    pub(super) fn is_number(&self) -> bool {
        let value = self.value.as_str();
        let digits = |text: &str, radix| !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
        self.style == Style::Plain
            && (value.bytes().any(|b| b.is_ascii_digit()) && value.parse::<f64>().is_ok()
                || value.strip_prefix("0x").is_some_and(|hex| digits(hex, 16))
                || value.strip_prefix("0o").is_some_and(|octal| digits(octal, 8)))
    }
}

enum Open {
    Map(Vec<(Id, Id)>, Option<Id>),
    Sequence(Vec<Id>),
}

impl Yaml {
    pub(super) fn parse(text: &str) -> Result<Self, YamlError> {
        let mut yaml = Self::default();
        let mut open: Vec<(Id, Open)> = Vec::new();
        let mut anchors: HashMap<usize, Id> = HashMap::new();
        for event in Parser::new_from_str_with_options(text, granit_parser::options! { emit_comments: false }) {
            let (event, span) = event.map_err(|error| YamlError {
                offset: error.marker().byte_offset().unwrap_or(0).min(text.len()),
                message: error.kind().to_string(),
            })?;
            let id = yaml.nodes.len();
            match event {
                Event::Scalar(value, style, anchor, _) => {
                    let span = span.byte_range().unwrap_or_default();
                    anchors.insert(anchor, id);
                    yaml.nodes.push(Node::Scalar(scalar(value.into_owned(), style, span)));
                    yaml.attach(&mut open, id);
                }
                Event::Alias(anchor) => {
                    let target = anchors.get(&anchor).copied().unwrap_or(id);
                    if let Some(Node::Scalar(scalar)) = yaml.nodes.get_mut(target) {
                        scalar.aliased = true;
                    }
                    yaml.nodes.push(Node::Alias(target));
                    yaml.attach(&mut open, id);
                }
                Event::MappingStart(_, anchor, _) => {
                    anchors.insert(anchor, id);
                    yaml.nodes.push(Node::Map(Vec::new()));
                    open.push((id, Open::Map(Vec::new(), None)));
                }
                Event::SequenceStart(_, anchor, _) => {
                    anchors.insert(anchor, id);
                    yaml.nodes.push(Node::Sequence(Vec::new()));
                    open.push((id, Open::Sequence(Vec::new())));
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    if let Some((id, closed)) = open.pop() {
                        yaml.nodes[id] = match closed {
                            Open::Map(entries, _) => Node::Map(entries),
                            Open::Sequence(items) => Node::Sequence(items),
                        };
                        yaml.attach(&mut open, id);
                    }
                }
                _ => {}
            }
        }
        Ok(yaml)
    }

    fn attach(&mut self, open: &mut [(Id, Open)], id: Id) {
        match open.last_mut() {
            Some((_, Open::Map(entries, key))) => match key.take() {
                Some(key) => entries.push((key, id)),
                None => *key = Some(id),
            },
            Some((_, Open::Sequence(items))) => items.push(id),
            None => self.documents.push(id),
        }
    }

    /// The scalar at a node, through an alias.
    pub(super) fn scalar(&self, id: Id) -> Option<&Scalar> {
        match self.nodes.get(id)? {
            Node::Scalar(scalar) => Some(scalar),
            Node::Alias(target) => match self.nodes.get(*target)? {
                Node::Scalar(scalar) => Some(scalar),
                _ => None,
            },
            _ => None,
        }
    }

    /// The entries of a map, through an alias.
    pub(super) fn map(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.nodes.get(id)? {
            Node::Map(entries) => Some(entries),
            Node::Alias(target) => match self.nodes.get(*target)? {
                Node::Map(entries) => Some(entries),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value under a key of a map; failing that, under the same key of a map merged
    /// into it by `<<`. Of duplicate keys the last counts, as in every YAML reader that allows them.
    pub(super) fn get(&self, entries: &[(Id, Id)], key: &str) -> Option<Id> {
        let own = |entries: &[(Id, Id)], key: &str| {
            entries.iter().rev().find(|(k, _)| self.key(*k) == Some(key)).map(|&(_, value)| value)
        };
        own(entries, key).or_else(|| own(self.map(own(entries, "<<")?)?, key))
    }

    /// A key's text; `None` for a key that is no scalar.
    pub(super) fn key(&self, id: Id) -> Option<&str> {
        self.scalar(id).map(|scalar| scalar.value.as_str())
    }
}

fn scalar(value: String, style: ScalarStyle, span: Range<usize>) -> Scalar {
    let (style, span, value) = match style {
        ScalarStyle::Plain if span.is_empty() => (Style::Plain, span, String::new()),
        ScalarStyle::Plain => (Style::Plain, span, value),
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            (Style::Quoted, span.start + 1..span.end.saturating_sub(1).max(span.start + 1), value)
        }
        ScalarStyle::Literal | ScalarStyle::Folded => (Style::Block, span, value),
    };
    Scalar { value, span, style, aliased: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalars(text: &str) -> Vec<(String, String)> {
        let yaml = Yaml::parse(text).unwrap();
        let raw = |s: &Scalar| (s.value.clone(), text[s.span.clone()].to_owned());
        yaml.nodes.iter().filter_map(|node| if let Node::Scalar(s) = node { Some(raw(s)) } else { None }).collect()
    }

    #[test]
    fn spans_are_the_bytes_between_the_quotes() {
        let text = "\u{feff}ä: 'x'  # c\r\n\"k\": \"é\\n\"\r\nplain: a b # c\r\nempty:\r\n---\r\n{f: [1, 'y']}";
        let found = scalars(text);
        let raw: Vec<_> = found.iter().map(|(_, raw)| raw.as_str()).collect();
        assert_eq!(raw, ["ä", "x", "k", "é\\n", "plain", "a b", "empty", "", "f", "1", "y"]);
        assert_eq!(found[3].0, "é\n");
        assert_eq!(found[7].0, "");
        assert_eq!(Yaml::parse(text).unwrap().documents.len(), 2);
    }

    #[test]
    fn survives_more_comments_than_the_parser_would_buffer() {
        let text = format!("a:\n{}  b: 1\n", "  # c\n".repeat(500));
        assert_eq!(scalars(&text).len(), 3);
    }

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

    #[test]
    fn knows_nulls_and_numbers_and_where_a_fault_is() {
        let find = |text: &str| Yaml::parse(text).unwrap().scalar(0).unwrap().clone();
        for text in ["~", "null", "NULL"] {
            assert!(find(text).is_null(), "{text}");
        }
        for text in ["1.10", "3", "1e3", "0x1f", ".5"] {
            assert!(find(text).is_number(), "{text}");
        }
        for text in ["'1.10'", "v1", "1.2.3", "nan", "infinity"] {
            assert!(!find(text).is_number(), "{text}");
        }
        assert!(Yaml::parse("a: [1\nb: {").is_err());
    }
}
