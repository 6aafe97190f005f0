//! The packages of a tree: the folders that are built, edited and skipped as one.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::pipeline::{Globs, Pipeline, Skip};
use crate::refs::Enumeration;
use crate::tree::{Kind, TreePath, below};

/// The folders that the pipeline's globs say are packages, relative to the root.
pub(super) struct Packages<'a> {
    globs: &'a Globs,
    root: &'a str,
    skip: &'a [Skip],
    folders: BTreeSet<TreePath>,
}

impl<'a> Packages<'a> {
    pub(super) fn find(pipeline: &'a Pipeline, enumeration: &Enumeration) -> Self {
        let mut packages = Self {
            globs: &pipeline.overlay.packages,
            root: &pipeline.root,
            skip: &pipeline.overlay.skip,
            folders: BTreeSet::new(),
        };
        let directories = enumeration.entries().iter().filter(|entry| entry.kind == Kind::Directory);
        let relative = directories.filter_map(|entry| below(&entry.path, packages.root.as_bytes()));
        packages.folders = relative.filter(|path| packages.globs.matches(path)).map(<[u8]>::to_vec).collect();
        packages
    }

    pub(super) fn contains(&self, path: &[u8]) -> bool {
        self.folders.contains(path)
    }

    /// The packages that a path of the repository is or lies in, the outermost first. They need not be
    /// there: what the change deleted was a package, too.
    pub(super) fn around<'p>(&self, path: &'p [u8]) -> impl Iterator<Item = &'p [u8]> + use<'_, 'p, 'a> {
        let relative = below(path, self.root.as_bytes());
        relative.into_iter().flat_map(leading).filter(|folder| self.globs.matches(folder))
    }

    /// The package of this tree that a path lies in if it is read from the root and not from the repository's.
    pub(super) fn misread<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let outside = below(path, self.root.as_bytes()).is_none();
        leading(path).find(|folder| outside && self.contains(folder))
    }

    /// The package that a listed path names: relative to the root, or with the root in front.
    ///
    /// # Errors
    /// What is wrong with it: the tree has no such package, or one by either reading.
    pub(super) fn named(&self, path: &str) -> Result<TreePath, &'static str> {
        let inner = below(path.as_bytes(), self.root.as_bytes()).filter(|inner| self.contains(inner));
        let outer = Some(path.as_bytes()).filter(|outer| self.contains(outer));
        match (inner, outer) {
            (Some(_), Some(_)) => Err("names two packages: one with the root in front, and one without"),
            (Some(found), None) | (None, Some(found)) => Ok(found.to_vec()),
            (None, None) => Err("is no package of this tree"),
        }
    }

    /// Why a package is another job's, if it is declared so.
    pub(super) fn skipped(&self, package: &[u8]) -> Option<&'a Skip> {
        self.skip.iter().find(|skip| covers(skip, package))
    }

    /// Declared packages that the tree doesn't have.
    pub(super) fn unused(&self) -> impl Iterator<Item = &'a Skip> {
        self.skip.iter().filter(|skip| !self.folders.iter().any(|package| covers(skip, package)))
    }
}

/// A path and the folders that it lies in, the outermost first.
fn leading(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    ends.chain([path.len()]).map(|end| &path[..end])
}

fn covers(skip: &Skip, package: &[u8]) -> bool {
    Globs::one(&skip.path, OsStr::from_bytes(package)).unwrap_or_default()
}
