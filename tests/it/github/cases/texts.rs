//! The release's text: the changelog of the merge, or sealift's own, or people's.

use sealift::engine::State;

use super::{CHANGELOG, STAGING, VERSION, merged, not_noted, noted, pull_body, release_body, waiting};
use crate::support::github::How;
use crate::support::world::World;

const GOOD: &str = "# Cozystack v1.6.2\n\nA release of @nobody's, see #12.\n\n## Fixes\n\n- `ports` are 8080\n";
const OWN: &str = "v1.6.2 is v1.6.2-rc.1, which was tested from end to end.";

fn edit_release(world: &World, edit: impl FnOnce(String) -> String) {
    let mut state = world.github().state();
    let release = state.release_mut(VERSION).unwrap();
    release.body = release.body.take().map(edit);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_valid_changelog_becomes_the_text() {
    let world = waiting().await;
    assert!(release_body(&world).contains(OWN));
    world.person_commits(STAGING, CHANGELOG, &GOOD.replace('\n', "\r\n"));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    not_noted(&ran, "changelog counts as missing");
    assert!(release_body(&world).contains(GOOD.trim_end()), "the draft shows it: {}", release_body(&world));
    assert!(pull_body(&world, 1).contains("- [x] changelog: `docs/changelogs/v1.6.2.md`"));
    world.github().merge_pull(1, How::Merge);
    let ran = world.run().await;
    ran.must_be(State::Holds);
    not_noted(&ran, "sealift's own");
    let body = release_body(&world);
    assert!(body.contains(GOOD.trim_end()) && !body.contains(OWN), "{body}");
    assert!(body.contains("What this release is made of") && body.contains("| evidence | a green"), "{body}");
}

/// Written after the draft's last edit: what is merged counts.
#[tokio::test(flavor = "multi_thread")]
async fn the_changelog_of_the_merge_counts_and_not_the_drafts() {
    let world = waiting().await;
    world.person_commits(STAGING, CHANGELOG, GOOD);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    assert!(release_body(&world).contains(GOOD.trim_end()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_changelog_is_reported_on_the_pull_request_and_counts_as_missing() {
    for (text, why) in [
        ("", "is blank"),
        ("  \n\n", "is blank"),
        ("# v1.6.1\n\nA fix.\n", "has another version in its heading"),
        ("# v1.6.2-rc.1\n\nA fix.\n", "has another version in its heading"),
        ("A fix.\n", "does not begin with a heading"),
        ("# v1.6.2\n", "has nothing below its heading"),
        ("# v1.6.2\n\n- a fi", "is truncated"),
        ("# v1.6.2\n\n```sh\nls\n", "is truncated"),
    ] {
        let world = waiting().await;
        world.person_commits(STAGING, CHANGELOG, text);
        let ran = world.run().await;
        ran.must_be(State::Waiting);
        let note = format!("the changelog counts as missing: docs/changelogs/v1.6.2.md {why}");
        noted(&ran, "propose", &note);
        let body = pull_body(&world, 1);
        assert!(body.contains(&format!("- [ ] mend the changelog: `docs/changelogs/v1.6.2.md` {why}")), "{body}");
        world.github().merge_pull(1, How::Merge);
        let ran = world.run().await;
        ran.must_be(State::Holds);
        assert!(ran.told().contains(&note), "{}", ran.told());
        assert!(ran.told().contains("the release's text is sealift's own"), "{}", ran.told());
        assert!(release_body(&world).contains(OWN));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_changelog_is_reported() {
    let (world, _) = merged().await;
    noted(&world.plan().await, "finalize", "there is no changelog: docs/changelogs/v1.6.2.md is not there");
    let ran = world.run().await;
    ran.must_be(State::Holds);
    assert!(ran.told().contains("docs/changelogs/v1.6.2.md is not there; the release's text is sealift's own"));
    assert!(release_body(&world).contains(OWN));
}

#[tokio::test(flavor = "multi_thread")]
async fn peoples_text_around_sealifts_survives_to_the_published_release() {
    let world = waiting().await;
    edit_release(&world, |body| format!("**Read me first.**\n\n{body}\nThanks to all.\n"));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    edit_release(&world, |body| body.replace("which was tested", "which was hardly tested"));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted()[0].starts_with("edit-draft release v1.6.2"), "{:?}", ran.acted());
    world.person_commits(STAGING, CHANGELOG, GOOD);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    let body = release_body(&world);
    assert!(body.starts_with("**Read me first.**\n\n") && body.ends_with("\nThanks to all.\n"), "{body}");
    assert!(body.contains(GOOD.trim_end()) && !body.contains("hardly"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_people_made_their_own_is_published_as_it_is() {
    let world = waiting().await;
    edit_release(&world, |_| "All by hand.\n".into());
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    world.person_commits(STAGING, CHANGELOG, GOOD);
    world.github().merge_pull(1, How::Merge);
    noted(&world.plan().await, "finalize", "people wrote the release's text: it is published as it is");
    world.run().await.must_be(State::Holds);
    assert_eq!(release_body(&world), "All by hand.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emptied_text_is_written_again() {
    let (world, _) = merged().await;
    edit_release(&world, |_| String::new());
    world.run().await.must_be(State::Holds);
    assert!(release_body(&world).contains(OWN));
}

/// A changelog is people's text: it can't end sealift's part of a body early.
#[tokio::test(flavor = "multi_thread")]
async fn a_changelog_with_sealifts_markers_in_it_settles() {
    let world = waiting().await;
    let text = format!("{GOOD}\n<!-- sealift: end -->\n\nAfter it.\n");
    world.person_commits(STAGING, CHANGELOG, &text);
    world.run().await.must_be(State::Waiting);
    let again = world.run().await;
    again.must_be(State::Waiting);
    assert!(again.acted().is_empty(), "{:?}", again.acted());
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    assert_eq!(release_body(&world).matches("After it.").count(), 1);
}

/// GitHub refuses bodies of more than 125,000 characters: a longer changelog is pointed to.
#[tokio::test(flavor = "multi_thread")]
async fn a_changelog_longer_than_a_body_is_pointed_to() {
    let world = waiting().await;
    let long = format!("# v1.6.2\n\n{}", "- a fix of something\n".repeat(7_000));
    world.person_commits(STAGING, CHANGELOG, &long);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
    assert!(release_body(&world).contains("What changed is in `docs/changelogs/v1.6.2.md`."));
}
