//! Where a promotion's commits stand in a branch, and what people did on top of them.
//!
//! Everything is read from commits: a branch the host deleted at the merge changes nothing.

use std::collections::HashSet;

use super::candidate::{Candidate, TrailerError, pinned_artifact};
use crate::model::{CommitId, Digest, Stable};
use crate::pipeline::Pipeline;
use crate::port::repository::{Commit, Store, StoreError};
use crate::tree::{TreePath, show};

/// More first parents than any line has; a bound, not a rule.
const CHAIN: usize = 1_000_000;

/// A commit that carries a frozen candidate.
#[derive(Clone, Debug)]
pub struct Content {
    pub commit: Commit,
    pub candidate: Result<Candidate, TrailerError>,
}

/// The pin commit and the artifact it pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    pub commit: CommitId,
    pub artifact: Digest,
}

/// What became of the staging branch in the base (contract §4, "the merge").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    NotYet,
    /// `commit` is M, `head` is H: the pin commit, or a descendant changing allowed paths only.
    Done {
        commit: CommitId,
        head: CommitId,
    },
    /// The content came in without its commits: a squash or a rebase.
    Squashed {
        at: CommitId,
    },
    /// What was merged holds more than the promotion and allowed paths.
    Strayed {
        at: CommitId,
        head: CommitId,
        paths: Vec<String>,
    },
}

/// What else says which commit a fast-forwarded promotion ended at, the surest first: what its git
/// tags peel to, the line it made, the staging branch's tip.
#[derive(Clone, Debug, Default)]
pub struct Hints(pub Vec<CommitId>);

impl Content {
    /// Whether it stands on the commit it names: a copy made by a rebase or a squash doesn't.
    pub fn is_original(&self) -> bool {
        self.candidate.as_ref().is_ok_and(|candidate| self.commit.parents == [candidate.rc_commit])
    }
}

/// Reads histories for one pipeline.
pub struct History<'a> {
    pub store: &'a Store,
    pub pipeline: &'a Pipeline,
}

