//! The proof that a candidate artifact is what was tested and what was merged (contract §5).
//!
//! Pure: three trees in, differences out. An empty list is the proof.

use std::collections::BTreeMap;
use std::fmt;

use super::PromotionError;
use crate::archive::Ignore;
use crate::model::{Digest, Rc, Repository};
use crate::pipeline::Pipeline;
use crate::refs;
use crate::tree::{Entry, Kind, Mounted, Tree, TreeError, TreePath, show};

/// What is compared. All three are trees of the packages folder.
pub struct Proof<'a> {
    pub pipeline: &'a Pipeline,
    pub rc: &'a Rc,
    /// The unpacked rc artifact, and its digest.
    pub tested: (&'a dyn Tree, Digest),
    /// The unpacked candidate artifact, and its digest.
    pub candidate: (&'a dyn Tree, Digest),
    /// The tree that was, or will be, merged.
    pub merged: &'a dyn Tree,
}

/// One way in which the proof fails.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The rule of contract §5.
    pub rule: u8,
    pub place: String,
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (rule {})", self.place, self.what, self.rule)
    }
}

/// A tree's files as they are compared. Their bytes are read one after the other: trees are large.
struct Files<'a> {
    tree: &'a dyn Tree,
    entries: BTreeMap<TreePath, Entry>,
    /// Files with other bytes than the tree has.
    edited: BTreeMap<TreePath, Vec<u8>>,
}

