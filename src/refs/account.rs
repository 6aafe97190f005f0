//! The account: everything that one reading of a tree tells.

use std::collections::BTreeMap;

use super::count::{Counted, count};
use super::file::FileReading;
use super::inventory::Item;
use super::read::{Reading, References};
use super::scope::Scope;
use super::{Excluded, Exclusion, Problem, Spec};
use crate::model::Rc;
use crate::tree::Tree;

/// What was read, what is wrong with it, and the bytes that all places point into.
#[derive(Clone, Debug, Default)]
pub struct Account {
    pub references: References,
    /// What could not be looked at, what is malformed, what nothing claims: each place once.
    pub problems: Vec<Problem>,
    /// Owned references in folders called `charts`: upstream's, and nothing to account for.
    pub vendored: Vec<Problem>,
    /// What a declared exclusion explains.
    pub excluded: Vec<Excluded>,
    /// Every place of what was listed, in the order of the files; none unless the scope lists any.
    pub items: Vec<Item>,
    /// What could not be looked into where nothing has to be accounted for: upstream's charts, and prose.
    pub notices: Vec<Problem>,
    /// Exclusions that explain nothing: they should go.
    pub unused: Vec<Exclusion>,
    /// The contents (of gzip files, decompressed) of the enumerated files, and of others in which something was
    /// found, and of one that is listed alone, by the path in the repository.
    pub contents: BTreeMap<String, Vec<u8>>,
}

/// Reads a tree and takes its census, and reads no file twice. What stands against it is a value:
/// where something could not be looked at, the rest is there all the same.
pub fn account(tree: &dyn Tree, spec: &Spec, rc: Option<&Rc>, scope: Scope<'_>) -> Account {
    let (reading, mut problems) = Reading::of(tree, spec);
    let counted = count(tree, spec, &reading, scope, rc);
    let Counted { found, vendored, excluded, unused, items, notices, mut contents, .. } = counted;
    // A glob that is none is found by both.
    let new = |found: &Problem| found.at.is_some() || !problems.contains(found);
    let found: Vec<Problem> = found.into_iter().filter(new).collect();
    problems.extend(found);
    let (references, files) = reading.parts(spec, rc);
    contents.extend(files.into_iter().map(FileReading::into_content));
    Account { references, problems, vendored, excluded, items, notices, unused, contents }
}
