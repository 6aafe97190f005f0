//! Counting: every digest and every owned reference of a tree, each claimed, excluded, or a problem.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem::Finder;

use super::census::Excluded;
use super::comments::Comments;
use super::enumerate::{Storage, in_charts};
use super::exclusions::Exclusions;
use super::file::FileReading;
use super::inventory::{Inventory, Item, Judged, Of};
use super::problem::{Lines, Problem, ProblemKind};
use super::read::{Reading, keep};
use super::scope::Scope;
use super::shapes::Shapes;
use super::survivors::{Scalars, is_markdown, is_yaml, read_content};
use super::text::{Hit, Malformed, Scanner};
use super::{Exclusion, Spec};
use crate::model::Rc;
use crate::tree::{Kind, Tree, below, show};
use crate::yaml::Yaml;

/// What was counted beside the reading.
pub(super) struct Counted {
    pub found: Vec<Problem>,
    /// Owned references in folders called `charts`, where those are searched.
    pub vendored: Vec<Problem>,
    pub claimed: usize,
    pub excluded: Vec<Excluded>,
    pub unused: Vec<Exclusion>,
    /// Every place of the files that are listed, by file and place.
    pub items: Vec<Item>,
    /// What could not be looked into where nothing has to be accounted for.
    pub notices: Vec<Problem>,
    /// What was read of files outside the enumeration in which something was found, or that are listed, by path.
    pub contents: BTreeMap<String, Vec<u8>>,
}

/// Counts over files as read, and reads the others once.
pub(super) fn count(tree: &dyn Tree, spec: &Spec, reading: &Reading, scope: Scope<'_>, rc: Option<&Rc>) -> Counted {
    let mut found = Vec::new();
    let mut exclusions = Exclusions::new(spec, &mut found);
    exclusions.used.clone_from(&reading.used);
    let (scanner, claimed) = (Scanner::new(&spec.owned), 0);
    let mut counter = Counter { spec, scanner, exclusions, found, vendored: Vec::new(), claimed, excluded: Vec::new() };
    let inventory = Inventory::new(spec, reading.version(spec, rc));
    let (mut items, mut notices, mut contents) = (Vec::new(), Vec::new(), BTreeMap::new());
    for read in &reading.files {
        let before = counter.mark();
        counter.enumerated(read);
        if scope.lists(read.file.path.as_bytes()) {
            items.extend(inventory.enumerated(read, counter.judged(before)));
        }
    }
    let enumerated: BTreeSet<&[u8]> = reading.enumeration.files.iter().map(|file| file.path.as_bytes()).collect();
    let paths: Vec<Finder<'_>> = spec.owned.iter().map(|prefix| Finder::new(prefix.path()).into_owned()).collect();
    for entry in &reading.enumeration.entries {
        let relative = below(&entry.path, spec.root().as_bytes()).unwrap_or(&entry.path);
        let (vendored, markdown) = (in_charts(relative), is_markdown(relative));
        let looked_into = entry.kind == Kind::File && scope.reads(&entry.path, vendored, markdown);
        if enumerated.contains(entry.path.as_slice()) {
            continue;
        }
        if !looked_into {
            // Whether an exclusion of it is needed is not known here.
            if vendored && entry.kind == Kind::File {
                counter.exclusions.find_whole(&entry.path);
            }
            continue;
        }
        match read_content(tree, &entry.path) {
            Ok(content) => {
                let before = counter.mark();
                let ours = paths.iter().any(|path| path.find(&content).is_some());
                if ours && !markdown {
                    counter.outside(&entry.path, &content, vendored);
                }
                let lists = scope.lists(&entry.path);
                if lists {
                    let of = if markdown {
                        Of::Prose
                    } else if vendored {
                        Of::Upstream
                    } else {
                        Of::Packages
                    };
                    items.extend(inventory.outside(&entry.path, &content, of, counter.judged(before)));
                }
                if counter.found.len() + counter.vendored.len() > before.0 + before.1 || lists && scope != Scope::Whole
                {
                    contents.insert(show(&entry.path), content);
                }
            }
            // A promotion never looks there: whoever says why it can't be read has said enough. It is told in any case.
            Err(message) if vendored && counter.exclude_whole(&entry.path, &message, &mut notices) => {}
            // What a promotion never looks into keeps nobody from anything; it is said all the same.
            Err(message) if scope.lists(&entry.path) && (vendored || markdown) => {
                let problem = Problem::whole(show(&entry.path), message, "make it readable, to have it in the census");
                notices.push(problem.kind(ProblemKind::Notice));
            }
            Err(message) => {
                let help =
                    if vendored { READABLE_OR_EXCLUDED } else { "make it readable: the census must look into it" };
                counter.found.push(Problem::whole(show(&entry.path), message, help));
            }
        }
    }
    let Counter { exclusions, found, vendored, claimed, excluded, .. } = counter;
    let unused =
        spec.exclude.iter().zip(&exclusions.used).filter(|(_, used)| !**used).map(|(e, _)| e.clone()).collect();
    Counted { found, vendored, claimed, excluded, unused, items, notices, contents }
}

