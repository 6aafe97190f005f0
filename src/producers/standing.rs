//! References against stamps: who writes the part of a reference that decides what runs.

use std::collections::BTreeMap;
use std::ops::Range;

use super::declared::Table;
use super::graph::{Graph, Node};
use super::hole::{Budget, HOLE, is_known, matches, shown};
use super::packages::Packages;
use super::stamp::{Effect, How};
use super::yq::Reach;
use super::{BuildList, Key, Note, Place, Producer, Standing, key};
use crate::pipeline::Pipeline;
use crate::refs::{Class, Occurrence, References, Shape, in_charts};
use crate::tree::{Tree, below};

/// A larger file is not looked into for what sed would do to it.
const LARGEST: u64 = 64 << 20;

/// What became of the references.
pub(super) struct Judged {
    pub standings: BTreeMap<Key, Standing>,
    /// By package and target, the first reference that it stamps: where, and what.
    pub stamping: BTreeMap<(String, String), (Place, String)>,
    /// How many commands write files with references.
    pub stamps: usize,
}

/// One write of one target.
struct Stamp {
    package: String,
    target: String,
    place: Place,
    file: String,
    how: How,
    /// Whether a build or a declaration runs the target.
    reached: bool,
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
    let mut exact: BTreeMap<&str, Vec<&Stamp>> = BTreeMap::new();
    let mut patterns: Vec<&Stamp> = Vec::new();
    for stamp in &stamps {
        match stamp.file.contains([HOLE, '*', '?']) {
            true => patterns.push(stamp),
            false => exact.entry(&stamp.file).or_default().push(stamp),
        }
    }
    let mut judge = Judge {
        pipeline,
        packages,
        list,
        table,
        budget: graph.budget,
        cut: graph.cut,
        judged: Judged { standings: BTreeMap::new(), stamping: BTreeMap::new(), stamps: 0 },
    };
    let mut all: Vec<&Occurrence> = references.occurrences.iter().collect();
    all.sort_by(|a, b| (a.copy_of.is_some(), &a.file, a.line).cmp(&(b.copy_of.is_some(), &b.file, b.line)));
    for found in all.chunk_by(|a, b| a.file == b.file) {
        let Some(first) = found.first() else { continue };
        let about = |stamp: &&&Stamp| {
            judge.budget.take(fitting(&stamp.file, &first.file)) && matches(&stamp.file, &first.file, true)
        };
        let mut here: Vec<&Stamp> = exact.get(first.file.as_str()).cloned().unwrap_or_default();
        here.extend(patterns.iter().filter(|stamp| ends_fit(&stamp.file, &first.file)).filter(about).copied());
        judge.judged.stamps += here.iter().filter(|stamp| stamp.reached).count();
        let content = Content::read(tree, &first.file, &here);
        for found in found {
            let standing = match &found.copy_of {
                Some(plain) => judge.copy(found, plain),
                None => judge.reference(found, &here, &content),
            };
            judge.judged.standings.insert(key(found), standing);
        }
    }
    judge.judged
}

/// Every write of every target that was looked at, in their order.
fn stamps(graph: &mut Graph<'_>, packages: &Packages) -> Vec<Stamp> {
    let mut stamps = Vec::new();
    for (node, run) in graph.all() {
        let Node { directory, target, .. } = &node;
        let reached = packages.reached.contains(&(directory.clone(), target.clone()));
        for act in &run.acts {
            let Effect::Write { file, how } = &act.effect else { continue };
            stamps.push(Stamp {
                package: directory.clone(),
                target: target.clone(),
                place: act.place.clone(),
                file: file.clone(),
                how: how.clone(),
                reached,
            });
        }
    }
    stamps
}

/// What comparing a pattern with a path costs.
fn fitting(pattern: &str, path: &str) -> usize {
    pattern.len() * path.len() / 4
}

/// Whether a path begins and ends as a pattern does: cheap, and rules most out.
fn ends_fit(pattern: &str, path: &str) -> bool {
    let wild = [HOLE, '*', '?'];
    let before = pattern.find(wild).map_or(pattern, |at| &pattern[..at]);
    let after = pattern.rsplit(wild).next().unwrap_or_default();
    path.starts_with(before) && path.ends_with(after)
}