impl Proof<'_> {
    /// Rules 1 to 5. Rule 6 is about the rest of the repository, which no artifact holds.
    pub fn differences(&self) -> Result<Vec<Difference>, PromotionError> {
        let mut found = Vec::new();
        let candidate = self.files(self.candidate.0, false)?;
        self.compare(1, &candidate, &self.files(self.merged, true)?, "the candidate", "the merge", &mut found)?;
        self.survivors(&mut found)?;
        self.compare(3, &self.rewritten()?, &candidate, "what was tested", "the candidate", &mut found)?;
        self.digests(&mut found)?;
        self.pins(&mut found)?;
        found.sort();
        Ok(found)
    }

    /// Rule 3 before anything is pushed: the rc artifact is the rc commit's tree (`merged` here).
    pub fn tested_tree(&self) -> Result<Vec<Difference>, PromotionError> {
        let mut found = Vec::new();
        let mut tested = self.files(self.tested.0, false)?;
        tested.entries.retain(|path, _| !self.pipeline.is_rc_only(path));
        let commit = self.files(self.merged, true)?;
        self.compare(3, &tested, &commit, "the rc artifact", "the rc commit", &mut found)?;
        self.trusted(self.tested.0, "the rc artifact", None, &mut found)?;
        Ok(found)
    }

    /// A packages tree's files. A git tree is seen as the archive sees it: without the excluded
    /// classes and without symlinks.
    fn files<'t>(&self, tree: &'t dyn Tree, filtered: bool) -> Result<Files<'t>, TreeError> {
        let ignore = Ignore::default();
        let compared = |entry: &Entry| entry.kind == Kind::File && !(filtered && ignore.matches(&entry.path, false));
        let entries = tree.entries()?.into_iter().filter(compared);
        Ok(Files { tree, entries: entries.map(|entry| (entry.path.clone(), entry)).collect(), edited: BTreeMap::new() })
    }

    /// A file's bytes, the installer's with the pin blanked.
    fn bytes(&self, files: &Files<'_>, path: &[u8]) -> Result<Vec<u8>, TreeError> {
        let bytes = match files.edited.get(path) {
            Some(bytes) => bytes.clone(),
            None => files.tree.read(path)?,
        };
        if path == self.pipeline.installer.values.as_bytes() {
            return Ok(refs::normalise_pin(&bytes, &self.pipeline.spec().pair).unwrap_or(bytes));
        }
        Ok(bytes)
    }

    /// The same set of files, the same bytes, the same executable bit in both directions.
    fn compare(
        &self,
        rule: u8,
        left: &Files<'_>,
        right: &Files<'_>,
        left_name: &str,
        right_name: &str,
        found: &mut Vec<Difference>,
    ) -> Result<(), TreeError> {
        let mut differs = |path: &[u8], what| found.push(Difference { rule, place: show(path), what });
        for (paths, other, name, other_name) in
            [(left, right, left_name, right_name), (right, left, right_name, left_name)]
        {
            for path in paths.entries.keys().filter(|path| !other.entries.contains_key(*path)) {
                differs(path, format!("is in {name} and not in {other_name}"));
            }
        }
        for (path, entry) in &left.entries {
            let Some(other) = right.entries.get(path) else { continue };
            if self.bytes(left, path)? != self.bytes(right, path)? {
                differs(path, format!("differs between {left_name} and {right_name}"));
            } else if entry.is_executable() != other.is_executable() {
                let (with, without) =
                    if entry.is_executable() { (left_name, right_name) } else { (right_name, left_name) };
                differs(path, format!("is executable in {with} and not in {without}"));
            }
        }
        Ok(())
    }

    fn mounted<'t>(&self, tree: &'t dyn Tree) -> Mounted<'t> {
        Mounted::new(tree, &self.pipeline.root)
    }

    /// Rule 2: no candidate of this version is named in it.
    fn survivors(&self, found: &mut Vec<Difference>) -> Result<(), PromotionError> {
        let tree = self.mounted(self.candidate.0);
        let left = refs::survivors_of(&tree, &self.pipeline.spec(), &self.rc.stable);
        found.extend(differences(2, left.map_err(PromotionError::problems)?));
        Ok(())
    }

    /// The rc artifact after the rewrite, without what only a candidate may hold.
    fn rewritten(&self) -> Result<Files<'_>, PromotionError> {
        let mut files = self.files(self.tested.0, false)?;
        let prefix = format!("{}/", self.pipeline.root);
        for edit in refs::rewrite(&self.mounted(self.tested.0), &self.pipeline.spec(), self.rc)?.files {
            let path = edit.path.as_bytes();
            let path = path.strip_prefix(prefix.as_bytes()).unwrap_or(path);
            files.edited.insert(path.to_vec(), edit.after);
        }
        files.entries.retain(|path, _| !self.pipeline.is_rc_only(path));
        Ok(files)
    }

    /// Rule 4: the digest at every place is the one at the same place in the rc artifact.
    fn digests(&self, found: &mut Vec<Difference>) -> Result<(), PromotionError> {
        let (spec, rc) = (self.pipeline.spec(), Some(self.rc));
        let tested = refs::read(&self.mounted(self.tested.0), &spec, rc)?;
        let candidate = refs::read(&self.mounted(self.candidate.0), &spec, rc)?;
        found.extend(differences(4, refs::compare_digests(&tested, &candidate)));
        Ok(())
    }

    /// Rule 5: three self-references, each where and what it must be.
    fn pins(&self, found: &mut Vec<Difference>) -> Result<(), PromotionError> {
        self.trusted(self.tested.0, "the rc artifact", None, found)?;
        self.trusted(self.candidate.0, "the candidate", Some(self.tested.1), found)?;
        self.trusted(self.merged, "the merge", Some(self.candidate.1), found)
    }

    fn trusted(
        &self,
        tree: &dyn Tree,
        whose: &str,
        expected: Option<Digest>,
        found: &mut Vec<Difference>,
    ) -> Result<(), PromotionError> {
        let file = self.pipeline.below_root(&self.pipeline.installer.values);
        let trusted: &Repository = &self.pipeline.artifact.repository;
        let mut difference = |what: String| {
            found.push(Difference { rule: 5, place: file.clone(), what: format!("in {whose}: {what}") });
        };
        match refs::pinned(&self.mounted(tree), &self.pipeline.spec(), &file) {
            Ok((repository, _)) if repository != *trusted => {
                difference(format!("it pins {repository}, only {trusted} is trusted"));
            }
            Ok((_, digest)) => {
                if let Some(expected) = expected.filter(|expected| *expected != digest) {
                    difference(format!("it pins {digest}, expected {expected}"));
                }
            }
            Err(error) => difference(error.to_string()),
        }
        Ok(())
    }
}

/// Problems of a tree as differences.
fn differences(rule: u8, problems: Vec<refs::Problem>) -> impl Iterator<Item = Difference> {
    problems.into_iter().map(move |problem| Difference {
        rule,
        place: format!("{}:{}", problem.file, problem.line),
        what: problem.message,
    })
}
