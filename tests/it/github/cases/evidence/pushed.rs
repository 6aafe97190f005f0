//! Runs that the push of a candidate's tag started.

use sealift::pipeline::EvidenceEvent;

use super::super::{RC, names};
use super::{another, each, found, none, tagged, unknown, url, with};

#[tokio::test(flavor = "multi_thread")]
async fn of_pushed_runs_only_the_newest_counts() {
    let world = with(EvidenceEvent::Push).await;
    let older = world.github().state().runs[0].id;
    found(&world, older).await;
    let red = another(&world, EvidenceEvent::Push, |run, job| {
        (run.conclusion, job.conclusion) = (Some("failure".into()), Some("failure".into()));
    });
    none(&world, &[&format!("tags.yaml on push: {} ended as failure", url(red))]).await;
    let green = another(&world, EvidenceEvent::Push, |_, _| {});
    found(&world, green).await;
    // A run that is still going is the newest all the same.
    let going = another(&world, EvidenceEvent::Push, |run, job| {
        (run.status, run.conclusion) = (Some("in_progress".into()), None);
        (job.status, job.conclusion) = ("in_progress".into(), None);
    });
    none(&world, &[&format!("{} is in_progress", url(going))]).await;
    let without = another(&world, EvidenceEvent::Push, |_, job| job.name = "Lint".into());
    none(&world, &[&format!("{} has no job `E2E`", url(without))]).await;
    let cancelled = another(&world, EvidenceEvent::Push, |run, job| {
        (run.conclusion, job.conclusion) = (Some("cancelled".into()), Some("cancelled".into()));
    });
    none(&world, &[&format!("{} ended as cancelled", url(cancelled))]).await;
}

/// A run of the same second that was numbered later is newer.
#[tokio::test(flavor = "multi_thread")]
async fn of_runs_of_one_second_the_last_one_counts() {
    for event in [EvidenceEvent::Push, EvidenceEvent::WorkflowDispatch] {
        let world = with(event).await;
        let first = world.github().state().runs[0].created_at;
        let red = another(&world, event, |run, job| {
            run.created_at = first;
            job.conclusion = Some("failure".into());
        });
        none(&world, &[&format!("{} ended as failure", url(red))]).await;
        let green = another(&world, event, |run, _| run.created_at = first);
        found(&world, green).await;
    }
}

/// The run as a whole may be red for another job's sake; the declared job is what counts.
#[tokio::test(flavor = "multi_thread")]
async fn the_job_counts_and_not_the_run() {
    let world = with(EvidenceEvent::Push).await;
    let run = another(&world, EvidenceEvent::Push, |run, _| run.conclusion = Some("failure".into()));
    world.github().state().add_job(run, "Lint");
    world.github().state().jobs.last_mut().unwrap().conclusion = Some("failure".into());
    found(&world, run).await;
    // Of two jobs of the name both must be green.
    let other = world.github().state().add_job(run, "caller / E2E");
    found(&world, run).await;
    world.github().state().jobs.iter_mut().find(|job| job.id == other).unwrap().conclusion = Some("skipped".into());
    none(&world, &[&format!("{} ended as skipped", url(run))]).await;
    // Of a re-run only the latest attempt counts.
    world.github().state().runs.iter_mut().find(|known| known.id == run).unwrap().attempt = 2;
    none(&world, &[&format!("{} has no job `E2E`", url(run))]).await;
    world.github().state().add_job(run, "E2E");
    world.github().state().jobs.last_mut().unwrap().attempt = 2;
    found(&world, run).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_another_commit_says_nothing() {
    let world = with(EvidenceEvent::Push).await;
    let commit = tagged(&world);
    let built = names(&world, "refs/heads/release-1.6.2-rc.1");
    each(&world, |run, _| run.head_sha = built.clone());
    none(&world, &[&format!("tags.yaml on push: there is no run of {commit}")]).await;
    each(&world, |run, _| {
        run.head_sha = commit.clone();
        run.event = "schedule".into();
    });
    none(&world, &[&format!("there is no run of {commit}")]).await;
}

/// GitHub lists no more than a thousand: what is behind them can't be known.
#[tokio::test(flavor = "multi_thread")]
async fn a_listing_that_reaches_githubs_cap_is_unknown() {
    let world = with(EvidenceEvent::Push).await;
    let sha = tagged(&world);
    for _ in 0..999 {
        world.github().state().add_run("tags.yaml", "push", RC, &sha);
    }
    let text =
        "the push runs of tags.yaml of cozystack/cozystack: the server answered 200: GitHub lists no more than 1000";
    unknown(&world, &["tags.yaml on push: can't be known: ", text]).await;
    world.github().state().count_past_cap = true;
    unknown(&world, &["tags.yaml on push: can't be known: ", text]).await;
}
