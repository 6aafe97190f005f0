//! The inventory: every digest and every owned reference of a file, and what claims it.
//!
//! The census says what must be claimed and isn't; this says what claims the rest. It looks wider: into charts
//! and prose, into packed archives, into YAML inside of YAML, at what a Dockerfile or a Go source puts together.
//! What it finds there that nothing claims is overlooked, and is no more than told: what a promotion refuses is
//! the census's alone.

mod dockerfile;
mod go;
mod nested;
mod packed;
mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;

use super::census::Excluded;
use super::class::Class;
use super::problem::{Lines, Problem};
use super::read::{FileReading, keep};
use super::shapes::Shape;
use super::spelled::spelled;
use super::text::Scanner;
use super::{Occurrence, Spec};
use crate::model::Version;
use crate::tree::show;
use seen::{Reader, Seen};

/// Characters of a text that an item repeats.
const TEXT: usize = 320;

/// One place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The path in the repository.
    pub file: String,
    /// In a packed archive, the path there; inside of another archive behind ` > `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Counted from 1; of a packed file, in what is unpacked.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// In bytes of what the line is counted in.
    #[serde(skip)]
    pub span: Range<usize>,
    pub what: What,
    /// As it is spelled; what was put together, as it comes out.
    pub text: String,
    pub claim: Claim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A name with a tag, a digest, or both.
    Reference,
    /// A digest without a name.
    Digest,
    /// An owned name without tag and digest.
    Name,
    /// Meant as a reference, and none.
    Malformed,
}

/// Who claims a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Claim {
    /// A shape, in a file with references.
    Shape { shape: Shape, class: Class },
    /// The pipeline, with a reason.
    Exclusion { reason: String },
    /// Its class: it is not owned, and stands where nothing is moved.
    ThirdParty,
    /// Upstream: it stands in a folder called `charts`, or in a packed chart.
    Vendored,
    /// Prose: it stands in Markdown.
    Prose,
    /// It pulls nothing: a comment, a name alone, a digest alone.
    Mention { why: &'static str },
    /// Nobody, and the census refuses it.
    Unclaimed,
    /// Nobody, and no promotion sees it: it takes a wider look to find it.
    Overlooked { why: &'static str },
}

impl Claim {
    /// The kind, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Shape { .. } => "shape",
            Self::Exclusion { .. } => "exclusion",
            Self::ThirdParty => "third-party",
            Self::Vendored => "vendored",
            Self::Prose => "prose",
            Self::Mention { .. } => "mention",
            Self::Unclaimed => "unclaimed",
            Self::Overlooked { .. } => "overlooked",
        }
    }
}

/// Where a file that holds no declared references lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Packages,
    Upstream,
    Prose,
}

/// What the census made of one file.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub found: &'a [Problem],
    pub excluded: &'a [Excluded],
}

/// Lists files.
pub(super) struct Inventory<'a> {
    spec: &'a Spec,
    scanner: Scanner,
    version: Option<String>,
}

/// An item, and the line of the file that the census would name.
struct Listed {
    item: Item,
    line: usize,
    owned: bool,
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
        let verdict = Verdict::of(judged);
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
            let claim = match verdict.says(line, &seen) {
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
        let verdict = Verdict::of(judged);
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
                let says = part.offset.and_then(|_| verdict.says(line, &seen)).filter(|_| of == Of::Packages);
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

/// What the census says of lines.
struct Verdict<'a> {
    unclaimed: BTreeSet<usize>,
    excluded: BTreeMap<usize, &'a str>,
}

impl<'a> Verdict<'a> {
    fn of(judged: Judged<'a>) -> Self {
        let unclaimed = judged.found.iter().filter(|problem| problem.line > 0).map(|problem| problem.line).collect();
        let excluded = judged.excluded.iter().map(|excluded| (excluded.line, excluded.reason.as_str())).collect();
        Self { unclaimed, excluded }
    }

    /// The census speaks of lines: a name alone on such a line is not what it means, nor is a comment
    /// beside it.
    fn says(&self, line: usize, seen: &Seen) -> Option<Claim> {
        if seen.what == What::Name && seen.hidden.is_none() {
            return None;
        }
        if let Some(&reason) = self.excluded.get(&line) {
            return Some(Claim::Exclusion { reason: reason.to_owned() });
        }
        let meant = !seen.quiet || seen.what == What::Digest || !seen.owned;
        (self.unclaimed.contains(&line)
            && meant
            && seen.hidden.is_none()
            && (seen.owned || seen.what != What::Reference))
            .then_some(Claim::Unclaimed)
    }
}

/// The items in order. What the census refuses is among them, whatever else a line holds.
fn settled(file: &str, mut listed: Vec<Listed>, judged: Judged<'_>, lines: &Lines<'_>) -> Vec<Item> {
    // By line, and of a line once: a file may have as many problems as lines.
    let mut free: BTreeMap<usize, usize> = BTreeMap::new();
    let mut told: BTreeSet<usize> = BTreeSet::new();
    for (at, listed) in listed.iter().enumerate() {
        if listed.item.claim == Claim::Unclaimed {
            told.insert(listed.line);
        } else if listed.owned && !matches!(listed.item.claim, Claim::Shape { .. }) {
            free.entry(listed.line).or_insert(at);
        }
    }
    for problem in judged.found.iter().filter(|problem| problem.line > 0) {
        if !told.insert(problem.line) {
            continue;
        }
        match free.get(&problem.line).and_then(|&at| listed.get_mut(at)) {
            Some(listed) => listed.item.claim = Claim::Unclaimed,
            None => {
                let at = problem.at.unwrap_or_default();
                let text = cut(&lines.excerpt(at));
                let (file, line, column) = (file.to_owned(), problem.line, problem.column);
                let (what, claim) = (What::Malformed, Claim::Unclaimed);
                let item = Item { file, member: None, line, column, span: at..at, what, text, claim };
                listed.push(Listed { item, line, owned: true });
            }
        }
    }
    let mut items: Vec<Item> = listed.into_iter().map(|listed| listed.item).collect();
    items.sort_by(|a, b| (&a.member, a.span.start, a.what).cmp(&(&b.member, b.span.start, b.what)));
    items
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
