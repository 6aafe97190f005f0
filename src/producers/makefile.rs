//! Makefiles: targets, prerequisites and recipes, with what they include.
//!
//! Reading follows GNU make as far as it is plain (its manual, "How `make` Reads a Makefile"). Both branches
//! of a condition are read. What can't be read is kept as a note, never as nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Note;
use super::expand::{Expander, stem, words};
use super::hole::{Budget, CUT, HOLE_TEXT, is_known, join, shown};
use super::lines::{assignment, logical, outside, uncommented};
use super::source::{Found, Source, Sources};
use super::stamp;
use super::variables::{Set, Variables};

/// Files one Makefile may include, and how deep.
const INCLUDES: usize = 200;
const NESTED: usize = 16;

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
    pub(super) fn read(directory: &str, source: &Arc<Source>, sources: &mut Sources<'_>, budget: &Budget) -> Self {
        let makefile = Self {
            directory: directory.to_owned(),
            path: source.file.clone(),
            variables: Variables::default(),
            rules: BTreeMap::new(),
            patterns: Vec::new(),
            first: None,
            one_shell: false,
            notes: Vec::new(),
        };
        let mut reader = Reader {
            makefile,
            sources,
            budget,
            conditions: 0,
            included: 0,
            prefix: '\t',
            open: Vec::new(),
            lines: None,
        };
        reader.file(source, 0);
        reader.close();
        reader.makefile
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
}

struct Reader<'a, 'b> {
    makefile: Makefile,
    sources: &'a mut Sources<'b>,
    budget: &'a Budget,
    /// Open `if…` directives.
    conditions: usize,
    included: usize,
    prefix: char,
    /// The targets whose recipe is being read, with their stems: `true` for a pattern.
    open: Vec<(String, bool)>,
    /// The lines of that recipe.
    lines: Option<(Recipe, bool)>,
}

impl Reader<'_, '_> {
    fn file(&mut self, source: &Arc<Source>, nested: usize) {
        let text = source.text.as_str();
        let mut at = 0;
        while at < text.len() {
            let (end, next) = logical(text, at);
            if !self.budget.take(next - at) {
                self.note(source, at, CUT.to_owned());
                return;
            }
            let line = &text[at..end];
            if line.starts_with(self.prefix)
                && let Some((recipe, _)) = &mut self.lines
            {
                recipe.lines.push(at + self.prefix.len_utf8()..end);
                at = next;
                continue;
            }
            let plain = uncommented(&line.replace("\\\r\n", " ").replace("\\\n", " "));
            let plain = plain.trim();
            at = match plain.split_ascii_whitespace().next() {
                Some("define") => self.define(source, plain, next),
                Some(_) => {
                    self.line(source, at, line, plain, nested);
                    next
                }
                None => next,
            };
        }
    }

    fn line(&mut self, source: &Arc<Source>, at: usize, raw: &str, plain: &str, nested: usize) {
        let (word, rest) = plain.split_once([' ', '\t']).unwrap_or((plain, ""));
        match word.split_once('(').map_or(word, |(word, _)| word) {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => self.conditions += 1,
            "endif" => self.conditions = self.conditions.saturating_sub(1),
            "else" => {}
            "include" | "-include" | "sinclude" => self.include(source, at, rest, word == "include", nested),
            "override" | "private" => self.line(source, at, raw, rest.trim(), nested),
            "unexport" | "undefine" | "vpath" => {}
            "export" if rest.trim().is_empty() => self.makefile.variables.export_all = true,
            "export" => match assignment(rest) {
                Some((name, ..)) => {
                    let name = self.expand(name);
                    self.makefile.variables.export(&name);
                    self.line(source, at, raw, rest.trim(), nested);
                }
                None => {
                    for name in words(&self.expand(rest)) {
                        self.makefile.variables.export(name);
                    }
                }
            },
            _ => match assignment(plain) {
                Some((name, how, value)) => self.assign(name, how, value),
                None => self.rule(source, at, raw, plain),
            },
        }
    }

    fn expand(&self, text: &str) -> String {
        Expander::new(&self.makefile.variables, Vec::new(), self.budget).expand(text)
    }

