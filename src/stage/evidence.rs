//! Evidence that a candidate passed from end to end: a green job in a run that can be of no other commit.

mod recorded;

pub use recorded::recorded;

use super::{Code, Refusal};
use crate::model::{CommitId, Rc, Unknown};
use crate::pipeline::{EvidenceEvent, EvidenceSource, Pipeline};
use crate::port::forge::{ForgeRead, Job, Run, RunQuery};
use crate::promotion::Evidence;

/// What a look found, and what it looked at.
#[derive(Default)]
pub struct Looked {
    pub found: Option<Evidence>,
    /// A line for each source that doesn't speak for the candidate, and why.
    pub looked_at: Vec<String>,
    /// What the last of them says can't be known, so that no further one was asked: which evidence is
    /// recorded must not depend on who could be reached.
    pub unknown: bool,
}

/// Why a source doesn't speak for a candidate.
enum Silent {
    No(String),
    Unknown(Unknown),
}

impl From<String> for Silent {
    fn from(why: String) -> Self {
        Self::No(why)
    }
}

impl From<Unknown> for Silent {
    fn from(unknown: Unknown) -> Self {
        Self::Unknown(unknown)
    }
}

/// Asks every declared source for a green run of a candidate, whose tag names `commit`.
pub async fn look(pipeline: &Pipeline, forge: &dyn ForgeRead, rc: &Rc, commit: Option<CommitId>) -> Looked {
    let mut looked = Looked::default();
    for source in &pipeline.evidence {
        let look = Look { pipeline, forge, rc, source };
        let result = match (source.event, commit) {
            (EvidenceEvent::Push, Some(commit)) => look.pushed(commit).await,
            (EvidenceEvent::Push, None) => Err("the candidate has no git tag".to_owned().into()),
            (EvidenceEvent::WorkflowDispatch, _) => look.dispatched().await,
        };
        let mut line = |why: String| looked.looked_at.push(line(source, why));
        match result {
            Ok(url) => {
                looked.found = Some(Evidence::Run(url));
                return looked;
            }
            Err(Silent::No(why)) => line(why),
            Err(Silent::Unknown(unknown)) => {
                line(format!("can't be known: {unknown}"));
                looked.unknown = true;
                return looked;
            }
        }
    }
    looked
}

/// What is said where nothing speaks for a candidate.
pub fn nothing(declared: &[EvidenceSource]) -> &'static str {
    if declared.is_empty() { "no evidence declared" } else { "no evidence found" }
}

/// What a look at a source found, for people.
fn line(source: &EvidenceSource, why: String) -> String {
    format!("{} on {}: {why}", source.workflow, source.event.name())
}

/// Why a candidate has no evidence, and which button to press.
pub fn refusal(pipeline: &Pipeline, rc: &Rc, looked: Looked) -> Refusal {
    if looked.unknown {
        return Refusal::new(Code::EvidenceUnknown, format!("whether v{rc} passed from end to end can't be known")).at(looked.looked_at).hint(
            "run the same command again once it can be looked at, or let it pass with a reason: --skip-evidence REASON",
        );
    }
    let dispatch = pipeline.evidence.iter().find(|source| source.event == EvidenceEvent::WorkflowDispatch);
    let tag = pipeline.tags.rc.rc(rc);
    let button = match (dispatch, pipeline.evidence.first()) {
        (Some(source), _) => {
            format!("run {} by hand (Actions, \"Run workflow\") on a trusted branch for {tag}", source.workflow)
        }
        (None, Some(source)) => {
            format!("re-run {} of the push of {tag} (Actions, \"Re-run all jobs\")", source.workflow)
        }
        (None, None) => "declare `evidence` in the pipeline".to_owned(),
    };
    Refusal::new(Code::NoEvidence, format!("nothing says that v{rc} passed from end to end"))
        .at(looked.looked_at)
        .hint(format!("{button}, or let it pass with a reason: --skip-evidence REASON"))
}

