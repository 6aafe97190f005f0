//! YAML inside of YAML: a block scalar that is itself a document, such as a manifest in a ConfigMap.
//!
//! Text that is spelled in one piece is seen by everybody; what takes a parser here is a reference in split shape.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use crate::refs::Spec;
use crate::refs::shapes::{Found, Shapes};
use crate::refs::text::Scanner;
use crate::yaml::{Style, Yaml};

pub(super) const WHY: &str = "its parts stand in YAML inside of a block scalar, which no promotion reads as YAML";

/// Documents inside of documents are followed this deep.
const DEPTH: usize = 4;

/// From a text without its indentation back to where it was taken from.
pub(super) struct Map {
    /// For each line: where it begins in the text, and where in the file.
    lines: Vec<(usize, usize)>,
}

impl Map {
    /// Where a span of the text is in the file. A span over several lines ends with its first.
    pub(super) fn span(&self, span: &Range<usize>) -> Range<usize> {
        let after = self.lines.partition_point(|(begins, _)| *begins <= span.start);
        let (begins, at) = after.checked_sub(1).and_then(|last| self.lines.get(last)).copied().unwrap_or_default();
        let start = at + span.start.saturating_sub(begins);
        start..start + span.len()
    }

    /// The same through a further text.
    fn through(&self, inner: &Self) -> Self {
        Self { lines: inner.lines.iter().map(|&(begins, at)| (begins, self.span(&(at..at)).start)).collect() }
    }
}

/// References of documents in block scalars, as [`Shapes`] reads them there.
pub(super) fn read(text: &str, yaml: &Yaml, scanner: &Scanner, spec: &Spec) -> Vec<(Found, Arc<Map>)> {
    let mut found = Vec::new();
    let whole = Map { lines: vec![(0, 0)] };
    look(text, yaml, (scanner, spec), (&whole, DEPTH), &mut found);
    found
}

fn look(
    text: &str,
    yaml: &Yaml,
    by: (&Scanner, &Spec),
    (map, depth): (&Map, usize),
    found: &mut Vec<(Found, Arc<Map>)>,
) {
    let (scanner, spec) = by;
    let Some(deeper) = depth.checked_sub(1) else { return };
    for scalar in yaml.scalars().filter(|scalar| scalar.style == Style::Block) {
        let ours =
            |prefix: &crate::model::Prefix| memmem::find(scalar.value.as_bytes(), prefix.path().as_bytes()).is_some();
        if !spec.owned.iter().any(ours) {
            continue;
        }
        let (inner, lines) = dedented(text, &scalar.span);
        let Ok(document) = Yaml::parse(&inner) else { continue };
        let map = Arc::new(map.through(&Map { lines }));
        let shapes = Shapes::read(&inner, &document, scanner, spec);
        found.extend(shapes.found.into_iter().map(|found| (found, map.clone())));
        look(&inner, &document, by, (&map, deeper), found);
    }
}

/// The lines of a block scalar without the indentation of the first, and where each comes from.
fn dedented(text: &str, span: &Range<usize>) -> (String, Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..span.start]).map_or(0, |newline| newline + 1);
    let raw = text.get(start..span.end).unwrap_or_default();
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let indent = raw.lines().find(|line| !line.trim().is_empty()).map_or(0, spaces);
    let (mut inner, mut lines, mut at) = (String::with_capacity(raw.len()), Vec::new(), start);
    for line in raw.split_inclusive('\n') {
        let cut = indent.min(spaces(line));
        lines.push((inner.len(), at + cut));
        inner.push_str(&line[cut..]);
        at += line.len();
    }
    (inner, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_file() {
        let text = "a:\n  b: |\n    x: 1\n\n    y:\n      z: two\n  c: 3\n";
        let yaml = Yaml::parse(text).unwrap();
        let scalar = yaml.scalars().find(|scalar| scalar.style == Style::Block).unwrap();
        let (inner, lines) = dedented(text, &scalar.span);
        assert_eq!(inner.trim_end(), "x: 1\n\ny:\n  z: two");
        let at = inner.find("two").unwrap();
        assert_eq!(&text[Map { lines }.span(&(at..at + 3))], "two");
    }
}
