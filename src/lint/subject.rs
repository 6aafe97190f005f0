//! What rules look at: a tree as it was read, and what was looked up beside it.

use super::asked::Asked;
use crate::model::{Rc, Version};
use crate::pipeline::Pipeline;
use crate::producers::{self, Producers};
use crate::refs::{Account, Class, Occurrence, Problem, ProblemKind, Scope, Spec, account};
use crate::tree::Tree;

/// A tree, read once for all rules.
pub struct Subject<'a> {
    pub pipeline: &'a Pipeline,
    pub spec: Spec,
    /// A repository's root.
    pub tree: &'a dyn Tree,
    /// What people call the tree.
    pub name: String,
    pub account: Account,
    /// Which Makefile target stamps each reference.
    pub producers: Producers,
    /// The version of the version line: as asked, else the one that most owned tags carry.
    pub version: Option<Version>,
    /// Whether it was asked for.
    pub asked: bool,
    /// What registries said; `None`: nobody asked them.
    pub registry: Option<Asked>,
}

impl<'a> Subject<'a> {
    /// Reads a tree. What can't be read is in the account, and a rule finds it.
    pub fn read(pipeline: &'a Pipeline, tree: &'a dyn Tree, name: String, rc: Option<&Rc>) -> Self {
        Self::within(pipeline, tree, name, rc, Scope::Charts)
    }

    /// As [`Subject::read`], for one file: of the files that hold no references no other is read. What is found in
    /// this file is what [`Subject::read`] finds there.
    pub fn of_file(pipeline: &'a Pipeline, tree: &'a dyn Tree, name: String, rc: Option<&Rc>, file: &[u8]) -> Self {
        Self::within(pipeline, tree, name, rc, Scope::File(file))
    }

    fn within(pipeline: &'a Pipeline, tree: &'a dyn Tree, name: String, rc: Option<&Rc>, scope: Scope<'_>) -> Self {
        let spec = pipeline.spec();
        let account = account(tree, &spec, rc, scope);
        let version = account.references.version;
        let producers = producers::read(tree, pipeline, &account.references);
        Self { pipeline, spec, tree, name, account, producers, version, asked: rc.is_some(), registry: None }
    }

    /// Every owned reference, the packages artifact's too. Copies inside gzip are no further ones.
    pub fn owned(&self) -> impl Iterator<Item = &Occurrence> {
        let owns = |found: &&Occurrence| found.repository.as_ref().is_some_and(|r| self.spec.owns(r));
        self.account.references.occurrences.iter().filter(|found| found.copy_of.is_none()).filter(owns)
    }

    /// Every owned image: the packages artifact is handled by stages of its own.
    pub fn images(&self) -> impl Iterator<Item = &Occurrence> {
        self.owned().filter(|found| found.class != Class::PackagesArtifact)
    }

    /// Every reference with a repository, third-party ones with a tag alone too, copies left out.
    pub fn named(&self) -> impl Iterator<Item = &Occurrence> {
        let references = &self.account.references;
        let all = references.occurrences.iter().chain(&references.unpinned);
        all.filter(|found| found.copy_of.is_none() && found.repository.is_some())
    }

    /// Every reference with a repository and a digest, third-party ones and the packages artifact too, copies left out.
    pub fn pinned(&self) -> impl Iterator<Item = &Occurrence> {
        self.named().filter(|found| found.digest.is_some())
    }

    /// What reading and the census found, of one kind.
    pub fn problems(&self, kind: ProblemKind) -> impl Iterator<Item = &Problem> {
        self.account.problems.iter().filter(move |problem| problem.kind == kind)
    }

    /// The bytes of a file that was read; of a gzip file, what is in it.
    pub fn content(&self, file: &str) -> Option<&[u8]> {
        self.account.contents.get(file).map(Vec::as_slice)
    }

    /// The declared prefix of version-line tags that a tag begins with, the longest one; empty without.
    pub fn tag_prefix(&self, tag: &str) -> &str {
        let prefixes = self.spec.tag_prefixes.iter().map(String::as_str);
        prefixes.filter(|prefix| tag.starts_with(prefix)).max_by_key(|prefix| prefix.len()).unwrap_or_default()
    }
}

/// `repository:tag`, as far as it has them.
pub fn shown(found: &Occurrence) -> String {
    let repository = found.repository.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string);
    found.tag.as_ref().map_or(repository.clone(), |tag| format!("{repository}:{tag}"))
}
