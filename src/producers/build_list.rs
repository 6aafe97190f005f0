//! The root Makefile's `build:` list: what a release rebuilds.

use std::collections::BTreeSet;

use serde::Serialize;

use super::graph::{Graph, Node, Slot};
use super::stamp::Effect;
use super::{Note, Place};

/// The target that lists what is built.
const BUILD: &str = "build";

/// What the root `build:` list says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum BuildList {
    /// It was read.
    Read {
        place: Place,
        /// In the order of the list.
        packages: Vec<Listed>,
        /// What in it reading can't know: more packages may be built by that.
        unknown: Vec<Note>,
    },
    /// There may be one, and it can't be read.
    Unknown(Note),
    /// There is none, and why.
    NotApplicable { reason: String },
}

/// A package's target that the list runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The directory in the repository.
    pub package: String,
    pub target: String,
    pub place: Place,
    /// Why it builds nothing: there is no such Makefile, or no such target in it.
    pub dead: Option<String>,
}

/// Reads the list; with it, every target that it runs.
pub(super) fn read(graph: &mut Graph<'_>) -> (BuildList, BTreeSet<Node>) {
    let not_applicable = |reason: &str| (BuildList::NotApplicable { reason: reason.to_owned() }, BTreeSet::new());
    let makefile = match graph.makefile("") {
        Slot::Read(makefile) => makefile,
        Slot::Absent => return not_applicable("the repository has no Makefile at its root"),
        Slot::Unread(note) => return (BuildList::Unknown(note), BTreeSet::new()),
    };
    let root = Node::new("", BUILD);
    let Some(place) = graph.run(&root).place.clone() else {
        return match makefile.notes.first() {
            Some(note) => (BuildList::Unknown(note.clone()), BTreeSet::new()),
            None => not_applicable("the root Makefile has no `build:` target"),
        };
    };
    let built = graph.reach([root.clone()]);
    let (mut packages, mut unknown): (Vec<Listed>, Vec<Note>) = (Vec::new(), Vec::new());
    // In the order in which the root's targets say it, each once.
    let (mut todo, mut seen) = (vec![root], BTreeSet::new());
    while let Some(node) = todo.pop() {
        if !seen.insert(node.clone()) {
            continue;
        }
        let run = graph.run(&node);
        for act in &run.acts {
            if let Effect::Unknown(text) = &act.effect {
                unknown.push(Note { place: act.place.clone(), text: text.clone() });
            }
        }
        let mut own = Vec::new();
        for (next, place) in &run.next {
            if next.directory.is_empty() {
                own.push(next.clone());
                continue;
            }
            let dead = dead(graph, next);
            let (package, target, place) = (next.directory.clone(), next.target.clone(), place.clone());
            packages.push(Listed { package, target, place, dead });
        }
        todo.extend(own.into_iter().rev());
    }
    // A Makefile that can't be read may run any other.
    for directory in built.iter().map(|node| node.directory.as_str()).collect::<BTreeSet<_>>() {
        if let Slot::Unread(note) = graph.makefile(directory) {
            unknown.push(note);
        }
    }
    let mut told = BTreeSet::new();
    unknown.retain(|note| told.insert(note.clone()));
    packages.sort_by(|a, b| a.place.cmp(&b.place));
    (BuildList::Read { place, packages, unknown }, built)
}

/// Why a call of make does nothing.
pub(super) fn dead(graph: &mut Graph<'_>, node: &Node) -> Option<String> {
    match graph.makefile(&node.directory) {
        Slot::Absent => Some(format!("`{}` has no Makefile", node.directory)),
        Slot::Unread(_) => None,
        Slot::Read(makefile) if graph.run(node).place.is_none() && makefile.notes.is_empty() => {
            Some(format!("`{}` has no target `{}`", makefile.path, node.target))
        }
        Slot::Read(_) => None,
    }
}
