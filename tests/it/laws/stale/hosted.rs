//! The same on GitHub, which compares nothing before it writes: what somebody does between the plan
//! and the interpreter's look right before a write is agreed with, joined or refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use sealift::engine::State;

use super::{Meanwhile, Moment};
use crate::laws::Undisturbed;
use crate::support::crash::Writes;
use crate::support::github::MARIA;
use crate::support::github::state::{Release, State as GitHub};
use crate::support::world::{Ran, World, shipped};

const CHANGELOG: &str = "# v1.6.2\n\nWhat is new.\n";
const THEIRS: &str = "Somebody's own words.";

/// What somebody did right before an action, and how the run ended.
struct Met {
    world: World,
    ran: Ran,
}

/// A copy of a world, in which somebody does something at the interpreter's nth look (from 1) before
/// an action of that verb on such a target.
async fn met(world: &World, verb: &str, target: &str, nth: usize, does: impl FnOnce(&World) + Send) -> Met {
    let world = world.copy();
    let seen = AtomicUsize::new(0);
    let when = |moment: &Moment<'_>| {
        let hit = matches!(moment, Moment::Looking(action) if action.verb == verb && action.target.contains(target));
        hit && seen.fetch_add(1, Ordering::SeqCst) + 1 == nth
    };
    let ran = Meanwhile::new(when, || does(&world)).during_a_run(&world).await;
    Met { world, ran }
}

impl Met {
    /// There is one release of the version, a draft or not.
    #[track_caller]
    fn goes_on_to(self, state: State) -> World {
        self.ran.must_be(state);
        assert_eq!(self.releases(), 1, "{}", self.ran.told());
        self.world
    }

    #[track_caller]
    fn refused(&self, what: &str) {
        self.ran.must_be(State::Refused);
        let refusals = self.ran.refusals();
        assert!(refusals.iter().any(|refusal| format!("{refusal:?}").contains(what)), "{what}: {refusals:#?}");
        assert!(refusals.iter().all(|refusal| refusal.hint.is_some()), "no hint: {refusals:#?}");
        assert_eq!(self.releases(), 1, "{}", self.ran.told());
    }

    fn releases(&self) -> usize {
        let tag = self.world.names().git_tag;
        self.world.github().state().releases.iter().filter(|release| release.tag_name == tag.short()).count()
    }
}

/// Every pipeline on GitHub: one at least.
async fn hosted() -> Vec<Undisturbed> {
    let mut all = Vec::new();
    for shipped in shipped().into_iter().filter(|shipped| shipped.forge() == "github") {
        all.push(Undisturbed::of(&shipped).await);
    }
    assert!(!all.is_empty());
    all
}

/// Waiting, with a changelog that somebody wrote since: draft and pull request are to be edited.
async fn with_a_changelog(undisturbed: &Undisturbed) -> World {
    let world = undisturbed.fresh.copy();
    world.run().await.must_be(State::Waiting);
    let path = world.pipeline().release.changelog.as_ref().unwrap().stable(&world.rc.stable);
    world.person_commits(world.names().staging.short(), &path, CHANGELOG);
    world
}

fn release<'a>(state: &'a mut GitHub, world: &World) -> &'a mut Release {
    state.release_mut(world.names().git_tag.short()).unwrap()
}

fn text(world: &World) -> String {
    release(&mut world.github().state(), world).body.clone().unwrap_or_default()
}

