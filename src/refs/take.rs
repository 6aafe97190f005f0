//! Taking references: those of a file become those of the same file in another tree, and nothing
//! else of it changes.
//!
//! Two files differ in references only when they are the same once every reference's bytes are
//! masked out. Line ends, a byte order mark and a missing last newline are a file's own spelling:
//! they are neither compared nor taken.

use super::Spec;
use super::edit::{Edit, FileEdit, edit, edit_file};
use super::enumerate::{File, Storage};
use super::exclusions::Exclusions;
use super::file::{FileReading, One};
use super::mask::{Drift, Slot, drift, mask, spelled_together};
use super::problem::{Lines, Problem};
use super::read::keep;
use super::shapes::{Found, Shape};
use super::text::Scanner;
use crate::model::{Digest, Repository, Tag};
use crate::tree::Tree;

/// What taking the references of one file comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// The references are the other tree's already. Where neither file has any, the rest may differ.
    Equal { references: usize },
    /// They become the other tree's: so many of them differ.
    Taken { edit: FileEdit, references: usize },
    /// The files differ in more than references.
    Drift(Drift),
}

/// Takes references from one tree onto another, a file at a time.
pub struct Taker<'a> {
    onto: &'a dyn Tree,
    from: &'a dyn Tree,
    spec: &'a Spec,
    scanner: Scanner,
    exclusions: Exclusions<'a>,
}

impl<'a> Taker<'a> {
    /// # Errors
    /// A declared exclusion whose glob is none.
    pub fn new(onto: &'a dyn Tree, from: &'a dyn Tree, spec: &'a Spec) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let exclusions = Exclusions::new(spec, &mut problems);
        let taker = Self { onto, from, spec, scanner: Scanner::new(&spec.owned), exclusions };
        if problems.is_empty() { Ok(taker) } else { Err(problems) }
    }

    /// How many references a file has here.
    ///
    /// # Errors
    /// As [`Taker::take`].
    pub fn count(&mut self, file: &File) -> Result<usize, Vec<Problem>> {
        let read = self.read(self.onto, file)?;
        Ok(read.found.iter().filter(|found| self.counts(file, found)).count())
    }

    /// How many references a file has in the other tree.
    ///
    /// # Errors
    /// As [`Taker::take`].
    pub fn count_there(&mut self, file: &File) -> Result<usize, Vec<Problem>> {
        let read = self.read(self.from, file).map_err(|problems| problems_in(self.from, problems))?;
        Ok(read.found.iter().filter(|found| self.counts(file, found)).count())
    }

    /// Takes one file's references: those that are pinned, or owned, and the line of a `.tag` file
    /// in any case. The packages artifact's own is not taken: what a published tree says of it is an
    /// older one's (contract §5, rule 5). An edit is proven by reading it again: its references must
    /// be the other tree's.
    ///
    /// # Errors
    /// A file that can't be read in either tree, or whose references are malformed.
    pub fn take(&mut self, file: &File) -> Result<Take, Vec<Problem>> {
        let here = self.read(self.onto, file)?;
        let other = self.read(self.from, file).map_err(|problems| problems_in(self.from, problems))?;
        let (ours, theirs) = (self.slots(&here), self.slots(&other));
        if ours.is_empty() && theirs.is_empty() {
            return Ok(Take::Equal { references: 0 });
        }
        let (mine, others) = (mask(here.content(), &ours), mask(other.content(), &theirs));
        if mine != others || !pairs(&here, &other) {
            let same_references = self.says(&here) == self.says(&other);
            return Ok(Take::Drift(drift(&here, &other, &mine, &others, same_references)));
        }
        let lines = Lines::new(here.content());
        let spelled = |slot: &Slot| String::from_utf8_lossy(&other.content()[slot.span.clone()]).into_owned();
        let edits: Vec<Edit> = ours
            .iter()
            .zip(&theirs)
            .filter(|(slot, _)| !slot.artifact)
            .map(|(slot, new)| edit(here.content(), &lines, &slot.key, slot.span.clone(), spelled(new)))
            .filter(|edit| edit.old != edit.new)
            .collect();
        let counted = here.found.iter().filter(|found| self.counts(file, found));
        if edits.is_empty() {
            return Ok(Take::Equal { references: counted.count() });
        }
        let touched = |found: &&Found| {
            let spans = spelled_together(&found.spans, here.content());
            spans.iter().any(|span| {
                let next = edits.partition_point(|edit| edit.span.end <= span.start);
                edits.get(next).is_some_and(|edit| edit.span.start < span.end)
            })
        };
        let references = counted.filter(touched).count();
        let planned = here.found.iter().zip(&other.found);
        let planned: Vec<Found> =
            planned.map(|(found, new)| if self.is_artifact(found) { found.clone() } else { new.clone() }).collect();
        let edit = edit_file(&here, edits, &planned, &self.scanner, self.spec).map_err(|problem| vec![problem])?;
        Ok(Take::Taken { edit, references })
    }

    fn read(&mut self, tree: &dyn Tree, file: &File) -> Result<FileReading, Vec<Problem>> {
        let One { reading, problems, .. } = FileReading::of(tree, file, &self.scanner, self.spec, &mut self.exclusions);
        match reading {
            Some(reading) if problems.is_empty() => Ok(reading),
            _ => Err(problems),
        }
    }

    /// Whether a find is a reference to take.
    fn counts(&self, file: &File, found: &Found) -> bool {
        file.storage == Storage::TagFile || keep(self.spec, found)
    }

    fn is_artifact(&self, found: &Found) -> bool {
        found.shape == Shape::ArtifactPair || found.repository.as_ref() == Some(&self.spec.artifact)
    }

    /// Every reference's slots, in order, those that references share once.
    fn slots(&self, read: &FileReading) -> Vec<Slot> {
        let mut all = Vec::new();
        for found in read.found.iter().filter(|found| self.counts(&read.file, found)) {
            let slot = |span| Slot { span, key: found.key.clone(), artifact: self.is_artifact(found) };
            all.extend(spelled_together(&found.spans, read.content()).into_iter().map(slot));
        }
        all.sort_by_key(|slot| (slot.span.start, std::cmp::Reverse(slot.span.end)));
        all.dedup_by(|next, kept| next.span.start < kept.span.end);
        all
    }

    /// What the references say, apart from where.
    fn says(&self, read: &FileReading) -> Vec<(Option<Repository>, Option<Tag>, Option<Digest>)> {
        let counted = read.found.iter().filter(|found| self.counts(&read.file, found) && !self.is_artifact(found));
        counted.map(|found| (found.repository.clone(), found.tag.clone(), found.digest)).collect()
    }
}

/// Problems of a tree beside the one that a command is about say that they are its.
pub fn problems_in(from: &dyn Tree, mut problems: Vec<Problem>) -> Vec<Problem> {
    for problem in &mut problems {
        problem.message = format!("in {}: {}", from.describe(), problem.message);
    }
    problems
}

/// Whether two readings have finds at the same keys: what can be paired.
fn pairs(here: &FileReading, other: &FileReading) -> bool {
    here.found.iter().map(|found| &found.key).eq(other.found.iter().map(|found| &found.key))
}
