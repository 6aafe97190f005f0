//! Runs of workflows and their jobs.

use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, invalid_words, not_found};
use super::clock::{iso, within};
use super::state::{Job, Run, Workflow};
use super::tokens::{Level, Role};
use super::views::node;

const FILTERS: [&str; 7] = ["actor", "branch", "check_suite_id", "created", "event", "head_sha", "status"];

impl Call<'_> {
    fn run_view(&self, run: &Run, workflow: &Workflow) -> Value {
        let url = format!("{}/actions/runs/{}", self.repo(), run.id);
        let suite = run.id + 1_000_000;
        let repository = self.minimal_repository();
        let actor = self.user(&run.actor);
        json!({
            "id": run.id, "name": run.name, "node_id": node("WFR", run.id), "head_branch": run.head_branch,
            "head_sha": run.head_sha, "path": workflow.path, "run_number": 1, "run_attempt": run.attempt,
            "event": run.event, "status": run.status, "conclusion": run.conclusion, "workflow_id": workflow.id,
            "check_suite_id": suite, "check_suite_node_id": node("CS", suite), "url": url,
            "html_url": format!("{WEB}/{}/actions/runs/{}", self.state.full_name(), run.id), "pull_requests": [],
            "created_at": iso(run.created_at), "updated_at": iso(run.started_at),
            "run_started_at": iso(run.started_at), "actor": actor, "triggering_actor": actor,
            "jobs_url": format!("{url}/jobs"), "logs_url": format!("{url}/logs"),
            "check_suite_url": format!("{}/check-suites/{suite}", self.repo()),
            "artifacts_url": format!("{url}/artifacts"), "cancel_url": format!("{url}/cancel"),
            "rerun_url": format!("{url}/rerun"), "previous_attempt_url": null,
            "workflow_url": format!("{}/actions/workflows/{}", self.repo(), workflow.id), "head_commit": null,
            "repository": repository, "head_repository": repository, "head_repository_id": self.state.repository.id,
            "display_title": run.name.clone().unwrap_or_default(),
        })
    }

    /// Without the addresses that only whole answers have.
    fn minimal_repository(&self) -> Value {
        let mut value = self.repository();
        value.as_object_mut().unwrap().shift_remove("license");
        value
    }

    fn job_view(&self, job: &Job, run: &Run) -> Value {
        let url = format!("{}/actions", self.repo());
        json!({
            "id": job.id, "run_id": run.id, "run_url": format!("{url}/runs/{}", run.id), "run_attempt": job.attempt,
            "node_id": node("J", job.id), "head_sha": run.head_sha, "url": format!("{url}/jobs/{}", job.id),
            "html_url": format!("{WEB}/{}/actions/runs/{}/job/{}", self.state.full_name(), run.id, job.id),
            "status": job.status, "conclusion": job.conclusion, "created_at": iso(job.started_at),
            "started_at": iso(job.started_at), "completed_at": job.completed_at.map(iso), "name": job.name,
            "steps": [], "check_run_url": format!("{}/check-runs/{}", self.repo(), job.id), "labels": [],
            "runner_id": null, "runner_name": null, "runner_group_id": null, "runner_group_name": null,
            "workflow_name": run.name, "head_branch": run.head_branch,
        })
    }

    fn fits(&self, run: &Run) -> bool {
        let is = |name: &str, value: Option<&str>| match self.request.parameter(name) {
            Some(wanted) => value == Some(wanted.as_str()),
            None => true,
        };
        let conclusion_or_status =
            |wanted: &str| run.status.as_deref() == Some(wanted) || run.conclusion.as_deref() == Some(wanted);
        is("actor", Some(&run.actor))
            && is("branch", run.head_branch.as_deref())
            && is("event", Some(&run.event))
            && is("head_sha", Some(&run.head_sha))
            && is("check_suite_id", Some(&(run.id + 1_000_000).to_string()))
            && self.request.parameter("status").is_none_or(|wanted| conclusion_or_status(&wanted))
            && self.request.parameter("created").is_none_or(|filter| within(&filter, run.created_at).unwrap())
    }
}

/// By the workflow's file name or id; newest first.
pub fn runs(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["actions"], Level::Read)?;
    if call.request.parameter("created").is_some_and(|filter| within(&filter, 0).is_none()) {
        return Err(invalid_words("Search", "created is no date"));
    }
    let wanted = call.place(0);
    let is =
        |workflow: &&Workflow| workflow.path.rsplit('/').next() == Some(wanted) || workflow.id.to_string() == wanted;
    let workflow = call.state.workflows.iter().find(is).cloned().ok_or_else(not_found)?;
    let of = |run: &&Run| run.workflow == workflow.id && call.fits(run);
    let mut runs: Vec<Run> = call.state.runs.iter().filter(of).cloned().collect();
    runs.sort_by_key(|run| std::cmp::Reverse((run.created_at, run.id)));
    let all = runs.len();
    if FILTERS.iter().any(|name| call.request.parameter(name).is_some()) {
        runs.truncate(call.state.cap);
    }
    let total = if call.state.count_past_cap { all } else { runs.len() };
    Ok(call.counted_page("workflow_runs", total, &runs, |run| call.run_view(run, &workflow)))
}

/// Of the latest attempt, unless all are asked for.
pub fn jobs(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["actions"], Level::Read)?;
    let id = call.number(0)?;
    let run = call.state.runs.iter().find(|run| run.id == id).ok_or_else(not_found)?;
    let all = call.request.parameter("filter").as_deref() == Some("all");
    let of = |job: &&Job| job.run == id && (all || job.attempt == run.attempt);
    let jobs: Vec<Job> = call.state.jobs.iter().filter(of).cloned().collect();
    Ok(call.counted_page("jobs", jobs.len(), &jobs, |job| call.job_view(job, run)))
}
