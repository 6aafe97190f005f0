//! A pipeline file's structure: the rules for structure alone, and the place of every path.
//!
//! serde knows a place only while it reads; what is judged later, or across keys, finds its
//! place here. A pipeline is read as it is written: no anchors, aliases, tags or merges, no
//! second document, no key twice.

use std::ops::Range;

use super::problem::{Problem, Source};
use crate::yaml::{Content, Id, Node, Scalar, Yaml};

/// The text of a scalar.
pub(super) fn text(yaml: &Yaml, id: Id) -> Option<&str> {
    yaml.scalar(id).map(Scalar::shown)
}

/// The child a step of a path leads to: a key, or a position in a list.
fn child(yaml: &Yaml, id: Id, step: &str) -> Option<Id> {
    match &yaml.nodes[id].content {
        Content::Map(entries) => yaml.get(entries, step),
        Content::Sequence(items) => step.parse::<usize>().ok().and_then(|position| items.get(position)).copied(),
        Content::Scalar(_) | Content::Alias(_) => None,
    }
}

/// The place of a dotted path, or of the nearest one above it: a default has no place of its own.
pub(super) fn nearest(yaml: &Yaml, path: &str) -> Range<usize> {
    let mut nearest = yaml.documents.first().copied();
    for step in path.split('.') {
        match nearest.and_then(|id| child(yaml, id, step)) {
            Some(child) => nearest = Some(child),
            None => break,
        }
    }
    nearest.map_or(0..0, |id| yaml.nodes[id].span.clone())
}

/// The place of a key of the pipeline itself, if it is there.
pub(super) fn place_of_key(yaml: &Yaml, name: &str) -> Option<Range<usize>> {
    let entries = yaml.map(*yaml.documents.first()?)?;
    let &(key, _) = entries.iter().find(|(key, _)| yaml.key(*key) == Some(name))?;
    Some(yaml.nodes[key].span.clone())
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

/// Reads the structure, or says what is wrong with it.
pub(super) fn read(source: &Source<'_>) -> Result<Yaml, Vec<Problem>> {
    let one = |span: &Range<usize>, message: String| vec![source.problem(span, message)];
    let yaml = Yaml::parse_one(source.text).map_err(|error| {
        let message = match error.second_document {
            true => "a second document; expected one pipeline per file".to_owned(),
            false => format!("not YAML: {}", error.message),
        };
        one(&error.span, message)
    })?;
    let Some(&root) = yaml.documents.first() else {
        return Err(one(&(0..0), format!("nothing in it; {NOT_A_MAP}")));
    };
    let Content::Map(_) = yaml.nodes[root].content else {
        return Err(one(&yaml.nodes[root].span, NOT_A_MAP.to_owned()));
    };
    let mut problems = Vec::new();
    judge(source, &yaml, root, &mut problems);
    if problems.is_empty() { Ok(yaml) } else { Err(problems) }
}

const NOT_A_MAP: &str = "expected the keys of a pipeline: `name`, `repository`, `root`, …";

/// Says what is no plain structure, in the order in which it is read: a map's keys at its end.
fn judge(source: &Source<'_>, yaml: &Yaml, id: Id, problems: &mut Vec<Problem>) {
    let node = &yaml.nodes[id];
    if let Some(refusal) = indirection(node) {
        problems.push(source.problem(node.tag.as_ref().unwrap_or(&node.span), refusal));
    }
    match &node.content {
        Content::Map(entries) => {
            for &(key, value) in entries {
                judge(source, yaml, key, problems);
                judge(source, yaml, value, problems);
            }
            keys(source, yaml, entries, problems);
        }
        Content::Sequence(items) => items.iter().for_each(|&item| judge(source, yaml, item, problems)),
        Content::Scalar(_) | Content::Alias(_) => {}
    }
}

/// Says which keys are no names, and which were there before.
fn keys(source: &Source<'_>, yaml: &Yaml, entries: &[(Id, Id)], problems: &mut Vec<Problem>) {
    for (at, &(key, _)) in entries.iter().enumerate() {
        let place = |id: Id| &yaml.nodes[id].span;
        match (&yaml.nodes[key].content, yaml.step(key)) {
            // Refused above.
            (Content::Alias(_), _) => {}
            (Content::Scalar(_), "<<") => problems.push(source.problem(place(key), "a merge key; write the keys out")),
            (Content::Scalar(_), name) => {
                let same = |(earlier, _): &&(Id, Id)| text(yaml, *earlier) == Some(name);
                if let Some(&(first, _)) = entries.iter().take(at).find(same) {
                    let line = source.problem(place(first), "").line;
                    let message = format!("the key `{name}` is there twice, first in line {line}; keep one");
                    problems.push(source.problem(place(key), message));
                }
            }
            _ => problems.push(source.problem(place(key), "a list or map as a key; expected a name")),
        }
    }
}

/// Anything that makes the text mean something else than it says.
fn indirection(node: &Node) -> Option<&'static str> {
    match node.content {
        Content::Alias(_) => Some("an alias; write the value out"),
        _ if node.tag.is_some() => Some("a YAML tag; quote text instead, and leave tags out"),
        _ if node.anchored => Some("an anchor; there are no aliases here, leave it out"),
        _ => None,
    }
}
