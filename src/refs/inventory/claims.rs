//! What the census claims, excludes and refuses on the lines of a file.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Claim, Item, What, cut};
use super::seen::Seen;
use crate::refs::census::Excluded;
use crate::refs::problem::{Lines, Problem};

/// What the census made of one file.
#[derive(Clone, Copy)]
pub(in crate::refs) struct Judged<'a> {
    pub found: &'a [Problem],
    pub excluded: &'a [Excluded],
}

/// An item, and the line of the file that the census would name.
pub(super) struct Listed {
    pub item: Item,
    pub line: usize,
    pub owned: bool,
}

/// What the census says of lines.
pub(super) struct LineClaims<'a> {
    unclaimed: BTreeSet<usize>,
    excluded: BTreeMap<usize, &'a str>,
}

impl<'a> LineClaims<'a> {
    pub(super) fn of(judged: Judged<'a>) -> Self {
        let unclaimed = judged.found.iter().filter(|problem| problem.line > 0).map(|problem| problem.line).collect();
        let excluded = judged.excluded.iter().map(|excluded| (excluded.line, excluded.reason.as_str())).collect();
        Self { unclaimed, excluded }
    }

    /// The census speaks of lines: a name alone on such a line is not what it means, nor is a comment
    /// beside it.
    pub(super) fn says(&self, line: usize, seen: &Seen) -> Option<Claim> {
        if seen.what == What::Name && seen.hidden.is_none() {
            return None;
        }
        if let Some(&reason) = self.excluded.get(&line) {
            return Some(Claim::Exclusion { reason: reason.to_owned() });
        }
        let meant = !seen.quiet || seen.what == What::Digest || !seen.owned;
        (self.unclaimed.contains(&line)
            && meant
            && seen.hidden.is_none()
            && (seen.owned || seen.what != What::Reference))
            .then_some(Claim::Unclaimed)
    }
}

/// The items in order. What the census refuses is among them, whatever else a line holds.
pub(super) fn settled(file: &str, mut listed: Vec<Listed>, judged: Judged<'_>, lines: &Lines<'_>) -> Vec<Item> {
    // By line, and of a line once: a file may have as many problems as lines.
    let mut free: BTreeMap<usize, usize> = BTreeMap::new();
    let mut told: BTreeSet<usize> = BTreeSet::new();
    for (at, listed) in listed.iter().enumerate() {
        if listed.item.claim == Claim::Unclaimed {
            told.insert(listed.line);
        } else if listed.owned && !matches!(listed.item.claim, Claim::Shape { .. }) {
            free.entry(listed.line).or_insert(at);
        }
    }
    for problem in judged.found.iter().filter(|problem| problem.line > 0) {
        if !told.insert(problem.line) {
            continue;
        }
        match free.get(&problem.line).and_then(|&at| listed.get_mut(at)) {
            Some(listed) => listed.item.claim = Claim::Unclaimed,
            None => {
                let at = problem.at.unwrap_or_default();
                let text = cut(&lines.excerpt(at));
                let (file, line, column) = (file.to_owned(), problem.line, problem.column);
                let (what, claim) = (What::Malformed, Claim::Unclaimed);
                let item = Item { file, member: None, line, column, span: at..at, what, text, claim };
                listed.push(Listed { item, line, owned: true });
            }
        }
    }
    let mut items: Vec<Item> = listed.into_iter().map(|listed| listed.item).collect();
    items.sort_by(|a, b| (&a.member, a.span.start, a.what).cmp(&(&b.member, b.span.start, b.what)));
    items
}
