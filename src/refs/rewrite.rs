//! The rewrite: version-line tags of a release candidate become stable (contract §3).

use super::class::{is_stable, with_stable};
use super::edit::{Edit, FileEdit, edit, edit_file, edited};
use super::file::FileReading;
use super::problem::{Lines, Problem, ProblemKind, list};
use super::read::{Reading, RefsError};
use super::survivors::survivors;
use super::text::Scanner;
use super::{Occurrence, Spec};
use crate::model::Rc;
use crate::refs::class::Class;
use crate::tree::Tree;

/// What promoting a release candidate changes in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub rc: Rc,
    /// In tree order; never empty.
    pub files: Vec<FileEdit>,
}

/// Why there is nothing to write.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    #[error(transparent)]
    References(#[from] RefsError),
    /// Planning or proving an edit failed; every such file is listed.
    #[error("{}", list(.0))]
    Edits(Vec<Problem>),
    /// No tag of the release candidate is in the tree. A tree that has been rewritten already
    /// has owned tags that read stable.
    #[error("nothing to rewrite: no owned reference carries v{rc}, and {stable} carry v{} already", .rc.stable)]
    Nothing { rc: Rc, stable: usize },
    /// References to the release candidate are left in places that the rewrite doesn't reach.
    #[error("{}", list(.0))]
    Survivors(Vec<Problem>),
}

impl Rewrite {
    /// How many lines differ.
    pub fn lines(&self) -> usize {
        self.files.iter().map(FileEdit::lines).sum()
    }
}

/// Plans the rewrite of every version-line tag to the stable version, and proves it: each
/// edited file is read again and its references must differ as planned, and the whole tree
/// with the edits in place is scanned for survivors. Nothing is written.
///
/// Errors: see [`RewriteError`]; all problems of a kind are reported together.
pub fn rewrite(tree: &dyn Tree, spec: &Spec, rc: &Rc) -> Result<Rewrite, RewriteError> {
    let rewrite = edits(tree, spec, rc)?;
    let left = survivors(&edited(tree, &rewrite.files), spec, rc).map_err(RewriteError::Edits)?;
    if left.is_empty() { Ok(rewrite) } else { Err(RewriteError::Survivors(left)) }
}

/// The edits of [`rewrite()`], for a caller that scans for survivors itself.
pub fn edits(tree: &dyn Tree, spec: &Spec, rc: &Rc) -> Result<Rewrite, RewriteError> {
    let (reading, problems) = Reading::of(tree, spec);
    if !problems.is_empty() {
        let references = Box::new(reading.references(spec, Some(rc)));
        return Err(RefsError { problems, references }.into());
    }
    let scanner = Scanner::new(&spec.owned);
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    let mut stable = 0;
    for read in &reading.files {
        let moved = |class| class == Class::VersionLine;
        let classes: Vec<Class> = read
            .found
            .iter()
            .map(|found| Class::of(spec, found.repository.as_ref(), found.tag.as_ref(), Some(&rc.to_string())))
            .collect();
        let owned = read.found.iter().zip(&classes).filter(|(_, class)| **class == Class::ComponentVersioned);
        stable += owned.filter(|(found, _)| found.tag.as_ref().is_some_and(|t| is_stable(spec, t, &rc.stable))).count();
        if classes.iter().any(|&class| moved(class)) {
            match plan(read, &classes, spec, rc, &scanner) {
                Ok(file) => files.push(file),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if !problems.is_empty() {
        return Err(RewriteError::Edits(problems));
    }
    if files.is_empty() {
        return Err(RewriteError::Nothing { rc: *rc, stable });
    }
    Ok(Rewrite { rc: *rc, files })
}

fn plan(read: &FileReading, classes: &[Class], spec: &Spec, rc: &Rc, scanner: &Scanner) -> Result<FileEdit, Problem> {
    let lines = Lines::new(read.content());
    let mut edits: Vec<Edit> = Vec::new();
    let mut expected = read.found.clone();
    for (found, class) in expected.iter_mut().zip(classes) {
        if *class != Class::VersionLine {
            continue;
        }
        let place = |message: String| {
            let Occurrence { file, line, column, .. } = read.occurrence(found, *class, &lines);
            let (kind, at) = (ProblemKind::Edit, found.spans.tag.as_ref().map(|span| span.start));
            Problem { kind, file, line, column, at, message, help: "write the tag out where it is used".to_owned() }
        };
        if found.aliased {
            return Err(place(format!(
                "the tag at `{}` is shared by a YAML alias: changing it changes another place",
                found.key
            )));
        }
        let new = found.tag.as_ref().and_then(|tag| with_stable(spec, tag, rc));
        let (Some(new), Some(span)) = (new, found.spans.tag.clone()) else {
            return Err(place(format!("the place of the tag at `{}` is unknown", found.key)));
        };
        edits.push(edit(read.content(), &lines, &found.key, span, new.to_string()));
        found.tag = Some(new);
    }
    edits.sort_by_key(|edit| edit.span.start);
    // A map merged into another by `<<` lends it its tag: two references, one place.
    edits.dedup_by(|a, b| a.span == b.span && a.new == b.new);
    edit_file(read, edits, &expected, scanner, spec)
}
