//! Commits that look like sealift's and are somebody else's.

use sealift::engine::State;
use sealift::model::Digest;

use super::{
    PACKAGE, PACKAGES, RC_BRANCH, STAGING, TAG, fresh, nothing_public, only_rendered, refused_untouched, waiting,
};
use crate::support::world::{MAIN, World};

fn message(world: &World, revision: &str) -> String {
    world.sandbox.git(&world.origin(), &["log", "-1", "--format=%B", revision])
}

/// A commit in the origin with a tree and parents of one's own choosing.
fn commit(world: &World, tree: &str, parents: &[&str], message: &str) -> String {
    let tree = format!("{tree}^{{tree}}");
    let mut words = vec!["commit-tree", &tree, "-m", message];
    parents.iter().for_each(|parent| words.extend(["-p", parent]));
    world.sandbox.git(&world.origin(), &words)
}

fn trailers(world: &World, rc_commit: &str, artifact: &str) -> String {
    format!(
        "docs: nothing\n\nSealift-Pipeline: {}\nSealift-Rc: v1.6.2-rc.1\nSealift-Rc-Commit: {rc_commit}\n\
         Sealift-Rc-Artifact: {artifact}\nSealift-Base: main\n",
        world.pipeline().name
    )
}

/// A commit on the base that names the candidate, with whatever it says of it.
#[tokio::test(flavor = "multi_thread")]
async fn trailers_on_the_base_do_not_decide_what_is_promoted() {
    let world = waiting().await;
    let main = world.names_of("refs/heads/main").unwrap();
    let lie = trailers(&world, &main, &Digest::of(b"evil").to_string());
    world.set_ref("refs/heads/main", &commit(&world, &main, &[&main], &lie));
    world.run().await.must_be(State::Waiting);
    let merge = world.merge();
    world.delete_branch(STAGING);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(merge));
}

/// The same before anything has begun: what is frozen is what the gate can prove.
#[tokio::test(flavor = "multi_thread")]
async fn trailers_on_the_base_before_freezing_name_nothing_that_was_not_tested() {
    for rc_commit in ["HEAD", &"1".repeat(40)] {
        let world = fresh().await;
        let main = world.names_of("refs/heads/main").unwrap();
        let rc_commit = if rc_commit == "HEAD" { &main } else { rc_commit };
        let lie = trailers(&world, rc_commit, &Digest::of(b"evil").to_string());
        world.set_ref("refs/heads/main", &commit(&world, &main, &[&main], &lie));
        world.promote().await;
        let rc = world.names_of(&format!("refs/heads/{RC_BRANCH}")).unwrap();
        let content = world.sandbox.git(&world.origin(), &["log", "--format=%H", "--grep=^Sealift-Rc-Commit: ", TAG]);
        let said: Vec<String> = content.lines().map(|commit| message(&world, commit)).collect();
        assert!(said.iter().any(|said| said.contains(&format!("Sealift-Rc-Commit: {rc}"))), "{said:?}");
    }
}

/// A damaged or made-up trailer somewhere in the base's history is no reason to stop for ever.
#[tokio::test(flavor = "multi_thread")]
async fn trailers_that_cannot_be_read_stop_nothing() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    for text in ["docs\n\nSealift-Rc: soon\n", "docs\n\nSealift-Rc: v1.7.0-rc.1\n", "docs\n\nSealift-Rc: v1.6.2-rc.1\n"]
    {
        let main = world.names_of("refs/heads/main").unwrap();
        world.set_ref("refs/heads/main", &commit(&world, &main, &[&main], text));
    }
    world.run().await.must_be(State::Waiting);
    world.merge();
    world.delete_branch(STAGING);
    world.run().await.must_be(State::Holds);
}

/// A content commit of one's own on the right parent, with another tree.
#[tokio::test(flavor = "multi_thread")]
async fn a_content_commit_with_another_tree() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let (content, rc) = (STAGING.to_owned(), world.names_of(&format!("refs/heads/{RC_BRANCH}")).unwrap());
    let said = message(&world, &content);
    let evil = world.person_commits(STAGING, PACKAGE, "evil: true\n");
    world.set_ref(&format!("refs/heads/{STAGING}"), &commit(&world, &evil, &[&rc], &said));
    let before = world.snapshot();
    let texts = ["holds another tree than its candidate and this pipeline give", "postgres/values.yaml"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

/// A content commit that says another artifact was tested than was.
#[tokio::test(flavor = "multi_thread")]
async fn a_content_commit_that_names_another_artifact() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let rc = world.names_of(&format!("refs/heads/{RC_BRANCH}")).unwrap();
    let said = message(&world, STAGING);
    let (start, end) = said.split_once("Sealift-Rc-Artifact: sha256:").unwrap();
    let other = super::foreign(&world, &format!("{PACKAGES}:some-rc.other")).await;
    let lie = format!("{start}Sealift-Rc-Artifact: {other}{}", &end[64..]);
    world.set_ref(&format!("refs/heads/{STAGING}"), &commit(&world, STAGING, &[&rc], &lie));
    let ran = world.run().await;
    ran.must_be(State::Refused);
    let said: Vec<&str> = ran.stage("gate").unwrap().refusals.iter().map(|refusal| refusal.message.as_str()).collect();
    assert!(said[0].contains("cozystack-packages:v1.6.2-rc.1 names") && said[0].contains(&other), "{said:?}");
    assert!(said[1].contains("was not built from v1.6.2-rc.1"), "{said:?}");
    nothing_public(&world);
}

