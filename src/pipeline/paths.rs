//! Paths and globs in a pipeline file: relative, in normal form, `/` between components.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::str::FromStr;

use globset::{Candidate, Glob, GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::model::version::FromText;

/// A list of globs, compiled once. `*` and `?` don't cross a `/`, `**` does.
#[derive(Clone, Default)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

impl Globs {
    /// Whether one of the globs matches a path.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.set.is_match_candidate(&Candidate::from_bytes(path))
    }

    /// One pattern; nothing where it is no glob.
    pub fn of(pattern: &str) -> Option<Self> {
        let glob = builder(pattern).build().ok()?;
        let set = GlobSetBuilder::new().add(glob).build().ok()?;
        Some(Self { patterns: vec![pattern.to_owned()], set })
    }

    /// Whether one pattern matches a text; nothing where the pattern is no glob.
    pub fn one(pattern: &str, text: &str) -> Option<bool> {
        matcher(pattern).ok().map(|glob| glob.is_match(text))
    }
}

impl Deref for Globs {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.patterns
    }
}

impl fmt::Debug for Globs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.patterns.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let globs = Vec::<OneGlob>::deserialize(deserializer)?;
        let mut set = GlobSetBuilder::new();
        for glob in &globs {
            set.add(glob.0.clone());
        }
        let patterns = globs.iter().map(|glob| glob.0.glob().to_owned()).collect();
        Ok(Self { set: set.build().map_err(D::Error::custom)?, patterns })
    }
}

struct OneGlob(Glob);

impl FromStr for OneGlob {
    type Err = globset::Error;

    fn from_str(text: &str) -> Result<Self, globset::Error> {
        builder(text).build().map(Self)
    }
}

impl<'de> Deserialize<'de> for OneGlob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(FromText(PhantomData))
    }
}

fn builder(pattern: &str) -> GlobBuilder<'_> {
    let mut builder = GlobBuilder::new(pattern);
    builder.literal_separator(true).backslash_escape(false);
    builder
}

/// One glob, or why it isn't one.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    match builder(pattern).build() {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(format!(
            "`{pattern}` is not a glob ({}); expected `*`, `**`, `?`, `[…]`, `{{a,b}}` or a path",
            error.kind()
        )),
    }
}

/// Checks a path.
pub(super) fn path(text: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("`{}` {why}; expected a relative path such as `a/b`", text.escape_debug()));
    match text {
        "" => wrong("is empty"),
        _ if text.starts_with('/') => wrong("is absolute"),
        _ if text.contains('\\') => wrong("has a backslash"),
        _ if text.contains(char::is_control) => wrong("has a control character"),
        _ if text.split('/').any(|part| part == "..") => wrong("leads out with `..`"),
        _ if text.split('/').any(|part| part.is_empty() || part == ".") => wrong("has an empty component or a `.`"),
        _ => Ok(()),
    }
}

/// Checks a glob.
pub(super) fn glob(text: &str) -> Result<(), String> {
    path(text)?;
    matcher(text).map(drop)
}

/// Whether a glob could match `root` or anything below it: by components, and when in doubt yes.
pub(super) fn reaches(glob: &str, root: &str) -> bool {
    // Alternatives may hold a `/`, and then components say nothing.
    let split_by_braces = glob.split('/').any(|part| part.matches('{').count() != part.matches('}').count());
    if split_by_braces {
        return true;
    }
    let mut parts = glob.split('/');
    for component in root.split('/') {
        match parts.next() {
            None => return false,
            Some("**") => return true,
            Some(part) => match matcher(part) {
                Ok(matcher) if !matcher.is_match(component) => return false,
                _ => {}
            },
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_in_its_folder() {
        let globs: Globs = serde_yaml::from_str("['docs/changelogs/**', '*.md']").unwrap();
        for (path, expected) in [
            ("docs/changelogs/v1.md", true),
            ("docs/changelogs/a/b", true),
            ("README.md", true),
            ("docs/README.md", false),
            ("docs/changelogs", false),
        ] {
            assert_eq!(globs.matches(path.as_bytes()), expected, "{path}");
        }
        assert!(globs.matches(b"docs/changelogs/\xff"));
        assert!(!Globs::default().matches(b""));
    }

    #[test]
    fn knows_which_globs_reach_into_a_folder() {
        for (glob, expected) in [
            ("docs/**", false),
            ("packages/**", true),
            ("packages", true),
            ("**/*.md", true),
            ("*.md", false),
            ("pack*/x", true),
            ("{packages/x,docs}/**", true),
            ("{packages,docs}/**", true),
            ("{docs,hack}/**", false),
        ] {
            assert_eq!(reaches(glob, "packages"), expected, "{glob}");
        }
        assert!(!reaches("a/x", "a/b"));
        assert!(!reaches("a", "a/b"));
    }
}
