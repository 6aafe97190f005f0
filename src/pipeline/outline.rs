//! A pipeline file's structure with the place of every node, and the rules for structure alone.
//!
//! serde knows a place only while it reads; what is judged later, or across keys, finds its
//! place here. A pipeline is read as it is written: no anchors, aliases, tags or merges, no
//! second document, no key twice.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span};

use super::problem::{Problem, Source};

#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Scalar { text: String, plain: bool },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The child a step of a path leads to: a key, or a position in a list.
    fn child(&self, step: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(key, _)| key.text() == Some(step)).map(|(_, value)| value),
            Value::List(items) => step.parse::<usize>().ok().and_then(|position| items.get(position)),
            Value::Scalar { .. } => None,
        }
    }

    /// The node at a dotted path, or the nearest one above it: a default has no place of its own.
    pub(super) fn nearest(&self, path: &str) -> &Node {
        let mut node = self;
        for step in path.split('.') {
            match node.child(step) {
                Some(child) => node = child,
                None => break,
            }
        }
        node
    }

    /// Every node a pattern leads to, with its path; `*` stands for each item of a list,
    /// and for each value of a map whose keys are names of the user's own.
    pub(super) fn each<'n>(&'n self, pattern: &str) -> Vec<(String, &'n Node)> {
        let mut nodes = vec![(String::new(), self)];
        for step in pattern.split('.') {
            nodes = nodes
                .into_iter()
                .flat_map(|(path, node)| match (&node.value, step) {
                    (Value::List(items), "*") => {
                        items.iter().enumerate().map(|(at, item)| (join(&path, &at.to_string()), item)).collect()
                    }
                    (Value::Map(entries), "*") => {
                        entries.iter().map(|(key, value)| (join(&path, key.text().unwrap_or("?")), value)).collect()
                    }
                    _ => node.child(step).map(|child| (join(&path, step), child)).into_iter().collect::<Vec<_>>(),
                })
                .collect();
        }
        nodes
    }
}

/// A path one step further.
pub(super) fn join(path: &str, step: &str) -> String {
    if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") }
}

/// A path as messages spell it: `references.owned[0]`.
pub(super) fn spell(path: &str) -> String {
    let mut spelled = String::new();
    for step in path.split('.') {
        if !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit()) {
            spelled.push_str(&format!("[{step}]"));
        } else {
            spelled = join(&spelled, step);
        }
    }
    spelled
}

/// A collection that is still open.
struct Open {
    span: Range<usize>,
    children: Vec<Node>,
}

/// Reads the structure, or says what is wrong with it.
pub(super) fn read(source: &Source<'_>) -> Result<Node, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(source.text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let place = error.marker().byte_offset().unwrap_or(source.text.len());
                return Err(vec![source.problem(&(place..place), format!("not YAML: {}", error.info()))]);
            }
        };
        if let Some(refusal) = indirection(&event) {
            problems.push(source.problem(&range(&span.tag_span().unwrap_or(span)), refusal));
        }
        let span = range(&span);
        let done = match event {
            Event::DocumentStart(..) if root.is_some() => {
                return Err(vec![source.problem(&span, "a second document; expected one pipeline per file")]);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                open.push(Open { span, children: Vec::new() });
                continue;
            }
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                Node { span, value: Value::Scalar { text: text.into_owned(), plain } }
            }
            // Refused above; a stand-in keeps keys and values in step.
            Event::Alias(_) => Node { span, value: Value::Scalar { text: String::new(), plain: false } },
            Event::SequenceEnd => {
                let Some(Open { span, children }) = open.pop() else { continue };
                Node { span, value: Value::List(children) }
            }
            Event::MappingEnd => {
                let Some(Open { span, children }) = open.pop() else { continue };
                Node { span, value: Value::Map(entries(source, children, &mut problems)) }
            }
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.children.push(done),
            None => root = Some(done),
        }
    }
    match root {
        Some(root @ Node { value: Value::Map(_), .. }) if problems.is_empty() => Ok(root),
        Some(Node { value: Value::Map(_), .. }) => Err(problems),
        Some(Node { span, .. }) => Err(vec![source.problem(&span, NOT_A_MAP)]),
        None => Err(vec![source.problem(&(0..0), format!("nothing in it; {NOT_A_MAP}"))]),
    }
}

const NOT_A_MAP: &str = "expected the keys of a pipeline: `name`, `repository`, `root`, …";

fn range(span: &Span) -> Range<usize> {
    span.byte_range().unwrap_or_default()
}

/// Pairs keys with values; says which keys are no names, and which were there before.
fn entries(source: &Source<'_>, children: Vec<Node>, problems: &mut Vec<Problem>) -> Vec<(Node, Node)> {
    let mut entries: Vec<(Node, Node)> = Vec::new();
    let mut children = children.into_iter();
    while let (Some(key), Some(value)) = (children.next(), children.next()) {
        match key.text() {
            None => problems.push(source.problem(&key.span, "a list or map as a key; expected a name")),
            Some("<<") => problems.push(source.problem(&key.span, "a merge key; write the keys out")),
            Some(name) => {
                if let Some((first, _)) = entries.iter().find(|(earlier, _)| earlier.text() == Some(name)) {
                    let line = source.problem(&first.span, "").line;
                    let message = format!("the key `{name}` is there twice, first in line {line}; keep one");
                    problems.push(source.problem(&key.span, message));
                }
            }
        }
        entries.push((key, value));
    }
    entries
}

/// Anything that makes the text mean something else than it says.
fn indirection(event: &Event<'_>) -> Option<&'static str> {
    match event {
        Event::Alias(_) | Event::UnresolvedAlias(_) => Some("an alias; write the value out"),
        _ if event.tag().is_some() => Some("a YAML tag; quote text instead, and leave tags out"),
        _ if event.anchor_id().is_some() => Some("an anchor; there are no aliases here, leave it out"),
        _ => None,
    }
}
