//! Explain: what a reference of a tree is, who stamps it, what would become of it, and why; and the census as people
//! read it, with who claims each place.
//!
//! Reads and decides nothing by itself: an [`Explanation`] is made of a [`Subject`] and of what lint found in it.

mod census;
mod class;
mod effect;
mod nothing;
mod place;
mod stamped;

use std::collections::BTreeSet;

use serde::Serialize;

pub use census::{Census, Completeness, Count, Row};
pub use effect::{Change, Effect};
pub use place::PlaceError;
use place::Question;

use crate::lint::{Finding, Judging, Level, Lint, Subject, Suppressed};
use crate::model::{Lines, Rc, Version};
use crate::pipeline::Pipeline;
use crate::producers::Stamped;
use crate::promotion::Wanted;
use crate::refs::{Claim, Item, Occurrence, Problem, ProblemKind, Shape};
use crate::tree::{Kept, Kind, Tree};

/// What is known of a line, or of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Which tree it was, in words.
    pub tree: String,
    /// The path in the repository.
    pub file: String,
    /// The line that was asked for, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// How the file is read.
    pub read_as: String,
    /// The version of the tree's version line; `None` where its tags carry none.
    pub version: Option<Version>,
    pub version_asked: bool,
    /// In the order of their places.
    pub references: Vec<Explained>,
    /// What else is there, and what claims it.
    pub others: Vec<Other>,
    /// What lint finds there.
    pub findings: Vec<Finding>,
    /// What lint finds, and an exclusion explains.
    pub suppressed: Vec<Suppressed>,
    /// Files that could not be read, this one or others: what depends on them is unknown.
    pub unread: Vec<Problem>,
    /// Why there is nothing to explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nothing: Option<String>,
}

/// A reference, explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explained {
    #[serde(flatten)]
    pub reference: Occurrence,
    /// `repository:tag@digest`, as far as it has them.
    pub spelled: String,
    /// What its shape means.
    pub shape_means: &'static str,
    /// Why it is of its class.
    pub class_because: String,
    /// What stamps it.
    pub producer: Stamped,
    /// The same in a sentence.
    pub stamped: String,
    /// What a promotion, a retag and a mirror would do to it.
    pub effects: Vec<Effect>,
}

/// Something that is no reference of the tool's, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Other {
    #[serde(flatten)]
    pub item: Item,
    pub because: String,
}

impl Explanation {
    /// Explains a place as people type it: `FILE`, or `FILE:LINE`.
    ///
    /// Read are the files with references (they tell the version, and which digests want one name), the Makefiles
    /// (they tell what stamps), and the file itself: each once, and no other.
    ///
    /// # Errors
    /// No such file, no such line.
    pub fn look(
        pipeline: &Pipeline,
        tree: &dyn Tree,
        name: String,
        rc: Option<&Rc>,
        place: &str,
    ) -> Result<Self, PlaceError> {
        let tree = Kept::new(tree);
        let is_file = |path: &str| matches!(tree.find(path.as_bytes()), Ok(Some(entry)) if entry.kind == Kind::File);
        let asked = Question::parse(place, is_file);
        let subject = Subject::of_file(pipeline, &tree, name, rc, asked.file.as_bytes());
        let lint = Lint::of(&subject, Judging { fail_on: Level::Error, baseline: None });
        Self::of(&subject, &lint, &asked)
    }

