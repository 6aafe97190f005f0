//! Packages: directories with a Makefile where references live, and those that the build list leaves out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::graph::{Act, Graph, Node, Slot};
use super::stamp::Effect;
use super::{BuildList, Note, Place};
use crate::pipeline::Pipeline;
use crate::refs::in_charts;
use crate::tree::{Entry, Kind, Tree, below, show};

/// The target that builds a package's images.
const IMAGE: &str = "image";

/// A package that stamps or builds, and that the build list leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unlisted {
    /// The directory in the repository.
    pub package: String,
    /// Where it stamps or builds.
    pub place: Place,
    pub omission: Omission,
    pub why: String,
    /// What in the build list reading can't know, and may build it after all.
    pub doubt: Option<Note>,
}

/// How a package is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Omission {
    /// It stamps references, and the list doesn't run it.
    Stamps,
    /// It runs `docker buildx build`, stamps nothing, and the list doesn't run it.
    Builds,
    /// The list runs another of its targets, which doesn't stamp.
    OtherTarget,
}

/// The packages of a tree, and what runs in them.
pub(super) struct Packages {
    /// By directory, in order.
    pub all: BTreeMap<String, Package>,
    /// Every target that a build or a declaration runs, with the variables it runs with.
    pub reached: BTreeSet<Node>,
    /// The directories and targets that the build list runs.
    pub built: BTreeSet<(String, String)>,
}

#[derive(Default)]
pub(super) struct Package {
    pub makefile: String,
    /// Where `image` begins, failing that the Makefile.
    pub place: Option<Place>,
    /// The first thing that reading can't know in what is run in it.
    pub unknown: Option<Note>,
    /// Its first `docker buildx build`, in whatever target.
    pub builds: Option<Place>,
}

impl Packages {
    /// The package that a file lies in.
    pub(super) fn of(&self, file: &str) -> Option<(&str, &Package)> {
        let mut directory = file;
        while let Some((above, _)) = directory.rsplit_once('/') {
            if let Some((name, package)) = self.all.get_key_value(above) {
                return Some((name, package));
            }
            directory = above;
        }
        None
    }

    /// The package that a target runs in.
    fn inside(&mut self, node: &Node) -> Option<&mut Package> {
        let owner = self.of(&format!("{}/", node.directory)).map(|(name, _)| name.to_owned())?;
        self.all.get_mut(&owner)
    }

    /// Counts for a target's package what reading can't know, the first by place.
    fn doubt(&mut self, node: &Node, note: &Note) {
        if let Some(package) = self.inside(node) {
            let known = package.unknown.take();
            package.unknown = Some(known.map_or(note.clone(), |known| known.min(note.clone())));
        }
    }
}

/// Finds the packages, reads every target of theirs, and follows what a build runs.
pub(super) fn find(
    tree: &dyn Tree,
    known: &[Entry],
    pipeline: &Pipeline,
    graph: &mut Graph<'_>,
    built: &BTreeSet<Node>,
    declared: Vec<Node>,
) -> (Packages, Vec<Note>) {
    let mut notes = Vec::new();
    let mut directories: BTreeSet<String> = built.iter().map(|node| node.directory.clone()).collect();
    let folders = &pipeline.overlay.packages;
    // The tree was listed for its references, unless that went wrong.
    let listed =
        if known.is_empty() { tree.entries_under(pipeline.root.as_bytes()).map(Cow::Owned) } else { Ok(known.into()) };
    match listed {
        Ok(entries) => {
            for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
                let is_makefile = |name: &[u8]| matches!(name, b"Makefile" | b"makefile" | b"GNUmakefile");
                let Some(slash) = memchr::memrchr(b'/', &entry.path).filter(|at| is_makefile(&entry.path[at + 1..]))
                else {
                    continue;
                };
                let directory = &entry.path[..slash];
                let relative = below(directory, pipeline.root.as_bytes()).unwrap_or_default();
                let makefile = below(&entry.path, pipeline.root.as_bytes()).unwrap_or_default();
                match std::str::from_utf8(directory) {
                    Ok(directory) if !in_charts(makefile) && folders.matches(relative) => {
                        directories.insert(directory.to_owned());
                    }
                    _ => {}
                }
            }
        }
        Err(error) => {
            let place = Place { file: show(pipeline.root.as_bytes()), line: 1, column: 1 };
            notes.push(Note { place, text: format!("can't be listed: {}", error.source) });
        }
    }
    directories.remove("");
    let mut all = BTreeMap::new();
    let mut images = Vec::new();
    for directory in directories {
        let (package, image) = package(graph, &directory, &mut notes);
        images.extend(image.then(|| Node::new(&directory, IMAGE)));
        all.extend(package.map(|package| (directory, package)));
    }
    let name = |node: &Node| (node.directory.clone(), node.target.clone());
    let reached = graph.reach(built.iter().cloned().chain(images).chain(declared));
    let mut packages = Packages { all, reached: BTreeSet::new(), built: built.iter().map(name).collect() };
    let mut unknown: Vec<(Note, &Node)> = Vec::new();
    for node in &reached {
        let run = graph.run(node);
        unknown.extend(run.acts.iter().find_map(|act| match &act.effect {
            Effect::Unknown(text) => Some((Note { place: act.place.clone(), text: text.clone() }, node)),
            _ => None,
        }));
    }
    // The first by place, whatever the order of the targets; what is unknown in a package itself before all else.
    unknown.sort();
    for (note, node) in &unknown {
        packages.doubt(node, note);
    }
    for (node, note) in callers(graph, &reached, unknown) {
        if packages.inside(node).is_some_and(|package| package.unknown.is_none()) {
            packages.doubt(node, &note);
        }
    }
    packages.reached = reached;
    (packages, notes)
}

