//! References against stamps: who writes the part of a reference that decides what runs.

use std::collections::BTreeMap;

use super::budget::{Budget, CUT};
use super::declared::Table;
use super::graph::Graph;
use super::key_path::Reach;
use super::packages::Packages;
use super::part::{Content, Part};
use super::stamp::How;
use super::stamps::{ByFile, Stamp, stamps};
use super::{BuildList, Key, Note, Place, Producer, Stamped, key};
use crate::pipeline::Pipeline;
use crate::refs::{Class, Occurrence, References, Shape, in_charts};
use crate::tree::{Tree, below};

/// What became of the references.
pub(super) struct Judged {
    pub stamped: BTreeMap<Key, Stamped>,
    /// By package and target, the first reference that it stamps: where, and what.
    pub stamping: BTreeMap<(String, String), (Place, String)>,
    /// How many commands write files with references.
    pub stamps: usize,
}

/// Judges every reference.
pub(super) fn judge(
    tree: &dyn Tree,
    pipeline: &Pipeline,
    references: &References,
    graph: &mut Graph<'_>,
    packages: &Packages,
    list: &BuildList,
    table: &mut Table<'_>,
) -> Judged {
    let stamps = stamps(graph, packages);
    let by_file = ByFile::new(&stamps);
    let mut judge = Judge {
        pipeline,
        packages,
        list,
        table,
        budget: graph.budget,
        cut: graph.cut,
        judged: Judged { stamped: BTreeMap::new(), stamping: BTreeMap::new(), stamps: 0 },
    };
    let mut all: Vec<&Occurrence> = references.occurrences.iter().collect();
    all.sort_by(|a, b| (a.copy_of.is_some(), &a.file, a.line).cmp(&(b.copy_of.is_some(), &b.file, b.line)));
    for found in all.chunk_by(|a, b| a.file == b.file) {
        let Some(first) = found.first() else { continue };
        let here = by_file.about(&first.file, judge.budget);
        judge.judged.stamps += here.iter().filter(|stamp| stamp.reached).count();
        let content = Content::read(tree, &first.file, &here);
        for found in found {
            let stamped = match &found.copy_of {
                Some(plain) => judge.copy(found, plain),
                None => judge.reference(found, &here, &content),
            };
            judge.judged.stamped.insert(key(found), stamped);
        }
    }
    judge.judged
}

struct Judge<'a, 'p> {
    pipeline: &'a Pipeline,
    packages: &'a Packages,
    list: &'a BuildList,
    table: &'a mut Table<'p>,
    budget: &'a Budget,
    cut: bool,
    judged: Judged,
}

impl Judge<'_, '_> {
    /// A gzip copy has the producer of its plain source, where it stands in the same line. Without one it has the
    /// declared one: of the copy, or of its source.
    fn copy(&mut self, found: &Occurrence, plain: &str) -> Stamped {
        let from = (plain.to_owned(), found.line, 0, String::new());
        let line = self.judged.stamped.range(from..).take_while(|(place, _)| place.0 == plain && place.1 == found.line);
        if let Some((_, stamped)) = line.into_iter().find(|(place, _)| place.3 == found.key) {
            return stamped.clone();
        }
        if let Some(why) = self.foreign(found) {
            return not_applicable(why);
        }
        let key = Part::of(found, self.pipeline).key;
        let mut producers = Vec::new();
        for file in [&found.file, plain] {
            producers.extend(self.table.add(file, &key, Vec::new(), true).0);
        }
        producers.sort();
        producers.dedup();
        if producers.len() > 1 {
            return Stamped::Several { producers };
        }
        if let Some(producer) = producers.pop() {
            return Stamped::One { producer, perhaps: Vec::new() };
        }
        self.without_list(found).unwrap_or_else(|| match self.table.dead(&found.file, &key, &here(found)) {
            Some(note) => unknown(&note),
            None => Stamped::Unknown {
                why: format!("it is a copy, and its plain source {plain} has no such reference"),
                place: here(found),
            },
        })
    }

