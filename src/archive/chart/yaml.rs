//! The values of a YAML document with their key paths and byte spans.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, options};

/// Why an edit isn't possible: a line (from 1; 0 is the whole file) and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub line: usize,
    pub reason: String,
}

/// A node of the document: what it is and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Keys and list positions, joined by dots.
    pub path: String,
    pub what: What,
    pub line: usize,
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Scalar { value: String, style: ScalarStyle, plain_node: bool, key: Option<Key> },
    Map,
    List,
    Alias,
}

/// The key before a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub line: usize,
    pub column: usize,
    pub in_flow: bool,
}

impl Node {
    pub(super) fn value(&self) -> Option<&str> {
        match &self.what {
            What::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }
}

pub(super) fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = valid.iter().filter(|&&b| b == b'\n').count() + 1;
        Fault { line, reason: "not UTF-8; save the file as UTF-8".into() }
    })
}

pub(super) fn find<'a>(nodes: &'a [Node], key: &str) -> Result<Option<&'a Node>, Fault> {
    let mut all = nodes.iter().filter(|n| n.path == key);
    let first = all.next();
    match all.next() {
        Some(second) => Err(Fault { line: second.line, reason: format!("`{key}` is there twice; remove one") }),
        None => Ok(first),
    }
}

enum Frame {
    Map { path: String, key: Option<(String, Key)>, in_flow: bool, is_key: bool },
    List { path: String, next: usize, is_key: bool },
}

/// Every value of the one document, in order. Keys are no nodes of their own.
pub(super) fn nodes(text: &str) -> Result<Vec<Node>, Fault> {
    let mut stack: Vec<Frame> = Vec::new();
    let mut nodes = Vec::new();
    let mut documents = 0;
    // Comments are not asked for: the reader buffers only so many of them.
    for item in Parser::new_from_str_with_options(text, options! { emit_comments: false }) {
        let (event, span) = item.map_err(|error| Fault {
            line: error.marker().line(),
            reason: format!("not readable as YAML: {}", error.info()),
        })?;
        let line = span.start.line();
        match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    return Err(Fault { line, reason: "a second YAML document; keep one in the file".into() });
                }
            }
            Event::Scalar(value, style, anchor, tag) => {
                if let Some(Frame::Map { key: key @ None, in_flow, .. }) = stack.last_mut() {
                    *key = Some((value.into_owned(), Key { line, column: span.start.col(), in_flow: *in_flow }));
                    continue;
                }
                let (path, key) = place(&mut stack);
                let line = key.map_or(line, |k| k.line);
                let plain_node = anchor == 0 && tag.is_none();
                let what = What::Scalar { value: value.into_owned(), style, plain_node, key };
                nodes.push(Node { path, what, line, span: range(span) });
            }
            Event::Alias(_) => match stack.last_mut() {
                Some(Frame::Map { key: key @ None, in_flow, .. }) => {
                    *key = Some(("*".into(), Key { line, column: span.start.col(), in_flow: *in_flow }));
                }
                _ => {
                    let (path, _) = place(&mut stack);
                    nodes.push(Node { path, what: What::Alias, line, span: range(span) });
                }
            },
            Event::MappingStart(style, ..) | Event::SequenceStart(style, ..) => {
                let is_map = matches!(event, Event::MappingStart(..));
                let in_flow = style == StructureStyle::Flow;
                let is_key = matches!(stack.last(), Some(Frame::Map { key: None, .. }));
                let (path, key) = if is_key { ("?".into(), None) } else { place(&mut stack) };
                let line = key.map_or(line, |k| k.line);
                if !is_key {
                    let what = if is_map { What::Map } else { What::List };
                    nodes.push(Node { path: path.clone(), what, line, span: range(span) });
                }
                stack.push(match is_map {
                    true => Frame::Map { path, key: None, in_flow, is_key },
                    false => Frame::List { path, next: 0, is_key },
                });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let closed = stack.pop();
                let was_key =
                    matches!(closed, Some(Frame::Map { is_key: true, .. } | Frame::List { is_key: true, .. }));
                if let (true, Some(Frame::Map { key, in_flow, .. })) = (was_key, stack.last_mut()) {
                    *key = Some(("?".into(), Key { line, column: span.start.col(), in_flow: *in_flow }));
                }
            }
            _ => {}
        }
    }
    Ok(nodes)
}

/// The path of the value that comes now, which its frame is then past.
fn place(stack: &mut [Frame]) -> (String, Option<Key>) {
    let join = |path: &str, last: &str| if path.is_empty() { last.to_owned() } else { format!("{path}.{last}") };
    match stack.last_mut() {
        Some(Frame::Map { path, key, .. }) => match key.take() {
            Some((name, key)) => (join(path, &name), Some(key)),
            None => (path.clone(), None),
        },
        Some(Frame::List { path, next, .. }) => {
            let found = join(path, &next.to_string());
            *next += 1;
            (found, None)
        }
        None => (String::new(), None),
    }
}

fn range(span: Span) -> Range<usize> {
    span.byte_range().unwrap_or_default()
}
