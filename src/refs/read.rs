//! Reading: every reference of a tree, with its class.

use std::ops::Range;

use super::class::{Class, prevailing};
use super::enumerate::{Enumeration, File, Storage, listed};
use super::exclusions::Exclusions;
use super::problem::{Lines, Problem, ProblemKind, list};
use super::shapes::Found;
use super::storage::read_file;
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

/// One file as read.
pub(super) struct FileReading {
    pub file: File,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Of a gzip copy, what is in it.
    pub unpacked: Option<Vec<u8>>,
    pub found: Vec<Found>,
    /// Owned images with neither tag nor digest: no references to go by.
    pub untagged: Vec<Found>,
    /// What problems tell of, which the census needn't repeat.
    pub told: Told,
}

/// The parts of a file that its own problems tell of. What is no more than odd, or excluded, tells nobody.
#[derive(Default)]
pub(super) struct Told(Vec<Range<usize>>);

impl Told {
    fn of(mut spans: Vec<Range<usize>>) -> Self {
        spans.sort_by_key(|span| (span.start, span.end));
        spans.dedup_by(|next, last| {
            let joined = next.start <= last.end;
            last.end = if joined { last.end.max(next.end) } else { last.end };
            joined
        });
        Self(spans)
    }

    /// Whether a problem tells of what begins at an offset.
    pub(super) fn covers(&self, at: usize) -> bool {
        let after = self.0.partition_point(|span| span.start <= at);
        after.checked_sub(1).and_then(|last| self.0.get(last)).is_some_and(|span| at < span.end)
    }
}

/// What came of reading one file. One with problems may have been read in part.
pub(super) struct One {
    pub reading: Option<FileReading>,
    pub problems: Vec<Problem>,
    pub notices: Vec<Problem>,
}

impl FileReading {
    /// Reads one file of a tree; problems on lines that are excluded are lifted.
    pub(super) fn of(
        tree: &dyn Tree,
        file: &File,
        scanner: &Scanner,
        spec: &Spec,
        exclusions: &mut Exclusions<'_>,
    ) -> One {
        let failed = |problem| One { reading: None, problems: vec![problem], notices: Vec::new() };
        let bytes = match tree.read(file.path.as_bytes()) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("can't be read: {}", error.source);
                return failed(Problem::whole(&file.path, message, "make the file readable"));
            }
        };
        let (mut read, faults) = match read_file(file, bytes, scanner, spec) {
            Ok(read) => read,
            Err(problem) => return failed(problem),
        };
        let (mut problems, mut notices, mut told) = (Vec::new(), Vec::new(), Vec::new());
        let lines = Lines::new(read.content());
        for fault in faults {
            if exclusions.find(&file.path, || lines.text(fault.at)).is_some() {
                continue;
            }
            let problem = Problem::at(fault.kind, &file.path, (&lines, fault.at), fault.message, fault.help);
            if fault.kind == ProblemKind::Notice {
                notices.push(problem);
            } else {
                problems.push(problem);
                told.extend(fault.about);
            }
        }
        read.told = Told::of(told);
        One { reading: Some(read), problems, notices }
    }

    /// What spans point into.
    pub(super) fn content(&self) -> &[u8] {
        self.unpacked.as_deref().unwrap_or(&self.bytes)
    }

    /// Its path in the repository, and what spans point into.
    pub(super) fn into_content(self) -> (String, Vec<u8>) {
        (self.file.path, self.unpacked.unwrap_or(self.bytes))
    }

    pub(super) fn occurrence(&self, found: &Found, class: Class, lines: &Lines<'_>) -> Occurrence {
        let spans = &found.spans;
        let at = [&spans.tag, &spans.digest, &spans.name].into_iter().flatten().next().map_or(0, |span| span.start);
        let (line, column) = lines.place(at);
        let copy_of = match &self.file.storage {
            Storage::Gzip { copy_of } => Some(copy_of.clone()),
            _ => None,
        };
        Occurrence {
            class,
            file: self.file.path.clone(),
            line,
            column,
            key: found.key.clone(),
            shape: found.shape,
            repository: found.repository.clone(),
            tag: found.tag.clone(),
            digest: found.digest,
            copy_of,
            spans: found.spans.clone(),
            aliased: found.aliased,
        }
    }
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
        let stale = spec.gzip.iter().filter_map(|copy| self.stale(&spec.in_repository(&copy.path)));
        self.notices.extend(stale.collect::<Vec<_>>());
    }

    /// What is wrong between a gzip copy and its plain source. A promotion takes the copy's references for the
    /// source's: what only the copy says gets no name, and nobody looks at it.
    fn stale(&self, path: &str) -> Option<Problem> {
        let find = |path: &str| self.files.iter().find(|read| read.file.path == path);
        let packed = find(path)?;
        let Storage::Gzip { copy_of } = &packed.file.storage else { return None };
        if let Some(plain) = find(copy_of) {
            let (packed, plain) = (packed.content(), plain.content());
            if packed == plain {
                return None;
            }
            let same = packed.iter().zip(plain).take_while(|(a, b)| a == b).count();
            let message = format!("its content is not that of {copy_of}, from here on");
            let place = (&Lines::new(packed), same.min(packed.len().saturating_sub(1)));
            let help = "make the copy again from its source";
            return Some(Problem::at(ProblemKind::StaleCopy, path, place, message, help));
        }
        // Of a source that is there and can't be read a problem tells already.
        let listed = self.enumeration.files.iter().any(|file| file.path == *copy_of);
        let message = format!("its plain source {copy_of} is not in the tree: nothing says what the copy should hold");
        let help = "put the source beside it, or declare the right one in the pipeline";
        (!listed).then(|| Problem::whole(path, message, help).kind(ProblemKind::StaleCopy))
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
