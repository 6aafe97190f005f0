//! Questions about history. What the store doesn't have is an error, never an answer.

use git2::{MergeOptions, Oid, Repository, Sort};

use super::libgit::{found, id, oid};
use super::{Commit, Store, StoreError};
use crate::model::TreePath;
use crate::model::{CommitId, TreeId};

/// What merging two commits would give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    Tree(TreeId),
    /// The paths that can't be merged without a person.
    Conflicts(Vec<TreePath>),
}

impl Store {
    /// Whether `ancestor` is `descendant` or one of its ancestors.
    pub fn is_ancestor(&self, ancestor: CommitId, descendant: CommitId) -> Result<bool, StoreError> {
        self.require(&[ancestor, descendant])?;
        let (ancestor, descendant) = (oid(ancestor), oid(descendant));
        let answer = self
            .with(|repository| Ok(ancestor == descendant || repository.graph_descendant_of(descendant, ancestor)?))?;
        if answer { Ok(true) } else { self.whole().map(|()| false) }
    }

    /// The best common ancestor; `None` for unrelated histories.
    pub fn merge_base(&self, a: CommitId, b: CommitId) -> Result<Option<CommitId>, StoreError> {
        self.require(&[a, b])?;
        let base = self.with(|repository| found(repository.merge_base(oid(a), oid(b))))?;
        if base.is_none() {
            self.whole()?;
        }
        Ok(base.map(id))
    }

    /// The first-parent chain from `tip` on, `tip` included, newest first: at most `limit`
    /// commits, ending with the one for which `stop` holds (it is included) or the root.
    pub fn first_parents(
        &self,
        tip: CommitId,
        limit: usize,
        mut stop: impl FnMut(&Commit) -> bool,
    ) -> Result<Vec<Commit>, StoreError> {
        let mut chain = Vec::new();
        let mut next = Some(tip);
        while let Some(commit) = next.filter(|_| chain.len() < limit) {
            let commit = self.existing_commit(commit)?;
            next = if stop(&commit) { None } else { commit.parents.first().copied() };
            chain.push(commit);
        }
        Ok(chain)
    }

    /// Every commit reachable from `tip` and from none of `hide`, children before parents.
    pub fn reachable(&self, tip: CommitId, hide: &[CommitId]) -> Result<Vec<CommitId>, StoreError> {
        self.require(&[tip])?;
        self.require(hide)?;
        self.whole()?;
        self.with(|repository| {
            let mut walk = repository.revwalk()?;
            walk.set_sorting(Sort::TOPOLOGICAL)?;
            walk.push(oid(tip))?;
            hide.iter().try_for_each(|&commit| walk.hide(oid(commit)))?;
            walk.map(|commit| commit.map(id)).collect()
        })
    }

    /// The tree a merge of `theirs` into `ours` would have. No commit is written, no ref moves.
    pub fn merge_trees(&self, ours: CommitId, theirs: CommitId) -> Result<Merged, StoreError> {
        self.require(&[ours, theirs])?;
        self.whole()?;
        self.with(|repository| {
            let (ours, theirs) = (repository.find_commit(oid(ours))?, repository.find_commit(oid(theirs))?);
            let mut index = repository.merge_commits(&ours, &theirs, Some(&MergeOptions::new()))?;
            if !index.has_conflicts() {
                return Ok(Merged::Tree(id(index.write_tree_to(repository)?)));
            }
            let mut paths = Vec::new();
            for conflict in index.conflicts()? {
                let conflict = conflict?;
                let sides = [conflict.our, conflict.their, conflict.ancestor];
                paths.extend(sides.into_iter().flatten().next().map(|entry| entry.path));
            }
            paths.sort();
            paths.dedup();
            Ok(Merged::Conflicts(paths))
        })
    }

    /// libgit2 takes a commit it doesn't have for one without relatives: look first.
    fn require(&self, commits: &[CommitId]) -> Result<(), StoreError> {
        for &commit in commits {
            let there = self.with(|repository| has_commit(repository, oid(commit)))?;
            if !there {
                return Err(self.missing("commit", commit));
            }
        }
        Ok(())
    }

    /// A shallow history ends where it was cut: "no" from it is no answer.
    fn whole(&self) -> Result<(), StoreError> {
        if self.lock().is_shallow() { Err(StoreError::Shallow { dir: self.dir().to_owned() }) } else { Ok(()) }
    }
}

fn has_commit(repository: &Repository, commit: Oid) -> Result<bool, git2::Error> {
    Ok(found(repository.find_commit(commit))?.is_some())
}