struct Look<'a> {
    pipeline: &'a Pipeline,
    forge: &'a dyn ForgeRead,
    rc: &'a Rc,
    source: &'a EvidenceSource,
}

impl Look<'_> {
    /// The newest run of the candidate's commit, and no older one: a failure after a success is a failure.
    async fn pushed(&self, commit: CommitId) -> Result<String, Silent> {
        let runs = self.runs(Some(commit), None).await?;
        let newest = runs.first().ok_or_else(|| format!("there is no run of {commit}"))?;
        self.green(newest).await
    }

    /// A run on a trusted branch that began after the candidate was published: it tested what it was
    /// told to, so its job must name the candidate.
    async fn dispatched(&self) -> Result<String, Silent> {
        let since = self.since().await?;
        let mut why = format!("there is no run on {} since {since}", self.source.branches.join(", "));
        for run in &self.runs(None, Some(since)).await? {
            if let Err(distrusted) = self.trusted(run) {
                why = distrusted;
                continue;
            }
            match self.jobs(run).await? {
                jobs if jobs.is_empty() => continue,
                jobs => return Ok(verdict(run, &jobs)?),
            }
        }
        Err(why.into())
    }

    /// When the candidate was published: a dispatched run that began before can't have tested it.
    async fn since(&self) -> Result<String, Silent> {
        let tag = self.pipeline.tags.rc.rc(self.rc);
        let release = self.forge.published(&tag).await.known()?;
        let release = release.ok_or_else(|| format!("{tag} has no release, so no run can have begun after it"))?;
        Ok(release.published_at.ok_or_else(|| format!("the release {tag} has no date"))?)
    }

    /// Whether a dispatched run's branch is one whose workflows are trusted.
    fn trusted(&self, run: &Run) -> Result<(), String> {
        let branch = run.head_branch.as_deref();
        match branch.is_some_and(|branch| self.source.trusts_branch(branch)) {
            true => Ok(()),
            false => Err(format!("{} ran on {}, which is not trusted", run.url, branch.unwrap_or("no branch"))),
        }
    }

    /// Those of the source's workflow and event, newest first: the port has looked at both again.
    async fn runs(&self, head_commit: Option<CommitId>, since: Option<String>) -> Result<Vec<Run>, Silent> {
        let (workflow, event) = (self.source.workflow.clone(), self.source.event.name().to_owned());
        let runs = self.forge.runs(&RunQuery { workflow, event, head_commit, since }).await.known()?;
        Ok(runs.ok_or_else(|| "there is no such workflow".to_owned())?)
    }

    /// The jobs of the declared name: whole, or as a reusable workflow's caller names them.
    async fn jobs(&self, run: &Run) -> Result<Vec<Job>, Unknown> {
        let jobs = self.forge.jobs(run.id).await.there(&run.url)?;
        Ok(jobs.into_iter().filter(|job| self.source.names_job(self.rc, &job.name)).collect())
    }

    async fn green(&self, run: &Run) -> Result<String, Silent> {
        match self.jobs(run).await? {
            jobs if jobs.is_empty() => Err(format!("{} has no job `{}`", run.url, self.source.job.rc(self.rc)).into()),
            jobs => Ok(verdict(run, &jobs)?),
        }
    }
}

/// Every job of the name must be green, in a run that is over.
fn verdict(run: &Run, jobs: &[Job]) -> Result<String, String> {
    if run.status != "completed" {
        return Err(format!("{} is {}", run.url, run.status));
    }
    match jobs.iter().find(|job| job.conclusion.as_deref() != Some("success")) {
        Some(job) => Err(format!("{} ended as {}", run.url, job.conclusion.as_deref().unwrap_or("nothing"))),
        None => Ok(run.url.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_found_is_not_none_declared() {
        let job = "E2E {rc}".parse().unwrap();
        let source =
            EvidenceSource { workflow: "e2e.yaml".into(), event: EvidenceEvent::Push, job, branches: Vec::new() };
        assert_eq!([nothing(&[]), nothing(&[source])], ["no evidence declared", "no evidence found"]);
    }
}
