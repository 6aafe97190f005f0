//! The ways in which a staging branch reaches its base.

use sealift::engine::State;

use super::{
    CHANGELOG, LINE, MODULE_TAG, STAGING, TAG, cozystack, merged, nothing_public, refused, refused_untouched, waiting,
};
use crate::support::github::How;
use crate::support::world::{Case, MAIN, World, shipped};

/// Follows the advice given after a squash: the same branch is merged once more, with a merge commit.
async fn heeded(world: &World, hint: &str) {
    let number = hint.split("/pull/").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let merge = world.github().merge_pull(number, How::Merge);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(merge));
    assert!(world.run().await.acted().is_empty());
}

const SQUASHED: [&str; 3] =
    ["it was squashed or rebased", "the second from release-1.6.2", "with a merge commit; then run sealift again"];

#[tokio::test(flavor = "multi_thread")]
async fn with_the_branch_deleted_by_the_host() {
    let (world, merge) = merged().await;
    let copy = world.copy();
    copy.run().await.must_be(State::Holds);
    copy.delete_branch(STAGING);
    world.delete_branch(STAGING);
    world.run().await.must_be(State::Holds);
    copy.snapshot().assert_same(&world.snapshot(), "the branch is gone, and stays gone");
    for name in [TAG, MODULE_TAG, &format!("refs/heads/{LINE}")] {
        assert_eq!(world.names_of(name), Some(merge.clone()), "{name}");
    }
    let again = world.run().await;
    again.must_be(State::Holds);
    assert!(again.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn onto_a_line_that_is_there() {
    let world = World::build(&Case::of(&cozystack()).on_a_line()).await;
    let main = world.names_of("refs/heads/main");
    world.run().await.must_be(State::Waiting);
    let merge = world.merge();
    world.delete_branch(STAGING);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(&format!("refs/heads/{LINE}")), Some(merge));
    assert_eq!(world.names_of("refs/heads/main"), main);
}

#[tokio::test(flavor = "multi_thread")]
async fn squashed() {
    let world = waiting().await;
    world.squash();
    let before = world.snapshot();
    let ran = world.run().await;
    refused_untouched(&ran, "wait", &SQUASHED, &before, &world);
    nothing_public(&world);
    heeded(&world, refused(&ran, "wait", &[]).hint.as_ref().unwrap()).await;
}

/// Where there is no pull request, the way on is typed.
#[tokio::test(flavor = "multi_thread")]
async fn squashed_on_plain_git() {
    let git = shipped().into_iter().find(|shipped| shipped.forge() == "git").unwrap();
    let world = World::build(&Case::of(&git)).await;
    world.run().await.must_be(State::Waiting);
    world.squash();
    let ran = world.run().await;
    let hint = refused(&ran, "wait", &[SQUASHED[0], "a second time"]).hint.as_ref().unwrap();
    let command = hint.split("git ").nth(1).unwrap().split(" (on main)").next().unwrap();
    assert_eq!(command, "merge --no-ff origin/release-1.6.2");
    let clone = world.clone_of(MAIN);
    world.sandbox.git(&clone, &[&command.split(' ').collect::<Vec<_>>()[..], &["--no-edit"]].concat());
    world.push(&clone, &["HEAD"]);
    let merge = world.sandbox.git(&clone, &["rev-parse", "HEAD"]);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(merge));
}

