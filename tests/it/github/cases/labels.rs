//! The label: what finalization looks for, put on apart from opening, since a run can die between the two.

use sealift::engine::{self, Proposed, State};

use super::{calls, failed, pinned, waiting};
use crate::support::github::state::Label;
use crate::support::github::{Act, How};

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_died_before_the_label_is_mended_by_the_next() {
    let world = pinned().await;
    world.github().fault("POST", "*/labels", 1..=1, Act::hang_up());
    failed(&world.run().await, &["label-pull pull request from release-1.6.2", "label release"]);
    assert_eq!(world.github().state().pull(1).unwrap().labels, Vec::<String>::new());
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert_eq!(ran.acted(), ["label-pull pull request from release-1.6.2 -> label release"]);
    assert_eq!(world.github().state().pull(1).unwrap().labels, ["release"]);
    assert_eq!(calls(&world, "POST", "/pulls"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opening_whose_answer_is_lost_is_looked_up_and_labelled() {
    let world = pinned().await;
    world.github().fault("POST", "*/pulls", 1..=1, Act::done_but_hung_up());
    world.run().await.must_be(State::Waiting);
    assert_eq!(calls(&world, "POST", "/pulls"), 1);
    assert_eq!(world.github().state().pull(1).unwrap().labels, ["release"]);
}

/// GitHub doesn't tell capitals apart, and answers with the label as the repository has it.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_the_repository_spells_with_capitals_is_the_same() {
    let world = pinned().await;
    let label = Label { id: 7, name: "Release".into(), color: "ededed".into(), description: None };
    world.github().state().labels.push(label);
    world.run().await.must_be(State::Waiting);
    assert_eq!(world.github().state().pull(1).unwrap().labels, ["Release"]);
    let again = world.run().await;
    again.must_be(State::Waiting);
    assert!(again.acted().is_empty(), "{:?}", again.acted());
    world.github().merge_pull(1, How::Merge);
    let proposed = engine::proposed_by(1, &world.session().looker()).await.unwrap();
    assert_eq!(proposed, Proposed::Promotion(world.rc.stable));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_a_person_took_off_is_put_on_again_and_other_labels_stay() {
    let world = waiting().await;
    world.github().state().pull_mut(1).unwrap().labels = vec!["kind/release".into(), "Release notes".into()];
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert_eq!(ran.acted().len(), 1);
    assert_eq!(world.github().state().pull(1).unwrap().labels, ["kind/release", "Release notes", "release"]);
}