/// What is unknown, in its order, with each target that runs into it, wherever that is: it may write anything of the
/// caller's package, too. Each target has the first one.
fn callers<'n>(
    graph: &mut Graph<'_>,
    reached: &'n BTreeSet<Node>,
    unknown: Vec<(Note, &'n Node)>,
) -> Vec<(&'n Node, Note)> {
    let mut above: BTreeMap<&Node, Vec<&Node>> = BTreeMap::new();
    for node in reached.iter().filter(|_| !unknown.is_empty()) {
        for (next, _) in &graph.run(node).next {
            if let Some(next) = reached.get(next) {
                above.entry(next).or_default().push(node);
            }
        }
    }
    let (mut seen, mut callers) = (BTreeSet::new(), Vec::new());
    for (note, node) in unknown {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if seen.insert(node) {
                todo.extend(above.get(node).into_iter().flatten());
                callers.push((node, note.clone()));
            }
        }
    }
    callers
}

/// Reads one package, every target of it; with whether it has an `image`.
fn package(graph: &mut Graph<'_>, directory: &str, notes: &mut Vec<Note>) -> (Option<Package>, bool) {
    let makefile = match graph.makefile(directory) {
        Slot::Read(makefile) => makefile,
        Slot::Absent => return (None, false),
        Slot::Unread(note) => {
            notes.push(note.clone());
            let place = Some(note.place.clone());
            let makefile = note.place.file.clone();
            return (Some(Package { makefile, place, unknown: Some(note), builds: None }), false);
        }
    };
    notes.extend(makefile.notes.iter().cloned());
    let targets: Vec<String> =
        makefile.targets().chain(makefile.patterns().map(|(pattern, _)| pattern)).map(str::to_owned).collect();
    let mut builds: Option<Place> = None;
    for target in &targets {
        let run = graph.run(&Node::new(directory, target));
        let building = |act: &&Act| matches!(act.effect, Effect::Build);
        for act in run.acts.iter().filter(building) {
            builds = Some(builds.take().map_or(act.place.clone(), |known| known.min(act.place.clone())));
        }
    }
    let image = graph.run(&Node::new(directory, IMAGE)).place.clone();
    let start = Place { file: makefile.path.clone(), line: 1, column: 1 };
    let has_image = image.is_some();
    let package = Package {
        makefile: makefile.path.clone(),
        place: Some(image.unwrap_or(start)),
        unknown: makefile.notes.first().cloned(),
        builds,
    };
    (Some(package), has_image)
}

/// The packages that stamp or build, and that the list leaves out. `stamping` has, by package and target, the
/// first place where a reference is stamped.
pub(super) fn unlisted(
    packages: &Packages,
    list: &BuildList,
    stamping: &BTreeMap<(String, String), (Place, String)>,
) -> Vec<Unlisted> {
    let BuildList::Read { unknown, .. } = list else { return Vec::new() };
    let doubt = unknown.first();
    let mut unlisted = Vec::new();
    for (directory, package) in &packages.all {
        let listed = packages.built.iter().any(|(built, _)| built == directory);
        let stamps = stamping.iter().filter(|((package, target), _)| {
            package == directory && !packages.built.contains(&(package.clone(), target.clone()))
        });
        let stamps = stamps.min_by(|(_, a), (_, b)| a.cmp(b));
        let found = match (listed, stamps, &package.builds) {
            (false, Some((_, (place, what))), _) => (Omission::Stamps, place, format!("it stamps {what}")),
            (false, None, Some(place)) => (Omission::Builds, place, "it runs `docker buildx build`".to_owned()),
            (true, Some(((_, target), (place, what))), _) => {
                let why = format!("the list runs it, but not `{target}`, which stamps {what}");
                (Omission::OtherTarget, place, why)
            }
            _ => continue,
        };
        let (omission, place, why) = (found.0, found.1.clone(), found.2);
        unlisted.push(Unlisted { package: directory.clone(), place, omission, why, doubt: doubt.cloned() });
    }
    unlisted
}
