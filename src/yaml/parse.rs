//! From the parser's events to nodes.
//!
//! Measured traps of the parser that are dealt with here: comments are switched off (its
//! buffer for them rejects real files); a quoted scalar's span includes the quotes; an
//! implicit null reads as `~` over an empty span; a block scalar's span starts at its
//! content, not at `|`; anchors and tags are outside of spans; `<<` arrives as a plain key;
//! duplicate keys are not detected; an alias has an event of its own.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, options};

use super::{Content, Id, MOST, Node, Scalar, Style, Yaml, YamlError};

/// A collection that is still open.
struct Open {
    id: Id,
    flow: bool,
    /// Of a map, the key whose value comes next.
    key: Option<Id>,
}

impl Yaml {
    /// Reads every document of a file. Nobody vouches for a text: more values than [`MOST`] are an error, so that
    /// memory is bounded, whatever is in it.
    pub fn parse(text: &str) -> Result<Self, YamlError> {
        Self::read(text, usize::MAX, MOST)
    }

    /// The same with another bound.
    pub fn parse_bounded(text: &str, nodes: usize) -> Result<Self, YamlError> {
        Self::read(text, usize::MAX, nodes)
    }

    /// Reads a file of one document; a second one is an error, whatever is in it.
    pub fn parse_one(text: &str) -> Result<Self, YamlError> {
        Self::read(text, 1, MOST)
    }

    /// The same, bounded as [`Yaml::parse_bounded`] is.
    pub fn parse_one_bounded(text: &str, nodes: usize) -> Result<Self, YamlError> {
        Self::read(text, 1, nodes)
    }

    fn read(text: &str, documents: usize, nodes: usize) -> Result<Self, YamlError> {
        let mut yaml = Self::default();
        let mut open: Vec<Open> = Vec::new();
        let mut anchors: HashMap<usize, Id> = HashMap::new();
        for event in Parser::new_from_str_with_options(text, options! { emit_comments: false }) {
            let (event, span) = event.map_err(|error| {
                let offset = error.marker().byte_offset().unwrap_or(0).min(text.len());
                YamlError { span: offset..offset, message: error.info(), second_document: false, too_many: false }
            })?;
            let (id, anchor) = (yaml.nodes.len(), event.anchor_id());
            let tag = event.tag().map(|_| range(&span.tag_span().unwrap_or(span)));
            let span = range(&span);
            let (content, opens) = match event {
                Event::DocumentStart(..) if yaml.documents.len() >= documents => {
                    let message = "another document".to_owned();
                    return Err(YamlError { span, message, second_document: true, too_many: false });
                }
                Event::Scalar(value, style, ..) => (Content::Scalar(scalar(value.into_owned(), style, &span)), None),
                Event::Alias(anchor) => {
                    let target = anchors.get(&anchor).copied().unwrap_or(id);
                    if let Some(Node { content: Content::Scalar(scalar), .. }) = yaml.nodes.get_mut(target) {
                        scalar.aliased = true;
                    }
                    (Content::Alias(target), None)
                }
                Event::MappingStart(style, ..) => (Content::Map(Vec::new()), Some(style)),
                Event::SequenceStart(style, ..) => (Content::Sequence(Vec::new()), Some(style)),
                Event::MappingEnd | Event::SequenceEnd => {
                    open.pop();
                    continue;
                }
                _ => continue,
            };
            if id >= nodes {
                let message = format!("more than {nodes} values in one text");
                return Err(YamlError { span, message, second_document: false, too_many: true });
            }
            anchors.extend(anchor.map(|anchor| (anchor, id)));
            let key = yaml.attach(open.last_mut(), id);
            let in_flow = open.last().is_some_and(|parent| parent.flow);
            yaml.nodes.push(Node { content, span, key, in_flow, anchored: anchor.is_some(), tag });
            open.extend(opens.map(|style| Open { id, flow: style == StructureStyle::Flow, key: None }));
        }
        Ok(yaml)
    }

