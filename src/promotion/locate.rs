//! Which candidate is meant: the one a branch already carries, or one frozen now.

use super::candidate::Candidate;
use super::history::{Content, History};
use super::{Names, PromotionError};
use crate::model::{Code, CommitId, Rc, RefName, Refusal, Stable};
use crate::port::repository::Refs;
use crate::refs;
use crate::tree::GitTree;
use std::sync::Arc;

use crate::pipeline::Pipeline;
use crate::port::repository::Store;

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Promote this candidate.
    Candidate(Rc),
    /// Go on with whatever is under way for this version.
    Version(Stable),
}

/// A candidate, and the content commit that carries it, where there is one.
#[derive(Clone, Debug)]
pub struct Located {
    pub candidate: Candidate,
    pub content: Option<CommitId>,
}

impl Request {
    pub fn stable(&self) -> Stable {
        match self {
            Self::Candidate(rc) => rc.stable,
            Self::Version(stable) => *stable,
        }
    }
}

/// The base of a version: the line if it exists, else the declared or the origin's default branch.
pub fn base_of(pipeline: &Pipeline, refs: &Refs, stable: &Stable) -> Result<RefName, Refusal> {
    let line = pipeline.branches.line.stable(stable);
    bases_of(pipeline, refs, stable)?.into_iter().next().ok_or_else(|| {
        Refusal::new(
            Code::NoBase,
            format!("there is no branch to promote into: neither {line} nor a default branch exists"),
        )
        .hint("create the line, or declare `branches.default` in the pipeline")
    })
}

/// Every branch that is, or was when a candidate was frozen, the base of a version: the line may
/// have come into being since.
pub fn bases_of(pipeline: &Pipeline, refs: &Refs, stable: &Stable) -> Result<Vec<RefName>, Refusal> {
    let name = |text: &str| RefName::branch(text).map_err(|error| Refusal::new(Code::BranchName, error.to_string()));
    let line = name(&pipeline.branches.line.stable(stable))?;
    let default = match &pipeline.branches.default {
        Some(branch) => Some(name(branch)?),
        None => refs.head.clone(),
    };
    Ok([Some(line), default].into_iter().flatten().filter(|branch| refs.get(branch).is_some()).collect())
}

/// Finds the candidate in what was fetched of the origin, or freezes it.
pub fn locate(
    pipeline: &Pipeline,
    store: &Arc<Store>,
    refs: &Refs,
    request: &Request,
) -> Result<Located, PromotionError> {
    let history = History { store, pipeline };
    let stable = request.stable();
    if let Some(located) = carried(&history, refs, request)? {
        if located.candidate.pipeline != pipeline.name {
            return Err(Refusal::new(
                Code::AnotherPipeline,
                format!(
                    "v{} is being promoted by the pipeline `{}`, this is `{}`",
                    located.candidate.rc, located.candidate.pipeline, pipeline.name
                ),
            )
            .hint("use the pipeline file that began this promotion")
            .into());
        }
        return Ok(located);
    }
    match request {
        Request::Candidate(rc) => {
            let base = base_of(pipeline, refs, &stable)?;
            Ok(Located { candidate: freeze(pipeline, store, refs, rc, base)?, content: None })
        }
        Request::Version(stable) => {
            Err(Refusal::new(Code::NothingUnderWay, format!("no promotion of v{stable} is under way"))
                .hint(format!("name the candidate: sealift run v{stable}-rc.N"))
                .into())
        }
    }
}

