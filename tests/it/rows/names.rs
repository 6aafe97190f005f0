//! Public names are written once: what is there and right is left, what is there and other refuses.

use std::sync::atomic::{AtomicUsize, Ordering};

use sealift::archive::chart::{self};
use sealift::engine::State;
use sealift::model::{Digest, Manifest, Tag};
use sealift::port::registry::{At, RegistryRead, RegistryWrite};

use super::ports::{Moment, Then, scripted};
use super::{
    CHART, LINE, MODULE_TAG, PACKAGES, STAGING, TAG, foreign, fresh, merged, nothing_public, public, refused,
    refused_untouched, undisturbed, waiting,
};
use crate::support::images;
use crate::support::world::{MAIN, World};

const KAMAJI: &str = "ghcr.io/cozystack/cozystack/kamaji:v1.6.2";
const OPERATOR: &str = "ghcr.io/cozystack/cozystack/cozystack-operator:v1.6.2";

/// Puts the right digest under a stable name, as an earlier run or a person did.
async fn right(world: &World, name: &str) {
    let wanted = undisturbed(world).await.tag(name).unwrap().parse::<Digest>().unwrap();
    let (repository, tag) = name.rsplit_once(':').unwrap();
    let (repository, tag) = (repository.parse().unwrap(), tag.parse::<Tag>().unwrap());
    let registries = world.registries();
    let manifest = registries.manifest(&repository, &At::Digest(wanted)).await.known().unwrap().unwrap();
    registries.put_manifest(&repository, &tag, &manifest).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_version_is_refused_at_the_gate_and_the_next_one_named() {
    for name in [KAMAJI, &format!("{PACKAGES}:v1.6.2")] {
        let world = fresh().await;
        let found = foreign(&world, name).await;
        let before = world.snapshot();
        let texts = ["v1.6.2 is spent", name, &found, "release v1.6.3 instead"];
        refused_untouched(&world.run().await, "gate", &texts, &before, &world);
        let plan = world.plan().await;
        assert!(plan.must_be(State::Refused).stage("gate").unwrap().refusals.len() == 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_spent_after_the_gate_is_refused_at_retag_and_nothing_is_overwritten() {
    let (world, _) = merged().await;
    foreign(&world, KAMAJI).await;
    let before = world.snapshot();
    let texts = ["v1.6.2 is spent", KAMAJI, "release v1.6.3 instead"];
    refused_untouched(&world.run().await, "retag", &texts, &before, &world);
    assert_eq!(public(&before), [format!("tag {KAMAJI}")]);
}

/// The name is taken between the plan and the write.
#[tokio::test(flavor = "multi_thread")]
async fn a_version_spent_in_a_race_is_refused_and_nothing_is_overwritten() {
    let (world, _) = merged().await;
    let (looks, registries) = (AtomicUsize::new(0), world.registries());
    let script = |moment: Moment, name: &str| {
        if moment == Moment::Look && name == KAMAJI && looks.fetch_add(1, Ordering::SeqCst) == 1 {
            let repository = KAMAJI.rsplit_once(':').unwrap().0.parse().unwrap();
            let other = images::push_index(&registries, &repository, Some("v1.6.2"), "somebody else's");
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(other));
        }
        Then::GoOn
    };
    let ran = scripted(&world.session(), &world.request(), &script).await.unwrap();
    let refusal = refused(&ran, "retag", &["v1.6.2 is spent", KAMAJI, "release v1.6.3 instead"]);
    let found = world.snapshot();
    assert!(refusal.message.contains(found.tag(KAMAJI).unwrap()), "{refusal:?}");
    let other = images::index("somebody else's").0.digest().to_string();
    assert_eq!(found.tag(KAMAJI), Some(other.as_str()));
    assert!(found.tag(CHART).is_none() && !found.0.contains_key(TAG) && !found.0.contains_key(MODULE_TAG));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_stable_tag_right_and_one_wrong() {
    // Before anything was begun: nothing is.
    let world = fresh().await;
    right(&world, OPERATOR).await;
    let wrong = foreign(&world, KAMAJI).await;
    let before = world.snapshot();
    refused_untouched(&world.run().await, "gate", &["v1.6.2 is spent", KAMAJI, &wrong], &before, &world);
    // After the merge: no further name is written.
    let (world, _) = merged().await;
    right_after_merge(&world, OPERATOR).await;
    foreign(&world, KAMAJI).await;
    let before = world.snapshot();
    refused_untouched(&world.run().await, "retag", &["v1.6.2 is spent", KAMAJI], &before, &world);
}

async fn right_after_merge(world: &World, name: &str) {
    let copy = world.copy();
    copy.run().await.must_be(State::Holds);
    let wanted = copy.snapshot().tag(name).unwrap().parse::<Digest>().unwrap();
    let (repository, tag) = name.rsplit_once(':').unwrap();
    let (repository, tag) = (repository.parse().unwrap(), tag.parse::<Tag>().unwrap());
    let registries = world.registries();
    let manifest = registries.manifest(&repository, &At::Digest(wanted)).await.known().unwrap().unwrap();
    registries.put_manifest(&repository, &tag, &manifest).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stable_tag_that_is_right_is_not_written_again() {
    let world = fresh().await;
    let wanted = undisturbed(&world).await;
    right(&world, OPERATOR).await;
    world.run().await.must_be(State::Waiting);
    world.merge();
    let ran = world.run().await;
    ran.must_be(State::Holds);
    assert!(!ran.acted().iter().any(|action| action.contains(OPERATOR)), "{:?}", ran.acted());
    wanted.assert_same(&world.snapshot(), "one tag was there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_before_the_promotion() {
    let world = fresh().await;
    world.set_ref(TAG, &world.names_of("refs/heads/main").unwrap());
    let before = world.snapshot();
    refused_untouched(&world.run().await, "gate", &["v1.6.2 is spent", "release v1.6.3 instead"], &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_while_waiting() {
    for name in [TAG, MODULE_TAG] {
        let world = waiting().await;
        world.set_ref(name, &world.names_of(&format!("refs/heads/{STAGING}")).unwrap());
        let before = world.snapshot();
        let short = name.strip_prefix("refs/tags/").unwrap();
        let texts = [format!("the git tag {short} exists and is not this release's"), "nothing is merged yet".into()];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        refused_untouched(&world.run().await, "gate", &texts, &before, &world);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_after_the_merge_at_another_commit() {
    for name in [TAG, MODULE_TAG] {
        let (world, merge) = merged().await;
        world.set_ref(name, &world.sandbox.git(&world.origin(), &["rev-parse", &format!("{merge}^1")]));
        let before = world.snapshot();
        let short = name.strip_prefix("refs/tags/").unwrap();
        let texts = [format!("the git tag {short} exists and is not this release's"), format!("the merge is {merge}")];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        refused_untouched(&world.run().await, "gate", &texts, &before, &world);
        assert_eq!(public(&before), [name], "no other public name was written");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_at_the_merge_is_ours_lightweight_or_annotated() {
    for annotated in [false, true] {
        for name in [TAG, MODULE_TAG] {
            let (world, merge) = merged().await;
            let copy = world.copy();
            copy.run().await.must_be(State::Holds);
            let short = name.strip_prefix("refs/tags/").unwrap();
            let annotation: &[&str] = if annotated { &["-a", "-m", "by hand"] } else { &[] };
            world.sandbox.git(&world.origin(), &[&["tag"], annotation, &[short, &merge]].concat());
            world.run().await.must_be(State::Holds);
            let difference = copy.snapshot().difference(&world.snapshot());
            assert!(difference.len() == 1 && difference[0].starts_with(&format!("~ {name}")), "{difference:?}");
            assert!(world.run().await.acted().is_empty());
        }
    }
}

/// A tag by hand is no proof: what it names is verified before anything else gets a name.
#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_at_a_merge_that_fails_the_proof() {
    for annotated in [false, true] {
        let world = waiting().await;
        world.advance_base("packages/apps/new/values.yaml");
        let merge = world.merge();
        let annotation: &[&str] = if annotated { &["-a", "-m", "by hand"] } else { &[] };
        world.sandbox.git(&world.origin(), &[&["tag"], annotation, &["v1.6.2", &merge]].concat());
        let before = world.snapshot();
        refused_untouched(&world.run().await, "verify", &["rule 1", "apps/new/values.yaml"], &before, &world);
    }
}

/// A tag may name anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_that_names_no_commit() {
    let (world, _) = merged().await;
    let tree = world.sandbox.git(&world.origin(), &["rev-parse", "main^{tree}"]);
    world.set_ref(TAG, &tree);
    let before = world.snapshot();
    refused_untouched(&world.run().await, "gate", &["the git tag v1.6.2 exists and is not"], &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_that_is_there_with_other_files() {
    let (done, _) = merged().await;
    done.run().await.must_be(State::Holds);
    let repository = CHART.rsplit_once(':').unwrap().0.parse().unwrap();
    let ours =
        done.registries().manifest(&repository, &At::Tag("1.6.2".parse().unwrap())).await.known().unwrap().unwrap();
    let packed = done.registries().blob(&repository, &ours.layers()[0]).await.known().unwrap().unwrap();
    let config = done.registries().blob(&repository, ours.config().unwrap()).await.known().unwrap().unwrap();
    let put = async |world: &World, layer: Vec<u8>| {
        let registries = world.registries();
        let layer = images::blob(&ours.layers()[0].media_type, layer);
        let config = images::blob(&ours.config().unwrap().media_type, config.clone());
        let text = String::from_utf8(ours.bytes().to_vec()).unwrap();
        let text = text.replace(&ours.layers()[0].digest.to_string(), &layer.descriptor.digest.to_string());
        let size = |n: u64| format!("\"size\":{n}");
        let text = text.replace(&size(ours.layers()[0].size), &size(layer.descriptor.size));
        let manifest = Manifest::new(text.into_bytes(), None).unwrap();
        for blob in [&layer, &config] {
            registries.put_blob(&repository, blob).await.unwrap();
        }
        registries.put_manifest(&repository, &"1.6.2".parse().unwrap(), &manifest).await.unwrap();
        manifest.digest().to_string()
    };
    // Other files: refused at the gate, before and after the merge.
    let mut other = tar_of(&packed);
    let at = other.windows(12).position(|w| w == b"bareNamespac").unwrap();
    other[at] = b'c';
    for (world, begun) in [(fresh().await, false), (merged().await.0, true)] {
        put(&world, gzip(&other)).await;
        let before = world.snapshot();
        refused_untouched(
            &world.run().await,
            "gate",
            &["cozy-installer:1.6.2 exists and is not this release's"],
            &before,
            &world,
        );
        assert_eq!(public(&before), [format!("tag {CHART}")], "{begun}");
    }
    // Our files, compressed by somebody else: ours.
    let (world, _) = merged().await;
    let theirs = put(&world, gzip(&tar_of(&packed))).await;
    assert_ne!(theirs, ours.digest().to_string());
    assert!(chart::same(
        &chart::unpack(&gzip(&tar_of(&packed)), &Default::default()).unwrap(),
        &chart::unpack(&packed, &Default::default()).unwrap()
    ));
    world.run().await.must_be(State::Holds);
    let found = world.snapshot();
    assert_eq!(found.tag(CHART), Some(theirs.as_str()), "left as it is");
    assert_eq!(found.tag(&CHART.replace(":1.6.2", ":latest")), Some(theirs.as_str()), "an alias copies what is there");
    assert!(world.run().await.acted().is_empty());
}

fn tar_of(packed: &[u8]) -> Vec<u8> {
    use std::io::Read as _;
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut tar).unwrap();
    tar
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(tar).unwrap();
    gzip.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_has_diverged_is_refused_before_any_public_name_and_the_printed_way_on_works() {
    let world = waiting().await;
    let old = world.names_of("refs/heads/main").unwrap();
    world.set_ref(&format!("refs/heads/{LINE}"), &old);
    world.person_commits(LINE, "docs/changelogs/v1.6.1.md", "elsewhere\n");
    // The base stays what was frozen, whatever line has appeared since.
    let clone = world.clone_of(MAIN);
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-ff", "--no-edit", &format!("origin/{STAGING}")]);
    world.push(&clone, &["HEAD"]);
    let merge = world.sandbox.git(&clone, &["rev-parse", "HEAD"]);
    let before = world.snapshot();
    let texts = ["release-1.6 has diverged", &merge, "merge"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
    assert_eq!(public(&before), ["refs/heads/release-1.6"]);
    let clone = world.clone_of(LINE);
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-edit", &merge]);
    world.push(&clone, &["HEAD"]);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(merge));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_public_before_the_merge() {
    nothing_public(&waiting().await);
}