    /// Why nothing here stamps a reference, and need not.
    fn foreign(&self, found: &Occurrence) -> Option<&'static str> {
        let relative = below(found.file.as_bytes(), self.pipeline.root.as_bytes()).unwrap_or_default();
        if in_charts(relative) {
            return Some("it lies in a chart of others, which is fetched, not stamped");
        }
        match found.class {
            Class::ThirdParty => Some("it is somebody else's, and not built here"),
            Class::NoRepository => Some("its file doesn't say which repository it is"),
            Class::VersionLine | Class::ComponentVersioned | Class::PackagesArtifact => None,
        }
    }

    /// How a reference without a producer stands where the build list doesn't say what runs.
    fn without_list(&self, found: &Occurrence) -> Option<Stamped> {
        if found.class == Class::PackagesArtifact {
            return Some(not_applicable("the pin stage writes it"));
        }
        match self.list {
            BuildList::NotApplicable { reason } => Some(not_applicable(reason)),
            BuildList::Unknown(note) => Some(unknown(note)),
            BuildList::Read { .. } => None,
        }
    }

    fn reference(&mut self, found: &Occurrence, stamps: &[&Stamp], content: &Content) -> Stamped {
        if let Some(why) = self.foreign(found) {
            return not_applicable(why);
        }
        let part = Part::of(found, self.pipeline);
        let (mut read, mut perhaps, mut looked_at) = (Vec::<Producer>::new(), Vec::new(), Vec::new());
        for stamp in stamps {
            if !self.budget.take(8) {
                break;
            }
            match part.reached(stamp, content, self.budget) {
                Reach::Yes if stamp.reached => {
                    let what = part.what(stamp, found);
                    self.stamping(stamp, &what);
                    read.push(producer(stamp, what));
                }
                Reach::Yes => looked_at.push(note(stamp, "writes it, and no build runs that target")),
                Reach::Perhaps if stamp.reached => {
                    self.stamping_perhaps(stamp, &part, found);
                    perhaps.push((stamp, note(stamp, &part.doubt(stamp))));
                }
                Reach::Perhaps => {}
                Reach::No if part.is_beside(stamp) => {
                    looked_at.push(note(stamp, "writes its tag, not the digest that decides what runs"))
                }
                Reach::No => {}
            }
        }
        read.sort();
        read.dedup_by(|a, b| a.package == b.package && a.target == b.target);
        if matches!(self.list, BuildList::NotApplicable { .. }) {
            read.clear();
        }
        // What a target may do besides makes it no second producer.
        let other = |stamp: &Stamp| !read.iter().any(|r| r.package == stamp.package && r.target == stamp.target);
        let mut perhaps: Vec<Note> =
            perhaps.into_iter().filter(|(stamp, _)| other(stamp)).map(|(_, note)| note).collect();
        perhaps.sort();
        perhaps.dedup();
        if self.is_cut() && !read.is_empty() {
            perhaps.push(Note { place: here(found), text: CUT.to_owned() });
        }
        let (mut producers, said) = self.table.add(&found.file, &part.key, read, !perhaps.is_empty());
        if producers.len() > 1 {
            producers.sort();
            return Stamped::Several { producers };
        }
        if let Some(producer) = producers.pop() {
            return Stamped::One { producer, perhaps: if said { Vec::new() } else { perhaps } };
        }
        if let Some(stamped) = self.without_list(found) {
            return stamped;
        }
        let package = self.packages.of(&found.file);
        if let Some(note) = perhaps.first().or(package.and_then(|(_, package)| package.unknown.as_ref())) {
            return unknown(note);
        }
        if self.is_cut() {
            return Stamped::Unknown { why: CUT.to_owned(), place: here(found) };
        }
        looked_at.extend(self.table.dead(&found.file, &part.key, &here(found)));
        looked_at.push(match package.and_then(|(_, package)| Some((package, package.place.clone()?))) {
            Some((package, place)) => {
                Note { place, text: format!("nothing that `{}` runs for an image writes it", package.makefile) }
            }
            None => Note { place: here(found), text: "no package with a Makefile is above it".to_owned() },
        });
        looked_at.sort();
        looked_at.dedup();
        Stamped::None { looked_at }
    }

    /// Whether there may be stamps that weren't looked at.
    fn is_cut(&self) -> bool {
        self.cut || self.budget.is_spent()
    }

    fn stamping(&mut self, stamp: &Stamp, what: &str) {
        let known = self.judged.stamping.entry((stamp.package.clone(), stamp.target.clone()));
        let found = (stamp.place.clone(), what.to_owned());
        known.and_modify(|known| *known = known.clone().min(found.clone())).or_insert(found);
    }

    /// A `.tag` file with a computed name is a stamp, whichever file it is.
    fn stamping_perhaps(&mut self, stamp: &Stamp, part: &Part, found: &Occurrence) {
        if found.shape == Shape::File && matches!(stamp.how, How::Whole(_)) {
            self.stamping(stamp, &part.what(stamp, found));
        }
    }
}

fn not_applicable(why: &str) -> Stamped {
    Stamped::NotApplicable { why: why.to_owned() }
}

fn unknown(note: &Note) -> Stamped {
    Stamped::Unknown { why: note.text.clone(), place: note.place.clone() }
}

fn here(found: &Occurrence) -> Place {
    Place { file: found.file.clone(), line: found.line, column: found.column }
}

fn note(stamp: &Stamp, text: &str) -> Note {
    Note { place: stamp.place.clone(), text: format!("`{}` {text}", stamp.target) }
}

fn producer(stamp: &Stamp, what: String) -> Producer {
    Producer {
        place: Some(stamp.place.clone()),
        package: stamp.package.clone(),
        target: stamp.target.clone(),
        what,
        declared: None,
    }
}
