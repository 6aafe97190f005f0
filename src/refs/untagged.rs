//! Owned images with neither tag nor digest: a runtime takes `latest`, and nothing says so.
//!
//! Only the value of an `image` key is one, with no `tag` and no `digest` beside it that a chart may add. Any other
//! name without a tag is a mention: a prefix, a default that something else completes.

use std::ops::Range;

use super::problem::Lines;
use super::shapes::{Found, Shape, Shapes, host_span};
use super::text::Scanner;
use super::{Spans, Spec};
use crate::model::Repository;
use crate::yaml::Id;

impl Shapes<'_> {
    /// Keeps the `image` of a map, where it is such a one; `key` is the map's.
    pub(super) fn note_untagged(&mut self, entries: &[(Id, Id)], key: &str) {
        let has = |name| self.yaml.get(entries, name).is_some();
        if has("tag") || has("digest") || has("registry") {
            return;
        }
        let Some((_, scalar)) = self.filled(entries, "image") else { return };
        let plain = scalar.is_verbatim(self.text) && self.spells_owned(&scalar.value);
        let Some(repository) = plain.then(|| scalar.value.parse::<Repository>().ok()).flatten() else { return };
        let key = if key.is_empty() { "image".to_owned() } else { format!("{key}.image") };
        self.untagged.push(found(self.text.as_bytes(), scalar.span.clone(), repository, Shape::String, key));
    }
}

/// The same in text that is not read as YAML: an owned name alone, behind `image:` and up to the end of its line.
pub(super) fn in_text(content: &[u8], scanner: &Scanner, spec: &Spec) -> Vec<Found> {
    let (_, names) = scanner.mentions(content);
    let is_image = |span: &Range<usize>| {
        let before = content.get(..span.start).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let before = before.get(start..).unwrap_or_default().trim_ascii();
        let before = before.strip_prefix(b"- ").unwrap_or(before).trim_ascii_start();
        let after = content.get(span.end..).unwrap_or_default();
        let after = after.get(..memchr::memchr(b'\n', after).unwrap_or(after.len())).unwrap_or_default();
        let (open, close) = match before.strip_prefix(b"image:").map(<[u8]>::trim_ascii) {
            Some(b"") => (true, after),
            Some(quote @ (b"\"" | b"'")) => (true, after.strip_prefix(quote).unwrap_or(b"?")),
            _ => (false, after),
        };
        let rest = close.trim_ascii();
        open && (rest.is_empty() || rest.starts_with(b"#") && close.starts_with(b" "))
    };
    let lines = Lines::new(content);
    let names = names.into_iter().filter(is_image).filter_map(|span| {
        let repository: Repository = std::str::from_utf8(content.get(span.clone())?).ok()?.parse().ok()?;
        let key = format!("line {}", lines.number(span.start));
        spec.owns(&repository).then(|| found(content, span, repository, Shape::Text, key))
    });
    names.collect()
}

fn found(bytes: &[u8], name: Range<usize>, repository: Repository, shape: Shape, key: String) -> Found {
    let host = host_span(bytes, Some(&name), Some(&repository));
    let spans = Spans { host, name: Some(name), ..Spans::default() };
    Found { key, shape, repository: Some(repository), tag: None, digest: None, spans, aliased: false }
}