impl History<'_> {
    /// The content commits reachable from `tip` and not from `hide`, newest first.
    pub fn contents(&self, tip: CommitId, hide: &[CommitId]) -> Result<Vec<Content>, StoreError> {
        let mut contents = Vec::new();
        for id in self.store.reachable(tip, hide)? {
            let commit = self.store.existing_commit(id)?;
            if let Some(candidate) = Candidate::from_message(&commit.message) {
                contents.push(Content { commit, candidate });
            }
        }
        Ok(contents)
    }

    /// The content commit of a version that a branch was built on: the first one on its
    /// first-parent chain.
    pub fn content_below(&self, tip: CommitId, stable: &Stable) -> Result<Option<Content>, StoreError> {
        let names_it = |commit: &Commit| matches!(Candidate::from_message(&commit.message), Some(Ok(candidate)) if candidate.rc.stable == *stable);
        let chain = self.store.first_parents(tip, CHAIN, names_it)?;
        Ok(chain.into_iter().last().filter(names_it).and_then(|commit| {
            let candidate = Candidate::from_message(&commit.message)?;
            Some(Content { commit, candidate })
        }))
    }

    /// The pin commit of a content commit, as far as `tip` has it. Where several claim to be it,
    /// the one that `tip`'s installer agrees with, or else its own does.
    pub fn pin(&self, tip: CommitId, content: CommitId) -> Result<Option<Pin>, StoreError> {
        if !self.store.is_ancestor(content, tip)? {
            return Ok(None);
        }
        let installer = self.pipeline.below_root(&self.pipeline.installer.values);
        let agrees = |commit: CommitId, artifact: &Digest| -> Result<bool, StoreError> {
            let values = self.store.file(self.store.tree_of(commit)?, installer.as_bytes())?.unwrap_or_default();
            Ok(String::from_utf8_lossy(&values).contains(&artifact.to_string()))
        };
        let mut best: Option<((bool, bool), Pin)> = None;
        for id in self.store.reachable(tip, &[content])? {
            let commit = self.store.existing_commit(id)?;
            if let (true, Some(artifact)) = (commit.parents == [content], pinned_artifact(&commit.message)) {
                let worth = (agrees(tip, &artifact)?, agrees(id, &artifact)?);
                if best.is_none_or(|(known, _)| worth > known) {
                    best = Some((worth, Pin { commit: id, artifact }));
                }
            }
        }
        Ok(best.map(|(_, pin)| pin))
    }

    /// Paths that `head` changes since `from` and may not: anything below the root, and anything
    /// outside it that is neither allowed nor the base's own, as merged into `head` from `base`.
    pub fn strays(&self, from: CommitId, head: CommitId, base: Option<CommitId>) -> Result<Vec<TreePath>, StoreError> {
        let (from_tree, head_tree) = (self.store.tree_of(from)?, self.store.tree_of(head)?);
        let merged = match base {
            Some(base) => self.store.merge_base(head, base)?,
            None => None,
        };
        // An older base can't have been merged into head since: its files are no excuse.
        let merged = match merged {
            Some(merged) if !self.store.is_ancestor(merged, from)? => Some(self.store.tree_of(merged)?),
            _ => None,
        };
        let mut strays = Vec::new();
        for difference in self.store.diff(from_tree, head_tree)? {
            let path = difference.path;
            let excused = !self.pipeline.is_below_root(&path)
                && (self.pipeline.is_allowed(&path)
                    || match merged {
                        Some(tree) => self.store.entry(tree, &path)? == difference.new,
                        None => false,
                    });
            if !excused {
                strays.push(path);
            }
        }
        Ok(strays)
    }

    /// Commits on `head` since `content` that are neither the pin, nor the base's. A trailer makes
    /// no commit sealift's: a pin changes the installer's values, and nothing else.
    pub fn people(&self, content: CommitId, head: CommitId, base: Option<CommitId>) -> Result<Vec<Commit>, StoreError> {
        let installer = self.pipeline.below_root(&self.pipeline.installer.values).into_bytes();
        let tree = self.store.tree_of(content)?;
        let hide: Vec<CommitId> = [Some(content), base].into_iter().flatten().collect();
        let mut commits = Vec::new();
        for id in self.store.reachable(head, &hide)? {
            let commit = self.store.existing_commit(id)?;
            let pin = commit.parents == [content]
                && pinned_artifact(&commit.message).is_some()
                && self.store.changed_paths(tree, commit.tree)? == [installer.as_slice()];
            if !pin {
                commits.push(commit);
            }
        }
        Ok(commits)
    }

    /// Finds the merge of a promotion in the base.
    pub fn merge(
        &self,
        rc_commit: CommitId,
        content: CommitId,
        pin: Option<Pin>,
        base: CommitId,
        hints: Hints,
    ) -> Result<Merge, StoreError> {
        let Some(pin) = pin else { return self.squash(rc_commit, content, base) };
        if !self.store.is_ancestor(pin.commit, base)? {
            return self.squash(rc_commit, content, base);
        }
        let mut chain = self.chain(base, content)?;
        chain.reverse();
        if let Some(at) = chain.iter().position(|commit| commit.id == pin.commit) {
            return self.fast_forward(&chain[at..], &hints);
        }
        for commit in chain {
            let Some((&before, sides)) = commit.parents.split_first() else { continue };
            for &head in sides {
                if self.store.is_ancestor(pin.commit, head)? {
                    let strays = self.strays(pin.commit, head, Some(before))?;
                    return Ok(if strays.is_empty() {
                        Merge::Done { commit: commit.id, head }
                    } else {
                        Merge::Strayed { at: commit.id, head, paths: strays.iter().map(|path| show(path)).collect() }
                    });
                }
            }
        }
        Ok(Merge::NotYet)
    }

    /// A fast-forward has no commit of its own, so M is H: the hints' word first, then as far as the
    /// run of allowed commits reaches.
    fn fast_forward(&self, chain: &[Commit], hints: &Hints) -> Result<Merge, StoreError> {
        let mut run: Vec<CommitId> = Vec::new();
        for commit in chain {
            let quiet = match run.last() {
                None => true,
                Some(&before) => self.strays(before, commit.id, commit.parents.get(1).copied())?.is_empty(),
            };
            if !quiet {
                break;
            }
            run.push(commit.id);
        }
        let named = hints.0.iter().copied().find(|commit| run.contains(commit));
        Ok(match named.or(run.last().copied()) {
            Some(commit) => Merge::Done { commit, head: commit },
            None => Merge::NotYet,
        })
    }

    /// Whether the base has the content without its commits.
    fn squash(&self, rc_commit: CommitId, content: CommitId, base: CommitId) -> Result<Merge, StoreError> {
        if self.store.is_ancestor(content, base)? {
            // Merged before it was pinned: the pin still has to come, by a merge of its own.
            return Ok(Merge::NotYet);
        }
        let ours = self.store.existing_commit(content)?;
        let Some(wanted) = self.root(&ours)? else { return Ok(Merge::NotYet) };
        for commit in self.chain(base, rc_commit)? {
            if commit.id == content {
                continue;
            }
            let copied = matches!(Candidate::from_message(&commit.message), Some(Ok(c)) if c.rc_commit == rc_commit);
            let same = match self.root(&commit)? {
                Some(root) if root == wanted => true,
                Some(root) => {
                    let installer = self.pipeline.installer.values.as_bytes();
                    self.store.changed_paths(root, wanted)?.iter().all(|path| path == installer)
                }
                None => false,
            };
            if copied || same {
                return Ok(Merge::Squashed { at: commit.id });
            }
        }
        Ok(Merge::NotYet)
    }

    /// The first-parent chain of `tip` down to what `below` already has, newest first.
    fn chain(&self, tip: CommitId, below: CommitId) -> Result<Vec<Commit>, StoreError> {
        let new: HashSet<CommitId> = self.store.reachable(tip, &[below])?.into_iter().collect();
        let mut chain = self.store.first_parents(tip, CHAIN, |commit| !new.contains(&commit.id))?;
        chain.retain(|commit| new.contains(&commit.id));
        Ok(chain)
    }

    fn root(&self, commit: &Commit) -> Result<Option<CommitId>, StoreError> {
        self.store.subtree(commit.tree, self.pipeline.root.as_bytes())
    }
}
