//! Entries whose new name another entry takes up.
//!
//! Entries apply in the order of the table, and each sees what those before it made, as in kustomize.
//! So an image may be renamed more than once, and the order of two lines decides.

use std::collections::HashMap;

use super::entry::Written;
use super::image::split;

/// Renames one after the other, at most: what bounds the work on an image.
pub(super) const DEPTH: usize = 16;

/// For each entry the later one that its new name leads to.
pub(super) fn steps(entries: &[Written]) -> Vec<Option<usize>> {
    let names: HashMap<&str, usize> =
        entries.iter().enumerate().filter_map(|(index, entry)| Some((entry.name()?.text.as_str(), index))).collect();
    let step = |(index, entry): (usize, &Written)| {
        let new_name = &entry.new_name()?.text;
        names.get(split(new_name).name).copied().filter(|&next| next > index)
    };
    entries.iter().enumerate().map(step).collect()
}

/// The first entry from which an image would be renamed too often.
pub(super) fn too_deep(steps: &[Option<usize>]) -> Option<usize> {
    let mut depths = vec![1; steps.len()];
    for (index, step) in steps.iter().enumerate().rev() {
        depths[index] = step.map_or(1, |next| depths[next] + 1);
    }
    depths.iter().position(|&depth| depth > DEPTH)
}
