//! What is frozen stays frozen, whatever the branches do afterwards.

use sealift::engine::State;
use sealift::promotion::locate::Request;

use super::{LINE, PACKAGE, RC_BRANCH, STAGING, fresh, merged, noted, refused_untouched, undisturbed, waiting};
use crate::support::world::MAIN;

fn version() -> Request {
    Request::Version("1.6.2".parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_added_to_the_rc_branch_after_freezing_change_nothing() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let frozen = world.names_of(&format!("refs/heads/{RC_BRANCH}")).unwrap();
    let late = world.person_commits(RC_BRANCH, PACKAGE, "late: true\n");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", &format!("has moved to {late} since; {frozen} is what is promoted"));
    world.merge();
    world.run().await.must_be(State::Holds);
    let difference = wanted.difference(&world.snapshot());
    assert_eq!(difference, [format!("~ refs/heads/{RC_BRANCH}: {frozen} became {late}")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_added_to_the_rc_branch_before_freezing_is_refused_since_it_was_not_tested() {
    let world = fresh().await;
    world.person_commits(RC_BRANCH, "packages/apps/postgres/README.txt", "late\n");
    let before = world.snapshot();
    let ran = world.run().await;
    let texts =
        ["the rc artifact does not hold what the candidate's branch holds", "apps/postgres/README.txt", "rule 3"];
    refused_untouched(&ran, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_outside_the_root_on_the_rc_branch_is_refused() {
    let world = fresh().await;
    world.person_commits(RC_BRANCH, "hack/tool.sh", "late\n");
    let before = world.snapshot();
    let texts = ["changes more than packages and allowed paths since v1.6.2-rc.1", "hack/tool.sh"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_candidate_is_written_into_the_content_commit() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let log = ["log", "-1", "--format=%(trailers:only,unfold)%n%an <%ae>%n%ad%n%G?", "--date=raw", STAGING];
    let said = world.sandbox.git(&world.origin(), &log);
    let rc = world.names_of(&format!("refs/heads/{RC_BRANCH}")).unwrap();
    let identity = &world.pipeline().identity;
    for line in [
        "Sealift-Pipeline: cozystack".to_owned(),
        "Sealift-Rc: v1.6.2-rc.1".to_owned(),
        format!("Sealift-Rc-Commit: {rc}"),
        "Sealift-Rc-Artifact: sha256:".to_owned(),
        "Sealift-Base: main".to_owned(),
        format!("{} <{}>", identity.name, identity.email),
    ] {
        assert!(said.contains(&line), "`{line}` is not in:\n{said}");
    }
    let date = world.sandbox.git(&world.origin(), &["log", "-1", "--format=%ct", RC_BRANCH]);
    assert!(said.contains(&format!("{date} +0000\nN")), "the candidate's date, no signature:\n{said}");
    let parent = world.sandbox.git(&world.origin(), &["rev-parse", &format!("{STAGING}^")]);
    assert_eq!(parent, rc);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_resumed_without_naming_its_candidate() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    world.delete_branch(RC_BRANCH);
    world.session().run(&version()).await.must_be(State::Waiting);
    world.merge();
    world.delete_branch(STAGING);
    world.session().run(&version()).await.must_be(State::Holds);
    let difference = wanted.difference(&world.snapshot());
    assert!(difference.iter().all(|line| line.starts_with("- refs/heads/release-1.6.2")), "{difference:?}");
    assert_eq!(difference.len(), 2, "{difference:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_nobody_promotes_is_refused_and_the_way_to_begin_is_said() {
    let world = fresh().await;
    let before = world.snapshot();
    let ran = world.session().run(&version()).await;
    let texts = ["no promotion of v1.6.2 is under way", "sealift run v1.6.2-rc.N"];
    refused_untouched(&ran, "gate", &texts, &before, &world);
}

/// The base is part of what is frozen: a line that appears later is not it.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_created_by_hand_while_waiting_does_not_become_the_base() {
    let world = waiting().await;
    let old = world.names_of(&format!("refs/heads/{MAIN}")).unwrap();
    world.set_ref(&format!("refs/heads/{LINE}"), &old);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    let state = world.github().state();
    assert_eq!((state.pulls.len(), state.pulls[0].base_ref.as_str()), (1, MAIN), "{}", ran.told());
    assert_eq!(ran.acted(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_created_by_hand_after_the_merge_is_fast_forwarded_though_the_branch_is_gone() {
    for request in [None, Some(version())] {
        let (world, merge) = merged().await;
        let wanted = {
            let copy = world.copy();
            copy.delete_branch(STAGING);
            copy.run().await.must_be(State::Holds);
            copy.snapshot()
        };
        let old = world.sandbox.git(&world.origin(), &["rev-parse", &format!("{merge}^1")]);
        world.set_ref(&format!("refs/heads/{LINE}"), &old);
        world.delete_branch(STAGING);
        let ran = world.session().run(&request.unwrap_or(world.request())).await;
        ran.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), "the frozen base has the merge");
    }
}
