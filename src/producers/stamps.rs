//! Stamps: every write of every target, and those of them that are about a file.

use std::collections::BTreeMap;

use super::Place;
use super::budget::Budget;
use super::graph::{Graph, Node};
use super::hole::{HOLE, matches};
use super::packages::Packages;
use super::stamp::{Effect, How};

/// One write of one target.
pub(super) struct Stamp {
    pub package: String,
    pub target: String,
    pub place: Place,
    pub file: String,
    pub how: How,
    /// Whether a build or a declaration runs the target.
    pub reached: bool,
}

/// Every write of every target that was looked at, in their order.
pub(super) fn stamps(graph: &mut Graph<'_>, packages: &Packages) -> Vec<Stamp> {
    let mut stamps = Vec::new();
    for (node, run) in graph.all() {
        let Node { directory, target, .. } = &node;
        let reached = packages.reached.contains(node);
        for act in &run.acts {
            let Effect::Write { file, how } = &act.effect else { continue };
            stamps.push(Stamp {
                package: directory.clone(),
                target: target.clone(),
                place: act.place.clone(),
                file: file.clone(),
                how: how.clone(),
                reached,
            });
        }
    }
    stamps
}

/// What comparing a pattern with a path costs.
fn fitting(pattern: &str, path: &str) -> usize {
    pattern.len() * path.len() / 4
}

/// Whether a path begins and ends as a pattern does: cheap, and rules most out.
fn ends_fit(pattern: &str, path: &str) -> bool {
    let wild = [HOLE, '*', '?'];
    let before = pattern.find(wild).map_or(pattern, |at| &pattern[..at]);
    let after = pattern.rsplit(wild).next().unwrap_or_default();
    path.starts_with(before) && path.ends_with(after)
}

/// Stamps by the file that they write.
pub(super) struct ByFile<'s> {
    exact: BTreeMap<&'s str, Vec<&'s Stamp>>,
    /// Those whose file has a hole or a wildcard in its name.
    patterns: Vec<&'s Stamp>,
}

impl<'s> ByFile<'s> {
    pub(super) fn new(stamps: &'s [Stamp]) -> Self {
        let (mut exact, mut patterns): (BTreeMap<&str, Vec<&Stamp>>, Vec<&Stamp>) = (BTreeMap::new(), Vec::new());
        for stamp in stamps {
            match stamp.file.contains([HOLE, '*', '?']) {
                true => patterns.push(stamp),
                false => exact.entry(&stamp.file).or_default().push(stamp),
            }
        }
        Self { exact, patterns }
    }

    /// The stamps that write a file, or may.
    pub(super) fn about(&self, file: &str, budget: &Budget) -> Vec<&'s Stamp> {
        let fits = |stamp: &&&Stamp| budget.take(fitting(&stamp.file, file)) && matches(&stamp.file, file, true);
        let mut about = self.exact.get(file).cloned().unwrap_or_default();
        about.extend(self.patterns.iter().filter(|stamp| ends_fit(&stamp.file, file)).filter(fits).copied());
        about
    }
}