    /// Puts a node where it belongs; hands out its key.
    fn attach(&mut self, parent: Option<&mut Open>, id: Id) -> Option<Id> {
        let Some(parent) = parent else {
            self.documents.push(id);
            return None;
        };
        let key = parent.key.take();
        match (&mut self.nodes[parent.id].content, key) {
            (Content::Map(entries), Some(key)) => entries.push((key, id)),
            (Content::Map(_), None) => parent.key = Some(id),
            (Content::Sequence(items), _) => items.push(id),
            (Content::Scalar(_) | Content::Alias(_), _) => {}
        }
        key
    }
}

fn scalar(value: String, style: ScalarStyle, span: &Range<usize>) -> Scalar {
    let quoted = || span.start + 1..span.end.saturating_sub(1).max(span.start + 1);
    let (style, span, value) = match style {
        ScalarStyle::Plain if span.is_empty() => (Style::Plain, span.clone(), String::new()),
        ScalarStyle::Plain => (Style::Plain, span.clone(), value),
        ScalarStyle::SingleQuoted => (Style::SingleQuoted, quoted(), value),
        ScalarStyle::DoubleQuoted => (Style::DoubleQuoted, quoted(), value),
        ScalarStyle::Literal | ScalarStyle::Folded => (Style::Block, span.clone(), value),
    };
    Scalar { value, span, style, aliased: false }
}

fn range(span: &Span) -> Range<usize> {
    span.byte_range().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_values_than_are_held_are_an_error_of_their_own() {
        let text = format!("[{}]", "a,".repeat(MOST));
        let error = Yaml::parse(&text).unwrap_err();
        assert!(error.too_many && error.message.contains("2000000"), "{error:?}");
        assert!(!Yaml::parse("[a").unwrap_err().too_many);
    }

    fn scalars(text: &str) -> Vec<(String, String)> {
        let yaml = Yaml::parse(text).unwrap();
        yaml.scalars().map(|s| (s.value.clone(), text[s.span.clone()].to_owned())).collect()
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
    fn nodes_know_their_key_and_what_is_around_them() {
        let text = "a: &x 'b'\n? [c]\n: {d: !t e, f: *x}\n";
        let yaml = Yaml::parse(text).unwrap();
        let shown = yaml.nodes.iter().map(|node| {
            let tag = node.tag.clone().map_or("", |tag| &text[tag]);
            let (anchor, flow) = (if node.anchored { "&" } else { "" }, if node.in_flow { "," } else { "" });
            let key = node.key.map_or("-", |key| yaml.step(key));
            format!("{key} {anchor}{tag}{}{flow}", &text[node.span.clone()])
        });
        let expected = ["- ", "- a", "a &'b'", "- [", "- c,", "? {", "- d,", "d !te,", "- f,", "f *x,"];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn says_where_a_fault_is() {
        let fault = |text: &str| Yaml::parse_one(text).map(|_| ()).unwrap_err();
        assert_eq!(fault("a: [1\nb: {").span.start, 7);
        let second = fault("a: 1\n---\nb: [\n");
        assert!(second.second_document && second.span == (5..8), "{second:?}");
        assert!(!Yaml::parse("a: 1\n---\nb: [\n").unwrap_err().second_document);
    }

    #[test]
    fn bounds_what_it_holds() {
        let text = format!("[{}]", "a,".repeat(99));
        assert_eq!(Yaml::parse_bounded(&text, 100).unwrap().nodes.len(), 100);
        assert_eq!(Yaml::parse_bounded(&text, 99).unwrap_err().message, "more than 99 values in one text");
        for (open, shut) in [("[", "]"), ("- ", "")] {
            let deep = format!("{}x{}", open.repeat(100_000), shut.repeat(100_000));
            assert!(Yaml::parse_bounded(&deep, 1_000_000).is_err(), "a stack is no place for a file's depth");
        }
    }
}