fn edited(body: &mut Option<String>) {
    *body = Some(format!("{}\n{THEIRS}\n", body.take().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_appears_is_taken_and_not_made_twice() {
    for undisturbed in hosted().await {
        // The second look, some seconds later, counts as much as the first.
        for look in [1, 2] {
            let met = met(&undisturbed.fresh, "create-draft", "", look, |world| {
                let mut state = world.github().state();
                state.add_release(world.names().git_tag.short(), true, false);
                release(&mut state, world).body = Some(THEIRS.into());
            });
            let world = met.await.goes_on_to(State::Waiting);
            world.merge();
            world.run().await.must_be(State::Holds);
            assert_eq!(text(&world), THEIRS, "people's text is what is published");
        }
    }
}

/// Between the last look and the write nothing can be compared: who made the later draft takes it back.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_drafts_made_at_once_the_first_stays() {
    for undisturbed in hosted().await {
        let world = undisturbed.fresh.copy();
        let creates = |moment: &Moment<'_>| matches!(moment, Moment::Before(effect) if effect.kind == Writes::Forge("create-draft"));
        let tag = world.names().git_tag;
        let first = || {
            world.github().state().add_release(tag.short(), true, false);
        };
        let ran = Meanwhile::new(creates, first).during_a_run(&world).await;
        let world = Met { world: world.copy(), ran }.goes_on_to(State::Waiting);
        assert_eq!(release(&mut world.github().state(), &world).author, MARIA, "the first one is somebody else's");
        world.merge();
        world.run().await.must_be(State::Holds);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_that_somebody_publishes_is_never_replaced() {
    for undisturbed in hosted().await {
        let publish = |world: &World| {
            let names = world.names();
            world.set_ref(names.git_tag.as_str(), &world.names_of(names.base.as_str()).unwrap());
            let mut state = world.github().state();
            match state.release_mut(names.git_tag.short()) {
                Some(release) => (release.draft, release.published_at) = (false, Some(1)),
                None => drop(state.add_release(names.git_tag.short(), false, false)),
            }
        };
        for (verb, target) in [("create-draft", ""), ("upload-asset", ".iso"), ("upload-asset", "sealift.json")] {
            let met = met(&undisturbed.fresh, verb, target, 1, publish).await;
            met.refused("v1.6.2");
            let mut state = met.world.github().state();
            let release = release(&mut state, &met.world);
            assert!(!release.draft && release.assets.iter().all(|asset| asset.name != "sealift.json"), "{verb}");
            assert!(state.pulls.is_empty(), "{verb}: nothing was written past it");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_that_appears_is_agreed_with_or_refused() {
    for undisturbed in hosted().await {
        let name = undisturbed.fresh.pipeline().release.assets.copied[0].as_str();
        let add = |world: &World, name: &str, bytes: Vec<u8>| {
            let mut state = world.github().state();
            let id = release(&mut state, world).id;
            state.add_asset(id, name, bytes);
        };
        let met_ = met(&undisturbed.fresh, "upload-asset", name, 1, |world| {
            let candidate = world.github().state().releases[0].assets.clone();
            let same = candidate.iter().find(|asset| asset.name == name).unwrap();
            add(world, name, same.bytes.to_vec());
        });
        let world = met_.await.goes_on_to(State::Waiting);
        world.merge();
        world.run().await.must_be(State::Holds);
        undisturbed.last.assert_same(&world.snapshot(), "the same file by another's hand");
        // The second is in nobody's way, and is seen all the same before anything is proposed.
        for (there, why) in [(name, "is on the draft with other bytes"), ("more.txt", "more.txt is not recorded")] {
            let met = met(&undisturbed.fresh, "upload-asset", name, 1, |world| add(world, there, THEIRS.into())).await;
            met.refused(why);
            let mut state = met.world.github().state();
            let asset = release(&mut state, &met.world).assets.iter().find(|asset| asset.name == there).cloned();
            assert_eq!(*asset.unwrap().bytes, THEIRS.as_bytes(), "theirs is still there");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_goes_is_made_again() {
    for undisturbed in hosted().await {
        let delete = |world: &World| {
            let tag = world.names().git_tag;
            world.github().state().releases.retain(|release| release.tag_name != tag.short());
        };
        // What this run made is looked up by its number, and never made twice: the next run makes it.
        let Met { world, ran } = met(&undisturbed.fresh, "upload-asset", "sealift.json", 1, delete).await;
        ran.must_be(State::Failed);
        assert!(ran.told().contains("written by this run"), "{}", ran.told());
        world.run().await.must_be(State::Waiting);
        world.merge();
        world.run().await.must_be(State::Holds);
        undisturbed.last.assert_same(&world.snapshot(), "a draft made again before the merge");
        let world = met(&undisturbed.merged, "publish-release", "", 1, delete).await.goes_on_to(State::Holds);
        undisturbed.last.assert_same(&world.snapshot(), "a draft made again after the merge");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_appears_is_used_or_refused() {
    for undisturbed in hosted().await {
        let open = |world: &World, base: &str| {
            let staging = world.names().staging;
            let [head, tip] =
                [staging.as_str(), &format!("refs/heads/{base}")].map(|name| world.names_of(name).unwrap());
            let mut state = world.github().state();
            let number = state.add_pull(staging.short(), &head, base, &tip, "Mine");
            state.pull_mut(number).unwrap().body = Some(THEIRS.into());
        };
        let base = undisturbed.fresh.names().base;
        let world = met(&undisturbed.fresh, "open-pull", "", 1, |world| open(world, base.short())).await;
        let world = world.goes_on_to(State::Waiting);
        {
            let state = world.github().state();
            let [pull] = state.pulls.as_slice() else { panic!("{:?}", state.pulls) };
            let body = pull.body.as_deref().unwrap();
            assert!(body.ends_with(THEIRS) && body.contains("This promotes"), "{body}");
            assert_eq!((pull.title.as_str(), pull.labels.len()), ("Mine", 1));
        }
        let rc_branch = undisturbed.fresh.names().rc_branch;
        let met = met(&undisturbed.fresh, "open-pull", "", 1, |world| open(world, rc_branch.short())).await;
        met.refused(&format!("goes into {}, not into {}", rc_branch.short(), base.short()));
        assert_eq!(met.world.github().state().pulls.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_is_closed_is_left_closed() {
    for undisturbed in hosted().await {
        let close = |world: &World| {
            let mut state = world.github().state();
            (state.pulls[0].open, state.pulls[0].closed_at) = (false, Some(1));
        };
        let met = met(&undisturbed.fresh, "label-pull", "", 1, close).await;
        met.ran.must_be(State::Waiting);
        assert_eq!(met.ran.stage("propose").unwrap().wait.as_ref().unwrap().on, "pull-request");
        let state = met.world.github().state();
        assert_eq!((state.pulls.len(), state.pulls[0].open, state.pulls[0].labels.len()), (1, false, 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_that_people_edit_meanwhile_survive() {
    for undisturbed in hosted().await {
        let waiting = with_a_changelog(&undisturbed).await;
        let of_the_draft = |world: &World| edited(&mut release(&mut world.github().state(), world).body);
        let of_the_pull = |world: &World| edited(&mut world.github().state().pulls[0].body);
        let world = met(&waiting, "edit-draft", "", 1, of_the_draft).await.goes_on_to(State::Waiting);
        assert!(text(&world).contains(THEIRS) && text(&world).contains("What is new."), "{}", text(&world));
        let world = met(&waiting, "edit-pull", "", 1, of_the_pull).await.goes_on_to(State::Waiting);
        let body = world.github().state().pulls[0].body.clone().unwrap();
        assert!(body.contains(THEIRS) && body.contains("[x] changelog"), "{body}");
        // Right before it is public, and where it was never edited with what is in the changelog.
        waiting.merge();
        let world = met(&waiting, "publish-release", "", 1, of_the_draft).await.goes_on_to(State::Holds);
        assert!(text(&world).contains(THEIRS) && text(&world).contains("What is new."), "{}", text(&world));
    }
}

/// The files that become public are those that were looked at.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_change_right_before_publishing_are_not_published() {
    for undisturbed in hosted().await {
        let name = undisturbed.fresh.pipeline().release.assets.copied[0].as_str();
        let changes = [
            (true, Some(name), "another file"),
            (false, Some("more.txt"), "not recorded"),
            (true, None, "is not there"),
        ];
        for (goes, comes, why) in changes {
            let met = met(&undisturbed.merged, "publish-release", "", 1, |world| {
                let mut state = world.github().state();
                let release = release(&mut state, world);
                release.assets.retain(|asset| !goes || asset.name != name);
                let id = release.id;
                comes.map(|name| state.add_asset(id, name, THEIRS));
            })
            .await;
            met.refused(why);
            assert!(release(&mut met.world.github().state(), &met.world).draft, "{why}: it came out");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_a_person_publishes_is_agreed_with() {
    for undisturbed in hosted().await {
        let publish = |world: &World| {
            let mut state = world.github().state();
            let release = release(&mut state, world);
            (release.draft, release.published_at, release.body) = (false, Some(1), Some(THEIRS.into()));
        };
        let world = met(&undisturbed.merged, "publish-release", "", 1, publish).await.goes_on_to(State::Holds);
        assert_eq!(text(&world), THEIRS, "it is not edited");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_is_the_highest_whatever_people_mark_meanwhile() {
    for undisturbed in hosted().await {
        for (other, wins) in [("v1.6.1", false), ("v1.7.0", true)] {
            let met = met(&undisturbed.merged, "mark-latest", "", 1, |world| {
                let mut state = world.github().state();
                state.latest = Some(state.add_release(other, false, false));
            });
            let world = met.await.goes_on_to(State::Holds);
            let tag = world.names().git_tag;
            let state = world.github().state();
            let latest = state.releases.iter().find(|release| Some(release.id) == state.latest).unwrap();
            assert_eq!(latest.tag_name, if wins { other } else { tag.short() });
        }
    }
}
