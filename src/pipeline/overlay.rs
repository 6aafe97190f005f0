//! What a package is, for `sealift overlay` and for who stamps what, and which ones other jobs own.

use serde::Deserialize;

use super::Globs;
use super::check::Checker;

/// What a published tree's references are laid over.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, expecting = "a map with `packages` and `skip`")]
pub struct Overlay {
    /// Globs of the folders that are packages, relative to `root`: built, edited and skipped as one. Their Makefiles
    /// stamp the references.
    pub packages: Globs,
    /// Packages whose references are another job's to write.
    pub skip: Vec<Skip>,
}

impl Default for Overlay {
    fn default() -> Self {
        Self { packages: Globs::known("*/*"), skip: Vec::new() }
    }
}

/// A package that another job owns.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a map with `path` and `reason`")]
pub struct Skip {
    /// A glob of package folders, relative to `root`.
    pub path: String,
    /// Who owns it, shown wherever it is skipped.
    pub reason: String,
}

/// What must hold between the keys.
pub(super) fn check(checker: &mut Checker<'_>, overlay: &Overlay) {
    if overlay.packages.is_empty() {
        checker.report("overlay.packages", "nothing is a package; expected the folders' globs, such as `*/*`");
    }
    for (position, skip) in overlay.skip.iter().enumerate() {
        if !skip.path.contains(char::is_alphanumeric) {
            let message = format!("`{}` skips every package; expected a narrower glob", skip.path);
            checker.report(&format!("overlay.skip.{position}.path"), message);
        }
    }
}
