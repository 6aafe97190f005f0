//! What a Makefile says: targets, prerequisites and recipes, its own and those that it includes.
//!
//! Both branches of a condition are in it. What can't be read is kept as a note, never as nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Note;
use super::expand::stem;
use super::source::Source;
use super::variables::Variables;

/// A Makefile, run in its directory.
#[derive(Debug)]
pub(super) struct Makefile {
    pub directory: String,
    pub path: String,
    pub variables: Variables,
    /// By the names of targets.
    rules: BTreeMap<String, Rule>,
    /// In the order of the file: `image-%`.
    patterns: Vec<(String, Rule)>,
    /// The first target: what make builds when it isn't told.
    pub first: Option<String>,
    /// Whether a recipe is one script and not one a line.
    pub one_shell: bool,
    /// What can't be read, and may hold rules.
    pub notes: Vec<Note>,
}

/// How one target is made.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub source: Arc<Source>,
    /// Where the rule begins.
    pub at: usize,
    pub prerequisites: Vec<String>,
    /// The lines of the recipes; a target may have several where a condition or `::` says so.
    pub recipes: Vec<Arc<Recipe>>,
    /// What `%` stands for.
    pub stem: Option<String>,
    /// Variables of this target alone.
    pub assigned: Vec<(String, String)>,
}

/// A recipe's lines, as ranges of its source, without the tab.
#[derive(Debug)]
pub(super) struct Recipe {
    pub source: Arc<Source>,
    pub lines: Vec<std::ops::Range<usize>>,
}

impl Makefile {
    /// One that says nothing yet.
    pub(super) fn new(directory: &str, path: &str) -> Self {
        Self {
            directory: directory.to_owned(),
            path: path.to_owned(),
            variables: Variables::default(),
            rules: BTreeMap::new(),
            patterns: Vec::new(),
            first: None,
            one_shell: false,
            notes: Vec::new(),
        }
    }

    /// The explicit targets, in their order.
    pub(super) fn targets(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }

    /// The pattern targets.
    pub(super) fn patterns(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.patterns.iter().map(|(pattern, rule)| (pattern.as_str(), rule))
    }

    /// The rule of a target: its own, with the recipe of a pattern where it has none.
    pub(super) fn rule(&self, target: &str) -> Option<Rule> {
        let own = self.rules.get(target);
        if let Some(rule) = own.filter(|rule| !rule.recipes.is_empty()) {
            return Some(rule.clone());
        }
        let matching = self.patterns.iter().filter_map(|(pattern, rule)| Some((stem(pattern, target)?, rule)));
        // Of patterns that fit make takes the one with the shortest stem.
        let Some((stem, rule)) = matching.min_by_key(|(stem, _)| stem.len()) else { return own.cloned() };
        let mut rule = Rule { stem: Some(stem.to_owned()), ..rule.clone() };
        rule.prerequisites.iter_mut().for_each(|name| *name = name.replacen('%', stem, 1));
        if let Some(own) = own {
            rule.prerequisites.extend(own.prerequisites.iter().cloned());
            rule.assigned.extend(own.assigned.iter().cloned());
        }
        Some(rule)
    }

    /// The rule of a target, which a place may begin.
    pub(super) fn entry(&mut self, source: &Arc<Source>, at: usize, target: &str) -> &mut Rule {
        let new = || Rule {
            source: Arc::clone(source),
            at,
            prerequisites: Vec::new(),
            recipes: Vec::new(),
            stem: None,
            assigned: Vec::new(),
        };
        if target.contains('%') {
            let known = self.patterns.iter().rposition(|(pattern, _)| pattern == target);
            let place = known.unwrap_or_else(|| {
                self.patterns.push((target.to_owned(), new()));
                self.patterns.len() - 1
            });
            return &mut self.patterns[place].1;
        }
        self.rules.entry(target.to_owned()).or_insert_with(new)
    }
}
