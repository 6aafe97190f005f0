//! The pipeline's `producers` table: who stamps what, where reading can't know.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::graph::{Graph, Node};
use super::{BuildList, Note, Place, Producer, build_list, stamp};
use crate::pipeline::{Globs, Pipeline};
use crate::tree::below;

/// An entry that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unused {
    /// Its position in the pipeline's `producers`, from 0.
    pub entry: usize,
    pub file: String,
    pub why: String,
}

/// The table, and what became of each entry.
pub(super) struct Table<'p> {
    entries: Vec<Entry<'p>>,
    root: &'p str,
    /// The entries that are about a file.
    files: BTreeMap<String, Vec<usize>>,
}

struct Entry<'p> {
    glob: Option<Globs>,
    key: Option<Vec<&'p str>>,
    file: &'p str,
    producer: Producer,
    /// The targets that the declared run of make runs, by directory and name.
    runs: BTreeSet<(String, String)>,
    roots: Vec<Node>,
    dead: Option<String>,
    /// References it is about, and those among them of which reading knew nothing.
    matched: usize,
    needed: usize,
}

impl<'p> Table<'p> {
    /// Reads the table. Where the repository isn't built by make, what it declares can't be looked up in Makefiles.
    pub(super) fn read(pipeline: &'p Pipeline, graph: &mut Graph<'_>, list: &BuildList) -> Self {
        let by_make = !matches!(list, BuildList::NotApplicable { .. });
        let mut entries = Vec::new();
        for (position, declared) in pipeline.producers.iter().enumerate() {
            let call = stamp::declared_call(&declared.by).filter(|call| !call.targets.is_empty());
            let directory = call.as_ref().and_then(|call| call.directory.clone()).unwrap_or_default();
            let node = |target: &String, variables: &[(String, String)]| Node {
                directory: directory.clone(),
                target: target.clone(),
                variables: variables.to_vec(),
            };
            let roots: Vec<Node> =
                call.iter().flat_map(|call| call.targets.iter().map(|target| node(target, &call.variables))).collect();
            let dead = roots.iter().filter(|_| by_make).find_map(|node| build_list::dead(graph, node));
            let place = roots.first().and_then(|node| graph.run(node).place.clone());
            let reason = declared.reason.as_ref().map(|reason| format!(": {}", reason.trim_end())).unwrap_or_default();
            entries.push(Entry {
                glob: Globs::only(&declared.file),
                key: declared.key.as_ref().map(|key| key.split('.').collect()),
                file: &declared.file,
                producer: Producer {
                    place,
                    package: roots.first().map(|node| node.directory.clone()).unwrap_or_default(),
                    target: roots.first().map_or(declared.by.clone(), |node| node.target.clone()),
                    what: format!("declared as `{}`{reason}", declared.by),
                    declared: Some(position),
                },
                runs: graph
                    .reach(roots.iter().cloned())
                    .into_iter()
                    .map(|node| (node.directory, node.target))
                    .collect(),
                roots,
                dead,
                matched: 0,
                needed: 0,
            });
        }
        Self { entries, root: &pipeline.root, files: BTreeMap::new() }
    }

    /// The targets that the table says are run.
    pub(super) fn roots(&self) -> Vec<Node> {
        self.entries.iter().flat_map(|entry| entry.roots.iter().cloned()).collect()
    }

    /// The producers of a reference: those that were read, and the declared ones that are not the same; and whether
    /// an entry says so. `doubtful`: reading doesn't know whether there are more than those, so that an entry that
    /// names one of them says something.
    pub(super) fn add(&mut self, file: &str, key: &str, read: Vec<Producer>, doubtful: bool) -> (Vec<Producer>, bool) {
        let mut producers = read;
        let (known, mut said) = (producers.len(), false);
        for position in self.about(file) {
            let Some(entry) = self.entries.get_mut(position) else { continue };
            let is_meant = entry.key.as_ref().is_none_or(|steps| leads_to(steps, key));
            if !is_meant {
                continue;
            }
            entry.matched += 1;
            let same = |read: &Producer| entry.runs.contains(&(read.package.clone(), read.target.clone()));
            if entry.dead.is_some() {
                continue;
            }
            said = true;
            if producers[..known].iter().any(same) {
                entry.needed += usize::from(doubtful);
                continue;
            }
            entry.needed += 1;
            producers.push(entry.producer.clone());
        }
        (producers, said)
    }

    fn about(&mut self, file: &str) -> Vec<usize> {
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let relative = below(file.as_bytes(), self.root.as_bytes());
        let matches =
            |entry: &Entry<'_>| relative.is_some_and(|path| entry.glob.as_ref().is_some_and(|glob| glob.matches(path)));
        let found: Vec<usize> =
            self.entries.iter().enumerate().filter(|(_, entry)| matches(entry)).map(|(position, _)| position).collect();
        self.files.insert(file.to_owned(), found.clone());
        found
    }

    /// Why a declared entry about a reference is no producer of it.
    pub(super) fn dead(&mut self, file: &str, key: &str, place: &Place) -> Option<Note> {
        let about = self.about(file);
        let meant = |entry: &&Entry<'_>| entry.key.as_ref().is_none_or(|steps| leads_to(steps, key));
        let entries = about.iter().filter_map(|&position| self.entries.get(position)).filter(meant);
        let why = entries.filter_map(|entry| Some((entry, entry.dead.as_ref()?))).next()?;
        let text = format!("producers[{}] declares one that isn't there: {}", why.0.producer.declared?, why.1);
        Some(Note { place: place.clone(), text })
    }

    pub(super) fn unused(self) -> Vec<Unused> {
        let why = |entry: &Entry<'_>| match (&entry.dead, entry.matched, entry.needed) {
            (Some(dead), ..) => Some(format!("it names what isn't there: {dead}")),
            (None, 0, _) => Some("it is about no reference that needs a producer".to_owned()),
            (None, _, 0) => Some("reading finds this producer by itself".to_owned()),
            _ => None,
        };
        let unused =
            |(entry, found): (usize, &Entry<'_>)| Some(Unused { entry, file: found.file.to_owned(), why: why(found)? });
        self.entries.iter().enumerate().filter_map(unused).collect()
    }
}

/// Whether a declared key is a reference's, or one above it; `*` is any one step.
fn leads_to(steps: &[&str], key: &str) -> bool {
    let mut names = key.split('.');
    steps.iter().all(|step| names.next().is_some_and(|name| *step == "*" || *step == name))
}

#[cfg(test)]
mod tests {
    use super::leads_to;

    #[test]
    fn a_declared_key_is_the_keys_own_or_one_above() {
        for (declared, key, expected) in [
            ("api.image", "api.image", true),
            ("api.image", "api.image.tag", true),
            ("api.image.tag", "api.image.tag", true),
            ("*.image", "web.image.digest", true),
            ("api.image.repository", "api.image.tag", false),
            ("api.image", "api.images", false),
            ("api.image.tag", "api", false),
        ] {
            let steps: Vec<&str> = declared.split('.').collect();
            assert_eq!(leads_to(&steps, key), expected, "{declared} {key}");
        }
    }
}
