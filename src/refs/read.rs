//! Reading: every reference of a tree, with its class.

use super::class::{Class, prevailing};
use super::copies;
use super::enumerate::{Enumeration, listed};
use super::exclusions::Exclusions;
use super::file::FileReading;
use super::problem::{Lines, Problem, ProblemKind, list};
use super::shapes::Found;
use super::text::Scanner;
use super::{Occurrence, Spec};
use crate::model::{Rc, Version};
use crate::tree::Tree;

/// What a tree's files say.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// The version that tells the version line: the candidate's, or the inferred one.
    pub version: Option<Version>,
    /// Pinned by digest, or owned: all that a promotion has to do with.
    pub occurrences: Vec<Occurrence>,
    /// Third-party references with a tag and no digest, as far as their shape shows them.
    pub unpinned: Vec<Occurrence>,
    /// Owned images with neither tag nor digest: nothing to go by for a promotion, and `latest` for who runs them.
    pub untagged: Vec<Occurrence>,
    /// Odd things that keep nobody from reading: a numeric tag, a link, a declared file that isn't there, a stale
    /// gzip copy.
    pub notices: Vec<Problem>,
    pub enumeration: Enumeration,
}

/// Why references can't be relied on: every problem of the tree together. What could be read
/// all the same is in `references`.
#[derive(Debug, thiserror::Error)]
#[error("{}", list(.problems))]
pub struct RefsError {
    pub problems: Vec<Problem>,
    pub references: Box<References>,
}

/// Reads every reference of a tree: those pinned by digest, and owned ones in any case.
///
/// With a release candidate the version line is exactly its tags. Without one it is inferred,
/// for display: the version that most owned tags carry.
///
/// Errors: everything [`super::enumerate()`] refuses; a file that can't be read, isn't UTF-8 or isn't
/// YAML; a malformed repository, tag or digest; a reference spelled with escapes; duplicate
/// keys around a reference; and a tree without any reference. A declared exclusion of the
/// line lifts a malformed one.
pub fn read(tree: &dyn Tree, spec: &Spec, rc: Option<&Rc>) -> Result<References, RefsError> {
    let (reading, problems) = Reading::of(tree, spec);
    let references = reading.references(spec, rc);
    if problems.is_empty() { Ok(references) } else { Err(RefsError { problems, references: Box::new(references) }) }
}

/// A tree's files with references, as read.
#[derive(Default)]
pub(super) struct Reading {
    pub files: Vec<FileReading>,
    pub enumeration: Enumeration,
    pub notices: Vec<Problem>,
    /// Which exclusions lifted a problem.
    pub used: Vec<bool>,
}

impl Reading {
    pub(super) fn of(tree: &dyn Tree, spec: &Spec) -> (Self, Vec<Problem>) {
        let mut reading = Self { used: vec![false; spec.exclude.len()], ..Self::default() };
        let (enumeration, mut problems) = listed(tree, spec);
        reading.enumeration = enumeration;
        let mut exclusions = Exclusions::new(spec, &mut problems);
        let scanner = Scanner::new(&spec.owned);
        for file in &reading.enumeration.files {
            let one = FileReading::of(tree, file, &scanner, spec, &mut exclusions);
            problems.extend(one.problems);
            reading.notices.extend(one.notices);
            reading.files.extend(one.reading);
        }
        reading.used = exclusions.used;
        reading.note(spec);
        let kept = |read: &FileReading| read.found.iter().any(|found| keep(spec, found));
        if problems.is_empty() && !reading.files.iter().any(kept) {
            let files = reading.files.len();
            problems.push(Problem::whole(
                if spec.root().is_empty() { "." } else { spec.root() },
                format!("not one reference was found in {files} files"),
                "check root, globs and owned prefixes in the pipeline",
            ));
        }
        (reading, problems)
    }

    fn note(&mut self, spec: &Spec) {
        self.notices.extend(self.enumeration.skipped.iter().cloned());
        for path in &self.enumeration.missing {
            let help = "take it out of the pipeline if it is gone";
            self.notices.push(Problem::whole(path, "declared, and not in the tree", help).kind(ProblemKind::Notice));
        }
        let stale = |path: &str| copies::stale(&self.files, &self.enumeration, &spec.in_repository(path));
        let stale = spec.gzip.iter().filter_map(|copy| stale(&copy.path));
        self.notices.extend(stale.collect::<Vec<_>>());
    }

    pub(super) fn references(self, spec: &Spec, rc: Option<&Rc>) -> References {
        self.parts(spec, rc).0
    }

    /// The version that tells the version line: the candidate's, or the inferred one.
    pub(super) fn version(&self, spec: &Spec, rc: Option<&Rc>) -> Option<Version> {
        if let Some(rc) = rc {
            return Some(Version::Candidate(*rc));
        }
        let all = self.files.iter().flat_map(|read| &read.found);
        let owned = all.filter(|found| found.repository.as_ref().is_some_and(|r| spec.owns(r)));
        prevailing(spec, owned.filter_map(|found| found.tag.as_ref()))
    }

    /// The references, and the files they are in.
    pub(super) fn parts(self, spec: &Spec, rc: Option<&Rc>) -> (References, Vec<FileReading>) {
        let version = self.version(spec, rc);
        let (notices, enumeration) = (self.notices, self.enumeration);
        let mut references = References { version, notices, enumeration, ..Default::default() };
        let version = version.map(|version| version.to_string());
        for read in &self.files {
            let lines = Lines::new(read.content());
            let occurrence = |found: &Found| {
                let class = Class::of(spec, found.repository.as_ref(), found.tag.as_ref(), version.as_deref());
                read.occurrence(found, class, &lines)
            };
            references.untagged.extend(read.untagged.iter().map(occurrence));
            for found in &read.found {
                let occurrence = occurrence(found);
                if keep(spec, found) {
                    references.occurrences.push(occurrence);
                } else if found.repository.is_some() && found.tag.is_some() {
                    references.unpinned.push(occurrence);
                }
            }
        }
        (references, self.files)
    }
}

/// Whether a find is a reference to go by: pinned, or owned with a tag.
pub(super) fn keep(spec: &Spec, found: &Found) -> bool {
    let owned = found.repository.as_ref().is_some_and(|repository| spec.owns(repository));
    found.digest.is_some() || owned && found.tag.is_some()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Pair, Spec};

    pub(in super::super) fn spec() -> Spec {
        Spec {
            root: "packages".into(),
            owned: vec!["ghcr.io/org/own".parse().unwrap()],
            artifact: "ghcr.io/org/own/own-packages".parse().unwrap(),
            pair: Pair { url: "sourceUrl".into(), reference: "sourceRef".into() },
            tag_prefixes: vec!["v1.30-".into(), "edge".into()],
            values: vec!["*/*/values.yaml".into()],
            tag_files: vec!["*/*/images/*.tag".into()],
            text: Vec::new(),
            gzip: Vec::new(),
            exclude: Vec::new(),
        }
    }
}
