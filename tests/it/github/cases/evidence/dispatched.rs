//! Runs that people started by hand.

use sealift::pipeline::EvidenceEvent;

use super::super::{RC, refused};
use super::{JOB, another, each, found, none, url, with};

#[tokio::test(flavor = "multi_thread")]
async fn a_dispatch_from_an_untrusted_branch_says_nothing() {
    let world = with(EvidenceEvent::WorkflowDispatch).await;
    let run = world.github().state().runs[0].id;
    found(&world, run).await;
    for branch in [Some("evil"), Some("mainly"), Some("feature/main"), None] {
        each(&world, |run, _| run.head_branch = branch.map(str::to_owned));
        let text = format!("{} ran on {}, which is not trusted", url(run), branch.unwrap_or("no branch"));
        none(&world, &[&text]).await;
    }
    // A newer one from there takes nothing from the trusted one.
    each(&world, |run, _| run.head_branch = Some("main".into()));
    another(&world, EvidenceEvent::WorkflowDispatch, |run, _| run.head_branch = Some("evil".into()));
    found(&world, run).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispatch_that_began_before_the_candidate_was_published_says_nothing() {
    let world = with(EvidenceEvent::WorkflowDispatch).await;
    let published = world.github().state().release(RC).unwrap().published_at.unwrap();
    each(&world, |run, _| (run.created_at, run.started_at) = (published - 1, published - 1));
    none(&world, &["e2e.yaml on workflow_dispatch: there is no run on main since 20"]).await;
    // Run again later, it still tested what it was told to before there was a candidate.
    each(&world, |run, _| run.started_at = published + 60);
    none(&world, &["there is no run on main since"]).await;
    each(&world, |run, _| run.created_at = published);
    let run = world.github().state().runs[0].id;
    found(&world, run).await;
    world.github().state().release_mut(RC).unwrap().draft = true;
    let before = world.snapshot();
    let ran = world.run().await;
    refused(&ran, "gate", &["v1.6.2-rc.1 has no release, so no run can have begun after it"]);
    before.assert_same(&world.snapshot(), "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_known_by_its_whole_name() {
    let world = with(EvidenceEvent::WorkflowDispatch).await;
    let run = world.github().state().runs[0].id;
    for name in [JOB, "nightly / E2E 1.6.2-rc.1", "a / b / E2E 1.6.2-rc.1"] {
        each(&world, |_, job| job.name = name.into());
        found(&world, run).await;
    }
    for name in [
        "E2E 1.6.2-rc.10",
        "E2E 1.6.2-rc.11",
        "E2E 11.6.2-rc.1",
        "E2E 1.6.2-rc.1 (retry)",
        "notE2E 1.6.2-rc.1",
        "nightly/E2E 1.6.2-rc.1",
        "nightly /E2E 1.6.2-rc.1",
        "e2e 1.6.2-rc.1",
        "E2E 1.6.2-rc.1 / cleanup",
        "E2E",
        "",
    ] {
        each(&world, |_, job| job.name = name.into());
        none(&world, &["e2e.yaml on workflow_dispatch: there is no run on main since"]).await;
    }
}

/// The newest run that was about this candidate, not an older one that went well.
#[tokio::test(flavor = "multi_thread")]
async fn of_dispatched_runs_the_newest_of_this_candidate_counts() {
    let world = with(EvidenceEvent::WorkflowDispatch).await;
    let first = world.github().state().runs[0].id;
    another(&world, EvidenceEvent::WorkflowDispatch, |_, job| job.name = "E2E 1.6.2-rc.10".into());
    found(&world, first).await;
    let going = another(&world, EvidenceEvent::WorkflowDispatch, |run, job| {
        (run.status, run.conclusion) = (Some("queued".into()), None);
        (job.status, job.conclusion) = ("queued".into(), None);
    });
    none(&world, &[&format!("{} is queued", url(going))]).await;
    let red = another(&world, EvidenceEvent::WorkflowDispatch, |run, job| {
        (run.conclusion, job.conclusion) = (Some("failure".into()), Some("timed_out".into()));
    });
    none(&world, &[&format!("{} ended as timed_out", url(red))]).await;
    let green = another(&world, EvidenceEvent::WorkflowDispatch, |_, _| {});
    found(&world, green).await;
}
