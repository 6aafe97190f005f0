//! The one enumeration of files that hold references (contract §2).

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Serialize;

use super::Spec;
use super::problem::{Problem, ProblemKind};
use crate::tree::{Entry, Kind, Tree, TreePath, below, show};

/// How a file holds references.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// YAML, read by shapes.
    Values,
    /// One reference and nothing else.
    TagFile,
    /// Text with references in it.
    Text,
    /// A gzip copy of a text; the plain file's path in the repository.
    Gzip { copy_of: String },
}

/// A file that holds references.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct File {
    /// The path in the repository.
    pub path: String,
    pub storage: Storage,
}

/// The files that hold references, in tree order, and what is odd about them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Enumeration {
    pub files: Vec<File>,
    /// Declared files that the tree lacks, none of them required; paths in the repository.
    pub missing: Vec<String>,
    /// Places of the enumeration that hold a link or something else that is not read.
    pub skipped: Vec<Problem>,
    /// Every entry below the root, for the scans that look wider.
    #[serde(skip)]
    pub(super) entries: Vec<Entry>,
}

impl Enumeration {
    /// Every entry below the root, enumerated or not, with its path in the repository.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

const DECLARE: &str = "correct the path in the pipeline, or take it out";

/// Lists the files that hold references: YAML and tag files by the declared globs (`*` stays
/// inside one component, and nothing below a folder called `charts` is taken), declared text
/// files, and declared gzip copies with their plain sources. Links are never followed; where
/// one stands in the place of a file it is reported as skipped.
///
/// Errors: a root that the tree doesn't have, a required file that it lacks, a glob that is
/// none, a path that is not UTF-8.
pub fn enumerate(tree: &dyn Tree, spec: &Spec) -> Result<Enumeration, Vec<Problem>> {
    let (found, problems) = listed(tree, spec);
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// The same; what can be listed is, whatever else is wrong.
pub(super) fn listed(tree: &dyn Tree, spec: &Spec) -> (Enumeration, Vec<Problem>) {
    let root = spec.root();
    let mut problems = Vec::new();
    let mut found = Enumeration::default();
    let entries = match tree.entries_under(root.as_bytes()) {
        Ok(entries) => entries,
        Err(error) => {
            let file = if root.is_empty() { "." } else { root };
            problems.push(Problem::whole(file, error.source.to_string(), "check the pipeline's root"));
            return (found, problems);
        }
    };
    let values = globs(&spec.values, &mut problems);
    let tag_files = globs(&spec.tag_files, &mut problems);
    let mut declared = Declarations::new(spec);
    for entry in &entries {
        let relative = below(&entry.path, root.as_bytes()).unwrap_or(&entry.path);
        let storage = if let Some(storage) = declared.take(relative) {
            storage
        } else if in_charts(relative) {
            continue;
        } else if matches(&values, relative) {
            Storage::Values
        } else if matches(&tag_files, relative) {
            Storage::TagFile
        } else {
            continue;
        };
        let path = show(&entry.path);
        match (entry.kind, std::str::from_utf8(&entry.path)) {
            (Kind::Directory, _) => continue,
            (Kind::File, Ok(path)) => {
                found.files.push(File { path: path.to_owned(), storage });
                declared.seen.insert(relative.to_vec());
            }
            (Kind::File, Err(_)) => {
                problems.push(Problem::whole(path, "the path is not UTF-8", "rename the file"));
            }
            (Kind::Symlink, _) => found.skipped.push(
                Problem::whole(
                    path,
                    "a symbolic link where a file with references is expected: it is not followed",
                    "put the file there, or rename the link",
                )
                .kind(ProblemKind::Notice),
            ),
            (Kind::Other, _) => found.skipped.push(
                Problem::whole(
                    path,
                    "neither a file nor a folder where a file with references is expected: it is not read",
                    "put the file there",
                )
                .kind(ProblemKind::Notice),
            ),
        }
    }
    for (path, required) in declared.unseen() {
        match required {
            true => problems.push(Problem::whole(
                spec.in_repository(path),
                "the tree lacks this file, which the pipeline requires",
                DECLARE,
            )),
            false => found.missing.push(spec.in_repository(path)),
        }
    }
    found.entries = entries;
    (found, problems)
}

/// The files a pipeline names one by one.
struct Declarations<'a> {
    spec: &'a Spec,
    seen: BTreeSet<TreePath>,
}

impl<'a> Declarations<'a> {
    fn new(spec: &'a Spec) -> Self {
        Self { spec, seen: BTreeSet::new() }
    }

    fn take(&self, relative: &[u8]) -> Option<Storage> {
        let is = |path: &String| path.as_bytes() == relative;
        if let Some(copy) = self.spec.gzip.iter().find(|copy| is(&copy.path)) {
            return Some(Storage::Gzip { copy_of: self.spec.in_repository(&copy.plain) });
        }
        let plain = self.spec.gzip.iter().any(|copy| is(&copy.plain));
        (plain || self.spec.text.iter().any(|text| is(&text.path))).then_some(Storage::Text)
    }

    fn unseen(&self) -> impl Iterator<Item = (&'a str, bool)> {
        let text = self.spec.text.iter().map(|text| (text.path.as_str(), text.required));
        let gzip = self.spec.gzip.iter().map(|copy| (copy.path.as_str(), copy.required));
        text.chain(gzip).filter(|(path, _)| !self.seen.contains(path.as_bytes()))
    }
}

/// Whether a path lies below a folder called `charts`: upstream's, regenerated.
pub fn in_charts(relative: &[u8]) -> bool {
    let mut components = relative.split(|&byte| byte == b'/');
    components.next_back();
    components.any(|component| component == b"charts")
}

pub(super) fn matches(globs: &GlobSet, relative: &[u8]) -> bool {
    globs.is_match(std::ffi::OsStr::from_bytes(relative))
}

/// Compiles globs; one that can't be is a problem of the pipeline's.
pub(super) fn globs(patterns: &[String], problems: &mut Vec<Problem>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        match GlobBuilder::new(pattern).literal_separator(true).build() {
            Ok(glob) => {
                set.add(glob);
            }
            Err(error) => {
                problems.push(Problem::whole(pattern, error.kind().to_string(), "correct the glob in the pipeline"))
            }
        }
    }
    set.build().unwrap_or_else(|error| {
        problems.push(Problem::whole(
            patterns.join(", "),
            error.to_string(),
            "use fewer or shorter globs in the pipeline",
        ));
        GlobSet::empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_is_a_folder() {
        for (path, inside) in
            [("a/charts/x", true), ("charts/a/b/x", true), ("a/charts", false), ("a/mycharts/x", false), ("x", false)]
        {
            assert_eq!(in_charts(path.as_bytes()), inside, "{path}");
        }
    }

    #[test]
    fn a_star_stays_inside_its_component() {
        let mut problems = Vec::new();
        let set = globs(&["*/*/values.yaml".into()], &mut problems);
        for (path, found) in [("a/b/values.yaml", true), ("a/b/c/values.yaml", false), ("b/values.yaml", false)] {
            assert_eq!(matches(&set, path.as_bytes()), found, "{path}");
        }
        globs(&["[".into()], &mut problems);
        assert_eq!(problems.len(), 1);
    }
}
