//! The end, on GitHub: what is in the way of it, what it reports, and that it can be asked for again.

use std::sync::Arc;

use sealift::engine::State;
use sealift::promotion::locate::Request;

use super::{
    Change, LINE, RECORD, STAGING, TAG, VERSION, Writes, asset, assets, done, fresh, merged, names, not_noted, noted,
    nothing_public, on_a_line, pin, public, refused, refused_untouched, release_id, seen, waiting, waits,
};
use crate::support::github::{Act, How};
use crate::support::world::MAIN;

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_at_the_merge_and_published() {
    let (world, merge) = merged().await;
    let ran = world.run().await;
    ran.must_be(State::Holds);
    for name in [TAG, LINE, "refs/tags/api/apps/v1alpha1/v1.6.2"] {
        assert_eq!(names(&world, name), merge, "{name}");
    }
    let state = world.github().state();
    let release = state.release(VERSION).unwrap();
    assert!(!release.draft && !release.prerelease && release.assets.len() == 5);
    // Public names come last and in their order.
    let acted = ran.acted();
    let at = |text: &str| {
        acted.iter().position(|action| action.contains(text)).unwrap_or_else(|| panic!("{text}: {acted:?}"))
    };
    let order = ["api/apps/v1alpha1/v1.6.2", "refs/tags/v1.6.2 ", LINE, "publish-release", "mark-latest"].map(at);
    assert!(order.is_sorted(), "{acted:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn once_more_after_publishing_writes_nothing() {
    let world = done().await;
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    for request in [world.request(), Request::Version(world.rc.stable)] {
        let ran = world.session().run(&request).await;
        ran.must_be(State::Holds);
        assert!(ran.acted().is_empty(), "{:?}", ran.acted());
        noted(&ran, "gate", "the release is published");
        world.session().plan(&request).await.must_be(State::Holds);
    }
    // Also without the folder, and when GitHub or a person has taken the branch away.
    world.delete_branch(STAGING);
    let mut session = world.session();
    session.inputs.assets = None;
    let ran = session.run(&world.request()).await;
    ran.must_be(State::Holds);
    assert!(ran.acted().is_empty());
    writes.none();
    let difference = before.difference(&world.snapshot());
    assert!(difference.iter().all(|line| line.contains(&format!("refs/heads/{STAGING}"))), "{difference:?}");
}

/// The same object is what finalize makes; by hand it can be another one at the same commit.
#[tokio::test(flavor = "multi_thread")]
async fn a_tag_by_hand_at_the_merge_is_ours() {
    let (world, merge) = merged().await;
    world.set_ref(TAG, &merge);
    world.run().await.must_be(State::Holds);
    assert_eq!(names(&world, TAG), merge);
    assert!(!world.github().state().release(VERSION).unwrap().draft);
    assert!(world.run().await.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_by_hand_elsewhere_is_refused_before_anything_public() {
    let (world, merge) = merged().await;
    let elsewhere = names(&world, "refs/tags/v1.6.2-rc.1");
    world.set_ref(TAG, &elsewhere);
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let texts = [
        "the git tag v1.6.2 exists and is not this release's",
        &format!("refs/tags/v1.6.2 at {elsewhere}; the merge is {merge}"),
        "a published tag is never moved: find out who pushed it, delete it there, or release the next version",
    ];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
    writes.none();
    assert_eq!(public(&world), [TAG]);
    // Deleted, it goes on.
    world.sandbox.git(&world.origin(), &["update-ref", "-d", TAG]);
    world.run().await.must_be(State::Holds);
}

/// Between the look and the push: the push loses, and then it is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_tag_by_hand_while_files_are_uploaded_is_refused_at_the_end() {
    let (world, _) = merged().await;
    let world = Arc::new(world);
    let elsewhere = names(&world, "refs/tags/v1.6.2-rc.1");
    let weak = Arc::downgrade(&world);
    // The last look at GitHub before finalize writes.
    world.github().fault(
        "GET",
        "*/releases/latest",
        1..=1,
        Act::before(move || {
            weak.upgrade().unwrap().set_ref(TAG, &elsewhere);
        }),
    );
    let ran = world.run().await;
    refused(&ran, "finalize", &["the git tag v1.6.2 exists and is not this release's"]);
    assert_eq!(seen(&world, "release v1.6.2").len(), 1);
    assert!(world.github().state().release(VERSION).unwrap().draft, "nothing is published under a stranger's tag");
    assert_eq!(world.names_of(LINE), None);
}

/// What finalize would wait for is waited for before the first public name.
#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_is_not_complete_any_more_holds_back_every_public_name() {
    let (world, _) = merged().await;
    let cases: [(&str, Change); 2] = [
        ("without its record", |world| {
            world.github().state().release_mut(VERSION).unwrap().assets.retain(|asset| asset.name != RECORD);
        }),
        ("of another commit", |world| {
            let mut record: serde_json::Value = serde_json::from_slice(&asset(world, RECORD)).unwrap();
            record["commit"] = "0123456789abcdef0123456789abcdef01234567".into();
            let (id, bytes) = (release_id(world, VERSION), record.to_string().into_bytes());
            let mut state = world.github().state();
            state.release_mut(VERSION).unwrap().assets.retain(|asset| asset.name != RECORD);
            state.add_asset(id, RECORD, bytes);
        }),
    ];
    for (what, change) in cases {
        let world = world.copy();
        change(&world);
        let (before, writes) = (world.snapshot(), Writes::of(&world));
        let mut session = world.session();
        session.inputs.assets = None;
        let ran = session.run(&world.request()).await;
        waits(&ran, "gate", "assets", &[&pin(&world), "--assets DIR"]);
        waits(&session.plan(&world.request()).await, "gate", "assets", &["--assets DIR"]);
        assert!(ran.acted().is_empty(), "{what}: {:?}", ran.acted());
        writes.none();
        before.assert_same(&world.snapshot(), what);
        nothing_public(&world);
        // Brought, it goes on.
        world.run().await.must_be(State::Holds);
        assert_eq!(assets(&world).len(), 5, "{what}");
    }
    // What is in the way of the files is refused there, too.
    world.github().state().release_mut(VERSION).unwrap().assets.retain(|asset| asset.name != RECORD);
    super::add_asset(&world, "extra.txt");
    let before = world.snapshot();
    refused_untouched(
        &world.run().await,
        "gate",
        &["extra.txt is nothing that this release is to have"],
        &before,
        &world,
    );
    nothing_public(&world);
}

/// Where no files are declared, finalize makes the draft that it publishes.
#[tokio::test(flavor = "multi_thread")]
async fn a_draft_without_files_is_made_again() {
    let world = fresh().await;
    let run = async || {
        let mut session = world.session();
        session.pipeline.release.assets = Default::default();
        session.inputs.assets = None;
        session.run(&world.request()).await
    };
    run().await.must_be(State::Waiting);
    world.github().merge_pull(1, How::Merge);
    world.github().state().releases.retain(|release| release.tag_name != VERSION);
    run().await.must_be(State::Holds);
    assert!(!world.github().state().release(VERSION).unwrap().draft);
    assert_eq!(assets(&world).len(), 1, "the record says that there are none");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_went_its_own_way_is_refused_before_anything_public() {
    let (world, merge) = merged().await;
    let before = names(&world, "refs/tags/v1.6.2-rc.1");
    world.set_ref(LINE, &before);
    let own = world.person_commits("release-1.6", "docs/own.md", "the line's own\n");
    let snapshot = world.snapshot();
    let texts = [
        "release-1.6 has diverged: it can't be fast-forwarded to the merge",
        &format!("refs/heads/release-1.6 at {own}; the merge is {merge}"),
        &format!("merge {merge} into release-1.6 by hand, then run sealift again"),
    ];
    refused_untouched(&world.run().await, "gate", &texts, &snapshot, &world);
    // As it says.
    let clone = world.clone_of("release-1.6");
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-edit", &merge]);
    world.push(&clone, &["HEAD"]);
    world.run().await.must_be(State::Holds);
    assert_eq!(names(&world, TAG), merge);
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_line_the_line_is_the_base_and_has_it_already() {
    let world = on_a_line().await;
    world.run().await.must_be(State::Waiting);
    assert_eq!(world.github().state().pull(1).unwrap().base_ref, "release-1.6");
    let main = names(&world, "refs/heads/main");
    let merge = world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    assert_eq!((names(&world, LINE), names(&world, TAG)), (merge.clone(), merge));
    assert_eq!(names(&world, &format!("refs/heads/{MAIN}")), main);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_run_that_the_tag_should_start_is_looked_for() {
    let (world, merge) = merged().await;
    let absent = world.copy();
    let ran = absent.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "the push of v1.6.2 has started no run of tags.yaml yet: look at the Actions tab");
    // In every later report, until there is one.
    noted(&absent.plan().await, "finalize", "has started no run of tags.yaml yet");
    // A run of another commit, another tag or another event is none.
    absent.github().state().add_run("tags.yaml", "push", "v1.6.1", &merge);
    absent.github().state().add_run("tags.yaml", "workflow_dispatch", VERSION, &merge);
    absent.github().state().add_run("tags.yaml", "push", VERSION, &names(&absent, "refs/tags/v1.6.2-rc.1"));
    noted(&absent.plan().await, "finalize", "has started no run of tags.yaml yet");
    let run = absent.github().state().add_run("tags.yaml", "push", VERSION, &merge);
    let url = format!("the tag started tags.yaml: https://github.test/cozystack/cozystack/actions/runs/{run}");
    noted(&absent.plan().await, "finalize", &url);
    // Before there is a tag nothing is said.
    not_noted(&world.plan().await, "tags.yaml");
    // No such workflow; no answer.
    let none = world.copy();
    let mut session = none.session();
    session.pipeline.release.starts = Some("docs.yaml".into());
    let ran = session.run(&none.request()).await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "there is no workflow docs.yaml for the push of v1.6.2 to start");
    none.github().fault("GET", "*/actions/workflows/docs.yaml/*", 1..=usize::MAX, Act::status(403));
    let ran = session.run(&none.request()).await;
    ran.must_be(State::Holds);
    noted(&ran, "finalize", "whether v1.6.2 started docs.yaml can't be known");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finalization_that_died_after_the_tag_is_gone_on_with_by_hand_or_by_anybody() {
    let (world, merge) = merged().await;
    world.github().fault("PATCH", "*/releases/*", 1..=1, Act::hang_up());
    let ran = world.run().await;
    super::failed(&ran, &["publish-release release v1.6.2"]);
    assert_eq!(ran.end().unwrap().next.as_deref(), Some("sealift resume"));
    assert_eq!(names(&world, TAG), merge);
    // By hand with the version: published, and marked, though both answers are lost.
    let writes = Writes::of(&world);
    world.github().fault("PATCH", "*/releases/*", 1..=2, Act::done_but_hung_up());
    world.session().run(&Request::Version(world.rc.stable)).await.must_be(State::Holds);
    assert_eq!(writes.seen().len(), 2, "each was asked for once: {:?}", writes.seen());
    assert!(!world.github().state().release(VERSION).unwrap().draft);
    assert!(world.run().await.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_public_before_the_merge() {
    for world in [fresh().await, super::pinned().await, waiting().await] {
        world.run().await.must_be(State::Waiting);
        nothing_public(&world);
        let draft = world.github().state().release(VERSION).unwrap().clone();
        assert!(draft.draft && draft.published_at.is_none());
    }
}