const READABLE_OR_EXCLUDED: &str =
    "make it readable, or exclude the file with a reason in the pipeline (`references.exclude`)";

/// How much a counter had found at a moment.
type Mark = (usize, usize, usize);

struct Counter<'a> {
    spec: &'a Spec,
    scanner: Scanner,
    exclusions: Exclusions<'a>,
    found: Vec<Problem>,
    vendored: Vec<Problem>,
    claimed: usize,
    excluded: Vec<Excluded>,
}

impl Counter<'_> {
    fn mark(&self) -> Mark {
        (self.found.len(), self.vendored.len(), self.excluded.len())
    }

    /// What was made of a file's places since then.
    fn judged(&self, (found, _, excluded): Mark) -> Judged<'_> {
        Judged { found: self.found.get(found..).unwrap_or_default(), excluded: &self.excluded[excluded..] }
    }

    /// Excludes a file that can't be read, where the pipeline says why.
    fn exclude_whole(&mut self, path: &[u8], message: &str, notices: &mut Vec<Problem>) -> bool {
        let Some(exclusion) = self.exclusions.find_whole(path) else { return false };
        let (file, reason) = (show(path), exclusion.reason.clone());
        let message = format!("{message}; excluded: {reason}");
        let help = "take the exclusion out once it is readable";
        notices.push(Problem::whole(&file, message, help).kind(ProblemKind::Notice));
        self.excluded.push(Excluded { file, line: 0, reason });
        true
    }

    fn enumerated(&mut self, read: &FileReading) {
        let content = read.content();
        let lines = Lines::new(content);
        let start = |span: &Option<std::ops::Range<usize>>| span.as_ref().map(|span| span.start);
        let digests: BTreeSet<usize> = read.found.iter().filter_map(|found| start(&found.spans.digest)).collect();
        let tags: BTreeSet<usize> = read.found.iter().filter_map(|found| start(&found.spans.tag)).collect();
        let mut unclaimed = BTreeSet::new();
        for at in memchr::memmem::find_iter(content, b"sha256:") {
            if digests.contains(&at) {
                self.claimed += 1;
            } else if !read.told.covers(at) {
                unclaimed.insert(at);
            }
        }
        for at in unclaimed {
            let kind = ProblemKind::UnclaimedDigest;
            self.report(kind, &read.file.path, &lines, at, "a digest that no shape claims");
        }
        let claimed = |hit: &Hit| start(&hit.tag_span).is_some_and(|at| tags.contains(&at)) || hit.digest.is_some();
        let owned: Vec<usize> = self
            .owned(content)
            .into_iter()
            .filter(|(_, hit)| !hit.as_ref().is_some_and(claimed))
            .map(|(at, _)| at)
            .collect();
        let is_values = read.file.storage == Storage::Values && !owned.is_empty();
        let yaml = std::str::from_utf8(content).ok().filter(|_| is_values).and_then(|text| Yaml::parse(text).ok());
        let quiet = comments(&owned, content, yaml.as_ref());
        for at in owned {
            if !quiet.contains(&at) && !read.told.covers(at) {
                let kind = ProblemKind::UnclaimedReference;
                self.report(kind, &read.file.path, &lines, at, "an owned reference that no shape claims");
            }
        }
    }

    fn outside(&mut self, path: &[u8], content: &[u8], vendored: bool) {
        let file = show(path);
        let lines = Lines::new(content);
        let text = std::str::from_utf8(content).ok().filter(|_| is_yaml(path));
        let yaml = text.and_then(|text| Some((text, Yaml::parse(text).ok()?)));
        let mut places: BTreeSet<usize> = BTreeSet::new();
        if let Some((text, yaml)) = &yaml {
            let shapes = Shapes::read(text, yaml, &self.scanner, self.spec);
            let ours = shapes.found.into_iter().filter(|found| keep(self.spec, found));
            let ours = ours.filter(|found| found.repository.as_ref().is_some_and(|r| self.spec.owns(r)));
            places.extend(ours.filter_map(|found| Some(found.spans.name?.start)));
        }
        let owned: Vec<usize> = self.owned(content).into_iter().map(|(at, _)| at).collect();
        let quiet = comments(&owned, content, yaml.as_ref().map(|(_, yaml)| yaml));
        places.extend(owned.into_iter().filter(|at| !quiet.contains(at)));
        let mut last = 0;
        for at in places {
            let line = lines.number(at);
            if line != last {
                let kind = if vendored { ProblemKind::Vendored } else { ProblemKind::UnclaimedReference };
                self.report(kind, &file, &lines, at, "an owned reference in a file that the pipeline doesn't declare");
            }
            last = line;
        }
    }

    /// Owned references in text, well-formed or not, and where they begin.
    fn owned(&self, content: &[u8]) -> Vec<(usize, Option<Hit>)> {
        let ours = |found: Result<Hit, Malformed>| match found {
            Ok(hit) => {
                let owned = hit.repository.as_ref().is_some_and(|repository| self.spec.owns(repository));
                owned.then_some((hit.word.start, Some(hit)))
            }
            Err(bad) => {
                let owned = self.scanner.owned(std::str::from_utf8(&content[bad.word.clone()]).ok()?);
                owned.map(|_| (bad.word.start, None))
            }
        };
        self.scanner.scan(content).into_iter().filter_map(ours).collect()
    }

    fn report(&mut self, kind: ProblemKind, file: &str, lines: &Lines<'_>, at: usize, message: &str) {
        let message = format!("{message}: {}", lines.excerpt(at));
        let help = "declare where it lives, or exclude it with a reason in the pipeline";
        let problem = Problem::at(kind, file, (lines, at), message, help);
        if kind == ProblemKind::Vendored {
            self.vendored.push(problem);
        } else if let Some(exclusion) = self.exclusions.find(file, || lines.text(at)) {
            let (file, line, reason) = (problem.file, problem.line, exclusion.reason.clone());
            self.excluded.push(Excluded { file, line, reason });
        } else {
            self.found.push(problem);
        }
    }
}

/// Those of the places (in order) that are in comments.
fn comments(places: &[usize], content: &[u8], yaml: Option<&Yaml>) -> BTreeSet<usize> {
    if places.is_empty() {
        return BTreeSet::new();
    }
    let scalars = yaml.map(Scalars::of);
    let mut comments = Comments::new(content);
    let quiet = |at: &&usize| match &scalars {
        Some(scalars) => !scalars.cover(**at),
        None => comments.covers(**at),
    };
    places.iter().filter(quiet).copied().collect()
}