/// Two commits on top of the content claim to be its pin.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_pin_beside_the_real_one() {
    for first_parent in [true, false] {
        let world = waiting().await;
        let pin = world.names_of(&format!("refs/heads/{STAGING}")).unwrap();
        let content = world.sandbox.git(&world.origin(), &["rev-parse", &format!("{pin}^")]);
        let evil = Digest::of(b"evil").to_string();
        let forged = commit(&world, &content, &[&content], &format!("pin\n\nSealift-Artifact: {evil}\n"));
        let parents = if first_parent { [forged.as_str(), &pin] } else { [pin.as_str(), &forged] };
        let joined = commit(&world, &pin, &parents, "merge");
        world.set_ref(&format!("refs/heads/{STAGING}"), &joined);
        let ran = world.run().await;
        ran.must_be(State::Waiting);
        only_rendered(&ran);
        world.merge();
        world.delete_branch(STAGING);
        world.run().await.must_be(State::Holds);
        // And it stays the pin when the base has gone on.
        world.person_commits(MAIN, "packages/core/installer/values.yaml", "gone: on\n");
        let again = world.run().await;
        again.must_be(State::Holds);
        assert!(again.acted().is_empty(), "{:?}", again.acted());
    }
}

/// Only the forged pin is there: it pins what is no promotion's artifact.
#[tokio::test(flavor = "multi_thread")]
async fn a_pin_of_another_artifact() {
    let world = waiting().await;
    let pin = world.names_of(&format!("refs/heads/{STAGING}")).unwrap();
    let content = world.sandbox.git(&world.origin(), &["rev-parse", &format!("{pin}^")]);
    let said = message(&world, &pin);
    let real = said.split("Sealift-Artifact: ").nth(1).unwrap().lines().next().unwrap().to_owned();
    let rc =
        message(&world, &content).split("Sealift-Rc-Artifact: ").nth(1).unwrap().lines().next().unwrap().to_owned();
    // The candidate's own artifact under the candidate's own pin: real, trusted, and not this promotion's.
    let values =
        world.sandbox.git(&world.origin(), &["show", &format!("{pin}:packages/core/installer/values.yaml")]) + "\n";
    let evil = world.person_commits(STAGING, "packages/core/installer/values.yaml", &values.replace(&real, &rc));
    let forged = commit(&world, &evil, &[&content], &said.replace(&real, &rc));
    world.set_ref(&format!("refs/heads/{STAGING}"), &forged);
    let before = world.snapshot();
    let ran = world.run().await;
    refused_untouched(&ran, "push", &[&rc, "is not this promotion's artifact", "its config is"], &before, &world);
    nothing_public(&world);
}

/// The trailer says one artifact, the tree another.
#[tokio::test(flavor = "multi_thread")]
async fn a_pin_whose_tree_says_otherwise() {
    let world = waiting().await;
    let pin = world.names_of(&format!("refs/heads/{STAGING}")).unwrap();
    let content = world.sandbox.git(&world.origin(), &["rev-parse", &format!("{pin}^")]);
    let forged = commit(&world, &content, &[&content], &message(&world, &pin));
    world.set_ref(&format!("refs/heads/{STAGING}"), &forged);
    let before = world.snapshot();
    let texts = ["holds more than the pin", "packages/core/installer/values.yaml", "sealift abandon"];
    refused_untouched(&world.run().await, "pin", &texts, &before, &world);
}

/// A person's commit with sealift's trailer is still a person's.
#[tokio::test(flavor = "multi_thread")]
async fn a_persons_commit_with_our_trailer_is_not_lost_by_abandon() {
    let world = waiting().await;
    let clone = world.clone_of(STAGING);
    world.sandbox.write(&clone, super::CHANGELOG, "# v1.6.2\n");
    let trailer = format!("docs: changelog\n\nSealift-Artifact: {}", Digest::of(b"any"));
    let person = world.sandbox.commit_all(&clone, &trailer);
    world.push(&clone, &["HEAD"]);
    let before = world.snapshot();
    let ran = world.session().abandon(&world.request(), false).await;
    refused_untouched(&ran, "abandon", &[&person, "--discard"], &before, &world);
}
