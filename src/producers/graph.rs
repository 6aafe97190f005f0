//! Targets as they run: what each one does, and which others it brings along.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::budget::Budget;
use super::makefile::Makefile;
use super::source::{Found, Sources};
use super::stamp::Effect;
use super::{Note, Place, reader};
use crate::tree::Tree;

/// More targets than this are not followed.
const TARGETS: usize = 50_000;

/// A target of the Makefile in a directory, with the variables that a command line gave it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node {
    pub directory: String,
    pub target: String,
    pub variables: Vec<(String, String)>,
}

impl Node {
    pub(super) fn new(directory: &str, target: &str) -> Self {
        Self { directory: directory.to_owned(), target: target.to_owned(), variables: Vec::new() }
    }
}

/// One thing that a target does, and where.
#[derive(Clone, Debug)]
pub(super) struct Act {
    pub place: Place,
    pub effect: Effect,
}

impl Act {
    /// What may be done where a Makefile can't be read.
    pub(super) fn unknown(note: &Note) -> Self {
        Self { place: note.place.clone(), effect: Effect::Unknown(note.text.clone()) }
    }
}

/// What a target does.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Where its rule begins; `None` where there is no such target.
    pub place: Option<Place>,
    pub acts: Vec<Act>,
    /// The targets it needs or runs, and where it says so.
    pub next: Vec<(Node, Place)>,
}

/// The Makefile of a directory.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Read(Arc<Makefile>),
    Absent,
    Unread(Note),
}

/// Every target that was looked at.
pub(super) struct Graph<'a> {
    pub sources: Sources<'a>,
    pub budget: &'a Budget,
    makefiles: BTreeMap<String, Slot>,
    runs: BTreeMap<Node, Arc<Run>>,
    /// Whether there were more targets than are followed.
    pub cut: bool,
}

impl<'a> Graph<'a> {
    pub(super) fn new(tree: &'a dyn Tree, budget: &'a Budget) -> Self {
        Self {
            sources: Sources::new(tree, budget),
            budget,
            makefiles: BTreeMap::new(),
            runs: BTreeMap::new(),
            cut: false,
        }
    }

    pub(super) fn makefile(&mut self, directory: &str) -> Slot {
        if let Some(slot) = self.makefiles.get(directory) {
            return slot.clone();
        }
        let slot = match self.sources.makefile(directory) {
            Found::File(source) => {
                Slot::Read(Arc::new(reader::read(directory, &source, &mut self.sources, self.budget)))
            }
            Found::Absent => Slot::Absent,
            Found::Unread(text) => {
                let file = if directory.is_empty() { "Makefile".to_owned() } else { format!("{directory}/Makefile") };
                Slot::Unread(Note { place: Place { file, line: 1, column: 1 }, text })
            }
        };
        self.makefiles.insert(directory.to_owned(), slot.clone());
        slot
    }

    /// Everything that running the targets runs, themselves included.
    pub(super) fn reach(&mut self, from: impl IntoIterator<Item = Node>) -> BTreeSet<Node> {
        let mut todo: Vec<Node> = from.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(node) = todo.pop() {
            if reached.contains(&node) {
                continue;
            }
            todo.extend(self.run(&node).next.iter().map(|(next, _)| next.clone()));
            reached.insert(node);
        }
        reached
    }

    /// What a target does.
    pub(super) fn run(&mut self, node: &Node) -> Arc<Run> {
        if let Some(run) = self.runs.get(node) {
            return Arc::clone(run);
        }
        if self.runs.len() >= TARGETS {
            self.cut = true;
            return Arc::default();
        }
        let run = match self.makefile(&node.directory) {
            Slot::Read(makefile) => {
                let mut run = self.read(&makefile, node);
                // What can't be read of it may say more about any target.
                run.acts.extend(makefile.notes.first().map(Act::unknown));
                run
            }
            Slot::Absent => Run::default(),
            Slot::Unread(note) => Run { acts: vec![Act::unknown(&note)], ..Run::default() },
        };
        let run = Arc::new(run);
        self.runs.insert(node.clone(), Arc::clone(&run));
        run
    }

    /// Every target that was looked at, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Node, &Run)> {
        self.runs.iter().map(|(node, run)| (node, run.as_ref()))
    }

    /// Counts: targets looked at, and files read.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.runs.len(), self.sources.count())
    }
}
