//! Which candidate may be promoted, and what becomes of one that came before it.

use sealift::engine::State;
use sealift::model::{Manifest, Rc};
use sealift::pipeline::RcTag;
use sealift::port::registry::{At, RegistryRead, RegistryWrite};
use sealift::promotion::locate::Request;

use super::{
    CHANGELOG, PACKAGE, PACKAGES, RC_BRANCH, STAGING, TAG, altered, cozystack, fresh, noted, refused,
    refused_untouched, untag, waiting,
};
use crate::support::world::{Case, MAIN, World};

const RC_TAG: &str = "refs/tags/v1.6.2-rc.1";

fn rc(n: u32) -> Rc {
    format!("1.6.2-rc.{n}").parse().unwrap()
}

fn file(world: &World, revision: &str, path: &str) -> String {
    world.sandbox.git(&world.origin(), &["show", &format!("{revision}:{path}")])
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_after_the_first_was_abandoned() {
    let world = waiting().await;
    world.session().abandon(&world.request(), false).await.must_be(State::Holds);
    assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), None);
    let temporary = |world: &World| world.snapshot().0.keys().filter(|name| name.contains(":promotion-")).count();
    assert_eq!(temporary(&world), 1, "left to retention");
    let world = world.cut(rc(2), MAIN).await;
    world.promote().await;
    assert_eq!(temporary(&world), 2);
    assert!(file(&world, TAG, "packages/core/installer/values.yaml").contains(":v1.6.2@"));
}

