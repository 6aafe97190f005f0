//! Producers: which Makefile target stamps each reference, and which packages the build list leaves out.
//!
//! A reference that nothing stamps is never refreshed, one that two stamp depends on their order, and a package
//! outside of the root `build:` list is never rebuilt: all three are found here, by reading, without running
//! anything. [`read`] starts at the targets that the list runs and at each package's `image`, follows what they
//! need and what they run, and looks for the declared patterns: yq paths, sed expressions, files written as a
//! whole, `docker buildx build`.
//!
//! What only a run would know (a script, a computed name) is a hole, and a reference it may concern is
//! [`Stamped::Unknown`]: never stamped by assumption, never unstamped by assumption. The pipeline's `producers`
//! table says it instead.
//!
//! ```text
//! source                     files of the tree, each read once
//! makefile ← reader, rules   what a Makefile says, and how it is read   (lines, variables)
//! expand ← calls, functions  texts with their variables and functions put in
//! shell ← command, word      the commands of a recipe, with their words   (lex, branches)
//! stamp ← programs, outputs  what a command writes   (sed, pattern; yq, brackets, key_path)
//! graph ← recipe             targets as they run, and what they bring along
//! build_list, packages       what a release runs, and which folders it leaves out
//! declared                   the pipeline's table
//! judge ← stamps, part       each reference against the stamps that are about its file
//! hole, budget               what reading can't know, and how much it reads
//! ```

mod brackets;
mod branches;
mod budget;
mod build_list;
mod calls;
mod command;
mod declared;
mod expand;
mod functions;
mod graph;
mod hole;
mod judge;
mod key_path;
mod lex;
mod lines;
mod makefile;
mod outputs;
mod packages;
mod part;
mod pattern;
mod programs;
mod reader;
mod recipe;
mod rules;
mod sed;
mod shell;
mod source;
mod stamp;
mod stamped;
mod stamps;
mod variables;
mod word;
mod yq;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::pipeline::Pipeline;
use crate::refs::{Occurrence, References};
use crate::tree::Tree;

pub use build_list::{BuildList, Listed};
pub use declared::Unused;
pub use packages::{Omission, Unlisted};
pub use source::LARGEST;
pub use stamped::{Note, Place, Producer, Stamped};

/// What was read, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Packages with a Makefile.
    pub packages: usize,
    /// Makefiles, included ones with them, each once.
    pub files: usize,
    pub targets: usize,
    /// Commands that write a file with references.
    pub stamps: usize,
    /// Whether everything was read. Where it wasn't, nothing is known to have no producer, or no second one, and
    /// the build list may leave out more packages than are told.
    pub complete: bool,
    /// Units of the work that reading took, of at most [`Counts::MOST`].
    pub work: u64,
}

impl Counts {
    /// The most work that one reading does: about a byte looked at each.
    pub const MOST: u64 = budget::Budget::ALL;
}

/// Who stamps what in a tree.
#[derive(Clone, Debug)]
pub struct Producers {
    stamped: BTreeMap<Key, Stamped>,
    pub build_list: BuildList,
    /// Packages that should be in the build list, in the order of their directories.
    pub unlisted: Vec<Unlisted>,
    /// Entries of the pipeline's `producers` that change nothing: they should go, or be corrected.
    pub unused: Vec<Unused>,
    /// What else is odd: a call in the build list that builds nothing, a part of a Makefile that can't be read.
    pub notes: Vec<Note>,
    pub counts: Counts,
}

/// A reference's own place: file, line, column, key.
type Key = (String, usize, usize, String);

fn key(found: &Occurrence) -> Key {
    (found.file.clone(), found.line, found.column, found.key.clone())
}

impl Producers {
    /// How a reference of the tree stands that was read.
    pub fn of(&self, found: &Occurrence) -> Stamped {
        let unread = || Stamped::NotApplicable { why: "it was not among the references that were read".to_owned() };
        self.stamped.get(&key(found)).cloned().unwrap_or_else(unread)
    }
}

/// Reads a tree's Makefiles for the producers of its references.
///
/// Owned references on the version line and component-versioned ones need a producer, outside of folders called
/// `charts`. A gzip copy has its plain source's. The packages artifact's pair has the pin, so that a target that
/// stamps it, too, is shown, and none is fine.
///
/// Nothing here fails: a Makefile that can't be read makes what it may say unknown. The same tree gives the same
/// value, in bounded time: see [`Counts`].
pub fn read(tree: &dyn Tree, pipeline: &Pipeline, references: &References) -> Producers {
    read_within(tree, pipeline, references, budget::Budget::ALL)
}

fn read_within(tree: &dyn Tree, pipeline: &Pipeline, references: &References, units: u64) -> Producers {
    let budget = budget::Budget::new(units);
    let mut graph = graph::Graph::new(tree, &budget);
    let (build_list, built) = build_list::read(&mut graph);
    let mut table = declared::Table::read(pipeline, &mut graph, &build_list);
    let (packages, mut notes) =
        packages::find(tree, references.enumeration.entries(), pipeline, &mut graph, &built, table.roots());
    let judged = judge::judge(tree, pipeline, references, &mut graph, &packages, &build_list, &mut table);
    let unlisted = packages::unlisted(&packages, &build_list, &judged.stamping);
    if let BuildList::Read { packages, .. } = &build_list {
        let dead = packages.iter().filter_map(|listed| Some((listed, listed.dead.as_ref()?)));
        notes.extend(dead.map(|(listed, why)| Note { place: listed.place.clone(), text: why.clone() }));
    }
    notes.sort();
    notes.dedup();
    let (targets, files) = graph.counts();
    let counts = Counts {
        packages: packages.all.len(),
        files,
        targets,
        stamps: judged.stamps,
        complete: !graph.cut && !budget.is_spent(),
        work: budget.used(units),
    };
    Producers { stamped: judged.stamped, build_list, unlisted, unused: table.unused(), notes, counts }
}