/// The candidate that the staging branch, a published tag or a base carries.
///
/// Anyone can write trailers. A content commit stands on the commit it names; a copy of one
/// counts on the staging branch only, where it is a rebase that a later stage explains.
pub fn carried(history: &History<'_>, refs: &Refs, request: &Request) -> Result<Option<Located>, PromotionError> {
    let (pipeline, store) = (history.pipeline, history.store);
    let stable = request.stable();
    let named = |name: Result<RefName, _>| -> Result<RefName, PromotionError> {
        name.map_err(|e: crate::model::git::GitNameError| PromotionError::Name(e.to_string()))
    };
    let staging = named(RefName::branch(&pipeline.branches.staging.stable(&stable)))?;
    let tag = named(RefName::tag(&pipeline.tags.stable.stable(&stable)))?;
    let mut found: Vec<Content> = Vec::new();
    if let Some(tip) = refs.get(&staging) {
        found.extend(history.content_below(tip.peeled, &stable)?);
    }
    // What is older than every candidate's tag can't carry this version.
    let hide = older(history, refs, &stable)?;
    for name in [staging, tag].into_iter().chain(bases_of(pipeline, refs, &stable)?) {
        // A tag may name anything: what is no commit has no history.
        if let Some(tip) = refs.get(&name)
            && store.commit(tip.peeled)?.is_some()
        {
            for content in history.contents(tip.peeled, &hide)? {
                if content.is_original() && rewrites(history, &content)? {
                    found.push(content);
                }
            }
        }
    }
    let mut best: Option<(Candidate, CommitId, bool)> = None;
    for content in found {
        let own = content.is_original();
        let Content { commit, candidate: Ok(candidate) } = content else { continue };
        let asked = match request {
            Request::Candidate(rc) => candidate.rc == *rc,
            Request::Version(stable) => candidate.rc.stable == *stable,
        };
        let better = best.as_ref().is_none_or(|(known, _, known_own)| (candidate.rc, own) > (known.rc, *known_own));
        if asked && better && store.commit(candidate.rc_commit)?.is_some() {
            best = Some((candidate, commit.id, own));
        }
    }
    Ok(best.map(|(candidate, commit, own)| Located { candidate, content: own.then_some(commit) }))
}

/// Whether it changes the packages at all: trailers below a commit of another kind don't make it one.
fn rewrites(history: &History<'_>, content: &Content) -> Result<bool, PromotionError> {
    let packages = |tree| history.store.subtree(tree, history.pipeline.root.as_bytes());
    let Some(&parent) = content.commit.parents.first() else { return Ok(false) };
    Ok(packages(content.commit.tree)? != packages(history.store.tree_of(parent)?)?)
}

/// What the oldest candidate's tag names: every candidate of the version is built on it.
fn older(history: &History<'_>, refs: &Refs, stable: &Stable) -> Result<Vec<CommitId>, PromotionError> {
    let oldest = candidate_tags(history.pipeline, refs, stable).min_by_key(|(rc, _)| *rc);
    match oldest.and_then(|(_, name)| refs.get(name)) {
        Some(listed) if history.store.commit(listed.peeled)?.is_some() => Ok(vec![listed.peeled]),
        _ => Ok(Vec::new()),
    }
}

/// The git tags of a version's candidates.
pub fn candidate_tags<'a>(
    pipeline: &'a Pipeline,
    refs: &'a Refs,
    stable: &'a Stable,
) -> impl Iterator<Item = (Rc, &'a RefName)> {
    refs.refs.keys().filter_map(|name| {
        let rc = pipeline.tags.rc.rc_of(name.as_str().strip_prefix("refs/tags/")?)?;
        (rc.stable == *stable).then_some((rc, name))
    })
}

/// Freezes a candidate from what its branch and its installer say now.
fn freeze(
    pipeline: &Pipeline,
    store: &Arc<Store>,
    refs: &Refs,
    rc: &Rc,
    base: RefName,
) -> Result<Candidate, PromotionError> {
    let names =
        Names::with_base(pipeline, rc, base.clone()).map_err(|error| PromotionError::Name(error.to_string()))?;
    let published = refs.get(&names.git_tag).is_some();
    if published {
        return Err(Refusal::new(
            Code::VersionSpent,
            format!("v{} is spent: the git tag {} exists", rc.stable, names.git_tag.short()),
        )
        .hint(format!("release v{} instead", rc.stable.next_patch()))
        .into());
    }
    let Some(branch) = refs.get(&names.rc_branch) else {
        return Err(Refusal::new(
            Code::NoCandidateBranch,
            format!("the branch {} of v{rc} does not exist", names.rc_branch.short()),
        )
        .hint("build the candidate first: its branch holds the digests that were tested")
        .into());
    };
    let tree = GitTree::new(store.clone(), store.tree_of(branch.peeled)?).named(names.rc_branch.short());
    let file = pipeline.below_root(&pipeline.installer.values);
    let (repository, rc_artifact) = refs::pinned(&tree, &pipeline.spec(), &file)?;
    if repository != pipeline.artifact.repository {
        return Err(Refusal::new(Code::UntrustedRepository, format!("{file} pins an artifact of {repository}"))
            .at([format!("{}:{file}", names.rc_branch.short())])
            .hint(format!("only {} is trusted: see `artifact.repository`", pipeline.artifact.repository))
            .into());
    }
    let (pipeline, rc_commit) = (pipeline.name.clone(), branch.peeled);
    // What speaks for it is not in git: whoever asks for it looks and adds it.
    Ok(Candidate { pipeline, rc: *rc, rc_commit, rc_artifact, base, evidence: None })
}