/// A file's content and the starts of its lines, where a stamp goes by lines.
struct Content(Option<(Vec<u8>, Vec<usize>)>);

impl Content {
    fn read(tree: &dyn Tree, file: &str, stamps: &[&Stamp]) -> Self {
        let by_lines = stamps.iter().any(|stamp| matches!(stamp.how, How::Sed(_)));
        let small = || matches!(tree.find(file.as_bytes()), Ok(Some(entry)) if entry.size <= LARGEST);
        let bytes = (by_lines && small()).then(|| tree.read(file.as_bytes()).ok()).flatten();
        Self(bytes.map(|bytes| {
            let starts = memchr::memchr_iter(b'\n', &bytes).map(|newline| newline + 1);
            let starts = std::iter::once(0).chain(starts).collect();
            (bytes, starts)
        }))
    }

    /// The line that holds a range: its number, its text, and the range in it.
    fn line(&self, range: &Range<usize>) -> Option<(usize, &str, Range<usize>)> {
        let (bytes, starts) = self.0.as_ref()?;
        let number = starts.partition_point(|&start| start <= range.start);
        let start = *starts.get(number.checked_sub(1)?)?;
        let end = starts.get(number).map_or(bytes.len(), |next| next - 1);
        let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
        Some((number, text, range.start - start..range.end - start))
    }
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
    /// A gzip copy has the producer of its plain source, where it stands in the same line.
    fn copy(&self, found: &Occurrence, plain: &str) -> Standing {
        let from = (plain.to_owned(), found.line, 0, String::new());
        let line =
            self.judged.standings.range(from..).take_while(|(place, _)| place.0 == plain && place.1 == found.line);
        match line.into_iter().find(|(place, _)| place.3 == found.key) {
            Some((_, standing)) => standing.clone(),
            None => Standing::Unknown {
                why: format!("it is a copy, and its plain source {plain} has no such reference"),
                place: here(found),
            },
        }
    }

