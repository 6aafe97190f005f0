//! The `producers` key: what stamps a reference, where reading the Makefiles can't know.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Pipeline;
use super::check::Checker;

/// What stamps some references.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `file` and `by`")]
pub struct DeclaredProducer {
    /// A glob of files with references, relative to `root`.
    pub file: String,
    /// The dotted path of the reference in them, or one above it, `*` for any one step; without it, every
    /// reference in the files.
    pub key: Option<String>,
    /// The command that stamps, run at the repository's root. Of `make -C DIR TARGET` the target must be there.
    pub by: String,
    /// Why reading can't know.
    pub reason: Option<String>,
}

/// What must hold between the entries.
pub(super) fn check(checker: &mut Checker<'_>, pipeline: &Pipeline) {
    let mut seen = BTreeMap::new();
    for (position, producer) in pipeline.producers.iter().enumerate() {
        if producer.key.is_none() && !producer.file.contains(char::is_alphanumeric) {
            let message = format!("`{}` is every file; expected a narrower glob, or a `key`", producer.file);
            checker.report(&format!("producers.{position}.file"), message);
        }
        if let Some(first) = seen.insert((&producer.file, &producer.key), position) {
            let message = format!("the same file and key as producers[{first}]: two would stamp it; keep one");
            checker.report(&format!("producers.{position}.file"), message);
        }
    }
}
