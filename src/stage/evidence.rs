//! Evidence that a candidate passed from end to end: a green job in a run that can be of no other commit.

use super::Refusal;
use crate::model::{Answer, CommitId, Rc, Unknown};
use crate::pipeline::{EvidenceEvent, EvidenceSource, Pipeline};
use crate::port::forge::{ForgeRead, Job, Run, RunQuery};
use crate::promotion::Evidence;

/// What a look found, and what it looked at.
#[derive(Default)]
pub struct Looked {
    pub found: Option<Evidence>,
    /// A line for each source that doesn't speak for the candidate, and why.
    pub looked_at: Vec<String>,
}

/// Asks every declared source for a green run of a candidate, whose tag names `commit`.
pub async fn look(pipeline: &Pipeline, forge: &dyn ForgeRead, rc: &Rc, commit: Option<CommitId>) -> Looked {
    let mut looked = Looked::default();
    for source in &pipeline.evidence {
        let look = Look { pipeline, forge, rc, source };
        let result = match (source.event, commit) {
            (EvidenceEvent::Push, Some(commit)) => look.pushed(commit).await,
            (EvidenceEvent::Push, None) => Err("the candidate has no git tag".into()),
            (EvidenceEvent::WorkflowDispatch, _) => look.dispatched().await,
        };
        match result {
            Ok(url) => {
                looked.found = Some(Evidence::Run(url));
                return looked;
            }
            Err(why) => looked.looked_at.push(format!("{} on {}: {why}", source.workflow, source.event.name())),
        }
    }
    looked
}

/// Why a candidate has no evidence, and which button to press.
pub fn refusal(pipeline: &Pipeline, rc: &Rc, looked: Looked) -> Refusal {
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
    Refusal::new(format!("nothing says that v{rc} passed from end to end"))
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
    async fn pushed(&self, commit: CommitId) -> Result<String, String> {
        let runs = self.runs(Some(commit), None).await?;
        let mut runs: Vec<Run> =
            runs.into_iter().filter(|run| run.head_commit == commit && run.event == "push").collect();
        runs.sort_by(|a, b| a.created_at.cmp(&b.created_at));
        let Some(newest) = runs.pop() else { return Err(format!("there is no run of {commit}")) };
        self.green(&newest).await
    }

    /// A run on a trusted branch that began after the candidate was published: it tested what it was
    /// told to, so its job must name the candidate.
    async fn dispatched(&self) -> Result<String, String> {
        let tag = self.pipeline.tags.rc.rc(self.rc);
        let since = match self.forge.published(&tag).await {
            Answer::Found(release) => release.published_at.ok_or_else(|| format!("the release {tag} has no date"))?,
            Answer::Absent => return Err(format!("{tag} has no release, so no run can have begun after it")),
            Answer::Unknown(unknown) => return Err(format!("can't be known: {unknown}")),
        };
        let mut why = format!("there is no run on {} since {since}", self.source.branches.join(", "));
        let mut runs = self.runs(None, Some(since.clone())).await?;
        runs.sort_by(|a, b| b.created_at.cmp(&a.created_at));
        for run in runs.iter().filter(|run| run.event == "workflow_dispatch" && run.created_at >= since) {
            let trusted = run.head_branch.as_ref().is_some_and(|branch| self.source.trusts_branch(branch));
            if !trusted {
                why = format!(
                    "{} ran on {}, which is not trusted",
                    run.url,
                    run.head_branch.as_deref().unwrap_or("no branch")
                );
                continue;
            }
            match self.jobs(run).await? {
                jobs if jobs.is_empty() => continue,
                jobs => return verdict(run, &jobs),
            }
        }
        Err(why)
    }

    async fn runs(&self, head_commit: Option<CommitId>, since: Option<String>) -> Result<Vec<Run>, String> {
        let (workflow, event) = (self.source.workflow.clone(), self.source.event.name().to_owned());
        match self.forge.runs(&RunQuery { workflow, event, head_commit, since }).await {
            Answer::Found(runs) => Ok(runs),
            Answer::Absent => Err("there is no such workflow".into()),
            Answer::Unknown(unknown) => Err(unknown_text(&unknown)),
        }
    }

    /// The jobs of the declared name: whole, or as a reusable workflow's caller names them.
    async fn jobs(&self, run: &Run) -> Result<Vec<Job>, String> {
        match self.forge.jobs(run.id).await {
            Answer::Found(jobs) => {
                Ok(jobs.into_iter().filter(|job| self.source.names_job(self.rc, &job.name)).collect())
            }
            Answer::Absent => Ok(Vec::new()),
            Answer::Unknown(unknown) => Err(unknown_text(&unknown)),
        }
    }

    async fn green(&self, run: &Run) -> Result<String, String> {
        match self.jobs(run).await? {
            jobs if jobs.is_empty() => Err(format!("{} has no job `{}`", run.url, self.source.job.rc(self.rc))),
            jobs => verdict(run, &jobs),
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

fn unknown_text(unknown: &Unknown) -> String {
    format!("can't be known: {unknown}")
}
