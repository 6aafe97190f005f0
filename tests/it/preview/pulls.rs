//! Which pull request it is, which tree of it, and which candidate.

use super::*;
use sealift::preview::{Kind, Outlook, Source, Standing};

use crate::support::github::state::Head;

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_pull_request_shows_all_that_a_promotion_of_it_would_do() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "build: stamp the images");
    let before = world.snapshot();
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    before.assert_same(&world.snapshot(), "a preview writes nothing");
    let preview = preview(&ran);
    assert_eq!(preview.outlook, Outlook::Clean);
    let version = preview.version.as_ref().unwrap();
    assert_eq!((version.rc.as_deref(), version.source), (Some("v1.6.2-rc.1"), Source::Tree));
    let images: Vec<&str> = preview.destinations.iter().map(|d| d.name.as_str()).collect();
    assert!(world.images.keys().all(|name| images.contains(&name.as_str())), "{images:?}");
    let standing = |kind: Kind| if kind == Kind::Alias { Standing::Follows } else { Standing::Free };
    assert!(preview.destinations.iter().all(|d| d.standing == standing(d.kind)), "{:?}", preview.destinations);
    goldens("clean", &ran);
    // What is shown is what the promotion makes: the same files, names and tar.
    let planned = world.plan().await;
    let goal = planned.events.iter().find_map(|event| match event {
        Event::Goal(goal) => Some(goal),
        _ => None,
    });
    let goal = goal.unwrap();
    assert_eq!(goal.changes, preview.changes);
    assert_eq!(goal.diff_id, preview.artifact.as_ref().unwrap().diff_id.to_string());
    assert_eq!(goal.images.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), images[..goal.images.len()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_of_no_candidate_rewrites_nothing_and_shows_the_rest() {
    let world = fresh().await;
    world.promote().await;
    // The release is on `main`: its own tags read stable.
    world.person_commits("main", "docs/x.md", "words\n");
    let number = {
        let clone = world.clone_of("main");
        add(&clone, "docs/y.md", "words\n");
        world.sandbox.commit_all(&clone, "docs");
        world.push(&clone, &["HEAD:refs/heads/docs"]);
        open(&world, "docs", "docs: words")
    };
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    let preview = preview(&ran);
    assert!(preview.version.is_none() && preview.changes.is_empty() && preview.destinations.is_empty());
    assert!(preview.artifact.is_some());
    assert!(preview.notes.iter().any(|note| note.contains("owned digests can be pulled whole")), "{:?}", preview.notes);
    goldens("no-candidate", &ran);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_candidate_is_the_named_one_or_the_only_one() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "build: stamp the images");
    let session = world.session();
    let named = previewed(&session, number, Some("v1.6.2-rc.1")).await;
    assert_eq!(preview(named.must_be(State::Holds)).version.as_ref().unwrap().source, Source::Asked);
    let other = previewed(&session, number, Some("v1.6.2-rc.2")).await;
    other.must_be(State::Refused);
    found(&other, Level::Refusal, Topic::Rewrite, &["nothing to rewrite", "v1.6.2-rc.2"]);
    let mixed = change(&world, |tree| edit(tree, POSTGRES, |text| text.replacen("v1.6.2-rc.1@", "v1.6.2-rc.3@", 1)));
    let mixed = look(&world, mixed).await;
    // Most of its tags tell; the stray one is left of a candidate of the same version.
    mixed.must_be(State::Refused);
    assert_eq!(preview(&mixed).version.as_ref().unwrap().rc.as_deref(), Some("v1.6.2-rc.1"));
    assert_eq!(preview(&mixed).carried, ["v1.6.2-rc.1", "v1.6.2-rc.3"]);
    found(
        &mixed,
        Level::Warning,
        Topic::Rewrite,
        &["other versions than v1.6.2-rc.1", "v1.6.2-rc.3", "name the candidate"],
    );
    found(&mixed, Level::Refusal, Topic::Survivor, &["v1.6.2-rc.3"]);
    // One stray tag of another version decides nothing.
    let world = fresh().await;
    let stray = format!("  stray: {OWNED}/stray:v9.9.9-rc.9@{}\n", sha("stray"));
    let stray = change(&world, |tree| edit(tree, POSTGRES, |text| text + &stray));
    let stray = look(&world, stray).await;
    assert_eq!(preview(&stray).version.as_ref().unwrap().rc.as_deref(), Some("v1.6.2-rc.1"));
    found(&stray, Level::Warning, Topic::Rewrite, &["other versions than v1.6.2-rc.1", "v9.9.9-rc.9"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_looked_at_is_the_merge_with_the_base_as_it_is_now() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "build: stamp the images");
    // The base gets an unclaimed digest in a file that the pull request doesn't touch.
    let bad = format!("stray: {}\n", sha("stray"));
    world.person_commits("main", "packages/system/extra/values.yaml", &bad);
    let ran = look(&world, number).await;
    ran.must_be(State::Refused);
    found(&ran, Level::Refusal, Topic::Unclaimed, &["packages/system/extra/values.yaml:1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_said_and_the_head_is_shown() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "build: stamp the images");
    let text = "backup:\n  images: []\n";
    world.person_commits("main", POSTGRES, text);
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    found(&ran, Level::Warning, Topic::Conflict, &["can't be merged", POSTGRES, "rebase"]);
    assert!(preview(&ran).subject.tree.starts_with("its head "), "{:?}", preview(&ran).subject);
    assert_eq!(preview(&ran).version.as_ref().unwrap().rc.as_deref(), Some("v1.6.2-rc.1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_release_itself_is_shown_by_its_plan_and_its_proof() {
    let world = fresh().await;
    world.run().await.must_be(State::Waiting);
    let number = world.github().state().pulls.last().unwrap().number;
    let before = world.snapshot();
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    before.assert_same(&world.snapshot(), "a preview writes nothing");
    assert_eq!(preview(&ran).version.as_ref().unwrap().source, Source::Release);
    let verify = ran.stage("verify").unwrap();
    assert_eq!(verify.state, State::Holds, "{verify:?}");
    assert!(verify.notes.iter().any(|note| note.contains("what the prospective merge holds")), "{verify:?}");
    let artifact = preview(&ran).artifact.as_ref().unwrap();
    assert!(artifact.digest.is_some(), "it is pinned");
    goldens("release", &ran);
    // A version that is named on top of it changes nothing.
    previewed(&world.session(), number, Some("v1.6.2-rc.7")).await.must_be(State::Holds);
    // The base moves below the root: that was not tested.
    world.person_commits("main", POSTGRES, "backup:\n  images: []\n");
    let ran = look(&world, number).await;
    ran.must_be(State::Refused);
    assert_eq!(ran.stage("verify").unwrap().state, State::Refused);
    assert_eq!(preview(&ran).outlook, Outlook::Refused);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_s_branch_of_a_release_s_name_is_no_release() {
    let world = fresh().await;
    world.run().await.must_be(State::Waiting);
    let number = from_fork(&world, RC_BRANCH, "release-1.6.2");
    let ran = look(&world, number).await;
    let preview = preview(ran.must_be(State::Holds));
    assert!(preview.subject.pull.as_ref().unwrap().fork);
    assert_eq!(preview.version.as_ref().unwrap().source, Source::Tree);
    assert!(ran.stage("gate").is_none(), "no plan of anything is shown");
}

/// A pull request from a fork, whose branch holds what one of ours does. Its number.
pub fn from_fork(world: &World, branch: &str, name: &str) -> u64 {
    let number = open(world, branch, "feat: from a fork");
    let mut state = world.github().state();
    let pull = state.pull_mut(number).unwrap();
    (pull.head, pull.head_ref, pull.author) = (Head::Fork("frida/cozystack".into()), name.into(), "frida".into());
    number
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_credential_everything_public_is_looked_at() {
    let world = fresh().await;
    let number = from_fork(&world, RC_BRANCH, "topic");
    let asked = Asked::Pull(number);
    for token in [None, Some(crate::support::world::hosted::READER)] {
        let session = world.session_as(token);
        let ran = session.preview(&asked, None).await;
        ran.must_be(State::Holds);
        only(&ran, &[]);
        assert!(preview(&ran).destinations.len() > 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_t_be_looked_at_is_an_error_that_says_so() {
    let world = fresh().await;
    let fails = async |number, text: &str| {
        let ran = look(&world, number).await;
        let error = format!("{:#}", ran.state.as_ref().unwrap_err());
        assert!(error.contains(text), "{error}");
        assert!(ran.events.is_empty());
    };
    fails(77, "pull request #77: there is none").await;
    let number = open(&world, RC_BRANCH, "x");
    world.github().state().pull_refs = false;
    world.sandbox.git(&world.origin(), &["update-ref", "-d", &format!("refs/pull/{number}/head")]);
    fails(number, "does not list refs/pull/").await;
    // Plain git has no pull requests.
    let plain = shipped().into_iter().find(|shipped| shipped.pipeline.github().is_none()).unwrap();
    let world = World::build(&Case::of(&plain)).await;
    let ran = look(&world, 1).await;
    assert!(format!("{:#}", ran.state.unwrap_err()).contains("no forge"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_a_pull_request_is_said() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "build: stamp the images");
    world.github().state().pull_mut(number).unwrap().open = false;
    let ran = look(&world, number).await;
    assert!(preview(&ran).notes[0].contains("is closed"), "{:?}", preview(&ran).notes);
}
