//! What rules look at: a tree as it was read, and what was looked up beside it.

use std::collections::BTreeSet;

use super::asked::Answers;
use crate::model::{Digest, Rc, Version};
use crate::pipeline::Pipeline;
use crate::producers::{self, Producers};
use crate::refs::{Account, Class, Occurrence, Problem, ProblemKind, Scope, Spec, Storage, account};
use crate::tree::{Kept, Tree};

/// A tree, read once for all rules.
pub struct Subject<'a> {
    pub pipeline: &'a Pipeline,
    pub spec: Spec,
    /// A repository's root. Makefiles are asked for by census, producers and findings, and read once.
    pub tree: Kept<'a>,
    /// What people call the tree.
    pub name: String,
    pub account: Account,
    /// Which Makefile target stamps each reference.
    pub producers: Producers,
    /// The version of the version line: as asked, else the one that most owned tags carry.
    pub version: Option<Version>,
    /// Whether it was asked for.
    pub asked: bool,
    /// Gzip copies whose references are judged by themselves: their plain source says something else, or can't be read.
    stale: BTreeSet<String>,
    /// What registries said; `None`: nobody asked them.
    pub registry: Option<Answers>,
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
        let (spec, tree) = (pipeline.spec(), Kept::only(tree, is_makefile, producers::LARGEST));
        let account = account(&tree, &spec, rc, scope);
        let version = account.references.version;
        let producers = producers::read(&tree, pipeline, &account.references);
        let stale = stale(&account);
        Self { pipeline, spec, tree, name, account, producers, version, asked: rc.is_some(), stale, registry: None }
    }

    /// Every owned reference, the packages artifact's too. Copies inside gzip are no further ones, as long as their
    /// plain source vouches for them.
    pub fn owned(&self) -> impl Iterator<Item = &Occurrence> {
        let owns = |found: &&Occurrence| found.repository.as_ref().is_some_and(|r| self.spec.owns(r));
        self.account.references.occurrences.iter().filter(|found| self.is_judged(found)).filter(owns)
    }

    /// Every owned image with neither tag nor digest, copies left out alike.
    pub fn untagged(&self) -> impl Iterator<Item = &Occurrence> {
        self.account.references.untagged.iter().filter(|found| self.is_judged(found))
    }

    /// Whether a reference is judged by itself, and not by the plain source that it is a copy of.
    fn is_judged(&self, found: &Occurrence) -> bool {
        found.copy_of.is_none() || self.stale.contains(&found.file)
    }

    /// Gzip copies that no plain source vouches for.
    pub fn stale_copies(&self) -> impl Iterator<Item = &Problem> {
        self.account.references.notices.iter().filter(|notice| notice.kind == ProblemKind::StaleCopy)
    }

    /// Every owned image: the packages artifact is handled by stages of its own.
    pub fn images(&self) -> impl Iterator<Item = &Occurrence> {
        self.owned().filter(|found| found.class != Class::PackagesArtifact)
    }

    /// Every reference with a repository, third-party ones with a tag alone too, copies left out.
    pub fn named(&self) -> impl Iterator<Item = &Occurrence> {
        let references = &self.account.references;
        let all = references.occurrences.iter().chain(&references.unpinned);
        all.filter(|found| self.is_judged(found) && found.repository.is_some())
    }

    /// Every reference with a repository and a digest, third-party ones and the packages artifact too, copies left out.
    pub fn pinned(&self) -> impl Iterator<Item = &Occurrence> {
        self.named().filter(|found| found.digest.is_some())
    }

    /// Pinned digests that no place of the tree names a repository for.
    pub fn unnamed(&self) -> BTreeSet<Digest> {
        let named: BTreeSet<Digest> = self.pinned().filter_map(|found| found.digest).collect();
        let all = self.account.references.occurrences.iter().filter(|found| found.repository.is_none());
        all.filter_map(|found| found.digest).filter(|digest| !named.contains(digest)).collect()
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

/// Whether a file is named as Makefiles and what they include are.
fn is_makefile(path: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    matches!(name, b"Makefile" | b"makefile" | b"GNUmakefile") || name.ends_with(b".mk") || name.ends_with(b".make")
}

/// Gzip copies that differ from their plain source, or have none that was read.
fn stale(account: &Account) -> BTreeSet<String> {
    let files = account.references.enumeration.files.iter();
    let copies = files.filter_map(|file| match &file.storage {
        Storage::Gzip { copy_of } => Some((&file.path, copy_of)),
        Storage::Values | Storage::TagFile | Storage::Text => None,
    });
    let differs = copies
        .filter(|(path, plain)| account.contents.get(*path) != account.contents.get(*plain))
        .map(|(path, _)| path);
    differs.cloned().collect()
}
