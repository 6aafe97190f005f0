//! What a rule is, and the list of all.

use std::ops::Range;

use super::finding::Level;
use super::rules;
use super::subject::Subject;
use crate::producers;
use crate::refs::{Occurrence, Problem};

/// One thing that can be wrong with a reference.
#[derive(Debug)]
pub struct Rule {
    pub id: &'static str,
    /// How much its findings weigh, unless one says otherwise.
    pub level: Level,
    /// What it finds, in a sentence.
    pub what: &'static str,
    /// What to do: an imperative sentence, as errors end with one.
    pub hint: &'static str,
    /// Looks at a subject. Reads nothing and asks nobody.
    pub check: fn(&Subject<'_>) -> Checked,
}

/// Every rule, in the order of the docs.
pub const RULES: &[&Rule] = &[
    &rules::unreadable::RULE,
    &rules::bare_tag::RULE,
    &rules::floating_tag::RULE,
    &rules::placeholder_tag::RULE,
    &rules::malformed_reference::RULE,
    &rules::stale_copy::RULE,
    &rules::two_digests::RULE,
    &rules::tag_collision::RULE,
    &rules::unclaimed_digest::RULE,
    &rules::unclaimed_reference::RULE,
    &rules::stale_version::RULE,
    &rules::vendored_owned::RULE,
    &rules::split_host::RULE,
    &rules::number_like_tag::RULE,
    &rules::no_producer::RULE,
    &rules::two_producers::RULE,
    &rules::not_in_build_list::RULE,
    &rules::unpublished::RULE,
    &rules::tag_moved::RULE,
    &rules::digest_gone::RULE,
    &rules::not_public::RULE,
    &rules::not_multi_arch::RULE,
];

/// The rule of that id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// What a rule makes of a subject.
#[derive(Clone, Debug)]
pub struct Checked {
    pub found: Vec<Unplaced>,
    /// Why the rule had nothing to go by.
    pub not_applicable: Option<String>,
    /// Whether what the rule goes by was asked for. A lint that asks no registry is no odd one: nothing is said.
    pub asked: bool,
}

impl Checked {
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self { not_applicable: Some(why.into()), ..Self::from_iter([]) }
    }

    /// Nobody wanted to know.
    pub fn not_asked() -> Self {
        Self { asked: false, ..Self::from_iter([]) }
    }
}

impl FromIterator<Unplaced> for Checked {
    fn from_iter<I: IntoIterator<Item = Unplaced>>(found: I) -> Self {
        Self { found: found.into_iter().collect(), not_applicable: None, asked: true }
    }
}

/// A finding before its place is looked up in the file.
#[derive(Clone, Debug)]
pub struct Unplaced {
    pub spot: Spot,
    pub message: String,
    /// Where it isn't the rule's.
    pub level: Option<Level>,
    /// Where it isn't the rule's.
    pub hint: Option<String>,
    pub related: Vec<(Spot, String)>,
    /// What it is about, beyond the words of its line: a reference may stand on several. Part of the fingerprint.
    pub about: Vec<String>,
}

impl Unplaced {
    pub fn at(spot: Spot, message: impl Into<String>) -> Self {
        Self { spot, message: message.into(), level: None, hint: None, related: Vec::new(), about: Vec::new() }
    }

    /// The same, about a reference.
    pub fn of(found: &Occurrence, spot: Spot, message: impl Into<String>) -> Self {
        Self::at(spot, message).about([found.spelled()])
    }

    pub fn about(self, about: impl IntoIterator<Item = String>) -> Self {
        Self { about: about.into_iter().collect(), ..self }
    }

    pub fn level(self, level: Level) -> Self {
        Self { level: Some(level), ..self }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub fn related(self, related: impl IntoIterator<Item = (Spot, String)>) -> Self {
        Self { related: related.into_iter().collect(), ..self }
    }
}

/// Where something is, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The path in the repository.
    pub file: String,
    pub at: At,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// The file as a whole.
    File,
    /// The word that begins at a byte of the content.
    Word(usize),
    /// From one byte of the content up to another.
    Span(usize, usize),
    /// The word at a line and a column in characters, both from 1.
    Point(usize, usize),
}

impl Spot {
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), at: At::File }
    }

    pub fn span(file: impl Into<String>, span: &Range<usize>) -> Self {
        Self { file: file.into(), at: At::Span(span.start, span.end) }
    }

    pub fn point(place: &producers::Place) -> Self {
        Self { file: place.file.clone(), at: At::Point(place.line, place.column) }
    }

    /// Where a reference has its tag; failing that, its digest or its name.
    pub fn tag(found: &Occurrence) -> Self {
        let spans = &found.spans;
        Self::first(found, [&spans.tag, &spans.digest, &spans.name])
    }

    /// Where a reference has its digest; failing that, its tag or its name.
    pub fn digest(found: &Occurrence) -> Self {
        let spans = &found.spans;
        Self::first(found, [&spans.digest, &spans.tag, &spans.name])
    }

    fn first(found: &Occurrence, spans: [&Option<Range<usize>>; 3]) -> Self {
        match spans.into_iter().flatten().next() {
            Some(span) => Self::span(&found.file, span),
            None => Self::file(&found.file),
        }
    }
}

impl From<&Problem> for Spot {
    fn from(problem: &Problem) -> Self {
        Self { file: problem.file.clone(), at: problem.at.map_or(At::File, At::Word) }
    }
}