    fn reference(&mut self, found: &Occurrence, stamps: &[&Stamp], content: &Content) -> Standing {
        let not_applicable = |why: &str| Standing::NotApplicable { why: why.to_owned() };
        let relative = below(found.file.as_bytes(), self.pipeline.root.as_bytes()).unwrap_or_default();
        if in_charts(relative) {
            return not_applicable("it lies in a chart of others, which is fetched, not stamped");
        }
        match found.class {
            Class::ThirdParty => return not_applicable("it is somebody else's, and not built here"),
            Class::NoRepository => return not_applicable("its file doesn't say which repository it is"),
            Class::VersionLine | Class::ComponentVersioned | Class::PackagesArtifact => {}
        }
        let part = Part::of(found, self.pipeline);
        let (mut read, mut perhaps, mut looked_at) = (Vec::new(), Vec::new(), Vec::new());
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
                    perhaps.push(note(stamp, &part.doubt(stamp)));
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
        let mut producers = self.table.add(&found.file, &part.key, read);
        if producers.len() > 1 {
            producers.sort();
            return Standing::Several { producers };
        }
        if let Some(producer) = producers.pop() {
            return Standing::One { producer };
        }
        if found.class == Class::PackagesArtifact {
            return not_applicable("the pin stage writes it");
        }
        match self.list {
            BuildList::NotApplicable { reason } => return not_applicable(reason),
            BuildList::Unknown(note) => return unknown(note),
            BuildList::Read { .. } => {}
        }
        perhaps.sort();
        let package = self.packages.of(&found.file);
        if let Some(note) = perhaps.first().or(package.and_then(|(_, package)| package.unknown.as_ref())) {
            return unknown(note);
        }
        if self.cut || self.budget.is_spent() {
            let why = "the Makefiles of this tree are more than is read".to_owned();
            return Standing::Unknown { why, place: here(found) };
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
        Standing::None { looked_at }
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

fn unknown(note: &Note) -> Standing {
    Standing::Unknown { why: note.text.clone(), place: note.place.clone() }
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

/// The part of a reference that decides what runs: its digest, failing that its tag.
struct Part {
    /// The dotted path of its scalar.
    key: String,
    /// The tag's, where the digest has one of its own.
    beside: Option<String>,
    span: Option<Range<usize>>,
    in_yaml: bool,
    is_file: bool,
}

impl Part {
    fn of(found: &Occurrence, pipeline: &Pipeline) -> Self {
        let child = |name: &str| if found.key.is_empty() { name.to_owned() } else { format!("{}.{name}", found.key) };
        let spans = &found.spans;
        let apart = match (&spans.tag, &spans.digest) {
            (Some(tag), Some(digest)) => tag.end + 1 != digest.start,
            (None, Some(_)) => true,
            _ => false,
        };
        let key = match found.shape {
            Shape::String | Shape::Argument | Shape::File | Shape::Text => found.key.clone(),
            Shape::ArtifactPair => child(&pipeline.installer.ref_key),
            _ if apart => child("digest"),
            _ => child("tag"),
        };
        Self {
            beside: (apart && key.ends_with("digest") && spans.tag.is_some()).then(|| child("tag")),
            key,
            span: spans.digest.clone().or(spans.tag.clone()),
            in_yaml: !matches!(found.shape, Shape::File) && !found.key.starts_with("line "),
            is_file: found.shape == Shape::File,
        }
    }

    fn reached(&self, stamp: &Stamp, content: &Content, budget: &Budget) -> Reach {
        let reach = match &stamp.how {
            How::Keys(paths) if self.in_yaml => {
                budget.take(8 * paths.len());
                paths.iter().map(|path| path.reaches(&self.key)).max().unwrap_or(Reach::No)
            }
            How::Sed(script) => match self.span.as_ref().and_then(|span| content.line(span)) {
                Some((number, line, part)) if budget.take(line.len()) => script.reaches(number, line, &part),
                _ => Reach::Perhaps,
            },
            How::Whole(_) if self.is_file => Reach::Yes,
            How::Keys(_) | How::Whole(_) | How::Unread(_) => Reach::Perhaps,
        };
        // A file with a hole in its name may be this one.
        if is_known(&stamp.file) { reach } else { reach.min(Reach::Perhaps) }
    }

    /// Whether a stamp writes the tag that stands beside a digest of its own.
    fn is_beside(&self, stamp: &Stamp) -> bool {
        match (&self.beside, &stamp.how) {
            (Some(tag), How::Keys(paths)) => stamp.reached && paths.iter().any(|path| path.reaches(tag) == Reach::Yes),
            _ => false,
        }
    }

    /// What a stamp writes, for people.
    fn what(&self, stamp: &Stamp, found: &Occurrence) -> String {
        match &stamp.how {
            How::Keys(paths) => {
                let path = paths.iter().find(|path| path.reaches(&self.key) != Reach::No);
                format!("`{}` of {}, by yq", path.map_or(String::new(), super::yq::KeyPath::show), found.file)
            }
            How::Sed(_) => format!("line {} of {}, by sed", found.line, found.file),
            How::Whole(by) => format!("{}, by {by}", shown(&stamp.file)),
            How::Unread(_) => found.file.clone(),
        }
    }

    /// Why it isn't known whether a stamp writes this.
    fn doubt(&self, stamp: &Stamp) -> String {
        let file = shown(&stamp.file);
        match &stamp.how {
            _ if !is_known(&stamp.file) => format!("writes {file}: which file that is depends on the run"),
            How::Keys(_) => format!("writes keys of {file} that depend on the run"),
            How::Sed(script) => match &script.unread {
                Some(rest) => format!("edits {file} with sed, and `{}` is more than is read", shown(rest)),
                None => format!("edits lines of {file} that depend on the run"),
            },
            How::Whole(by) => format!("writes all of {file} ({by}): what in it is stamped can't be read"),
            How::Unread(why) => format!("writes {file}: {why}"),
        }
    }
}
