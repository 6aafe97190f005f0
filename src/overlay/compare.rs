//! The comparison: every file with references, in the tree and in the source.

use std::collections::{BTreeMap, BTreeSet};

use super::Request;
use super::packages::Packages;
use super::verdict::{FileVerdict, Mark};
use crate::model::{Code, Refusal};
use crate::refs::{self, Enumeration, File, FileEdit, Problem, Spec, Take, Taker, in_charts};
use crate::tree::{Kind, TreePath, below, show};

pub(super) struct Compared<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) spec: &'a Spec,
    pub(super) here: &'a Enumeration,
    /// What the source holds; nothing where there is no source.
    there: Enumeration,
    kinds: BTreeMap<TreePath, Kind>,
    pub(super) packages: Packages<'a>,
    taker: Taker<'a>,
    built: BTreeSet<TreePath>,
    edited: BTreeSet<TreePath>,
    pub(super) verdicts: BTreeMap<String, (TreePath, FileVerdict)>,
    pub(super) left_out: BTreeMap<TreePath, Mark>,
    pub(super) edits: Vec<FileEdit>,
    pub(super) refusals: Vec<Refusal>,
}

impl<'a> Compared<'a> {
    pub(super) fn new(
        request: &'a Request<'a>,
        spec: &'a Spec,
        here: &'a Enumeration,
        packages: Packages<'a>,
    ) -> Result<Self, Vec<Problem>> {
        let there = match request.from {
            Some(from) => {
                refs::enumerate(from, &unrequired(spec)).map_err(|problems| refs::problems_in(from, problems))?
            }
            None => Enumeration::default(),
        };
        for (enumeration, tree) in [(Some(here), Some(request.onto)), (request.from.map(|_| &there), request.from)] {
            if let (Some([]), Some(tree)) = (enumeration.map(|e| e.files.as_slice()), tree) {
                let message = format!("{} has no files with references", tree.describe());
                return Err(vec![nothing(&request.pipeline.root, message)]);
            }
        }
        let taker = Taker::new(request.onto, request.from.unwrap_or(request.onto), spec)?;
        let kinds = there.entries().iter().map(|entry| (entry.path.clone(), entry.kind)).collect();
        let mut compared = Self {
            request,
            spec,
            here,
            there,
            kinds,
            packages,
            taker,
            built: BTreeSet::new(),
            edited: BTreeSet::new(),
            verdicts: BTreeMap::new(),
            left_out: BTreeMap::new(),
            edits: Vec::new(),
            refusals: Vec::new(),
        };
        compared.listed()?;
        Ok(compared)
    }

    /// Turns the lists of paths into packages.
    fn listed(&mut self) -> Result<(), Vec<Problem>> {
        for path in &self.request.built.0 {
            match self.packages.named(path) {
                Ok(package) => _ = self.built.insert(package),
                Err(why) => self.refusals.push(
                    Refusal::new(Code::BuiltList, format!("`{}`, which was built, {why}", show(path.as_bytes())))
                        .hint("give the list that was made for this very tree"),
                ),
            }
        }
        for path in &self.request.edited.0 {
            self.edited.extend(self.packages.around(path).map(<[u8]>::to_vec));
            let Some(package) = self.packages.misread(path) else { continue };
            let there = self.request.onto.find(path).map_err(|error| {
                let help = "make it readable, and list paths from the repository's root";
                vec![Problem::whole(show(path), error.to_string(), help)]
            })?;
            // It would count for nothing, and what was edited would be overwritten.
            if there.is_none() {
                let (path, package) = (show(path), self.request.pipeline.below_root(&show(package)));
                let message = format!("`{path}`, which was edited, is not in the tree, and `{package}` is a package");
                self.refusals.push(
                    Refusal::new(Code::EditedList, message)
                        .hint("list paths from the repository's root: `git diff` without `--relative`"),
                );
            }
        }
        Ok(())
    }

