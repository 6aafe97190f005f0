//! One file as read, with its problems.

use std::ops::Range;

use super::class::Class;
use super::enumerate::{File, Storage};
use super::exclusions::Exclusions;
use super::problem::{Lines, Problem, ProblemKind};
use super::shapes::Found;
use super::storage::read_file;
use super::text::Scanner;
use super::{Occurrence, Spec};
use crate::tree::Tree;

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