    fn of(subject: &Subject<'_>, lint: &Lint, asked: &Question) -> Result<Self, PlaceError> {
        let file = asked.file.as_str();
        let role = nothing::Role::of(subject, file)?;
        let content = subject.content(file);
        let lines = content.map(Lines::new);
        asked.check(content.unwrap_or_default(), content.is_some())?;
        let on = |line: usize| asked.line.is_none_or(|asked| asked == line);
        let references = subject.account.references.occurrences.iter().chain(&subject.account.references.unpinned);
        let mut references: Vec<&Occurrence> = references
            .filter(|found| found.file == file)
            .filter(|found| extents(found, lines.as_ref()).iter().any(|&line| on(line)))
            .collect();
        // What is said of one part of a reference is said of it.
        let mut about: BTreeSet<usize> = asked.line.into_iter().collect();
        about.extend(references.iter().flat_map(|found| extents(found, lines.as_ref())));
        references.sort_by_key(|found| (found.line, found.column, found.spans.name.as_ref().map(|span| span.start)));
        let wanted = effect::wanted(subject);
        let references: Vec<Explained> =
            references.into_iter().map(|found| explained(subject, &wanted, found)).collect();
        let here = |item: &&Item| item.file == file && on(item.line);
        let items = subject.account.items.iter().filter(here);
        let others = items.filter(|item| !matches!(item.claim, Claim::Shape { .. }));
        let others: Vec<Other> =
            others.map(|item| Other { because: class::because(&item.claim), item: item.clone() }).collect();
        let at = |finding: &Finding| {
            finding.place.file == file && (asked.line.is_none() || about.contains(&finding.place.line))
        };
        let findings: Vec<Finding> = lint.findings.iter().filter(|finding| at(finding)).cloned().collect();
        let suppressed = lint.suppressed.iter().filter(|suppressed| at(&suppressed.finding)).cloned().collect();
        let nothing = (references.is_empty() && others.is_empty() && findings.is_empty())
            .then(|| role.nothing(subject, asked, content));
        Ok(Self {
            tree: subject.name.clone(),
            file: file.to_owned(),
            line: asked.line,
            read_as: role.words(),
            version: subject.version,
            version_asked: subject.asked,
            references,
            others,
            findings,
            suppressed,
            unread: subject.problems(ProblemKind::Unreadable).chain(&subject.account.notices).cloned().collect(),
            nothing,
        })
    }
}

/// The lines that a reference's parts stand on: a split one has several.
fn extents(found: &Occurrence, lines: Option<&Lines<'_>>) -> Vec<usize> {
    let spans = [&found.spans.host, &found.spans.name, &found.spans.tag, &found.spans.digest];
    let numbers =
        lines.map(|lines| spans.into_iter().flatten().map(|span| lines.number(span.start)).collect::<Vec<_>>());
    let mut all = numbers.unwrap_or_default();
    all.push(found.line);
    all
}

fn explained(subject: &Subject<'_>, wanted: &Wanted<'_>, found: &Occurrence) -> Explained {
    let producer = subject.producers.of(found);
    Explained {
        spelled: found.spelled(),
        shape_means: shape_means(found.shape),
        class_because: class::reason(subject, found),
        stamped: stamped::words(&producer),
        producer,
        effects: effect::all(subject, wanted, found),
        reference: found.clone(),
    }
}

/// What a shape is, in a few words.
fn shape_means(shape: Shape) -> &'static str {
    match shape {
        Shape::String => "a whole scalar",
        Shape::Argument => "inside of a longer string",
        Shape::Split => "repository and tag in keys of one map, without a digest",
        Shape::SplitDigest => "repository, tag and digest in keys of one map",
        Shape::ImageDigest => "repository in `image`, with tag and digest in keys beside it",
        Shape::DigestInTag => "repository in one key, tag and digest in another",
        Shape::DigestInTagRegistry => "host, repository, and tag with digest in three keys",
        Shape::GlobalRegistry => "the host in `global.registry.address`, the rest below `global.images`",
        Shape::ArtifactPair => "the packages artifact's pair of keys",
        Shape::TagOnly => "a tag with no repository beside it",
        Shape::File => "the one line of a tag file",
        Shape::Text => "in text that is not read as YAML",
    }
}

impl Explained {
    /// The name of its shape, as reports have it.
    pub fn shape(&self) -> String {
        word(&self.reference.shape)
    }

    /// The name of its class, as reports have it.
    pub fn class(&self) -> String {
        word(&self.reference.class)
    }
}

/// The one word that a value serialises as.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}
