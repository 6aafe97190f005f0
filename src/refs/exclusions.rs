//! Declared exclusions: findings that are known and explained.

use std::borrow::Cow;

use globset::GlobSet;

use super::enumerate::{globs, matches};
use super::problem::Problem;
use super::{Exclusion, Spec};
use crate::tree::below;

/// The declared exclusions, and which of them were needed.
pub(super) struct Exclusions<'a> {
    spec: &'a Spec,
    globs: Vec<GlobSet>,
    pub used: Vec<bool>,
}

impl<'a> Exclusions<'a> {
    pub(super) fn new(spec: &'a Spec, problems: &mut Vec<Problem>) -> Self {
        let one = |exclusion: &Exclusion| globs(std::slice::from_ref(&exclusion.path), problems);
        Self { spec, globs: spec.exclude.iter().map(one).collect(), used: vec![false; spec.exclude.len()] }
    }

    /// The exclusion that covers a file as a whole, by its path in the repository.
    pub(super) fn find_whole(&mut self, path: &[u8]) -> Option<&'a Exclusion> {
        let relative = below(path, self.spec.root().as_bytes())?;
        let mut found = None;
        for ((exclusion, glob), used) in self.spec.exclude.iter().zip(&self.globs).zip(&mut self.used) {
            if exclusion.line.is_none() && matches(glob, relative) {
                *used = true;
                found = found.or(Some(exclusion));
            }
        }
        found
    }

    /// The exclusion that covers a line of a file (its path in the repository).
    pub(super) fn find<'t>(&mut self, path: &str, line: impl Fn() -> Cow<'t, str>) -> Option<&'a Exclusion> {
        let relative = below(path.as_bytes(), self.spec.root().as_bytes())?;
        let mut found = None;
        for ((exclusion, glob), used) in self.spec.exclude.iter().zip(&self.globs).zip(&mut self.used) {
            let says = || exclusion.line.as_ref().is_none_or(|text| line().contains(text.as_str()));
            if matches(glob, relative) && says() {
                *used = true;
                found = found.or(Some(exclusion));
            }
        }
        found
    }
}
