//! People work on the staging branch: what is theirs survives, what was tested stays what it is.

use std::path::PathBuf;

use sealift::engine::State;

use super::{
    CHANGELOG, MODULE_TAG, PACKAGE, STAGING, TAG, fresh, nothing_public, only_rendered, refused, refused_untouched,
    waiting,
};
use crate::support::world::{MAIN, World};

const TEXT: &str = "# v1.6.2\n";

/// What a file reads at a revision of the origin.
fn file(world: &World, revision: &str, path: &str) -> String {
    world.sandbox.git(&world.origin(), &["show", &format!("{revision}:{path}")])
}

fn parents(world: &World, revision: &str) -> Vec<String> {
    let parents = world.sandbox.git(&world.origin(), &["log", "-1", "--format=%P", revision]);
    parents.split(' ').map(str::to_owned).collect()
}

/// The rest of the way, a person's merge included.
async fn finish(world: &World) {
    let merge = world.merge();
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(merge.clone()));
    assert_eq!(world.names_of(MODULE_TAG), Some(merge));
    assert!(world.run().await.acted().is_empty());
}

/// A clone with the staging branch checked out and the base at hand.
fn staging(world: &World) -> PathBuf {
    world.clone_of(STAGING)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changelog_before_the_pin_is_joined_with_it() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "push").await.must_be(State::Holds);
    let person = world.person_commits(STAGING, CHANGELOG, TEXT);
    world.run().await.must_be(State::Waiting);
    let [pin, joined] = parents(&world, STAGING).try_into().unwrap();
    assert_eq!(joined, person);
    let said = world.sandbox.git(&world.origin(), &["log", "-1", "--format=%B", &pin]);
    assert!(said.contains("Sealift-Artifact: sha256:"), "{said}");
    assert_eq!(file(&world, STAGING, CHANGELOG), TEXT.trim_end());
    let twice = world.run().await;
    twice.must_be(State::Waiting);
    assert!(twice.acted().is_empty());
    finish(&world).await;
    assert_eq!(file(&world, TAG, CHANGELOG), TEXT.trim_end());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changelog_after_the_pin_stays_on_top_of_it() {
    let world = waiting().await;
    let person = world.person_commits(STAGING, CHANGELOG, TEXT);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    only_rendered(&ran);
    assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), Some(person));
    finish(&world).await;
    assert_eq!(file(&world, TAG, CHANGELOG), TEXT.trim_end());
}

/// "Update branch": the base is merged into the staging branch. Paths that may differ are no matter.
#[tokio::test(flavor = "multi_thread")]
async fn the_base_merged_into_the_branch_is_accepted_where_it_moved_in_allowed_paths() {
    for stage in ["push", "pin"] {
        let world = fresh().await;
        world.session().run_until(&world.request(), stage).await.must_be(State::Holds);
        world.advance_base("docs/changelogs/v1.5.9.md");
        let clone = staging(&world);
        world.sandbox.git(&clone, &["merge", "--quiet", "--no-edit", &format!("origin/{MAIN}")]);
        world.push(&clone, &["HEAD"]);
        world.run().await.must_be(State::Waiting);
        finish(&world).await;
    }
}

