//! A promotion is a value: everything up to the merge follows from the frozen candidate.
//!
//! [`locate::locate`] finds or freezes the candidate, [`Promotion::compute`] makes the value.
//! Nothing here looks at a registry or writes anything but objects in sealift's own store.

pub mod candidate;
mod commits;
mod destinations;
pub mod history;
pub mod locate;
mod names;
pub mod proof;
pub mod survey;

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

pub use candidate::{Candidate, Evidence};
pub use destinations::{Image, Wanted, wanted};
pub use names::Names;

use crate::archive::{self, ArchiveError, Artifact, Options};
use crate::model::{Code, CommitId, Digest, Manifest, Refusal, Tag, TreeId};
use crate::pipeline::Pipeline;
use crate::port::repository::{Edit, Store, StoreError};
use crate::refs::{self, RefsError, RewriteError};
use crate::tree::{GitTree, TreeError};
use locate::Located;
use survey::survey;

/// Everything that follows from a candidate.
#[derive(Clone, Debug)]
pub struct Promotion {
    pub candidate: Candidate,
    /// The content commit: the rc commit's tree with version-line tags reading stable.
    pub content: CommitId,
    pub content_tree: TreeId,
    /// What the content commit changes, file by file.
    pub changes: Vec<Change>,
    pub changed_lines: usize,
    /// Odd things in the tree that cost nothing, for people.
    pub notices: Vec<String>,
    /// Where every owned digest goes.
    pub images: Vec<Image>,
    /// The stable tag of the packages artifact.
    pub stable_tag: Tag,
    /// The digest of the candidate artifact's uncompressed tar.
    pub diff_id: Digest,
    options: Options,
    root: String,
    /// The rc commit's committer date, in seconds since 1970 UTC.
    time: i64,
    store: Arc<Store>,
}

/// A file that a promotion changes, and its edits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub file: String,
    pub edits: Vec<refs::Edit>,
}

/// Why there is no promotion.
#[derive(Debug, thiserror::Error)]
pub enum PromotionError {
    /// It was looked at and refused.
    #[error("{}", .0.iter().map(|refusal| refusal.message.as_str()).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Refusal>),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Chart(#[from] archive::chart::ChartError),
    #[error("a name of this promotion is not allowed: {0}")]
    Name(String),
}

impl Promotion {
    /// Computes the promotion of a candidate; writes its content commit into the store.
    ///
    /// # Errors
    /// Refuses a tree whose references can't be read, accounted for, rewritten or told apart, and a
    /// content commit that holds anything else than this computes.
    pub fn compute(pipeline: &Pipeline, store: &Arc<Store>, located: Located) -> Result<Self, PromotionError> {
        let Located { candidate, content } = located;
        let spec = pipeline.spec();
        let rc_commit = store.existing_commit(candidate.rc_commit)?;
        let tree = GitTree::new(store.clone(), rc_commit.tree).named(format!("v{}", candidate.rc));
        let survey = survey(&tree, &spec, Some(&candidate.rc));
        let (Some(rewrite), true) = (survey.rewrite, survey.faults.is_empty()) else {
            return Err(PromotionError::Refused(survey.faults.into_iter().map(|fault| fault.refusal).collect()));
        };
        let edits: Vec<Edit> =
            rewrite.files.iter().map(|file| Edit::write(file.path.clone(), file.after.clone())).collect();
        let content_tree = store.edit(rc_commit.tree, &edits)?;
        let content = match content {
            Some(content) if store.tree_of(content)? == content_tree => content,
            Some(content) => {
                let changed = store.changed_paths(content_tree, store.tree_of(content)?)?;
                return Err(different_content(pipeline, content, &candidate, &changed).into());
            }
            None => {
                let message = candidate.message(commits::signed_off_by(&pipeline.identity));
                let (time, parents) = (rc_commit.committer_time.seconds, vec![rc_commit.id]);
                commits::write(store, &pipeline.identity, time, content_tree, parents, message)?
            }
        };
        let options = Options {
            modes: pipeline.artifact.modes.0,
            source: pipeline.artifact.source.clone(),
            revision: format!("v{}@sha1:{content}", candidate.rc.stable),
            ..Options::default()
        };
        let packages = packages(store, content_tree, &pipeline.root)?;
        let stable_tag =
            format!("v{}", candidate.rc.stable).parse().map_err(|e| PromotionError::Name(format!("{e}")))?;
        Ok(Self {
            content,
            content_tree,
            changes: rewrite.files.iter().map(Change::from).collect(),
            changed_lines: rewrite.lines(),
            notices: survey.notices,
            images: survey.images,
            stable_tag,
            diff_id: archive::diff_id(&packages, &options)?,
            options,
            root: pipeline.root.clone(),
            time: rc_commit.committer_time.seconds,
            store: store.clone(),
            candidate,
        })
    }

