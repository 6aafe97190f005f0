//! Evidence that a promotion was begun with. It stands in a commit, and whoever may push can write one,
//! so the run that it names is looked up again.

use super::{Look, Silent, line};
use crate::model::{Answer, CommitId};
use crate::pipeline::EvidenceEvent;
use crate::port::forge::{ForgeRead, RunId};
use crate::promotion::Evidence;
use crate::stage::{Code, Refusal, World};

/// Whether what was recorded speaks for the candidate: a note where that can't be looked at any more,
/// for runs expire and are deleted, and a promotion that began with one must come to its end.
///
/// # Errors
/// Refuses where nothing is recorded though the pipeline declares sources, where the run is none that
/// these take for a green one of this candidate, and where it can't be known.
pub async fn recorded(world: &World<'_>, forge: &dyn ForgeRead) -> Result<Option<String>, Refusal> {
    let candidate = &world.promotion.candidate;
    let recorded = match &candidate.evidence {
        _ if world.pipeline.evidence.is_empty() => return Ok(None),
        Some(Evidence::Run(url)) => url,
        Some(Evidence::Skipped(_)) => return Ok(None),
        None => {
            let what = format!("the promotion of v{} was begun without evidence, and some is declared", candidate.rc);
            return Err(unfounded(world, what, Vec::new()));
        }
    };
    let Some(id) = id(recorded) else {
        return Err(unfounded(world, format!("the recorded evidence is no workflow run: {recorded}"), Vec::new()));
    };
    let commit = world.facts.listed(&world.facts.names.rc_tag).map(|listed| listed.peeled);
    let (mut looked_at, mut unknown) = (Vec::new(), None);
    for source in &world.pipeline.evidence {
        let look = Look { pipeline: world.pipeline, forge, rc: &candidate.rc, source };
        match look.again(id, commit).await {
            Ok(()) => return Ok(None),
            Err(Silent::No(why)) => looked_at.push(line(source, why)),
            // Another source may still know it.
            Err(Silent::Unknown(why)) => unknown = unknown.or(Some(why)),
        }
    }
    if let Some(unknown) = unknown {
        return Err(unknown.into());
    }
    match forge.jobs(id).await {
        Answer::Absent => Ok(Some(format!("the recorded run is gone, and can't be looked at again: {recorded}"))),
        Answer::Unknown(unknown) => Err(unknown.into()),
        Answer::Found(_) => {
            let what = format!("the recorded run is no green end-to-end run of v{}: {recorded}", candidate.rc);
            Err(unfounded(world, what, looked_at))
        }
    }
}

/// The run that an address ends with.
fn id(url: &str) -> Option<RunId> {
    let (_, id) = url.rsplit_once("/actions/runs/")?;
    id.parse().ok().map(RunId)
}

fn unfounded(world: &World<'_>, what: String, looked_at: Vec<String>) -> Refusal {
    let stable = world.promotion.candidate.rc.stable;
    let refusal =
        Refusal::new(Code::EvidenceDoubted, what).at([format!("commit {}", world.promotion.content)]).at(looked_at);
    refusal.hint(match world.facts.merged() {
        Some(_) => "find out who wrote that commit; cut the next release candidate from the base".to_owned(),
        None => format!(
            "find out who wrote that commit; take the promotion back and run again, then the evidence is looked up: \
             sealift abandon v{stable}"
        ),
    })
}

impl Look<'_> {
    /// Whether one run, whichever ran after it, is a green one of the candidate.
    async fn again(&self, id: RunId, commit: Option<CommitId>) -> Result<(), Silent> {
        let runs = match (self.source.event, commit) {
            (EvidenceEvent::Push, None) => return Err("the candidate has no git tag".to_owned().into()),
            (EvidenceEvent::Push, Some(commit)) => self.runs(Some(commit), None).await?,
            (EvidenceEvent::WorkflowDispatch, _) => self.runs(None, Some(self.since().await?)).await?,
        };
        let run = runs.iter().find(|run| run.id == id);
        let run = run.ok_or_else(|| format!("run {} is none that counts", id.0))?;
        if self.source.event == EvidenceEvent::WorkflowDispatch {
            self.trusted(run)?;
        }
        self.green(run).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_known_by_the_end_of_its_address() {
        assert_eq!(id("https://github.com/org/repo/actions/runs/42"), Some(RunId(42)));
        for url in
            ["https://example.org/runs/42", "https://github.com/org/repo/actions/runs/", "/actions/runs/42/job/1", ""]
        {
            assert_eq!(id(url), None, "{url}");
        }
    }
}
