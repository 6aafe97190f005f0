//! Crash anywhere: die right before or right after any effect, run again on another machine, and
//! the world ends as if nothing had happened.

use std::sync::Arc;

use sealift::engine::State;

use super::{Undisturbed, all, minimum};
use crate::support::crash::{Death, Effect, Hook, Writes};
use crate::support::world::{World, shipped};

/// From so many lists a new draft is missing. One machine looks four times before it makes one: at
/// the gate, when it plans, and twice right before.
const LAG: usize = 3;

/// When somebody dies.
#[derive(Clone, Copy, Debug)]
enum When {
    Before,
    /// Half of the file is at the forge.
    Within,
    After,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_at_any_effect_changes_nothing_in_the_end() {
    for shipped in shipped() {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let (n, name) = (undisturbed.effects(), &shipped.name);
        let minimum = minimum(&shipped);
        assert!(n >= minimum, "{name}: {n} effects, there were {minimum}: is something no longer watched?");
        let uploads = undisturbed.places(|kind| kind == Writes::Forge("upload-asset"));
        let mut cases: Vec<_> = (1..=n).flat_map(|at| [(at, When::Before, 0), (at, When::After, 0)]).collect();
        cases.extend(uploads.iter().map(|at| (*at, When::Within, 0)));
        println!("{name}, {}: {n} effects, {} crashes", shipped.forge(), cases.len());
        // Where lists lag, what is dangerous is to die between the draft and what follows it.
        let drafts = undisturbed.places(|kind| kind == Writes::Forge("create-draft"));
        let lagging = drafts.iter().chain(&uploads).flat_map(|at| [(*at, When::Before, LAG), (*at, When::After, LAG)]);
        cases.extend(lagging);
        all(cases.into_iter().map(|(at, when, lag)| {
            let undisturbed = undisturbed.clone();
            move || crash(undisturbed, at, when, lag)
        }))
        .await;
    }
}

async fn crash(undisturbed: Arc<Undisturbed>, at: usize, when: When, lag: usize) {
    let (world, number, early) = undisturbed.before_effect(at);
    if let Some(github) = world.hosted() {
        github.state().draft_lag = lag;
    }
    let death = match when {
        When::After => Death::after(number),
        When::Before | When::Within => Death::before(number),
    };
    let ran = match when {
        When::Within => world.session().run_watched(&world.request(), &Half { world: &world, death: &death }).await,
        _ => world.session().run_watched(&world.request(), &death).await,
    };
    assert!(death.came(), "effect {at} never came\n{}", ran.told());
    if early {
        world.run().await.must_be(State::Waiting);
        world.merge();
    }
    world.run().await.must_be(State::Holds);
    undisturbed.last.assert_same(&world.snapshot(), &format!("died {when:?} effect {at}, lists {lag} behind"));
}

/// Death in the middle of an upload: GitHub keeps the name, with nothing under it.
struct Half<'a> {
    world: &'a World,
    death: &'a Death,
}

impl Hook for Half<'_> {
    fn look(&self, look: &crate::support::crash::Look) -> Option<sealift::model::Unknown> {
        self.death.look(look)
    }

    fn before(&self, effect: &Effect) -> Result<(), sealift::port::WriteError> {
        let dead = self.death.came();
        let result = self.death.before(effect);
        if result.is_err() && !dead {
            let (release, name) = effect.what.rsplit_once(' ').unwrap();
            let mut state = self.world.github().state();
            let id = state.release(release.strip_prefix("release ").unwrap()).unwrap().id;
            state.add_broken_asset(id, name);
        }
        result
    }

    fn after(&self, effect: &Effect) -> Result<(), sealift::port::WriteError> {
        self.death.after(effect)
    }
}

/// However far lists lag behind, what a run made it finds by its id.
#[tokio::test(flavor = "multi_thread")]
async fn lists_that_never_catch_up_make_no_second_draft() {
    for shipped in shipped().into_iter().filter(|shipped| shipped.forge() == "github") {
        let undisturbed = Undisturbed::of(&shipped).await;
        let world = undisturbed.fresh.copy();
        world.github().state().draft_lag = usize::MAX;
        world.run().await.must_be(State::Waiting);
        let drafts = || world.github().state().releases.iter().filter(|release| release.draft).count();
        assert_eq!(drafts(), 1);
        world.merge();
        for release in &mut world.github().state().releases {
            release.hidden = 0;
        }
        world.run().await.must_be(State::Holds);
        undisturbed.last.assert_same(&world.snapshot(), "with lists that lag");
    }
}

/// Finalize, killed after each of its effects and resumed: also once the release is public.
#[tokio::test(flavor = "multi_thread")]
async fn a_finalize_that_died_anywhere_is_resumed() {
    for shipped in shipped() {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let before = undisturbed.before.effects();
        let finalize = undisturbed.told[1].acted_in("finalize");
        assert!(finalize.len() >= 2, "{}: {finalize:?}", shipped.name);
        // The log of retag is what comes right before.
        let first = undisturbed.after.effects.lock().unwrap().iter().position(|e| e.kind == Writes::Log).unwrap() + 2;
        let last = undisturbed.after.effects();
        println!("{}, {}: finalize dies after each of {} effects", shipped.name, shipped.forge(), last + 1 - first);
        all((first..=last).map(|number| {
            let undisturbed = undisturbed.clone();
            move || async move {
                let world = undisturbed.merged.copy();
                let death = Death::after(number);
                world.session().run_watched(&world.request(), &death).await;
                assert!(death.came(), "effect {} never came", before + number);
                // By its version, from a machine that knows nothing, where the host took the branch away,
                // and without what people brought.
                world.delete_branch(world.names().staging.short());
                let version = sealift::promotion::locate::Request::Version(world.rc.stable);
                let mut session = world.session();
                session.inputs.assets = None;
                session.run(&version).await.must_be(State::Holds);
                let mut expected = undisturbed.last.clone();
                expected.0.remove(world.names().staging.as_str());
                expected.assert_same(&world.snapshot(), &format!("finalize died after effect {number}"));
            }
        }))
        .await;
    }
}
