//! Image overrides: a table that renames, retags or repins container images by their name.
//!
//! The table is a list of kustomize's `images` entries. [`read`] finds it in a file and says all that
//! is wrong with it at once; [`apply`] finds the images of containers in rendered manifests and
//! plans an edit for each that an entry matches. What kustomize would do is the measure; where
//! this differs, `docs/overrides.md` says so. Text in, edits out: nothing here reads or writes a file.

mod apply;
mod cascade;
mod check;
mod documents;
mod entry;
mod image;
mod images;
mod key;
mod outcome;
mod problem;
mod table;
mod warn;

pub use apply::{Applied, Edit, Options, apply, write};
pub use documents::separator;
pub use entry::Entry;
pub use key::Key;
pub use outcome::warnings;
pub use problem::{Problem, Rule, Severity};
pub use table::{Table, TableError, read};

/// Values in one text, at most: half a gigabyte of memory.
const NODES: usize = 2_000_000;
