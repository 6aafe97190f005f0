//! What a commit says of evidence, once a promotion has begun: whoever may push can write a commit.

use sealift::engine::State;
use sealift::pipeline::EvidenceEvent;

use super::super::{STAGING, Writes, fresh, noted, refused, refused_untouched, staging};
use super::{another, each, url, with};
use crate::support::github::Act;
use crate::support::world::World;

/// A promotion that somebody began by hand: sealift's own tree and parent, and another word on evidence.
async fn forged(world: World, line: Option<&str>) -> World {
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let (origin, ours) = (world.origin(), staging(&world));
    let said = world.sandbox.git(&origin, &["log", "-1", "--format=%B", &ours]);
    let lines = said.lines().filter(|line| !line.starts_with("Sealift-Evidence"));
    let mut message = String::new();
    for said in lines {
        message.extend(line.filter(|_| said.starts_with("Signed-off-by: ")).map(|line| format!("{line}\n")));
        message.push_str(&format!("{said}\n"));
    }
    let (tree, parent) = (format!("{ours}^{{tree}}"), format!("{ours}^"));
    let parent = world.sandbox.git(&origin, &["rev-parse", &parent]);
    let commit = world.sandbox.git(&origin, &["commit-tree", &tree, "-p", &parent, "-m", &message]);
    assert_ne!(commit, ours);
    world.set_ref(&format!("refs/heads/{STAGING}"), &commit);
    world
}

/// The same, naming a run.
async fn naming(world: World, run: u64) -> World {
    forged(world, Some(&format!("Sealift-Evidence: {}", url(run)))).await
}

async fn refused_at_the_gate(world: &World, texts: &[&str]) {
    let (before, writes) = (world.snapshot(), Writes::of(world));
    let commit =
        world.sandbox.git(&world.origin(), &["log", "-1", "--format=%H", "--grep=^Sealift-Rc-Commit: ", STAGING]);
    let mut all = vec![commit.as_str(), "find out who wrote that commit", "sealift abandon v1.6.2"];
    all.extend(texts);
    refused_untouched(&world.run().await, "gate", &all, &before, world);
    refused_untouched(&world.plan().await, "gate", &all, &before, world);
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_begun_without_evidence_is_refused_and_taken_back() {
    let world = forged(fresh().await, None).await;
    refused_at_the_gate(&world, &["the promotion of v1.6.2-rc.1 was begun without evidence, and some is declared"])
        .await;
    // As it says.
    world.session().abandon(&world.request(), false).await.must_be(State::Holds);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", "evidence: a green end-to-end run");
    // Merged before anybody looked, nothing public comes of it.
    let world = forged(fresh().await, None).await;
    let mut none = world.session();
    none.pipeline.evidence.clear();
    none.run(&world.request()).await.must_be(State::Waiting);
    world.merge();
    refused(
        &world.run().await,
        "gate",
        &["was begun without evidence", "cut the next release candidate from the base"],
    );
    super::super::nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_that_is_none_of_the_candidates_is_refused() {
    let world = with(EvidenceEvent::Push).await;
    let other = another(&world, EvidenceEvent::Push, |run, _| run.head_sha = "1".repeat(40));
    let red = another(&world, EvidenceEvent::Push, |_, job| job.conclusion = Some("failure".into()));
    another(&world, EvidenceEvent::Push, |_, _| {});
    let none = format!("tags.yaml on push: run {other} is none that counts");
    let text = |run: u64| format!("the recorded run is no green end-to-end run of v1.6.2-rc.1: {}", url(run));
    refused_at_the_gate(&naming(world.copy(), other).await, &[&text(other), &none]).await;
    let ended = format!("{} ended as failure", url(red));
    refused_at_the_gate(&naming(world.copy(), red).await, &[&text(red), &ended]).await;
    let elsewhere = forged(world, Some("Sealift-Evidence: https://example.org/green")).await;
    refused_at_the_gate(&elsewhere, &["the recorded evidence is no workflow run: https://example.org/green"]).await;
    // A dispatched one from a branch that nobody trusts.
    let world = with(EvidenceEvent::WorkflowDispatch).await;
    let evil = another(&world, EvidenceEvent::WorkflowDispatch, |run, _| run.head_branch = Some("evil".into()));
    let texts = [text(evil), format!("{} ran on evil, which is not trusted", url(evil))];
    refused_at_the_gate(&naming(world, evil).await, &texts.each_ref().map(String::as_str)).await;
}

/// It was the newest when the promotion began: what ran since is not asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_counts_whichever_ran_after_it() {
    for event in [EvidenceEvent::Push, EvidenceEvent::WorkflowDispatch] {
        let world = with(event).await;
        let run = world.github().state().runs[0].id;
        world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
        another(&world, event, |_, job| job.conclusion = Some("failure".into()));
        let ran = world.run().await;
        ran.must_be(State::Waiting);
        noted(&ran, "gate", &format!("evidence: a green end-to-end run, {}", url(run)));
        // Run again and red, it is green no more.
        each(&world, |_, job| job.conclusion = Some("failure".into()));
        refused_at_the_gate(&world, &[&format!("{} ended as failure", url(run))]).await;
    }
}

/// Where a pipeline declares none any more, none is asked for; and one source that knows it is enough.
#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_is_looked_for_in_every_declared_source() {
    let world = fresh().await;
    let dispatched = world.github().state().runs.iter().find(|run| run.event != "push").unwrap().id;
    another(&world, EvidenceEvent::Push, |_, job| job.conclusion = Some("failure".into()));
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    world.github().fault("GET", "*/actions/workflows/tags.yaml/runs*", 1..=usize::MAX, Act::status(403));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", &format!("evidence: a green end-to-end run, {}", url(dispatched)));
    each(&world, |_, job| job.conclusion = Some("failure".into()));
    refused(&world.run().await, "gate", &["can't be known: "]);
    let mut none = world.session();
    none.pipeline.evidence.clear();
    none.run(&world.request()).await.must_be(State::Waiting);
}

/// Gone is said, for nobody can look any more; not being told is neither.
#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_that_is_gone_is_noted_and_one_that_can_not_be_looked_at_is_refused() {
    let world = with(EvidenceEvent::Push).await;
    let run = world.github().state().runs[0].id;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    for target in ["*/actions/workflows/tags.yaml/runs*", "*/actions/runs/*/jobs*"] {
        let world = world.copy();
        world.github().fault("GET", target, 1..=usize::MAX, Act::status(403));
        let ran = world.run().await;
        refused(&ran, "gate", &["can't be known: "]);
        assert!(ran.acted().is_empty());
    }
    world.github().state().runs.clear();
    world.github().state().jobs.clear();
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", &format!("the recorded run is gone, and can't be looked at again: {}", url(run)));
}
