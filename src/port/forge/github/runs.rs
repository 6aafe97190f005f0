//! Workflow runs and their jobs. What can't be read makes the list unknown: were a run left out, an
//! older one would count for the newest.

use serde::Deserialize;

use super::GitHub;
use super::moment::Moment;
use super::page::{Page, Row};
use crate::model::{CommitId, Unknown};
use crate::port::forge::{Job, Run, RunId, RunQuery};

#[derive(Deserialize)]
struct Runs {
    total_count: u64,
    workflow_runs: Vec<FoundRun>,
}

#[derive(Deserialize)]
struct FoundRun {
    id: u64,
    event: String,
    head_sha: CommitId,
    head_branch: Option<String>,
    created_at: Moment,
    run_started_at: Option<Moment>,
    status: Option<String>,
    conclusion: Option<String>,
    html_url: String,
}

#[derive(Deserialize)]
struct Jobs {
    total_count: u64,
    jobs: Vec<FoundJob>,
}

#[derive(Deserialize)]
struct FoundJob {
    id: u64,
    name: String,
    status: Option<String>,
    conclusion: Option<String>,
    started_at: Option<Moment>,
    html_url: Option<String>,
}

impl Row for FoundRun {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }
}

impl Row for FoundJob {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }
}

impl Page for Runs {
    type Item = FoundRun;

    fn total(&self) -> Option<u64> {
        Some(self.total_count)
    }

    fn rows(self) -> Vec<FoundRun> {
        self.workflow_runs
    }
}

impl Page for Jobs {
    type Item = FoundJob;

    fn total(&self) -> Option<u64> {
        Some(self.total_count)
    }

    fn rows(self) -> Vec<FoundJob> {
        self.jobs
    }
}

/// A status that GitHub doesn't say is none that anything waits for.
fn status(said: Option<String>) -> String {
    said.unwrap_or_else(|| "unknown".to_owned())
}

impl From<FoundRun> for Run {
    fn from(found: FoundRun) -> Self {
        Self {
            id: RunId(found.id),
            event: found.event,
            head_commit: found.head_sha,
            head_branch: found.head_branch,
            created_at: found.created_at.0,
            started_at: found.run_started_at.map(|Moment(text)| text),
            status: status(found.status),
            conclusion: found.conclusion,
            url: found.html_url,
        }
    }
}

impl From<FoundJob> for Job {
    fn from(found: FoundJob) -> Self {
        Self {
            name: found.name,
            status: status(found.status),
            conclusion: found.conclusion,
            started_at: found.started_at.map(|Moment(text)| text),
            url: found.html_url.unwrap_or_default(),
        }
    }
}

impl GitHub {
    /// GitHub's filters are asked for and looked at again.
    pub(super) async fn list_runs(&self, query: &RunQuery) -> Result<Option<Vec<Run>>, Unknown> {
        let RunQuery { workflow, event, head_commit, since } = query;
        let what = self.client.name(&format!("the {event} runs of {workflow}"));
        let mut url = self.client.address.below(&["actions", "workflows", workflow, "runs"]);
        url.query_pairs_mut().append_pair("event", event);
        if let Some(commit) = head_commit {
            url.query_pairs_mut().append_pair("head_sha", &commit.to_string());
        }
        if let Some(since) = since {
            url.query_pairs_mut().append_pair("created", &format!(">={since}"));
        }
        let Some(found) = self.client.list::<Runs>(&what, url).await? else { return Ok(None) };
        let mut runs: Vec<Run> = found.into_iter().map(Run::from).collect();
        runs.retain(|run| {
            run.event == *event
                && head_commit.is_none_or(|commit| run.head_commit == commit)
                && since.as_ref().is_none_or(|since| run.created_at >= *since)
        });
        runs.sort_by(|a, b| (&b.created_at, b.id).cmp(&(&a.created_at, a.id)));
        Ok(Some(runs))
    }

    pub(super) async fn list_jobs(&self, run: RunId) -> Result<Option<Vec<Job>>, Unknown> {
        let what = self.client.name(&format!("the jobs of run {}", run.0));
        let mut url = self.client.address.below(&["actions", "runs", &run.0.to_string(), "jobs"]);
        url.query_pairs_mut().append_pair("filter", "latest");
        let found = self.client.list::<Jobs>(&what, url).await?;
        Ok(found.map(|jobs| jobs.into_iter().map(Job::from).collect()))
    }
}
