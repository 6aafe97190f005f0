//! One test for each thing that can be at fault: what is said, where, how it weighs, and nothing else.

use super::*;
use sealift::model::{Answer, Descriptor, Digest, Manifest, Repository, Tag, Unknown};
use sealift::port::registry::{At, RegistryRead};
use sealift::preview::{Kind, Outlook, Standing};

use futures_util::future::BoxFuture;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::images;

/// Nothing but this is at fault, and a promotion would refuse it.
async fn refused(name: &str, topic: Topic, texts: &[&str], edit: impl FnOnce(&Path)) -> Ran {
    let world = fresh().await;
    let number = change(&world, edit);
    let ran = look(&world, number).await;
    ran.must_be(State::Refused);
    found(&ran, Level::Refusal, topic, texts);
    only(&ran, &[topic]);
    goldens(name, &ran);
    ran
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_that_nothing_claims() {
    let stray = format!("stray: {}\n", sha("stray"));
    let texts = ["a digest that no shape claims", "packages/apps/postgres/values.yaml:5:8", "declare where it lives"];
    refused("unclaimed", Topic::Unclaimed, &texts, |tree| edit(tree, POSTGRES, |text| text + &stray)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_digests_that_want_one_name() {
    let other = format!("  other: {OWNED}/postgres-backup:v1.6.2-rc.1@{}\n", sha("other"));
    let texts = ["2 digests want the name", "packages/apps/postgres/values.yaml:5", "tag_prefixes"];
    let world = fresh().await;
    let ran = look(&world, change(&world, |tree| edit(tree, POSTGRES, |text| text + &other))).await;
    ran.must_be(State::Refused);
    found(&ran, Level::Refusal, Topic::Collision, &texts);
    // One tag can't be published as both.
    found(&ran, Level::Warning, Topic::Unpublished, &["postgres-backup:v1.6.2-rc.1", "the tree pins"]);
    only(&ran, &[Topic::Collision, Topic::Unpublished]);
    goldens("collision", &ran);
    // The rest is shown all the same.
    assert!(preview(&ran).destinations.len() > 5 && !preview(&ran).changes.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_that_the_rewrite_does_not_reach() {
    let line = "image: \"{{ .Values.host }}/cozystack/cozystack/x:v1.6.2-rc.1\"\n";
    let texts = ["survives the rewrite", "packages/system/multus/templates/x.tpl:1", "declare the file"];
    refused("survivor", Topic::Survivor, &texts, |tree| add(tree, "packages/system/multus/templates/x.tpl", line))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owned_image_without_a_digest() {
    let line = format!("  bare: {OWNED}/bare:v1.6.2-rc.1\n");
    let texts = ["has a tag and no digest", "packages/apps/postgres/values.yaml:5", "pin it by digest"];
    refused("unpinned", Topic::Unpinned, &texts, |tree| edit(tree, POSTGRES, |text| text + &line)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_yaml() {
    let texts = [POSTGRES];
    refused("unreadable", Topic::Unreadable, &texts, |tree| add(tree, POSTGRES, "a: [\n")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_that_can_t_be_packed() {
    let file = "packages/core/installer/Chart.yaml";
    let texts = ["the chart can't be packed", file];
    refused("chart", Topic::Chart, &texts, |tree| add(tree, file, "name: x\n")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_without_what_the_base_must_carry() {
    let texts = ["does not carry this pipeline", "main:.github/workflows/finalize.yml"];
    refused("base", Topic::Base, &texts, |tree| add(tree, ".github/workflows/finalize.yml", "name: x\n")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_at_fault_is_found_at_once() {
    let world = fresh().await;
    let number = change(&world, |tree| {
        let more = format!("stray: {}\nbare: {OWNED}/bare:v1.6.2-rc.1\n", sha("stray"));
        edit(tree, POSTGRES, |text| text + &more);
        add(tree, "packages/core/installer/Chart.yaml", "name: x\n");
        let other = format!("x: {OWNED}/postgres-backup:v1.6.2-rc.1@{}\n", sha("other"));
        add(tree, "packages/apps/zzz/values.yaml", &other);
    });
    let ran = look(&world, number).await;
    ran.must_be(State::Refused);
    only(&ran, &[Topic::Collision, Topic::Unclaimed, Topic::Unpinned, Topic::Chart, Topic::Unpublished]);
}

/// A destination by the end of its name.
fn standing<'a>(ran: &'a Ran, kind: Kind, end: &str) -> &'a Standing {
    let destinations = &preview(ran).destinations;
    let found = destinations.iter().find(|d| d.kind == kind && d.name.ends_with(end));
    &found.unwrap_or_else(|| panic!("{kind:?} {end} is not in {destinations:#?}")).standing
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_taken_spend_the_version() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    let image = world.images.keys().find(|name| name.contains("postgres-backup")).unwrap().clone();
    let (repository, tag) = image.rsplit_once(':').unwrap();
    let registries = world.registries();
    let foreign = images::push_index(&registries, &repository.parse().unwrap(), Some(tag), "somebody else's").await;
    let ran = look(&world, number).await;
    ran.must_be(State::Refused);
    found(&ran, Level::Refusal, Topic::Name, &["v1.6.2 is spent", "release v1.6.3", &format!("{POSTGRES}:3")]);
    assert_eq!(*standing(&ran, Kind::Image, &image), Standing::Taken { found: foreign.to_string() });
    goldens("taken", &ran);
    // The artifact's, the chart's, and the git names.
    world.remove_tag(&image);
    for name in ["cozystack-packages:v1.6.2", "cozy-installer:1.6.2"] {
        let (repository, tag) = name.rsplit_once(':').unwrap();
        let repository = format!("{OWNED}/{repository}").parse().unwrap();
        images::push_index(&registries, &repository, Some(tag), "somebody else's").await;
    }
    world.set_ref("refs/tags/v1.6.2", &world.names_of("refs/heads/main").unwrap());
    let ran = look(&world, number).await;
    only(&ran, &[Topic::Name, Topic::Name, Topic::Name]);
    for (kind, end) in [(Kind::Artifact, "packages:v1.6.2"), (Kind::Chart, "installer:1.6.2"), (Kind::GitTag, "v1.6.2")]
    {
        assert!(matches!(standing(&ran, kind, end), Standing::Taken { .. }), "{kind:?}");
    }
    assert_eq!(*standing(&ran, Kind::ModuleTag, "v1.6.2"), Standing::Free);
    // The release, also where its tag is nobody's.
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    world.github().state().add_release("v1.6.2", false, false);
    let ran = look(&world, number).await;
    only(&ran, &[Topic::Name]);
    found(&ran, Level::Refusal, Topic::Name, &["the release v1.6.2 is published already", "release the next version"]);
    assert!(matches!(standing(&ran, Kind::Release, "v1.6.2"), Standing::Taken { .. }));
    assert_eq!(*standing(&ran, Kind::GitTag, "v1.6.2"), Standing::Free);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_right_already_is_fine() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    let (name, digest) = world.images.iter().next().unwrap();
    world.set_tag(name, digest);
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    assert_eq!(*standing(&ran, Kind::Image, name), Standing::Right);
}

#[tokio::test(flavor = "multi_thread")]
async fn digests_that_can_t_be_pulled() {
    let world = fresh().await;
    let gone = change(&world, |tree| {
        let line = format!("  gone: {OWNED}/gone:v0.1.0@{}\n", sha("gone"));
        edit(tree, POSTGRES, |text| text + &line);
    });
    let ran = look(&world, gone).await;
    ran.must_be(State::Refused);
    found(&ran, Level::Refusal, Topic::Unpullable, &["can't be pulled: it is not there", &format!("{POSTGRES}:5")]);
    assert_eq!(*standing(&ran, Kind::Image, "gone:v1.6.2"), Standing::Unpullable);
    goldens("unpullable", &ran);
    // An index without one of its manifests.
    let (name, digest) = world.images.iter().find(|(name, _)| name.contains("postgres-backup")).unwrap();
    let layout = world.registry().join(name.rsplit_once(':').unwrap().0);
    let blob = |digest: &Digest| layout.join("blobs/sha256").join(digest.hex());
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(blob(digest)).unwrap()).unwrap();
    let child: Digest = index["manifests"][0]["digest"].as_str().unwrap().parse().unwrap();
    std::fs::remove_file(blob(&child)).unwrap();
    let ran = look(&world, open(&world, RC_BRANCH, "x")).await;
    ran.must_be(State::Refused);
    found(&ran, Level::Refusal, Topic::Unpullable, &["its manifest", &child.to_string()]);
    only(&ran, &[Topic::Unpullable]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_that_are_not_published_are_worth_a_look_and_no_refusal() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    let stable = world.images.keys().find(|name| name.contains("postgres-backup")).unwrap();
    let (repository, _) = stable.rsplit_once(':').unwrap();
    let tag = format!("{repository}:v1.6.2-rc.1");
    world.remove_tag(&tag);
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    found(&ran, Level::Warning, Topic::Unpublished, &[&tag, "is not published", &format!("{POSTGRES}:3")]);
    goldens("unpublished", &ran);
    images::push_index(&world.registries(), &repository.parse().unwrap(), Some("v1.6.2-rc.1"), "another").await;
    let ran = look(&world, number).await;
    ran.must_be(State::Holds);
    found(&ran, Level::Warning, Topic::Unpublished, &[&tag, "the tree pins"]);
}

/// A registry that counts what it is asked, and can't tell of what contains a text.
struct Counting<'a> {
    registry: &'a dyn RegistryRead,
    mute: &'static str,
    looks: AtomicUsize,
}

impl RegistryRead for Counting<'_> {
    fn manifest<'a>(&'a self, repository: &'a Repository, at: &'a At) -> BoxFuture<'a, Answer<Manifest>> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let what = match at {
            At::Tag(tag) => format!("{repository}:{tag}"),
            At::Digest(digest) => format!("{repository}@{digest}"),
        };
        if !self.mute.is_empty() && what.contains(self.mute) {
            let unknown = Unknown::new(what, "too many requests").with_status(429);
            return Box::pin(std::future::ready(Answer::Unknown(unknown)));
        }
        self.registry.manifest(repository, at)
    }

    fn blob<'a>(&'a self, _: &'a Repository, _: &'a Descriptor) -> BoxFuture<'a, Answer<Vec<u8>>> {
        panic!("a preview reads no blob")
    }

    fn has_blob<'a>(&'a self, _: &'a Repository, _: &'a Digest) -> BoxFuture<'a, Answer<()>> {
        panic!("a preview asks for no blob")
    }

    fn tags<'a>(&'a self, _: &'a Repository) -> BoxFuture<'a, Answer<Vec<Tag>>> {
        panic!("a preview lists nothing")
    }
}

async fn counted(world: &World, number: u64, mute: &'static str) -> (Ran, usize) {
    let session = world.session();
    let counting = Counting { registry: &session.registries, mute, looks: AtomicUsize::new(0) };
    let ran = session.preview_through(&Asked::Pull(number), None, &counting).await;
    (ran, counting.looks.into_inner())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_known_is_neither_free_nor_refused() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    for (mute, topics) in [
        ("postgres-backup:v1.6.2-rc.1", [Topic::Unpublished].as_slice()),
        ("postgres-backup:v1.6.2", [Topic::Name, Topic::Unpublished].as_slice()),
        ("cozy-installer", [Topic::Name].as_slice()),
        ("cozystack-packages", [Topic::Name].as_slice()),
    ] {
        let (ran, _) = counted(&world, number, mute).await;
        only(&ran, topics);
        let needed = topics.contains(&Topic::Name);
        ran.must_be(if needed { State::Failed } else { State::Holds });
        assert_eq!(preview(&ran).outlook, if needed { Outlook::Unknown } else { Outlook::Clean }, "{mute}");
        let finding = &preview(&ran).findings[0];
        assert_eq!(finding.level, if needed { Level::Unknown } else { Level::Warning });
        assert!(finding.refusal.message.contains("can't be known") && finding.refusal.message.contains("429"));
    }
    goldens("unknown", &counted(&world, number, "postgres-backup:v1.6.2").await.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_and_bounded() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    let before = world.github().log().len();
    let (ran, looks) = counted(&world, number, "").await;
    ran.must_be(State::Holds);
    let images = preview(&ran).destinations.iter().filter(|d| d.kind == Kind::Image).count();
    let lines = preview(&ran).changes.iter().flat_map(|change| &change.edits).count();
    // Each image's name and digest, the manifests of its index (two platforms and an attestation at most),
    // each tag of the version line, the artifact's name and the chart's.
    let most = images * 2 + images * 3 + lines + 2;
    assert!(images > 5 && looks > images * 2 && looks <= most, "{looks} of {most}");
    let asked: Vec<_> = world.github().log().split_off(before);
    assert!(asked.len() <= 3, "{asked:?}");
    assert!(asked.iter().all(|logged| logged.method == "GET"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_elsewhere_is_said() {
    let world = World::build(&Case::of(&cozystack()).on_a_line()).await;
    let number = open(&world, RC_BRANCH, "x");
    let ran = look(&world, number).await;
    let notes = &preview(&ran).notes;
    assert!(notes.iter().any(|note| note.contains("is promoted into release-1.6; this goes into main")), "{notes:?}");
    assert_eq!(*standing(&ran, Kind::Line, "release-1.6"), Standing::Follows);
}
