//! sealift promotes a release candidate to stable without rebuilding anything.
//!
//! A tour, in the order of the arrows: a module knows those above it, and never one below. What is
//! not said to do something may not: no other module reads files, the network, the environment or
//! a clock, or starts a process.
//!
//! ```text
//! model ← port, yaml ← tree, overrides ← refs, archive ← pipeline ← overlay, producers ← promotion ← stage ← preview
//!   ← lint ← explain ← engine ← report, cli
//! ```
//!
//! - [`model`]: the words, such as digests, references, versions, answers. Values alone.
//! - [`port`]: the doors to registries, git origins and forges: the only network, the only processes, the
//!   only place for git objects. Knows the model and no more. Reading and writing are apart. How a file
//!   appears whole or not at all is there, too ([`port::whole`]).
//! - [`yaml`]: YAML with the bytes where everything stands. Text in, places out.
//! - [`tree`]: the files of a directory, a git tree or memory, read-only.
//! - [`overrides`]: tables of image overrides, checked and applied to manifests. Knows model and YAML
//!   alone; text in, edits out.
//! - [`refs`]: finds, proves and rewrites the references in a tree. Plans edits; applies them to a
//!   directory only when told by a command.
//! - [`archive`]: trees to artifacts and charts, and back, byte for byte the same everywhere.
//! - [`pipeline`]: the pipeline file, read and checked. What is wrong has a line and a column.
//! - [`overlay`]: the references of a published tree, laid over the packages that a change neither rebuilt
//!   nor edited. Plans edits, writes nothing.
//! - [`producers`]: which Makefile target stamps each reference, by reading. Runs nothing.
//! - [`promotion`]: the value that follows from a candidate, with its seal. Reads, never writes
//!   but objects into sealift's own store.
//! - [`stage`]: one step each: looks and decides, holds read ports only, never acts.
//! - [`preview`]: what a promotion would make of a tree that nobody has made a candidate of. Looks as
//!   stages do, and yields data.
//! - [`lint`]: what is wrong with the references of a tree, rule by rule, before it is ever a candidate. Yields data.
//! - [`explain`]: what one reference is, who stamps it and what would become of it; who claims each place of a tree.
//!   Yields data.
//! - [`engine`]: drives stages and does their actions: the only one that holds write ports.
//! - [`report`]: what people and machines see. Knows events, is handed its writers, decides nothing.
//! - [`cli`]: arguments, environment, clock and terminal: their only reader. Passes values in.
//!
//! `tests/it/shape.rs` holds the arrows; `clippy.toml` holds the doors.

pub mod archive;
pub mod cli;
pub mod engine;
pub mod explain;
pub mod lint;
pub mod model;
pub mod overlay;
pub mod overrides;
pub mod pipeline;
pub mod port;
pub mod preview;
pub mod producers;
pub mod promotion;
pub mod refs;
pub mod report;
pub mod stage;
pub mod tree;
pub mod yaml;