    /// The sha256 of the promotion itself, not of what is left to do: the same on every resume.
    pub fn seal(&self) -> Digest {
        #[derive(Serialize)]
        struct Sealed<'a> {
            candidate: &'a Candidate,
            content: CommitId,
            diff_id: Digest,
            images: Vec<(String, Digest)>,
            stable_tag: &'a Tag,
        }
        let images = self.images.iter().map(|i| (format!("{}:{}", i.repository, i.tag), i.digest)).collect();
        let sealed = Sealed {
            candidate: &self.candidate,
            content: self.content,
            diff_id: self.diff_id,
            images,
            stable_tag: &self.stable_tag,
        };
        Digest::of(&serde_json::to_vec(&sealed).expect("texts and numbers are JSON"))
    }

    /// Builds the candidate artifact into `spool`.
    pub async fn build(&self, spool: &Path) -> Result<Artifact, PromotionError> {
        tokio::task::block_in_place(|| {
            let packages = packages(&self.store, self.content_tree, &self.root)?;
            Ok(archive::build(&packages, &self.options, spool)?)
        })
    }

    /// The tag the candidate artifact has until it is released.
    pub fn temporary_tag(&self, artifact: Digest) -> Result<Tag, PromotionError> {
        let rc = &self.candidate.rc;
        format!("promotion-v{}-from-v{rc}-{}", rc.stable, artifact.short())
            .parse()
            .map_err(|error| PromotionError::Name(format!("{error}")))
    }

    /// Whether a manifest is this promotion's artifact: by its config (and with it the diff id)
    /// and its annotations, never by compressing again (contract §4).
    pub fn is_candidate(&self, manifest: &Manifest) -> Result<(), String> {
        let config = Digest::of(&archive::config_for(self.diff_id));
        match manifest.config() {
            Some(found) if found.digest == config => {}
            Some(found) => return Err(format!("its config is {}, expected {config}", found.digest)),
            None => return Err("it has no config".into()),
        }
        for (key, wanted) in [
            ("org.opencontainers.image.revision", &self.options.revision),
            ("org.opencontainers.image.source", &self.options.source),
        ] {
            let found = manifest.annotation(key).unwrap_or_default();
            if found != wanted {
                return Err(format!("its {key} is `{found}`, expected `{wanted}`"));
            }
        }
        Ok(())
    }
}

fn different_content(
    pipeline: &Pipeline,
    content: CommitId,
    candidate: &Candidate,
    changed: &[crate::tree::TreePath],
) -> Refusal {
    Refusal::new(
        Code::AnotherTree,
        format!("the content commit of v{} holds another tree than its candidate and this pipeline give", candidate.rc),
    )
    .at([format!("commit {content} on {}", candidate.rc_commit)])
    .at(changed.iter().map(|path| crate::tree::show(path)))
    .hint(format!(
        "use the pipeline file that began this promotion; where the commit was amended by hand, keep what was added \
         elsewhere, delete the branch and run again: git push --delete <origin> {}",
        pipeline.branches.staging.stable(&candidate.rc.stable)
    ))
}

/// The packages folder of a tree, as its own tree.
pub fn packages(store: &Arc<Store>, tree: TreeId, root: &str) -> Result<GitTree, PromotionError> {
    match store.subtree(tree, root.as_bytes())? {
        Some(packages) => Ok(GitTree::new(store.clone(), packages).named(root)),
        None => Err(Refusal::new(Code::NoRoot, format!("there is no folder {root} in the repository"))
            .hint("correct `root` in the pipeline")
            .into()),
    }
}

impl From<Refusal> for PromotionError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(vec![refusal])
    }
}

impl From<RefsError> for PromotionError {
    fn from(error: RefsError) -> Self {
        Self::Refused(error.problems.iter().map(problem).collect())
    }
}

impl From<RewriteError> for PromotionError {
    fn from(error: RewriteError) -> Self {
        match error {
            RewriteError::References(error) => error.into(),
            RewriteError::Edits(problems) | RewriteError::Survivors(problems) => {
                Self::Refused(problems.iter().map(problem).collect())
            }
            RewriteError::Nothing { .. } => Refusal::new(Code::NothingToRewrite, error.to_string())
                .hint("name the candidate whose tags the tree carries: sealift refs list shows them")
                .into(),
        }
    }
}

impl PromotionError {
    fn problems(problems: Vec<refs::Problem>) -> Self {
        Self::Refused(problems.iter().map(problem).collect())
    }
}

impl From<&refs::FileEdit> for Change {
    fn from(file: &refs::FileEdit) -> Self {
        Self { file: file.path.clone(), edits: file.edits.clone() }
    }
}

/// A problem of the tree as a refusal.
pub(crate) fn problem(problem: &refs::Problem) -> Refusal {
    let place = match problem.line {
        0 => problem.file.clone(),
        line => format!("{}:{line}:{}", problem.file, problem.column),
    };
    Refusal::new(Code::References, problem.message.clone()).at([place]).hint(problem.help.clone())
}