    fn note(&mut self, source: &Source, at: usize, text: String) {
        // A hostile file has a million of them, and one is enough to know nothing.
        if self.makefile.notes.len() < 100 {
            self.makefile.notes.push(Note { place: source.place(at), text });
        }
    }

    fn assign(&mut self, name: &str, how: &str, value: &str) {
        let name = self.expand(name);
        let conditional = self.conditions > 0;
        let (how, value) = match how {
            "=" => (Set::Recursive, value.to_owned()),
            "?=" => (Set::Default, value.to_owned()),
            "+=" => (Set::Append, value.to_owned()),
            "!=" => (Set::Simple, HOLE_TEXT.to_owned()),
            _ => (Set::Simple, self.expand(value)),
        };
        if name == ".RECIPEPREFIX" {
            self.prefix = value.chars().next().unwrap_or('\t');
        }
        let size = self.makefile.variables.set(&name, how, value, conditional);
        self.budget.take(size);
    }

    /// Reads `define NAME … endef`; answers with what comes after it.
    fn define(&mut self, source: &Source, plain: &str, body: usize) -> usize {
        let text = source.text.as_str();
        let (mut at, mut depth) = (body, 1);
        while at < text.len() {
            let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline + 1);
            let word = text[at..end].split_ascii_whitespace().next();
            depth += usize::from(word == Some("define"));
            if word == Some("endef") {
                depth -= 1;
                if depth == 0 {
                    let head = plain.strip_prefix("define").unwrap_or_default().trim();
                    let name = self.expand(words(head).first().copied().unwrap_or_default());
                    let value = text[body..at].strip_suffix('\n').unwrap_or_default().replace("\\\n", " ");
                    let how = if head.ends_with(":=") { Set::Simple } else { Set::Recursive };
                    let value = if how == Set::Simple { self.expand(&value) } else { value };
                    self.makefile.variables.set(&name, how, value, self.conditions > 0);
                    return end;
                }
            }
            at = end;
        }
        self.note(source, body, "a `define` without its `endef`".to_owned());
        text.len()
    }

    fn include(&mut self, source: &Arc<Source>, at: usize, names: &str, needed: bool, nested: usize) {
        self.close();
        for name in words(&self.expand(names)) {
            self.included += 1;
            if nested >= NESTED || self.included > INCLUDES {
                self.note(source, at, format!("`include {}`: more is included than is read", shown(name)));
                return;
            }
            let path =
                join(&self.makefile.directory, name).filter(|path| is_known(path) && !path.contains(['*', '?', '[']));
            let Some(path) = path else {
                self.note(source, at, format!("`include {}`: which file that is depends on the run", shown(name)));
                continue;
            };
            match self.sources.find(&path) {
                Found::File(file) => {
                    self.file(&file, nested + 1);
                    self.close();
                }
                Found::Absent if !needed => {}
                Found::Absent => self.note(source, at, format!("`include {name}`: the tree has no {path}")),
                Found::Unread(why) => self.note(source, at, format!("`include {name}`: {why}")),
            }
        }
    }

    /// Reads the line that begins a rule.
    fn rule(&mut self, source: &Arc<Source>, at: usize, raw: &str, plain: &str) {
        let Some(colon) = outside(plain, b':') else {
            // `$(eval …)`, `$(foreach …)`: rules made by rules. What `$(shell …)` does it does for itself.
            let quiet = ["$(shell ", "$(info ", "$(warning ", "$(error "].iter().any(|name| plain.starts_with(name));
            let mut expander = Expander::new(&self.makefile.variables, Vec::new(), self.budget);
            let is_blank = expander.expand(plain).trim().is_empty();
            let Expander { assigned, lost, .. } = expander;
            let makes_rules = !quiet && (!is_blank || lost.iter().any(|lost| lost.starts_with("eval")));
            for (name, value) in assigned {
                self.makefile.variables.set(&name, Set::Simple, value, self.conditions > 0);
            }
            if makes_rules || stamp::may_stamp(plain) {
                self.note(source, at, format!("`{}`: it may make rules", excerpt(plain)));
            }
            return;
        };
        self.close();
        let (names, rest) = (&plain[..colon], &plain[colon + 1..]);
        let double = rest.starts_with(':');
        let rest = rest.trim_start_matches([':', '&']);
        let (rest, inline) = match outside(rest, b';') {
            Some(semicolon) => (&rest[..semicolon], true),
            None => (rest, false),
        };
        let names = self.expand(names.trim_end_matches('&'));
        // What is in a folder is a file: nothing that a build is asked for.
        if let Some(name) = words(&names).into_iter().find(|name| !is_known(name) && !name.contains('/')) {
            self.note(source, at, format!("`{}:`: which targets these are depends on the run", excerpt(&shown(name))));
        }
        let targets: Vec<String> = words(&names).into_iter().filter(|name| is_known(name)).map(str::to_owned).collect();
        if let Some((name, how, value)) = assignment(rest) {
            let name = name.trim_start_matches("export ").trim_start_matches("override ").trim();
            let value = if how == "=" { value.to_owned() } else { self.expand(value) };
            for target in &targets {
                self.entry(source, at, target).assigned.push((name.to_owned(), value.clone()));
            }
            return;
        }
        let (pattern, needed) = match outside(rest, b':') {
            Some(colon) => (Some(self.expand(&rest[..colon]).trim().to_owned()), &rest[colon + 1..]),
            None => (None, rest),
        };
        let needed = self.expand(needed);
        let needed: Vec<&str> = words(&needed).into_iter().filter(|name| *name != "|").collect();
        // Each target gets the names of all that it needs: many times many of them.
        if !self.budget.take(16 * targets.len() * needed.len()) {
            return;
        }
        for target in &targets {
            if target == ".ONESHELL" {
                self.makefile.one_shell = true;
            }
            if target.starts_with('.') && !target.contains('/') {
                continue;
            }
            let stem = pattern.as_deref().and_then(|pattern| stem(pattern, target)).map(str::to_owned);
            let is_pattern = target.contains('%');
            if self.makefile.first.is_none() && !is_pattern {
                self.makefile.first = Some(target.clone());
            }
            let rule = self.entry(source, at, target);
            let with_stem = |name: &&str| stem.as_ref().map_or((*name).to_owned(), |stem| name.replacen('%', stem, 1));
            rule.prerequisites.extend(needed.iter().map(with_stem));
            rule.stem = stem.or(rule.stem.take());
            self.open.push((target.clone(), is_pattern));
        }
        let mut recipe = Recipe { source: Arc::clone(source), lines: Vec::new() };
        if inline && let Some(semicolon) = raw.find(':').and_then(|colon| Some(colon + raw[colon..].find(';')? + 1)) {
            recipe.lines.push(at + semicolon..at + raw.len());
        }
        self.lines = Some((recipe, double || self.conditions > 0));
    }

    fn entry(&mut self, source: &Arc<Source>, at: usize, target: &str) -> &mut Rule {
        let new = || Rule {
            source: Arc::clone(source),
            at,
            prerequisites: Vec::new(),
            recipes: Vec::new(),
            stem: None,
            assigned: Vec::new(),
        };
        let makefile = &mut self.makefile;
        if target.contains('%') {
            let known = makefile.patterns.iter().rposition(|(pattern, _)| pattern == target);
            let place = known.unwrap_or_else(|| {
                makefile.patterns.push((target.to_owned(), new()));
                makefile.patterns.len() - 1
            });
            return &mut makefile.patterns[place].1;
        }
        makefile.rules.entry(target.to_owned()).or_insert_with(new)
    }

    /// Gives the recipe that was read to its targets.
    fn close(&mut self) {
        let targets = std::mem::take(&mut self.open);
        let Some((recipe, beside)) = self.lines.take() else { return };
        if recipe.lines.is_empty() {
            return;
        }
        let (recipe, at) = (Arc::new(recipe), 0);
        for (target, _) in targets {
            let source = Arc::clone(&recipe.source);
            let rule = self.entry(&source, at, &target);
            if !beside {
                // make takes the last recipe, and says so.
                rule.recipes.clear();
            }
            rule.recipes.push(Arc::clone(&recipe));
        }
    }
}

fn excerpt(text: &str) -> String {
    text.trim().chars().take(80).collect()
}
