//! Makefiles, read line by line as GNU make reads them (its manual, "How `make` Reads a Makefile"), as far as it
//! is plain: conditions, variables, definitions and includes here, rules in [`super::rules`].

use std::sync::Arc;

use super::Note;
use super::budget::{Budget, CUT};
use super::expand::{Expander, words};
use super::hole::{HOLE_TEXT, is_known, join, shown};
use super::lines::{assignment, logical, uncommented};
use super::makefile::{Makefile, Recipe};
use super::source::{Found, Source, Sources};
use super::variables::Set;

/// Files one Makefile may include, and how deep.
const INCLUDES: usize = 200;
const NESTED: usize = 16;

/// Reads a Makefile that is run in a directory, with what it includes.
pub(super) fn read(directory: &str, source: &Arc<Source>, sources: &mut Sources<'_>, budget: &Budget) -> Makefile {
    let mut reader = Reader {
        makefile: Makefile::new(directory, &source.file),
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

/// A Makefile in the making.
pub(super) struct Reader<'a, 'b> {
    pub(super) makefile: Makefile,
    pub(super) sources: &'a mut Sources<'b>,
    pub(super) budget: &'a Budget,
    /// Open `if…` directives.
    pub(super) conditions: usize,
    pub(super) included: usize,
    pub(super) prefix: char,
    /// The targets whose recipe is being read, with their stems: `true` for a pattern.
    pub(super) open: Vec<(String, bool)>,
    /// The lines of that recipe.
    pub(super) lines: Option<(Recipe, bool)>,
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

    pub(super) fn expand(&self, text: &str) -> String {
        Expander::new(&self.makefile.variables, Vec::new(), self.budget).expand(text)
    }

    pub(super) fn note(&mut self, source: &Source, at: usize, text: String) {
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
}
