//! Evidence of a green end-to-end run: which run counts, and what is said where none does.

mod dispatched;
mod pushed;
mod recorded;

use sealift::engine::State;
use sealift::pipeline::EvidenceEvent;

use super::{RC, done, fresh, names, noted, pull_body, refused_untouched, staging, waiting};
use crate::support::github::Act;
use crate::support::github::state::{Job, Run, State as GitHub};
use crate::support::world::{Ran, World};

const JOB: &str = "E2E 1.6.2-rc.1";

/// A world whose pipeline knows one source alone, and GitHub its one run.
async fn with(event: EvidenceEvent) -> World {
    let mut world = fresh().await;
    world.shipped.pipeline.evidence.retain(|source| source.event == event);
    let mut state = world.github().state();
    state.runs.retain(|run| run.event == event.name());
    drop(state);
    world
}

fn tagged(world: &World) -> String {
    names(world, "refs/tags/v1.6.2-rc.1")
}

/// One more run of the source, and its job.
fn another(world: &World, event: EvidenceEvent, edit: impl FnOnce(&mut Run, &mut Job)) -> u64 {
    let sha = tagged(world);
    let (file, branch, job) = match event {
        EvidenceEvent::Push => ("tags.yaml", RC, "E2E"),
        EvidenceEvent::WorkflowDispatch => ("e2e.yaml", "main", JOB),
    };
    let mut state = world.github().state();
    let run = state.add_run(file, event.name(), branch, &sha);
    state.add_job(run, job);
    let GitHub { runs, jobs, .. } = &mut *state;
    edit(runs.last_mut().unwrap(), jobs.last_mut().unwrap());
    run
}

fn url(run: u64) -> String {
    format!("https://github.test/cozystack/cozystack/actions/runs/{run}")
}

/// Changes every run and job there is.
fn each(world: &World, edit: impl Fn(&mut Run, &mut Job)) {
    let mut state = world.github().state();
    let GitHub { runs, jobs, .. } = &mut *state;
    for run in runs {
        let id = run.id;
        for job in jobs.iter_mut().filter(|job| job.run == id) {
            edit(run, job);
        }
    }
}

async fn gate(world: &World) -> Ran {
    world.session().run_until(&world.request(), "gate").await
}

/// Refused for want of evidence, with these words, and nothing written.
async fn none(world: &World, texts: &[&str]) {
    silent(world, "nothing says that v1.6.2-rc.1 passed from end to end", texts).await;
}

/// Refused since it can't be looked at, which is no evidence, and no want of it.
async fn unknown(world: &World, texts: &[&str]) {
    silent(world, "whether v1.6.2-rc.1 passed from end to end can't be known", texts).await;
}

async fn silent(world: &World, message: &str, texts: &[&str]) {
    let before = world.snapshot();
    let mut all = vec![message, "or let it pass with a reason: --skip-evidence REASON"];
    all.extend(texts);
    refused_untouched(&world.run().await, "gate", &all, &before, world);
    refused_untouched(&world.plan().await, "gate", &all, &before, world);
}

/// What speaks for the candidate is named, from the gate on to the end.
async fn found(world: &World, run: u64) {
    let ran = gate(world).await;
    ran.must_be(State::Holds);
    noted(&ran, "gate", &format!("evidence: a green end-to-end run, {}", url(run)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_refusal_says_what_was_looked_at_and_which_button_to_press() {
    let world = fresh().await;
    world.github().state().runs.clear();
    let commit = tagged(&world);
    let published = {
        let state = world.github().state();
        crate::support::github::clock::iso(state.release(RC).unwrap().published_at.unwrap())
    };
    let texts = [
        &format!("tags.yaml on push: there is no run of {commit}"),
        &format!("e2e.yaml on workflow_dispatch: there is no run on main since {published}"),
        "run e2e.yaml by hand (Actions, \"Run workflow\") on a trusted branch for v1.6.2-rc.1",
    ];
    none(&world, &texts).await;
    // Where nothing is started by hand, the run of the push is what can be repeated.
    let world = with(EvidenceEvent::Push).await;
    world.github().state().runs.clear();
    none(&world, &["re-run tags.yaml of the push of v1.6.2-rc.1 (Actions, \"Re-run all jobs\")"]).await;
    world.github().state().workflows.clear();
    none(&world, &["tags.yaml on push: there is no such workflow"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_source_is_enough_and_each_that_is_not_is_told() {
    let world = fresh().await;
    let dispatched = world.github().state().runs.iter().find(|run| run.event != "push").unwrap().id;
    let red = another(&world, EvidenceEvent::Push, |_, job| job.conclusion = Some("failure".into()));
    found(&world, dispatched).await;
    each(&world, |run, _| {
        if run.event != "push" {
            run.head_branch = Some("evil".into());
        }
    });
    none(&world, &[&format!("{} ended as failure", url(red)), &format!("{} ran on evil", url(dispatched))]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_looked_at_is_no_evidence() {
    let world = with(EvidenceEvent::WorkflowDispatch).await;
    for target in ["*/actions/workflows/e2e.yaml/runs*", "*/actions/runs/*/jobs*"] {
        let world = world.copy();
        world.github().fault("GET", target, 1..=usize::MAX, Act::status(403));
        unknown(&world, &["e2e.yaml on workflow_dispatch: can't be known: "]).await;
    }
}

/// Runs expire, and are deleted: what was recorded when the promotion began stays.
#[tokio::test(flavor = "multi_thread")]
async fn evidence_that_expired_since_is_recorded_in_the_commit_and_goes_on() {
    let world = waiting().await;
    let run = world.github().state().runs[0].id;
    world.github().state().runs.clear();
    world.github().state().jobs.clear();
    let log = world.sandbox.git(&world.origin(), &["log", "--format=%B", "-3", &staging(&world)]);
    assert!(log.contains(&format!("Sealift-Evidence: {}", url(run))), "{log}");
    let note = format!("evidence: a green end-to-end run, {}", url(run));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", &note);
    assert!(ran.acted().is_empty());
    assert!(pull_body(&world, 1).contains(&format!("a green end-to-end run: {}", url(run))));
    world.merge();
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "gate", &note);
    noted(&world.plan().await, "gate", &note);
}

/// A run of the commit stage only: the branch is the checkpoint.
#[tokio::test(flavor = "multi_thread")]
async fn evidence_of_a_later_run_does_not_change_what_was_begun() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let before = staging(&world);
    another(&world, EvidenceEvent::Push, |_, job| job.conclusion = Some("failure".into()));
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    assert_eq!(staging(&world), before);
}

/// A pipeline without evidence promotes, and every report says so.
#[tokio::test(flavor = "multi_thread")]
async fn where_none_is_declared_every_report_says_so() {
    let mut world = fresh().await;
    world.shipped.pipeline.evidence.clear();
    world.github().state().runs.clear();
    let note = "no evidence declared";
    let session = world.session();
    noted(&session.plan(&world.request()).await, "gate", note);
    let ran = session.run(&world.request()).await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", note);
    noted(&world.plan().await, "gate", note);
    assert!(pull_body(&world, 1).contains("| evidence | no evidence declared |"));
    world.merge();
    noted(&world.run().await, "gate", note);
    noted(&world.run().await, "gate", note);
    assert!(super::release_body(&world).contains("| evidence | no evidence declared |"));
    let log = world.sandbox.git(&world.origin(), &["log", "--format=%B", super::TAG]);
    assert!(!log.contains("Sealift-Evidence"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_publishing_reports_still_say_what_spoke_for_it() {
    let world = done().await;
    noted(&world.plan().await, "gate", "evidence: a green end-to-end run, https://github.test/");
}
