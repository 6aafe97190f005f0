//! The pull request: the open one is used, a closed one is a person's word, people's text is theirs.

use sealift::engine::State;
use serde_json::json;

use super::{
    CHANGELOG, STAGING, Writes, calls, merged, names, noted, person, pin, pinned, pull_body, refused, seen, staging,
    waiting, waits,
};
use crate::support::github::How;
use crate::support::github::state::Head;
use crate::support::world::{MAIN, World};

/// How many pull requests sealift opened.
fn opened(world: &World) -> usize {
    calls(world, "POST", "/pulls")
}

/// A pull request from the staging branch that a person opened.
fn by_hand(world: &World, base: &str) -> u64 {
    let (head, base_sha) = (staging(world), names(world, &format!("refs/heads/{base}")));
    world.github().state().add_pull(STAGING, &head, base, &base_sha, "Release, by hand")
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_what_is_proposed_and_what_is_left_to_do() {
    let world = waiting().await;
    let body = pull_body(&world, 1);
    let commit = names(&world, "refs/heads/release-1.6.2-rc.1");
    for text in [
        "This promotes **v1.6.2-rc.1** to **v1.6.2**. Nothing is rebuilt",
        "**Merge it with a merge commit. Don't squash, don't rebase:**",
        "| candidate commit | `",
        &commit,
        "| artifact | `ghcr.io/cozystack/cozystack/cozystack-packages@sha256:",
        "| evidence | a green end-to-end run: https://github.test/cozystack/cozystack/actions/runs/",
        &format!("| proven against | `{}` |", staging(&world)),
        "- [ ] write the changelog on this branch: `docs/changelogs/v1.6.2.md`",
        "- [ ] review, and merge with a merge commit",
        "What will be tagged:",
        "| `ghcr.io/cozystack/cozystack/cozystack-operator:v1.6.2` | `sha256:",
    ] {
        assert!(body.contains(text), "`{text}` is not in:\n{body}");
    }
    let state = world.github().state();
    let pull = state.pull(1).unwrap();
    assert_eq!((pull.title.as_str(), pull.base_ref.as_str()), ("Release v1.6.2", MAIN));
    assert_eq!((pull.author.as_str(), pull.labels.as_slice()), ("cozystack-ci[bot]", &["release".to_owned()][..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_one_is_a_wait_of_its_own_and_no_second_one_is_opened() {
    let world = waiting().await;
    person(&world, "PATCH", "pulls/1", json!({"state": "closed"})).await;
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    for _ in 0..2 {
        let ran = world.run().await;
        let texts = [
            "https://github.test/cozystack/cozystack/pull/1 was closed without a merge",
            "reopen it, or take the promotion back",
            "gh pr reopen 1",
        ];
        waits(&ran, "propose", "pull-request", &texts);
        assert!(ran.acted().is_empty());
    }
    waits(&world.plan().await, "propose", "pull-request", &["was closed without a merge"]);
    writes.none();
    before.assert_same(&world.snapshot(), "a person's word");
    // More commits of people on the branch change nothing of that.
    world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n\nText.\n");
    waits(&world.run().await, "propose", "pull-request", &["was closed without a merge"]);
    person(&world, "PATCH", "pulls/1", json!({"state": "open"})).await;
    world.run().await.must_be(State::Waiting);
    assert_eq!(opened(&world), 1);
    world.github().merge_pull(1, How::Merge);
    world.run().await.must_be(State::Holds);
}

/// With the branch gone, what was closed is known by the ref that GitHub keeps of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_one_whose_branch_is_gone_is_a_persons_word_too() {
    let world = waiting().await;
    world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n\nText.\n");
    world.github().sync();
    person(&world, "PATCH", "pulls/1", json!({"state": "closed"})).await;
    world.delete_branch(STAGING);
    let unknown = world.copy();
    // On a machine that has never seen that commit.
    let ran = world.run().await;
    waits(&ran, "propose", "pull-request", &["pull/1 was closed without a merge", "gh pr reopen 1"]);
    assert_eq!(opened(&world), 1);
    // What can't be had is no leave to open another.
    unknown.sandbox.git(&unknown.origin(), &["update-ref", "-d", "refs/pull/1/head"]);
    let ran = unknown.run().await;
    let text = "can't be known: what #1 held when it was closed: the origin does not list refs/pull/1/head";
    refused(&ran, "propose", &[text]);
    assert_eq!(opened(&unknown), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_candidate_never_reuses_a_closed_one() {
    let world = waiting().await;
    person(&world, "PATCH", "pulls/1", json!({"state": "closed"})).await;
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    world.run().await.must_be(State::Waiting);
    let pulls = seen(&world, "pull");
    assert_eq!(pulls.len(), 2, "{pulls:?}");
    let state = world.github().state();
    assert!(!state.pull(1).unwrap().open && state.pull(2).unwrap().open);
    assert_eq!(state.pull(2).unwrap().labels, ["release"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_one_into_another_base_is_refused() {
    let world = pinned().await;
    let main = names(&world, "refs/heads/main");
    world.set_ref("refs/heads/develop", &main);
    let number = by_hand(&world, "develop");
    let before = world.snapshot();
    let ran = world.run().await;
    let texts = [
        &format!("the open pull request #{number} goes into develop, not into main"),
        &format!("https://github.test/cozystack/cozystack/pull/{number}"),
        &format!("close it, or change its base: gh pr edit {number} --base main"),
    ];
    refused(&ran, "propose", &texts.map(String::as_str));
    assert!(ran.acted().is_empty());
    before.assert_same(&world.snapshot(), "refused");
    person(&world, "PATCH", &format!("pulls/{number}"), json!({"base": "main"})).await;
    world.run().await.must_be(State::Waiting);
    assert_eq!(opened(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_opened_by_somebody_else_is_used_and_reported() {
    let world = pinned().await;
    let number = by_hand(&world, MAIN);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    let text =
        "was opened by maria, who is not in `proposal.authors`: its merge starts no finalization, resume by hand";
    noted(&ran, "propose", text);
    assert_eq!(opened(&world), 0);
    assert!(pull_body(&world, number).contains("This promotes **v1.6.2-rc.1**"));
    assert_eq!(world.github().state().pull(number).unwrap().title, "Release, by hand");
    // By hand neither author nor label counts.
    world.github().merge_pull(number, How::Merge);
    world.run().await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_from_a_fork_is_another_branch() {
    let world = pinned().await;
    let number = by_hand(&world, MAIN);
    world.github().state().pull_mut(number).unwrap().head = Head::Fork("mallory/cozystack".into());
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert_eq!(opened(&world), 1);
    let state = world.github().state();
    let fork = state.pull(number).unwrap();
    assert!(fork.body.is_none() && fork.labels.is_empty(), "{fork:?}");
    assert!(state.pull(number + 1).unwrap().open);
}

#[tokio::test(flavor = "multi_thread")]
async fn peoples_text_around_it_survives_and_a_hand_edit_inside_is_mended() {
    let world = waiting().await;
    let own = pull_body(&world, 1);
    let edit = |text: String| world.github().state().pull_mut(1).unwrap().body = Some(text);
    let around = |inside: &str| format!("cc @reviewers\n\n{inside}\n\n- [x] looked at it\n");
    edit(around(&own));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty(), "text outside is nothing to mend: {:?}", ran.acted());
    edit(around(&own.replace("Don't squash", "Do squash")));
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert_eq!(ran.acted().len(), 1, "{:?}", ran.acted());
    assert!(ran.acted()[0].starts_with("edit-pull pull request from release-1.6.2"), "{:?}", ran.acted());
    assert_eq!(pull_body(&world, 1), around(&own));
    // GitHub's own editor ends lines in its way.
    edit(around(&own).replace('\n', "\r\n"));
    assert!(world.run().await.acted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_people_deleted_the_markers_it_is_put_before_their_text() {
    let world = waiting().await;
    let own = pull_body(&world, 1);
    for theirs in ["All their own.\n", "<!-- sealift: what stands here is written by sealift -->\nhalf\n"] {
        world.github().state().pull_mut(1).unwrap().body = Some(theirs.into());
        world.run().await.must_be(State::Waiting);
        let body = pull_body(&world, 1);
        assert!(body.starts_with(own.trim_end()) && body.ends_with(theirs), "{body}");
        let again = world.run().await;
        assert!(again.acted().is_empty(), "{:?}", again.acted());
    }
    world.github().state().pull_mut(1).unwrap().body = None;
    world.run().await.must_be(State::Waiting);
    assert_eq!(pull_body(&world, 1), own);
}

/// A head with more on it is proven again before the text says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_head_is_proven_before_the_text_names_it() {
    let world = waiting().await;
    let commit = world.person_commits(STAGING, CHANGELOG, "# v1.6.2\n\nA fix.\n");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    let body = pull_body(&world, 1);
    assert!(body.contains(&format!("| proven against | `{commit}` |")), "{body}");
    assert!(body.contains("- [x] changelog: `docs/changelogs/v1.6.2.md`"), "{body}");
    assert!(body.contains("Commits of people: 1"), "{body}");
    let stray = world.person_commits(STAGING, "README.md", "something else\n");
    let ran = world.run().await;
    ran.must_be(State::Refused);
    assert!(!pull_body(&world, 1).contains(&stray) && pull_body(&world, 1).contains(&commit));
    assert_ne!(pin(&world), commit);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_github_deleted_at_the_merge_is_not_missed() {
    let world = waiting().await;
    world.github().state().repository.delete_branch_on_merge = true;
    world.github().merge_pull(1, How::Merge);
    assert_eq!(world.names_of(&format!("refs/heads/{STAGING}")), None);
    world.run().await.must_be(State::Holds);
    assert_eq!(seen(&world, "pull").len(), 1);
    let (other, _) = merged().await;
    other.run().await.must_be(State::Holds);
}
