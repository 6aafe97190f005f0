//! The laws of a promotion, each over every shipped pipeline.

mod crash;
mod deterministic;
mod faults;
mod kill;
mod plan;
mod safety;
mod stale;
mod twice;
mod wire;
mod world;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;

use sealift::engine::State;

use crate::support::crash::{Count, Writes};
use crate::support::world::{Case, Ran, Shipped, World, WorldSnapshot};

/// How many cases of a law run at once.
const AT_ONCE: usize = 4;

/// Runs cases beside each other; one that fails fails the law, once all have ended.
async fn all<F: Future<Output = ()>>(cases: impl IntoIterator<Item = impl FnOnce() -> F + Send + 'static>) {
    beside(AT_ONCE, cases).await;
}

/// Runs so many cases beside each other, each on a thread of its own.
async fn beside<F: Future<Output = ()>>(
    at_once: usize,
    cases: impl IntoIterator<Item = impl FnOnce() -> F + Send + 'static>,
) {
    let (mut running, mut failed) = (tokio::task::JoinSet::new(), 0);
    for case in cases {
        if running.len() == at_once {
            failed += usize::from(running.join_next().await.unwrap().is_err());
        }
        let runtime = tokio::runtime::Handle::current();
        running.spawn_blocking(move || runtime.block_on(case()));
    }
    while let Some(ended) = running.join_next().await {
        failed += usize::from(ended.is_err());
    }
    assert_eq!(failed, 0, "cases failed; each has said why");
}

/// A promotion nobody disturbs, and where it can be entered.
struct Undisturbed {
    fresh: World,
    /// Waiting, and then merged by a person.
    merged: World,
    /// How the world looks when it waits, and at the end.
    waiting: WorldSnapshot,
    last: WorldSnapshot,
    /// The effects before and after the merge.
    before: Count,
    after: Count,
    /// What was told before and after it.
    told: [Ran; 2],
}

impl Undisturbed {
    async fn of(shipped: &Shipped) -> Self {
        Self::from(World::build(&Case::of(shipped)).await).await
    }

    async fn from(fresh: World) -> Self {
        let world = fresh.copy();
        let (before, after) = (Count::default(), Count::default());
        let first = world.session().run_watched(&world.request(), &before).await;
        first.must_be(State::Waiting);
        let waiting = world.snapshot();
        world.merge();
        let merged = world.copy();
        let second = world.session().run_watched(&world.request(), &after).await;
        second.must_be(State::Holds);
        let hosted = |count: &Count| count.of(|kind| matches!(kind, Writes::Forge(_)));
        assert_eq!(
            world.forge_writes(),
            hosted(&before) + hosted(&after),
            "GitHub was asked for writes that nobody watched"
        );
        Self { fresh, merged, waiting, last: world.snapshot(), before, after, told: [first, second] }
    }

    fn effects(&self) -> usize {
        self.before.effects() + self.after.effects()
    }

    /// Where effects of some kinds are, from 1.
    fn places(&self, kinds: impl Fn(Writes) -> bool) -> Vec<usize> {
        let (before, after) = (self.before.effects.lock().unwrap(), self.after.effects.lock().unwrap());
        let all = before.iter().chain(after.iter()).enumerate();
        all.filter(|(_, effect)| kinds(effect.kind)).map(|(at, _)| at + 1).collect()
    }

    /// Where a run of a world ends, before the merge and after it.
    fn end(&self, early: bool) -> (State, &WorldSnapshot) {
        if early { (State::Waiting, &self.waiting) } else { (State::Holds, &self.last) }
    }

    /// A world in which that effect (from 1) is still to come, its number in a run of it, and
    /// whether that is before the merge.
    fn before_effect(&self, at: usize) -> (World, usize, bool) {
        let before = self.before.effects();
        if at <= before { (self.fresh.copy(), at, true) } else { (self.merged.copy(), at - before, false) }
    }
}

/// The committed minimum of effects, by pipeline and forge: a law over fewer proves less than it did.
fn minimum(shipped: &Shipped) -> usize {
    let (pipeline, forge) = (shipped.name.as_str(), shipped.forge());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/laws/effects.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let minima: BTreeMap<(&str, &str), usize> = lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            ((words[0], words[1]), words[2].parse().unwrap())
        })
        .collect();
    let found = minima.get(&(pipeline, forge));
    *found.unwrap_or_else(|| panic!("{}: no line for {pipeline} {forge}", file.display()))
}