/// The same, the other way round: the base is the first parent.
#[tokio::test(flavor = "multi_thread")]
async fn the_branch_merged_into_the_base_and_pushed_as_the_branch_is_found_again() {
    let world = waiting().await;
    world.advance_base("docs/changelogs/v1.5.9.md");
    let clone = world.clone_of(MAIN);
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-ff", "--no-edit", &format!("origin/{STAGING}")]);
    world.push(&clone, &[&format!("HEAD:{STAGING}")]);
    // The candidate's branch moves, so that freezing again would give another one.
    world.person_commits(super::RC_BRANCH, PACKAGE, "late: true\n");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    only_rendered(&ran);
    finish(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_base_merged_into_the_branch_brings_in_what_was_not_tested() {
    let world = waiting().await;
    world.advance_base("hack/tool.sh");
    let clone = staging(&world);
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-edit", &format!("origin/{MAIN}")]);
    world.push(&clone, &["HEAD"]);
    let before = world.snapshot();
    refused_untouched(&world.run().await, "propose", &["rule 6", "hack/tool.sh", "cut the next"], &before, &world);
    nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_base_merged_into_the_branch_may_not_touch_the_root() {
    let world = waiting().await;
    world.advance_base("packages/apps/new/values.yaml");
    let clone = staging(&world);
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-edit", &format!("origin/{MAIN}")]);
    world.push(&clone, &["HEAD"]);
    let before = world.snapshot();
    let texts = ["holds more than the promotion and allowed paths", "packages/apps/new/values.yaml"];
    refused_untouched(&world.run().await, "commit", &texts, &before, &world);
}

/// The printed way on, with the placeholder for the origin filled in, typed in a clone.
fn typed(world: &World, hint: &str, begins: &str, ends: char) {
    let start = hint.find(begins).unwrap_or_else(|| panic!("`{begins}` is not in: {hint}"));
    let command = hint[start..].split(ends).next().unwrap().trim();
    let command = command.replace("<origin>", &world.origin().display().to_string());
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let clone = world.clone_of(STAGING);
    world.sandbox.git(&clone, &words);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_below_the_root_is_refused_and_the_printed_way_on_works() {
    let world = waiting().await;
    let good = world.snapshot();
    world.person_commits(STAGING, PACKAGE, "by: hand\n");
    world.person_commits(STAGING, "hack/tool.sh", "by hand\n");
    let before = world.snapshot();
    let ran = world.run().await;
    let texts = ["holds more than the promotion and allowed paths", PACKAGE, "hack/tool.sh"];
    refused_untouched(&ran, "commit", &texts, &before, &world);
    let hint = refused(&ran, "commit", &[]).hint.clone().unwrap();
    typed(&world, &hint, "git push --force-with-lease", '\n');
    good.assert_same(&world.snapshot(), "every commit on top is dropped");
    world.run().await.must_be(State::Waiting);
    finish(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebase_is_refused_and_the_printed_way_on_works() {
    let world = waiting().await;
    let person = world.person_commits(STAGING, CHANGELOG, TEXT);
    world.advance_base("docs/changelogs/v1.5.9.md");
    let clone = staging(&world);
    world.sandbox.git(&clone, &["rebase", "--quiet", &format!("origin/{MAIN}")]);
    world.push(&clone, &["--force", "HEAD"]);
    let before = world.snapshot();
    let ran = world.run().await;
    refused_untouched(&ran, "commit", &["was rebased", "merge it instead of rebasing"], &before, &world);
    let hint = refused(&ran, "commit", &[]).hint.clone().unwrap();
    typed(&world, &hint, "git push --delete", ')');
    world.run().await.must_be(State::Waiting);
    // People's commits on top of what it makes.
    let clone = staging(&world);
    world.sandbox.git(&clone, &["fetch", "--quiet", &world.origin().display().to_string()]);
    world.sandbox.git(&clone, &["checkout", "--quiet", &person, "--", CHANGELOG]);
    world.sandbox.commit_all(&clone, "changelog");
    world.push(&clone, &["HEAD"]);
    world.run().await.must_be(State::Waiting);
    finish(&world).await;
    assert_eq!(file(&world, TAG, CHANGELOG), TEXT.trim_end());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_amended_pin_commit_is_refused() {
    let world = waiting().await;
    let clone = staging(&world);
    world.sandbox.write(&clone, CHANGELOG, TEXT);
    world.sandbox.git(&clone, &["add", "--all"]);
    world.sandbox.git(&clone, &["commit", "--quiet", "--amend", "--no-edit"]);
    world.push(&clone, &["--force", "HEAD"]);
    let before = world.snapshot();
    let ran = world.run().await;
    refused_untouched(&ran, "pin", &["holds more than the pin", CHANGELOG, "sealift abandon"], &before, &world);
    // And the way on doesn't lose what a person wrote into it.
    let abandoned = world.session().abandon(&world.request(), false).await;
    refused(&abandoned, "abandon", &["--discard", "1 commits of people"]);
    before.assert_same(&world.snapshot(), "abandon refused");
    world.session().abandon(&world.request(), true).await.must_be(State::Holds);
    world.run().await.must_be(State::Waiting);
    finish(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_amended_content_commit_is_refused_and_the_printed_way_on_works() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let clone = staging(&world);
    world.sandbox.write(&clone, CHANGELOG, TEXT);
    world.sandbox.git(&clone, &["add", "--all"]);
    world.sandbox.git(&clone, &["commit", "--quiet", "--amend", "--no-edit"]);
    world.push(&clone, &["--force", "HEAD"]);
    let before = world.snapshot();
    let ran = world.run().await;
    refused_untouched(&ran, "gate", &["holds another tree than its candidate", CHANGELOG], &before, &world);
    let hint = refused(&ran, "gate", &[]).hint.clone().unwrap();
    typed(&world, &hint, "git push --delete", '\n');
    world.run().await.must_be(State::Waiting);
    finish(&world).await;
}
