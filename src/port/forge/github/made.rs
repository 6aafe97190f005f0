//! What this port made: GitHub's lists lag behind its own writes, and what was made is looked up by
//! its id instead.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ids of one kind, each with what it belongs to.
pub(super) struct Made<P>(Mutex<State<P>>);

struct State<P> {
    there: BTreeMap<u64, P>,
    gone: BTreeSet<u64>,
}

impl<P> Default for Made<P> {
    fn default() -> Self {
        Self(Mutex::new(State { there: BTreeMap::new(), gone: BTreeSet::new() }))
    }
}

impl<P: PartialEq> Made<P> {
    /// It was made or changed here.
    pub fn add(&self, id: u64, parent: P) {
        self.state().there.insert(id, parent);
    }

    /// It was deleted here.
    pub fn remove(&self, id: u64) {
        let mut state = self.state();
        state.there.remove(&id);
        state.gone.insert(id);
    }

    pub fn is_gone(&self, id: u64) -> bool {
        self.state().gone.contains(&id)
    }

    /// What was made here and belongs there.
    pub fn of(&self, parent: &P) -> Vec<u64> {
        self.state().there.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id).collect()
    }

    fn state(&self) -> MutexGuard<'_, State<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
