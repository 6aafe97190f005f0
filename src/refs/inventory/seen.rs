//! What a wide look sees in one text, before anybody asks who claims it.

use std::ops::Range;

use memchr::memmem;

use super::{What, dockerfile, go, nested};
use crate::refs::Spec;
use crate::refs::comments::Comments;
use crate::refs::read::keep;
use crate::refs::shapes::{Found, Shapes};
use crate::refs::spelled::spelled;
use crate::refs::survivors::{Scalars, is_yaml};
use crate::refs::text::{Scanner, parse};
use crate::yaml::Yaml;

pub(super) struct Seen {
    pub span: Range<usize>,
    pub what: What,
    pub text: String,
    pub owned: bool,
    /// It stands in a comment.
    pub quiet: bool,
    /// Why a promotion doesn't see it, where it takes more than the text to see it.
    pub hidden: Option<&'static str>,
}

/// Something that is put together, or deeper: where it is spelled, and what comes out.
pub(super) struct Composed {
    pub span: Range<usize>,
    pub text: String,
    pub why: &'static str,
}

/// A reference whose parts stand apart.
struct Compound {
    parts: Vec<Range<usize>>,
    seen: Seen,
}

impl Compound {
    /// `place` says where a span is in the file.
    fn of(found: &Found, place: impl Fn(&Range<usize>) -> Range<usize>, hidden: Option<&'static str>) -> Option<Self> {
        let spans = &found.spans;
        let parts: Vec<Range<usize>> =
            [&spans.name, &spans.tag, &spans.digest].into_iter().flatten().map(&place).collect();
        let span = place(spans.name.as_ref()?);
        let text = spelled(found.repository.as_ref(), found.tag.as_ref(), found.digest.as_ref());
        let seen = Seen { span, what: What::Reference, text, owned: true, quiet: false, hidden };
        Some(Self { parts, seen })
    }
}

pub(super) struct Reader<'a> {
    pub spec: &'a Spec,
    pub scanner: &'a Scanner,
}

