//! Looking: the candidate, the promotion, and the facts of this moment.

use super::ports::Looker;
use crate::model::{Rc, RefName, Refusal, Stable};
use crate::port::repository::Refs;
use crate::promotion::history::{Hints, History, Merge, Pin};
use crate::promotion::locate::{Located, Request, bases_of, candidate_tags, locate};
use crate::promotion::{Names, Promotion, PromotionError};
use crate::stage::{Facts, Memory, World};

impl Looker<'_> {
    /// The refs of the origin as listed now, and the histories a promotion reads.
    async fn refs(&self, names: &[RefName]) -> anyhow::Result<Refs> {
        let refs = self.origin.refs().await.known()?.unwrap_or_default();
        let mut missing = Vec::new();
        for name in names {
            // What the store has, it has with its history: only sealift writes there.
            if let Some(listed) = refs.get(name)
                && !self.store.contains(listed.id)?
            {
                missing.push(name.clone());
            }
        }
        if !missing.is_empty() {
            self.origin.fetch(&missing).await?;
        }
        Ok(refs)
    }

    /// Finds or freezes the candidate and computes its promotion; a refusal is a value.
    pub async fn promotion(&self, request: &Request) -> anyhow::Result<Result<Promotion, Vec<Refusal>>> {
        let compute = |located| Promotion::compute(self.pipeline, &self.store, located);
        let located = self.located(request).await?;
        let computed = tokio::task::block_in_place(|| located.and_then(compute));
        match computed {
            Ok(promotion) => Ok(Ok(promotion)),
            Err(PromotionError::Refused(refusals)) => Ok(Err(refusals)),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a candidate of this version is frozen in a branch or a tag of the origin.
    pub async fn under_way(&self, stable: Stable) -> anyhow::Result<bool> {
        match self.located(&Request::Version(stable)).await? {
            Ok(_) => Ok(true),
            Err(PromotionError::Refused(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn located(&self, request: &Request) -> anyhow::Result<Result<Located, PromotionError>> {
        let refs = self.origin.refs().await.known()?.unwrap_or_default();
        let stable = request.stable();
        let bases = match bases_of(self.pipeline, &refs, &stable) {
            Ok(bases) => bases,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let rc = match request {
            Request::Candidate(rc) => *rc,
            Request::Version(stable) => Rc { stable: *stable, n: 1 },
        };
        let line = RefName::branch(&self.pipeline.branches.line.stable(&stable))?;
        let mut names = Names::with_base(self.pipeline, &rc, line)?.all();
        names.extend(bases);
        names.extend(candidate_tags(self.pipeline, &refs, &stable).map(|(_, name)| name.clone()));
        names.sort();
        names.dedup();
        let refs = self.refs(&names).await?;
        Ok(tokio::task::block_in_place(|| locate(self.pipeline, &self.store, &refs, request)))
    }

    /// The origin at this moment.
    pub async fn facts(&self, promotion: &Promotion, contested: bool) -> anyhow::Result<Facts> {
        let names = Names::of(self.pipeline, &promotion.candidate)?;
        let refs = self.refs(&names.all()).await?;
        let history = History { store: &self.store, pipeline: self.pipeline };
        let tip = |name: &RefName| refs.get(name).map(|listed| listed.peeled);
        let (staging, base) = (tip(&names.staging), tip(&names.base));
        // A tag may name anything: what is no commit has no history.
        let tag = tip(&names.git_tag).filter(|&tag| matches!(self.store.commit(tag), Ok(Some(_))));
        let line = Some(&names.line).filter(|line| **line != names.base);
        let named = [&names.git_tag].into_iter().chain(&names.module_tags).chain(line).chain([&names.staging]);
        let hints = Hints(named.filter_map(tip).collect());
        let (rc_commit, content) = (promotion.candidate.rc_commit, promotion.content);
        let (pin, merge) = tokio::task::block_in_place(|| -> Result<(Option<Pin>, Merge), PromotionError> {
            let mut pin = None;
            for tip in [staging, tag, base].into_iter().flatten() {
                pin = match pin {
                    None => history.pin(tip, content)?,
                    found => found,
                };
            }
            let merge = match base {
                Some(base) => history.merge(rc_commit, content, pin, base, hints)?,
                None => Merge::NotYet,
            };
            Ok((pin, merge))
        })?;
        Ok(Facts { refs, names, staging, base, pin, merge, contested })
    }

    /// What a stage gets.
    pub fn world<'a>(&'a self, promotion: &'a Promotion, facts: &'a Facts, memory: &'a Memory) -> World<'a> {
        World {
            pipeline: self.pipeline,
            promotion,
            facts,
            registry: self.registry,
            store: &self.store,
            memory,
            parallel: self.parallel,
        }
    }
}