#[tokio::test(flavor = "multi_thread")]
async fn abandoning_keeps_what_people_did_unless_told_otherwise() {
    let world = waiting().await;
    let person = world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n");
    let before = world.snapshot();
    let ran = world.session().abandon(&world.request(), false).await;
    let texts = ["release-1.6.2 holds 1 commits of people", &person, "sealift abandon v1.6.2-rc.1 --discard"];
    refused_untouched(&ran, "abandon", &texts, &before, &world);
    let ran = world.session().abandon(&world.request(), true).await;
    ran.must_be(State::Holds);
    assert!(ran.told().contains(&format!("discarded: {person}")), "{}", ran.told());
    let after = world.snapshot();
    let (hosted, rest): (Vec<_>, Vec<_>) =
        before.difference(&after).into_iter().partition(|line| line.contains(" github "));
    assert_eq!(rest, [format!("- refs/heads/{STAGING} {person}")]);
    assert_eq!(hosted.iter().filter(|line| line.starts_with('+')).count(), 1, "{hosted:?}");
    assert!(hosted.iter().any(|line| line.starts_with("+ github pull release-1.6.2 -> main closed ")), "{hosted:?}");
    assert!(!after.0.keys().any(|name| name.starts_with("github release v1.6.2 ")), "the draft is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_supersedes_the_first_that_is_still_there() {
    for stage in ["commit", "push", "wait"] {
        let world = fresh().await;
        world.session().run_until(&world.request(), stage).await;
        let world = world.cut(rc(2), MAIN).await;
        let wanted = {
            let copy = world.copy();
            copy.delete_branch(STAGING);
            copy.promote().await;
            let mut wanted = copy.snapshot();
            // With the branch its pull request was closed: here the one that is open is kept.
            wanted.0.retain(|name, _| !name.starts_with("github pull release-1.6.2 -> main closed "));
            wanted
        };
        let ran = world.run().await;
        ran.must_be(State::Waiting);
        assert!(ran.told().contains("1.6.2-rc.2 supersedes v1.6.2-rc.1"), "{}", ran.told());
        world.merge();
        world.run().await.must_be(State::Holds);
        wanted.assert_same(&world.snapshot(), stage);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_carries_over_what_people_did_for_the_first_in_one_commit() {
    for stage in ["commit", "wait"] {
        let world = fresh().await;
        world.session().run_until(&world.request(), stage).await;
        world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n");
        let person = world.person_commits(STAGING, "docs/changelogs/more.md", "more\n");
        let world = world.cut(rc(2), MAIN).await;
        world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
        let log = ["log", "--format=%s|%b", &format!("release-1.6.2-rc.2..{STAGING}")];
        let said = world.sandbox.git(&world.origin(), &log);
        assert_eq!(said.matches("|").count(), 2, "one commit on top of the content commit:\n{said}");
        assert!(said.contains("carry over") && said.contains(&format!("From: {person}")), "{said}");
        world.promote().await;
        assert_eq!(file(&world, TAG, CHANGELOG), "# v1.6.2");
        assert_eq!(file(&world, TAG, "docs/changelogs/more.md"), "more");
        assert!(world.run().await.acted().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_does_not_carry_over_what_was_not_tested_and_the_printed_way_on_works() {
    let world = waiting().await;
    world.person_commits(STAGING, PACKAGE, "by: hand\n");
    let world = world.cut(rc(2), MAIN).await;
    let before = world.snapshot();
    let ran = world.run().await;
    let texts = ["holds v1.6.2-rc.1 and changes that can't be carried over", PACKAGE, "--discard"];
    refused_untouched(&ran, "commit", &texts, &before, &world);
    let hint = refused(&ran, "commit", &[]).hint.clone().unwrap();
    let named = hint.split("sealift abandon ").nth(1).unwrap().split(' ').next().unwrap();
    let first = Request::Candidate(named.parse().unwrap());
    world.session().abandon(&first, true).await.must_be(State::Holds);
    world.promote().await;
}

/// The first was merged, found wanting, and its changelog was corrected on the base since.
#[tokio::test(flavor = "multi_thread")]
async fn the_second_does_not_bring_back_what_was_corrected_since_on_the_base() {
    let world = waiting().await;
    world.person_commits(STAGING, CHANGELOG, "draft\n");
    world.advance_base("packages/apps/new/values.yaml");
    world.merge();
    refused(&world.run().await, "verify", &["rule 1"]);
    world.person_commits(MAIN, CHANGELOG, "corrected\n");
    let world = world.cut(rc(2), MAIN).await;
    world.promote().await;
    assert_eq!(file(&world, TAG, CHANGELOG), "corrected");
}

/// Both the first's branch and the second's own tree changed a file: nobody knows which is right.
#[tokio::test(flavor = "multi_thread")]
async fn the_second_refuses_to_choose_between_two_versions_of_a_persons_file() {
    let world = waiting().await;
    let person = world.person_commits(STAGING, CHANGELOG, "for the first\n");
    world.person_commits(MAIN, CHANGELOG, "on the base\n");
    let world = world.cut(rc(2), MAIN).await;
    let before = world.snapshot();
    let texts = ["can't be carried over", CHANGELOG, "--discard"];
    refused_untouched(&world.run().await, "commit", &texts, &before, &world);
    assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), Some(person));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_does_not_come_back_over_the_second() {
    let world = fresh().await.cut(rc(2), MAIN).await;
    world.run().await.must_be(State::Waiting);
    let before = world.snapshot();
    let ran = world.session().run(&Request::Candidate(rc(1))).await;
    let texts = ["release-1.6.2 is held by the promotion of v1.6.2-rc.2", "sealift abandon v1.6.2-rc.2"];
    refused_untouched(&ran, "commit", &texts, &before, &world);
}

/// A branch that is nobody's promotion.
#[tokio::test(flavor = "multi_thread")]
async fn a_branch_with_the_name_of_the_staging_branch_is_left_alone() {
    let world = fresh().await;
    world.set_ref(&format!("refs/heads/{STAGING}"), &world.names_of("refs/heads/main").unwrap());
    let before = world.snapshot();
    let texts = ["release-1.6.2 exists and is not a promotion of v1.6.2", "rename or delete that branch"];
    refused_untouched(&world.run().await, "commit", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_git_tag() {
    let world = fresh().await;
    world.sandbox.git(&world.origin(), &["update-ref", "-d", RC_TAG]);
    let before = world.snapshot();
    let ran = world.run().await;
    ran.must_be(State::Refused);
    assert!(ran.refusals()[0].message.contains("the git tag v1.6.2-rc.1 does not exist"), "{}", ran.told());
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_lightweight_git_tag() {
    let world = fresh().await;
    let commit = world.names_of(RC_TAG).unwrap();
    world.set_ref(RC_TAG, &commit);
    world.promote().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_branch_is_not_built_on_its_tag() {
    let world = fresh().await;
    let other = world.advance_base("docs/changelogs/v1.5.9.md");
    world.set_ref(RC_TAG, &other);
    let before = world.snapshot();
    let ran = world.run().await;
    ran.must_be(State::Refused);
    assert!(ran.refusals()[0].message.contains("release-1.6.2-rc.1 is not built on v1.6.2-rc.1"), "{}", ran.told());
    before.assert_same(&world.snapshot(), "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_branch() {
    let world = fresh().await;
    world.delete_branch(RC_BRANCH);
    let before = world.snapshot();
    let texts = ["the branch release-1.6.2-rc.1 of v1.6.2-rc.1 does not exist", "build the candidate first"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_tag_in_the_registry() {
    let world = fresh().await;
    untag(&world, PACKAGES, "v1.6.2-rc.1");
    let before = world.snapshot();
    let texts = ["cozystack-packages:v1.6.2-rc.1 does not exist", "artifact.rc_tag"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_tag_in_the_registry_where_that_is_declared() {
    let mut shipped = cozystack();
    shipped.pipeline.artifact.rc_tag = RcTag::Optional("the build pushes by digest".into());
    let world = World::build(&Case::of(&shipped)).await;
    untag(&world, PACKAGES, "v1.6.2-rc.1");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", "v1.6.2-rc.1 does not exist (the build pushes by digest)");
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_tag_in_the_registry_names_another_artifact() {
    let world = fresh().await;
    let other = super::foreign(&world, &format!("{PACKAGES}:v1.6.2-rc.1")).await;
    let before = world.snapshot();
    refused_untouched(&world.run().await, "gate", &["cozystack-packages:v1.6.2-rc.1 names", &other], &before, &world);
}

/// Puts an edited manifest of the candidate's artifact under its tag, and its digest on the branch.
async fn reissued(world: &World, edit: impl FnOnce(String) -> String) {
    let repository = world.pipeline().artifact.repository.clone();
    let tag = "v1.6.2-rc.1".parse().unwrap();
    let registries = world.registries();
    let old = registries.manifest(&repository, &At::Tag(tag)).await.known().unwrap().unwrap();
    let new = Manifest::new(edit(String::from_utf8(old.bytes().to_vec()).unwrap()).into_bytes(), None).unwrap();
    registries.put_manifest(&repository, &"v1.6.2-rc.1".parse().unwrap(), &new).await.unwrap();
    let installer = "packages/core/installer/values.yaml";
    let values = file(world, RC_BRANCH, installer) + "\n";
    let values = values.replace(&old.digest().to_string(), &new.digest().to_string());
    world.person_commits(RC_BRANCH, installer, &values);
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_artifact_was_built_from_another_revision() {
    let world = fresh().await;
    let tagged = world.names_of(RC_TAG).unwrap();
    reissued(&world, |manifest| manifest.replace(&tagged, &"0".repeat(40))).await;
    let before = world.snapshot();
    let texts = ["was not built from v1.6.2-rc.1", "its `org.opencontainers.image.revision` is `v1.6.2-rc.1@sha1:0000"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_artifact_is_not_in_the_registry() {
    let world = fresh().await;
    let installer = "packages/core/installer/values.yaml";
    let values = file(&world, RC_BRANCH, installer) + "\n";
    let at = values.find("digest=sha256:").unwrap() + "digest=sha256:".len();
    let gone = "0".repeat(64);
    let values = format!("{}{gone}{}", &values[..at], &values[at + 64..]);
    world.person_commits(RC_BRANCH, installer, &values);
    let before = world.snapshot();
    let ran = world.run().await;
    ran.must_be(State::Refused);
    assert!(ran.told().contains(&format!("@sha256:{gone} is not in the registry")), "{}", ran.told());
    before.assert_same(&world.snapshot(), "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_an_untrusted_repository() {
    let world = fresh().await;
    let installer = "packages/core/installer/values.yaml";
    let values = file(&world, RC_BRANCH, installer) + "\n";
    let values = values.replace(&format!("oci://{PACKAGES}"), "oci://ghcr.io/mallory/cozystack-packages");
    world.person_commits(RC_BRANCH, installer, &values);
    let before = world.snapshot();
    let texts = ["pins an artifact of ghcr.io/mallory/cozystack-packages", &format!("only {PACKAGES} is trusted")];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_two_digests_that_want_one_name() {
    let world = altered(&Case::of(&cozystack()), |tree| {
        for (package, digit) in [("one", "a"), ("two", "b"), ("three", "b")] {
            let dir = tree.join("packages/apps").join(package);
            std::fs::create_dir(&dir).unwrap();
            let image = format!("image: ghcr.io/cozystack/cozystack/twice:v0.0.0-rc.0@sha256:{}\n", digit.repeat(64));
            std::fs::write(dir.join("values.yaml"), image).unwrap();
        }
    })
    .await;
    let before = world.snapshot();
    let texts = [
        "2 digests want the name ghcr.io/cozystack/cozystack/twice:v1.6.2",
        "packages/apps/one/values.yaml:1: sha256:",
        "packages/apps/two/values.yaml:1: sha256:",
        "packages/apps/three/values.yaml:1: sha256:",
    ];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_an_image_that_cannot_be_pulled() {
    let world = fresh().await;
    let layout = world.registry().join("ghcr.io/cozystack/cozystack/kamaji");
    std::fs::remove_dir_all(layout).unwrap();
    let before = world.snapshot();
    let texts =
        ["ghcr.io/cozystack/cozystack/kamaji@sha256:", "it is not there", "packages/system/kamaji/values.yaml:4"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

/// The index can be read, but one of its platforms is gone.
#[tokio::test(flavor = "multi_thread")]
async fn with_an_image_that_lacks_a_platform() {
    let world = fresh().await;
    let blobs = world.registry().join("ghcr.io/cozystack/cozystack/kamaji/blobs/sha256");
    let is_image = |path: &std::path::PathBuf| {
        let json = serde_json::from_slice::<serde_json::Value>(&std::fs::read(path).unwrap());
        json.is_ok_and(|json| json.get("layers").is_some())
    };
    let image = std::fs::read_dir(blobs).unwrap().map(|entry| entry.unwrap().path()).find(is_image).unwrap();
    std::fs::remove_file(&image).unwrap();
    let gone = image.file_name().unwrap().to_string_lossy().into_owned();
    let before = world.snapshot();
    refused_untouched(&world.run().await, "gate", &["cozystack/kamaji", &gone], &before, &world);
}

/// What the tool says when the base moved: plan and run agree that it can be done.
#[tokio::test(flavor = "multi_thread")]
async fn cut_from_the_moved_base_while_the_first_is_still_there() {
    let world = fresh().await;
    world.run().await.must_be(State::Waiting);
    world.advance_base(PACKAGE);
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    world.plan().await.must_be(State::Work);
    world.run().await.must_be(State::Waiting);
}