    /// Compares every file; all problems together.
    pub(super) fn run(&mut self) -> Result<(), Vec<Problem>> {
        let (here, there) = (self.here.files.clone(), self.there.files.clone());
        let known: BTreeSet<&str> = here.iter().map(|file| file.path.as_str()).collect();
        let mut problems = Vec::new();
        for file in here.iter().chain(there.iter().filter(|file| !known.contains(file.path.as_str()))) {
            if in_charts(below(file.path.as_bytes(), self.spec.root.as_bytes()).unwrap_or_default()) {
                continue;
            }
            let looked = self.look(file, known.contains(file.path.as_str()));
            problems.extend(looked.err().unwrap_or_default());
        }
        if problems.is_empty() && self.verdicts.is_empty() && self.left_out.is_empty() {
            let message = format!("{} has not one reference", self.request.onto.describe());
            problems.push(nothing(&self.request.pipeline.root, message));
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Compares one file that is `here`, or in the source alone.
    fn look(&mut self, file: &File, here: bool) -> Result<(), Vec<Problem>> {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).as_bytes();
        let around: Vec<TreePath> = self.packages.around(folder).map(<[u8]>::to_vec).collect();
        let Some(package) = around.last().cloned() else {
            if !here {
                return Ok(());
            }
            let message = "lies in no package, so whether it was built or edited can't be known".to_owned();
            let help = "declare the folders that are packages: `overlay.packages` in the pipeline".to_owned();
            return Err(vec![Problem::whole(&file.path, message, help)]);
        };
        if let Some(mark) = around.iter().find_map(|package| self.mark(package)) {
            if here {
                self.left_out.insert(package, mark);
            }
            return Ok(());
        }
        let verdict = match self.absence(file, &package) {
            _ if !here && !self.packages.contains(&package) => return Ok(()),
            _ if !here => FileVerdict::OnlyThere { references: self.taker.count_there(file)? },
            Some(why) if self.taker.count(file)? > 0 => FileVerdict::Missing { why },
            Some(_) => return Ok(()),
            None => match self.taker.take(file)? {
                Take::Equal { references } => FileVerdict::Equal { references },
                Take::Drift(drift) => FileVerdict::Drift(drift),
                Take::Taken { edit, references } => {
                    let lines = edit.lines();
                    self.edits.push(edit);
                    FileVerdict::Taken { references, lines }
                }
            },
        };
        // A file without references is nobody's concern here.
        if !matches!(verdict, FileVerdict::Equal { references: 0 } | FileVerdict::OnlyThere { references: 0 }) {
            self.verdicts.insert(file.path.clone(), (package, verdict));
        }
        Ok(())
    }

    /// Why a package is left out.
    fn mark(&self, package: &[u8]) -> Option<Mark> {
        let elsewhere = || self.packages.skipped(package).map(|skip| Mark::Elsewhere(skip.reason.clone()));
        let edited = || self.edited.contains(package).then_some(Mark::Edited);
        self.built.contains(package).then_some(Mark::Built).or_else(edited).or_else(elsewhere)
    }

    /// Why the source has no such file to take from.
    fn absence(&self, file: &File, package: &[u8]) -> Option<String> {
        if self.request.from.is_none() {
            return Some("there is no source".to_owned());
        }
        let folder = self.request.pipeline.below_root(&String::from_utf8_lossy(package));
        match self.kinds.get(file.path.as_bytes()) {
            Some(Kind::File) => None,
            Some(Kind::Symlink) => Some("a symbolic link in the source: it is not followed".to_owned()),
            Some(Kind::Directory | Kind::Other) => Some("no file in the source".to_owned()),
            None if self.kinds.contains_key(folder.as_bytes()) => Some("the source has no such file".to_owned()),
            None => Some("the source has no such package".to_owned()),
        }
    }
}

/// What a source need not have: that a declared file is missing there is judged file by file.
fn unrequired(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.text.iter_mut().for_each(|text| text.required = false);
    spec.gzip.iter_mut().for_each(|copy| copy.required = false);
    spec
}

fn nothing(root: &str, message: String) -> Problem {
    let help = "check root and globs in the pipeline, and that this is the tree you mean".to_owned();
    Problem::whole(root, message, help)
}
