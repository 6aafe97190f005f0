//! Looking: the candidate, the promotion, and the facts of this moment.

use super::ports::Looker;
use crate::model::{Rc, RefName, Refusal, Stable, Unknown};
use crate::port::repository::Refs;
use crate::promotion::history::{Hints, History, Merge, Pin};
use crate::promotion::locate::{Located, Request, bases_of, candidate_tags, carried, locate};
use crate::promotion::{Evidence, Names, Promotion, PromotionError};
use crate::stage::{Facts, Memory, World, evidence};

impl Looker<'_> {
    /// The refs of the origin as listed now. One that isn't there has no refs to reason from.
    pub(super) async fn listed(&self) -> Result<Refs, Unknown> {
        self.origin.refs().await.known()?.ok_or_else(|| Unknown::new("the origin", "there is no such repository"))
    }

    /// The refs of the origin as listed now, and the histories a promotion reads.
    pub(super) async fn refs(&self, names: &[RefName]) -> anyhow::Result<Refs> {
        let refs = self.listed().await?;
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
        let mut located = self.located(request).await?;
        if let Ok(Located { candidate, content: None }) = &mut located {
            candidate.evidence = self.evidence(&candidate.rc).await?;
        }
        let computed = tokio::task::block_in_place(|| located.and_then(compute));
        match computed {
            Ok(promotion) => Ok(Ok(promotion)),
            Err(PromotionError::Refused(refusals)) => Ok(Err(refusals)),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a candidate of this version is frozen in a branch or a tag of the origin. A refusal
    /// to read one means that something is there.
    pub async fn under_way(&self, stable: Stable) -> anyhow::Result<bool> {
        let request = Request::Version(stable);
        let Ok(refs) = self.histories(&request).await? else { return Ok(false) };
        let history = History { store: &self.store, pipeline: self.pipeline };
        match tokio::task::block_in_place(|| carried(&history, &refs, &request)) {
            Ok(found) => Ok(found.is_some()),
            Err(PromotionError::Refused(_)) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// What speaks for a candidate that is about to be frozen. Where nothing does, the gate says why.
    async fn evidence(&self, rc: &Rc) -> anyhow::Result<Option<Evidence>> {
        if let Some(reason) = &self.inputs.skip_evidence {
            return Ok(Some(Evidence::Skipped(reason.clone())));
        }
        let Some(forge) = self.forge else { return Ok(None) };
        let tag = RefName::tag(&self.pipeline.tags.rc.rc(rc))?;
        let commit = self.listed().await?.get(&tag).map(|listed| listed.peeled);
        Ok(evidence::look(self.pipeline, forge, rc, commit).await.found)
    }

    async fn located(&self, request: &Request) -> anyhow::Result<Result<Located, PromotionError>> {
        Ok(match self.histories(request).await? {
            Ok(refs) => tokio::task::block_in_place(|| locate(self.pipeline, &self.store, &refs, request)),
            Err(refusal) => Err(refusal.into()),
        })
    }

    /// Every history that may carry a version's candidate. Refused: no branch to promote into.
    async fn histories(&self, request: &Request) -> anyhow::Result<Result<Refs, Refusal>> {
        let refs = self.listed().await?;
        let stable = request.stable();
        let bases = match bases_of(self.pipeline, &refs, &stable) {
            Ok(bases) => bases,
            Err(refusal) => return Ok(Err(refusal)),
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
        Ok(Ok(self.refs(&names).await?))
    }

    /// The origin at this moment.
    pub async fn facts(&self, promotion: &Promotion, contested: bool) -> anyhow::Result<Facts> {
        let names = Names::of(self.pipeline, &promotion.candidate)?;
        let refs = self.refs(&names.all()).await?;
        let history = History { store: &self.store, pipeline: self.pipeline };
        let tip = |name: &RefName| refs.get(name).map(|listed| listed.peeled);
        let (staging, base) = (tip(&names.staging), tip(&names.base));
        // A tag may name anything: what is no commit has no history.
        let tag = match tip(&names.git_tag) {
            Some(tag) if self.store.commit(tag)?.is_some() => Some(tag),
            _ => None,
        };
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
        let published = self.published(promotion, &refs, &names, &merge).await?;
        Ok(Facts { refs, names, staging, base, pin, merge, published, contested })
    }

    /// See [`Facts::published`].
    async fn published(
        &self,
        promotion: &Promotion,
        refs: &Refs,
        names: &Names,
        merge: &Merge,
    ) -> anyhow::Result<bool> {
        let (Some(tag), Merge::Done { commit, .. }) = (refs.get(&names.git_tag), merge) else { return Ok(false) };
        let ours = tag.peeled == *commit && tag.id == promotion.git_tag(self.pipeline, &names.git_tag, *commit)?;
        Ok(match self.forge {
            Some(forge) if ours => forge.published(names.git_tag.short()).await.known()?.is_some(),
            _ => ours,
        })
    }

    /// What a stage gets.
    pub fn world<'a>(&'a self, promotion: &'a Promotion, facts: &'a Facts, memory: &'a Memory) -> World<'a> {
        World {
            pipeline: self.pipeline,
            promotion,
            facts,
            origin: self.origin,
            registry: self.registry,
            forge: self.forge,
            inputs: self.inputs,
            store: &self.store,
            memory,
            parallel: self.parallel,
        }
    }
}
