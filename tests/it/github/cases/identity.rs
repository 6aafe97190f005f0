//! Who runs sealift: a workflow's token, somebody outside the allow-list, a maintainer who goes on.

use sealift::engine::State;

use super::{
    Writes, fresh, maintainer, merged, nothing_public, pull_body, refused, refused_untouched, session_as, waiting,
};
use crate::support::github::{How, Level, Token};
use crate::support::world::{Session, World};

/// `GITHUB_TOKEN`, with everything that a workflow can ask for it.
fn workflow_token() -> Token {
    let write = ["contents", "pull_requests", "issues", "actions"].map(|name| (name, Level::Write));
    Token::actions("ghs_workflow", &write)
}

fn workflow(world: &World) -> Session {
    session_as(world, workflow_token())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflows_token_is_refused_before_anything_is_written() {
    let world = fresh().await;
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let texts = [
        "a pull request that is opened with GITHUB_TOKEN starts no checks",
        "use a GitHub App (--github-app-id, --github-app-key-file)",
        "`proposal.checks_by_hand: true`",
    ];
    refused_untouched(&workflow(&world).run(&world.request()).await, "gate", &texts, &before, &world);
    refused_untouched(&workflow(&world).plan(&world.request()).await, "gate", &texts, &before, &world);
    writes.none();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflows_token_can_not_start_the_workflow_of_the_tag() {
    let world = fresh().await;
    let before = world.snapshot();
    let mut session = workflow(&world);
    let proposal = session.pipeline.proposal.as_mut().unwrap();
    proposal.checks_by_hand = true;
    proposal.authors.push("github-actions[bot]".into());
    let texts = [
        "a tag that is pushed with GITHUB_TOKEN starts no workflow, and tags.yaml must start",
        "release.starts: tags.yaml",
        "use a GitHub App",
    ];
    refused_untouched(&session.run(&world.request()).await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_by_hand_let_a_workflows_token_propose_and_say_what_is_left_to_do() {
    let world = fresh().await;
    let mut session = workflow(&world);
    let proposal = session.pipeline.proposal.as_mut().unwrap();
    proposal.checks_by_hand = true;
    proposal.authors.push("github-actions[bot]".into());
    session.pipeline.release.starts = None;
    session.run(&world.request()).await.must_be(State::Waiting);
    assert!(pull_body(&world, 1).contains("- [ ] start the checks: what opened this pull request starts none"));
    assert_eq!(world.github().state().pull(1).unwrap().author, "github-actions[bot]");
    world.github().merge_pull(1, How::Merge);
    session.run(&world.request()).await.must_be(State::Holds);
}

/// After the merge, too: the tag that it pushed would start nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_workflows_token_does_not_finish_where_the_tag_must_start_something() {
    let (world, _) = merged().await;
    let writes = Writes::of(&world);
    let ran = workflow(&world).run(&world.request()).await;
    refused(&ran, "gate", &["starts no workflow, and tags.yaml must start"]);
    assert!(ran.acted().is_empty());
    writes.none();
    nothing_public(&world);
    let mut session = workflow(&world);
    session.pipeline.release.starts = None;
    session.run(&world.request()).await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_outside_the_allow_list_is_refused_before_anything_is_written() {
    let world = fresh().await;
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let texts = [
        "finalization would not trust a pull request of maria",
        "proposal.authors: cozystack-ci[bot]",
        "use the credential of one of them, or add this one to `proposal.authors`",
    ];
    refused_untouched(&maintainer(&world).run(&world.request()).await, "gate", &texts, &before, &world);
    writes.none();
    // Logins don't differ by case.
    let mut session = maintainer(&world);
    session.pipeline.proposal.as_mut().unwrap().authors.push("MARIA".into());
    session.run(&world.request()).await.must_be(State::Waiting);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_by_somebody_else_is_refused_where_none_is_open_yet() {
    let world = super::pinned().await;
    let writes = Writes::of(&world);
    let ran = maintainer(&world).run(&world.request()).await;
    refused(&ran, "propose", &["finalization would not trust a pull request of maria"]);
    writes.none();
}

/// The maintainer who resumes a promotion opens nothing, so nothing is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_maintainer_goes_on_with_what_is_proposed_and_finishes_it() {
    let world = waiting().await;
    world.github().state().pull_mut(1).unwrap().labels.clear();
    let ran = maintainer(&world).run(&world.request()).await;
    ran.must_be(State::Waiting);
    assert_eq!(ran.acted(), ["label-pull pull request from release-1.6.2 -> label release"]);
    maintainer(&world).plan(&world.request()).await.must_be(State::Waiting);
    world.github().merge_pull(1, How::Merge);
    maintainer(&world).run(&world.request()).await.must_be(State::Holds);
}
