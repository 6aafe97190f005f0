//! The inventory: every digest and every owned reference of a file, and what claims it.
//!
//! The census says what must be claimed and isn't; this says what claims the rest. It looks wider: into charts
//! and prose, into packed archives, into YAML inside of YAML, at what a Dockerfile or a Go source puts together.
//! What it finds there that nothing claims is overlooked, and is no more than told: what a promotion refuses is
//! the census's alone.

mod claims;
mod dockerfile;
mod go;
mod item;
mod nested;
mod packed;
mod seen;

use std::ops::Range;

pub(super) use claims::Judged;
pub use item::{Claim, Item, What};

use super::class::Class;
use super::file::FileReading;
use super::problem::Lines;
use super::read::keep;
use super::spelled::spelled;
use super::text::Scanner;
use super::{Occurrence, Spec};
use crate::model::Version;
use crate::tree::show;
use claims::{LineClaims, Listed, settled};
use item::cut;
use seen::{Reader, Seen};

/// Where a file that holds no declared references lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Packages,
    Upstream,
    Prose,
}

/// Lists files.
pub(super) struct Inventory<'a> {
    spec: &'a Spec,
    scanner: Scanner,
    version: Option<String>,
}

impl<'a> Inventory<'a> {
    pub(super) fn new(spec: &'a Spec, version: Option<Version>) -> Self {
        Self { spec, scanner: Scanner::new(&spec.owned), version: version.map(|version| version.to_string()) }
    }

    /// A file with references: those that shapes claim, and what is beside them.
    pub(super) fn enumerated(&self, read: &FileReading, judged: Judged<'_>) -> Vec<Item> {
        let content = read.content();
        let lines = Lines::new(content);
        let mut listed = Vec::new();
        let mut claimed: Vec<(Range<usize>, bool)> = Vec::new();
        for found in &read.found {
            let repository = found.repository.as_ref();
            let owned = repository.is_some_and(|repository| self.spec.owns(repository));
            let spans = [&found.spans.name, &found.spans.tag, &found.spans.digest];
            claimed.extend(spans.into_iter().flatten().map(|span| (span.clone(), owned)));
            if !keep(self.spec, found) {
                continue;
            }
            let class = Class::of(self.spec, repository, found.tag.as_ref(), self.version.as_deref());
            let Occurrence { file, line, column, shape, .. } = read.occurrence(found, class, &lines);
            let at = [&found.spans.tag, &found.spans.digest, &found.spans.name].into_iter().flatten().next();
            let what = if found.repository.is_some() { What::Reference } else { What::Digest };
            let text = spelled(found.repository.as_ref(), found.tag.as_ref(), found.digest.as_ref());
            let (span, claim) = (at.cloned().unwrap_or_default(), Claim::Shape { shape, class });
            let item = Item { file, member: None, line, column, span, what, text: cut(&text), claim };
            listed.push(Listed { item, line, owned });
        }
        claimed.sort_by_key(|(span, _)| span.start);
        let claims = LineClaims::of(judged);
        let reader = Reader { spec: self.spec, scanner: &self.scanner };
        for seen in reader.file(read.file.path.as_bytes(), content, false) {
            let inside = |span: &Range<usize>| span.start < seen.span.end && seen.span.start < span.end;
            let after = claimed.partition_point(|(span, _)| span.start < seen.span.end);
            // Spans of one reference may lie in one another, never many deep.
            let mut near = claimed[after.saturating_sub(8)..after].iter();
            // What is put together, or nested, is claimed by what sees that it is owned.
            if near.any(|(span, owned)| inside(span) && (*owned || seen.hidden.is_none())) {
                continue;
            }
            let (line, column) = lines.place(seen.span.start);
            let claim = match claims.says(line, &seen) {
                Some(claim) => claim,
                None if seen.quiet => Claim::Mention { why: COMMENT },
                None if seen.what == What::Name => Claim::Mention { why: NAME },
                // What reading has found at fault is a problem already.
                None if read.told.covers(seen.span.start) || seen.hidden.is_none() => Claim::Unclaimed,
                None => Claim::Overlooked { why: seen.hidden.unwrap_or_default() },
            };
            listed.push(self.listed(&read.file.path, None, seen, (line, column), line, claim));
        }
        settled(&read.file.path, listed, judged, &lines)
    }

    /// Any other file. A packed archive is listed by what is in it.
    pub(super) fn outside(&self, path: &[u8], content: &[u8], of: Of, judged: Judged<'_>) -> Vec<Item> {
        let file = show(path);
        let lines = Lines::new(content);
        let claims = LineClaims::of(judged);
        let mut listed = Vec::new();
        let reader = Reader { spec: self.spec, scanner: &self.scanner };
        let parts = packed::parts(content);
        let packed = parts.iter().any(|part| part.member.is_some());
        for part in &parts {
            let within = part.member.as_ref().map(|_| Lines::new(&part.content));
            let name = part.member.as_deref().map_or(path, str::as_bytes);
            for seen in reader.file(name, &part.content, true) {
                let line = lines.number(part.offset.map_or(seen.span.start, |offset| offset + seen.span.start));
                // Inside of a further archive there is no line of the file.
                let says = part.offset.and_then(|_| claims.says(line, &seen)).filter(|_| of == Of::Packages);
                let owned_elsewhere = if packed { Claim::Vendored } else { Claim::Unclaimed };
                let claim = match (of, says) {
                    (Of::Prose, _) => Claim::Prose,
                    (Of::Upstream, _) => Claim::Vendored,
                    (Of::Packages, Some(claim)) => claim,
                    (Of::Packages, None) if seen.quiet => Claim::Mention { why: COMMENT },
                    (Of::Packages, None) => match (seen.what, seen.hidden) {
                        (What::Digest, _) => Claim::Mention { why: DIGEST },
                        (What::Name, None) => Claim::Mention { why: NAME },
                        (_, Some(why)) if seen.owned => Claim::Overlooked { why },
                        _ if seen.owned => owned_elsewhere,
                        _ => Claim::ThirdParty,
                    },
                };
                let place = within.as_ref().unwrap_or(&lines).place(seen.span.start);
                listed.push(self.listed(&file, part.member.as_deref(), seen, place, line, claim));
            }
        }
        settled(&file, listed, judged, &lines)
    }

    fn listed(
        &self,
        file: &str,
        member: Option<&str>,
        seen: Seen,
        (line, column): (usize, usize),
        of_file: usize,
        claim: Claim,
    ) -> Listed {
        let Seen { span, what, text, owned, .. } = seen;
        let (file, member) = (file.to_owned(), member.map(str::to_owned));
        let item = Item { file, member, line, column, span, what, text: cut(&text), claim };
        Listed { item, line: of_file, owned }
    }
}

const COMMENT: &str = "it stands in a comment";
const NAME: &str = "it is a name alone, with neither tag nor digest";
const DIGEST: &str = "it is a digest without a name, in a file without declared references";
