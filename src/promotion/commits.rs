//! The commits a promotion makes. Every one is a function of its parents and the candidate:
//! identity from the pipeline, the rc commit's date at +0000, no signature (contract §4).

use super::candidate::pin_message;
use super::{Promotion, PromotionError};
use crate::model::{CommitId, Digest, ObjectId, RefName, TreeId};
use crate::pipeline::{Identity, Pipeline};
use crate::port::repository::{Edit, NewCommit, NewTag, Store};
use crate::refs;
use crate::tree::{GitTree, TreePath};

/// Who writes, as a trailer spells it.
pub fn signed_off_by(identity: &Identity) -> String {
    format!("{} <{}>", identity.name, identity.email)
}

/// Writes a commit of the pipeline's identity.
pub fn write(
    store: &Store,
    identity: &Identity,
    time_seconds: i64,
    tree: TreeId,
    parents: Vec<CommitId>,
    message: String,
) -> Result<CommitId, PromotionError> {
    let (name, email) = (identity.name.clone(), identity.email.clone());
    Ok(store.write_commit(&NewCommit { tree, parents, name, email, time_seconds, message })?)
}

impl Promotion {
    /// The tree with the candidate artifact pinned: two scalars of the installer's values.
    pub fn pinned_tree(&self, pipeline: &Pipeline, artifact: Digest) -> Result<TreeId, PromotionError> {
        let tree = GitTree::new(self.store.clone(), self.content_tree);
        let file = pipeline.below_root(&pipeline.installer.values);
        let edit = refs::pin(&tree, &pipeline.spec(), &file, &pipeline.artifact.repository, &artifact)?;
        Ok(self.store.edit(self.content_tree, &[Edit::write(edit.path, edit.after)])?)
    }

    /// The pin commit, on top of the content commit.
    pub fn pin_commit(&self, pipeline: &Pipeline, artifact: Digest) -> Result<CommitId, PromotionError> {
        let tree = self.pinned_tree(pipeline, artifact)?;
        let message = pin_message(&self.candidate.rc, &artifact, signed_off_by(&pipeline.identity));
        write(&self.store, &pipeline.identity, self.time, tree, vec![self.content], message)
    }

    /// A merge of the pin commit with what people had put on the staging branch before it.
    pub fn join(&self, pipeline: &Pipeline, pin: CommitId, tip: CommitId) -> Result<CommitId, PromotionError> {
        let tree = self.with_changes(pipeline, pin, self.content, tip)?.0;
        let message = format!(
            "release: pin v{} beside what was added to the branch\n\nSigned-off-by: {}\n",
            self.candidate.rc.stable,
            signed_off_by(&pipeline.identity)
        );
        write(&self.store, &pipeline.identity, self.time, tree, vec![pin, tip], message)
    }

    /// People's files of an abandoned candidate, carried over in one commit on top of this one's
    /// content; the content commit itself where there are none. `Err`: files that changed on both
    /// sides, which only people can choose between.
    pub fn carry(
        &self,
        pipeline: &Pipeline,
        from: CommitId,
        tip: CommitId,
    ) -> Result<Result<CommitId, Vec<TreePath>>, PromotionError> {
        let (tree, conflicts) = self.with_changes(pipeline, self.content, from, tip)?;
        if !conflicts.is_empty() {
            return Ok(Err(conflicts));
        }
        if tree == self.content_tree {
            return Ok(Ok(self.content));
        }
        let message = format!(
            "release: carry over what was added for an earlier candidate of v{}\n\nFrom: {tip}\nSigned-off-by: {}\n",
            self.candidate.rc.stable,
            signed_off_by(&pipeline.identity)
        );
        write(&self.store, &pipeline.identity, self.time, tree, vec![self.content], message).map(Ok)
    }

    /// `onto`'s tree with what changed outside the root between two commits, and the paths that
    /// changed in `onto` too. What `onto`'s history already has of `to` is no change.
    fn with_changes(
        &self,
        pipeline: &Pipeline,
        onto: CommitId,
        from: CommitId,
        to: CommitId,
    ) -> Result<(TreeId, Vec<TreePath>), PromotionError> {
        let store = &self.store;
        let tree = store.tree_of(onto)?;
        let common = store.merge_base(onto, to)?.map(|common| store.tree_of(common)).transpose()?;
        let (mut edits, mut conflicts) = (Vec::new(), Vec::new());
        for difference in store.diff(store.tree_of(from)?, store.tree_of(to)?)? {
            let below_root = pipeline.is_below_root(&difference.path);
            let now = store.entry(tree, &difference.path)?;
            if below_root || now == difference.new {
                continue;
            }
            if let Some(common) = common {
                let before = store.entry(common, &difference.path)?;
                if before == difference.new {
                    continue;
                }
                if now != before && now != difference.old {
                    conflicts.push(difference.path);
                    continue;
                }
            }
            edits.push(match difference.new {
                Some(node) => Edit::put(difference.path, node.mode, node.id),
                None => Edit::remove(difference.path),
            });
        }
        Ok((store.edit(tree, &edits)?, conflicts))
    }

    /// The annotated tag of the release at the merge, dated as the merge is.
    pub fn git_tag(&self, pipeline: &Pipeline, name: &RefName, merge: CommitId) -> Result<ObjectId, PromotionError> {
        let time_seconds = self.store.existing_commit(merge)?.committer_time.seconds;
        Ok(self.store.write_tag(&NewTag {
            name: name.short().to_owned(),
            target: merge,
            tagger_name: pipeline.identity.name.clone(),
            tagger_email: pipeline.identity.email.clone(),
            time_seconds,
            message: format!("{}\n\nPromoted from v{}.\n", name.short(), self.candidate.rc),
        })?)
    }
}