impl Reader<'_> {
    /// Everything in a file, by its name and its (unpacked) content.
    /// Where its shapes are read by others, `shapes` is false.
    pub(super) fn file(&self, path: &[u8], content: &[u8], shapes: bool) -> Vec<Seen> {
        let ours = self.spec.owned.iter().any(|prefix| memmem::find(content, prefix.path().as_bytes()).is_some());
        if !ours && memmem::find(content, b"sha256:").is_none() {
            return Vec::new();
        }
        let text = std::str::from_utf8(content).ok();
        let yaml = text.filter(|_| is_yaml(path)).and_then(|text| Some((text, Yaml::parse(text).ok()?)));
        let mut seen = self.text(content);
        if let (Some((text, yaml)), true) = (&yaml, ours) {
            let read =
                |shapes| if shapes { Shapes::read(text, yaml, self.scanner, self.spec).found } else { Vec::new() };
            let here = read(shapes).into_iter().filter(|found| self.is_ours(found));
            let mut compound: Vec<Compound> =
                here.filter_map(|found| Compound::of(&found, Range::clone, None)).collect();
            for (found, map) in nested::read(text, yaml, self.scanner, self.spec) {
                if self.is_ours(&found) {
                    compound.extend(Compound::of(&found, |span| map.span(span), Some(nested::WHY)));
                }
            }
            self.replace(&mut seen, compound);
        }
        let composed = match text {
            Some(text) if dockerfile::is_one(path) => dockerfile::read(text),
            Some(text) if go::is_one(path) => go::read(text),
            _ => Vec::new(),
        };
        let composed: Vec<Seen> =
            composed.into_iter().filter_map(|composed| self.composed(content, composed)).collect();
        // The name that it is put together of is no mention beside it.
        seen.retain(|seen| {
            let after = composed.partition_point(|composed| composed.span.start <= seen.span.start);
            let around = after.checked_sub(1).and_then(|last| composed.get(last));
            seen.what != What::Name || around.is_none_or(|composed| composed.span.end < seen.span.end)
        });
        seen.extend(composed);
        self.hush(content, yaml.as_ref().map(|(_, yaml)| yaml), &mut seen);
        seen
    }

    fn is_ours(&self, found: &Found) -> bool {
        keep(self.spec, found) && found.repository.as_ref().is_some_and(|repository| self.spec.owns(repository))
    }

    /// What the bytes themselves spell: whole references, names alone, digests alone.
    fn text(&self, content: &[u8]) -> Vec<Seen> {
        let mut seen: Vec<Seen> = Vec::new();
        let spelled = |span: &Range<usize>| String::from_utf8_lossy(&content[span.clone()]).into_owned();
        for hit in self.scanner.scan(content) {
            let (span, what, owned) = match hit {
                Ok(hit) => match &hit.repository {
                    Some(repository) => (hit.word, What::Reference, self.spec.owns(repository)),
                    None => (hit.word, What::Digest, false),
                },
                Err(bad) => {
                    let owned = self.scanner.owned(&spelled(&bad.word)).is_some();
                    (bad.word, What::Malformed, owned)
                }
            };
            seen.push(Seen { text: spelled(&span), span, what, owned, quiet: false, hidden: None });
        }
        let (digests, names) = self.scanner.mentions(content);
        let words: Vec<Range<usize>> = seen.iter().map(|seen| seen.span.clone()).collect();
        let free = |span: &Range<usize>| {
            let after = words.partition_point(|word| word.start < span.end);
            after.checked_sub(1).and_then(|last| words.get(last)).is_none_or(|word| word.end <= span.start)
        };
        let mut add = |spans: Vec<Range<usize>>, what, owned| {
            for span in spans.into_iter().filter(|span| free(span)) {
                seen.push(Seen { text: spelled(&span), span, what, owned, quiet: false, hidden: None });
            }
        };
        add(digests, What::Digest, false);
        add(names, What::Name, true);
        seen.sort_by_key(|seen| seen.span.start);
        seen
    }

    /// References of several parts take the place of what their parts look like. `seen` is in order.
    fn replace(&self, seen: &mut Vec<Seen>, compound: Vec<Compound>) {
        let whole = |part: &Range<usize>| {
            let after = seen.partition_point(|seen| seen.span.start <= part.start);
            let around = after.checked_sub(1).and_then(|last| seen.get(last));
            around.is_some_and(|seen| part.end <= seen.span.end && seen.what == What::Reference)
        };
        let compound: Vec<Compound> =
            compound.into_iter().filter(|compound| !compound.parts.iter().all(whole)).collect();
        let mut taken: Vec<Range<usize>> = compound.iter().flat_map(|compound| compound.parts.clone()).collect();
        taken.sort_by_key(|span| (span.start, span.end));
        seen.retain(|seen| {
            let after = taken.partition_point(|span| span.start < seen.span.end);
            after.checked_sub(1).and_then(|last| taken.get(last)).is_none_or(|span| span.end <= seen.span.start)
        });
        seen.extend(compound.into_iter().map(|compound| compound.seen));
    }

    fn composed(&self, content: &[u8], Composed { span, text, why }: Composed) -> Option<Seen> {
        let written = content.get(span.clone())?;
        let hit = parse(&text, false).ok()?;
        let owned = self.spec.owns(hit.repository.as_ref()?);
        let pinned = hit.tag.is_some() || hit.digest.is_some();
        // What stands there as it comes out is seen by everybody.
        let plain = pinned && written == text.as_bytes();
        let wanted = !plain && (owned || hit.digest.is_some());
        let what = What::Reference;
        wanted.then_some(Seen { span, what, text, owned, quiet: false, hidden: Some(why) })
    }

    /// Tells what stands in comments.
    fn hush(&self, content: &[u8], yaml: Option<&Yaml>, seen: &mut [Seen]) {
        seen.sort_by_key(|seen| seen.span.start);
        let scalars = yaml.map(Scalars::of);
        let mut comments = Comments::new(content);
        for seen in seen.iter_mut().filter(|seen| seen.hidden.is_none()) {
            seen.quiet = match &scalars {
                Some(scalars) => !scalars.cover(seen.span.start),
                None => comments.covers(seen.span.start),
            };
        }
    }
}

/// The beginning of a text, of so many bytes at most.
pub(super) fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