/// The branch is made again, since the way on needs it.
#[tokio::test(flavor = "multi_thread")]
async fn squashed_and_the_branch_deleted_by_the_host() {
    let world = waiting().await;
    let tip = world.names_of(&format!("refs/heads/{STAGING}"));
    world.squash();
    world.delete_branch(STAGING);
    let ran = world.run().await;
    refused(&ran, "wait", &SQUASHED);
    nothing_public(&world);
    assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), tip);
    heeded(&world, refused(&ran, "wait", &[]).hint.as_ref().unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn squashed_with_a_changelog() {
    let world = waiting().await;
    world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n");
    world.squash();
    let ran = world.run().await;
    refused(&ran, "wait", &SQUASHED);
    heeded(&world, refused(&ran, "wait", &[]).hint.as_ref().unwrap()).await;
}

/// As hosts do with "rebase and merge": every commit is copied, trailers and all.
#[tokio::test(flavor = "multi_thread")]
async fn rebased_onto_the_base() {
    for deleted in [false, true] {
        let world = waiting().await;
        world.advance_base("docs/changelogs/v1.5.9.md");
        let clone = world.clone_of(STAGING);
        world.sandbox.git(&clone, &["rebase", "--quiet", &format!("origin/{MAIN}")]);
        world.push(&clone, &[&format!("HEAD:{MAIN}")]);
        if deleted {
            world.delete_branch(STAGING);
        }
        let ran = world.run().await;
        refused(&ran, "wait", &SQUASHED);
        nothing_public(&world);
        heeded(&world, refused(&ran, "wait", &[]).hint.as_ref().unwrap()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fast_forwarded() {
    for deleted in [false, true] {
        let world = waiting().await;
        let head = world.fast_forward();
        if deleted {
            world.delete_branch(STAGING);
        }
        world.run().await.must_be(State::Holds);
        assert_eq!(world.names_of(TAG), Some(head.clone()));
        assert_eq!(world.names_of(&format!("refs/heads/{LINE}")), Some(head));
        assert!(world.run().await.acted().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fast_forwarded_with_a_changelog_on_top() {
    let world = waiting().await;
    let head = world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n");
    world.fast_forward();
    world.advance_base("hack/later.sh");
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(head));
}

/// The merge must be the same one in every run, though the base goes on and the branch is gone.
#[tokio::test(flavor = "multi_thread")]
async fn fast_forwarded_and_the_base_moves_on_between_module_tag_and_git_tag() {
    for name in [MODULE_TAG, "refs/heads/release-1.6"] {
        let world = waiting().await;
        let head = world.fast_forward();
        world.delete_branch(STAGING);
        let script = |moment: super::ports::Moment, what: &str| match moment {
            super::ports::Moment::After if what == name => super::ports::Then::Die,
            _ => super::ports::Then::GoOn,
        };
        assert!(super::ports::scripted(&world.session(), &world.request(), &script).await.is_none());
        world.person_commits(MAIN, "docs/changelogs/v1.7.0.md", "later\n");
        world.run().await.must_be(State::Holds);
        assert_eq!(world.names_of(TAG), Some(head.clone()));
        assert_eq!(world.names_of(MODULE_TAG), Some(head));
    }
}

/// The branch holds more than it may, and was merged before anyone looked.
#[tokio::test(flavor = "multi_thread")]
async fn with_changes_on_the_branch_that_were_not_tested() {
    for deleted in [false, true] {
        let world = waiting().await;
        world.person_commits(STAGING, super::PACKAGE, "by: hand\n");
        let merge = world.merge();
        if deleted {
            world.delete_branch(STAGING);
        }
        let before = world.snapshot();
        let ran = world.run().await;
        let texts = ["changes more than the promotion and allowed paths", super::PACKAGE, &merge, "cut the next"];
        refused_untouched(&ran, "wait", &texts, &before, &world);
        nothing_public(&world);
    }
}

/// The merge commit itself holds changes that neither side has.
#[tokio::test(flavor = "multi_thread")]
async fn with_changes_in_the_merge_commit_itself() {
    for (path, rule) in [(super::PACKAGE, "rule 1"), ("hack/tool.sh", "rule 6")] {
        let world = waiting().await;
        let clone = world.clone_of(MAIN);
        world.sandbox.git(&clone, &["merge", "--quiet", "--no-ff", "--no-commit", &format!("origin/{STAGING}")]);
        world.sandbox.write(&clone, path, "slipped: in\n");
        world.sandbox.commit_all(&clone, "merge, and a little more");
        world.push(&clone, &["HEAD"]);
        let before = world.snapshot();
        refused_untouched(&world.run().await, "verify", &[rule, path.trim_start_matches("packages/")], &before, &world);
        nothing_public(&world);
    }
}

/// Merged as soon as the branch was there: the pin still has to come, by a merge of its own.
#[tokio::test(flavor = "multi_thread")]
async fn too_early() {
    for deleted in [false, true] {
        let world = World::build(&Case::of(&cozystack())).await;
        world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
        world.merge();
        if deleted {
            world.delete_branch(STAGING);
        }
        world.run().await.must_be(State::Waiting);
        let merge = world.merge();
        world.run().await.must_be(State::Holds);
        assert_eq!(world.names_of(TAG), Some(merge));
    }
}

/// People took the merge back: that is their word, as long as nothing public exists.
#[tokio::test(flavor = "multi_thread")]
async fn and_taken_back() {
    let (world, merge) = merged().await;
    let clone = world.clone_of(MAIN);
    world.sandbox.git(&clone, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    world.push(&clone, &["HEAD"]);
    let before = world.snapshot();
    let texts = ["the merge was taken back", &merge, "revert the revert"];
    refused_untouched(&world.run().await, "wait", &texts, &before, &world);
    nothing_public(&world);
    world.sandbox.git(&clone, &["revert", "--no-edit", "HEAD"]);
    world.push(&clone, &["HEAD"]);
    world.run().await.must_be(State::Holds);
    assert_eq!(world.names_of(TAG), Some(merge));
}
