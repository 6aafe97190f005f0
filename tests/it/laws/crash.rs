//! Crash anywhere: die right before or right after any effect, run again on another machine, and
//! the world ends as if nothing had happened.

use std::sync::Arc;

use sealift::engine::State;

use super::{Undisturbed, all, minimum};
use crate::support::crash::Death;
use crate::support::world::shipped;

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_at_any_effect_changes_nothing_in_the_end() {
    for shipped in shipped() {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let (n, name) = (undisturbed.effects(), &shipped.name);
        println!("{name}: {n} effects, {} crashes", 2 * n);
        let minimum = minimum(name, "git");
        assert!(n >= minimum, "{name}: {n} effects, there were {minimum}: is something no longer watched?");
        let cases = (1..=n).flat_map(|at| [(at, false), (at, true)]);
        all(cases.map(|(at, after)| {
            let undisturbed = undisturbed.clone();
            move || crash(undisturbed, at, after)
        }))
        .await;
    }
}

async fn crash(undisturbed: Arc<Undisturbed>, at: usize, after: bool) {
    let before_the_merge = undisturbed.before.effects();
    let early = at <= before_the_merge;
    let world = if early { undisturbed.fresh.copy() } else { undisturbed.merged.copy() };
    let number = if early { at } else { at - before_the_merge };
    let death = if after { Death::after(number) } else { Death::before(number) };
    let ran = world.session().run_watched(&world.request(), &death).await;
    assert!(death.came(), "effect {at} never came\n{}", ran.told());
    if early {
        world.run().await.must_be(State::Waiting);
        world.merge();
    }
    world.run().await.must_be(State::Holds);
    let when = if after { "after" } else { "before" };
    world.snapshot().assert_same(&undisturbed.last, &format!("died {when} effect {at}"));
}
