//! Every git name of a promotion, filled in once.

use super::Candidate;
use crate::model::git::GitNameError;
use crate::model::{Rc, RefName};
use crate::pipeline::Pipeline;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    pub rc_branch: RefName,
    pub rc_tag: RefName,
    pub staging: RefName,
    pub line: RefName,
    /// The branch the promotion is merged into: frozen with the candidate.
    pub base: RefName,
    pub git_tag: RefName,
    pub module_tags: Vec<RefName>,
}

impl Names {
    pub fn of(pipeline: &Pipeline, candidate: &Candidate) -> Result<Self, GitNameError> {
        Self::with_base(pipeline, &candidate.rc, candidate.base.clone())
    }

    /// The names of a candidate that goes into `base`.
    pub fn with_base(pipeline: &Pipeline, rc: &Rc, base: RefName) -> Result<Self, GitNameError> {
        let (branches, tags, stable) = (&pipeline.branches, &pipeline.tags, &rc.stable);
        Ok(Self {
            rc_branch: RefName::branch(&branches.rc.rc(rc))?,
            rc_tag: RefName::tag(&tags.rc.rc(rc))?,
            staging: RefName::branch(&branches.staging.stable(stable))?,
            line: RefName::branch(&branches.line.stable(stable))?,
            base,
            git_tag: RefName::tag(&tags.stable.stable(stable))?,
            module_tags: tags.modules.iter().map(|tag| RefName::tag(&tag.stable(stable))).collect::<Result<_, _>>()?,
        })
    }

    /// Every name whose history a promotion reads.
    pub fn all(&self) -> Vec<RefName> {
        let mut names = vec![
            self.rc_branch.clone(),
            self.rc_tag.clone(),
            self.staging.clone(),
            self.line.clone(),
            self.base.clone(),
            self.git_tag.clone(),
        ];
        names.sort();
        names.dedup();
        names
    }
}
