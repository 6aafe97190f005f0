//! The rules of a Makefile: the line that begins one, and the recipe that its targets get.

use std::sync::Arc;

use super::expand::{Expander, stem, words};
use super::hole::{is_known, shown};
use super::lines::{assignment, outside};
use super::makefile::Recipe;
use super::reader::Reader;
use super::source::Source;
use super::stamp;
use super::variables::Set;

impl Reader<'_, '_> {
    /// Reads the line that begins a rule.
    pub(super) fn rule(&mut self, source: &Arc<Source>, at: usize, raw: &str, plain: &str) {
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
                self.makefile.entry(source, at, target).assigned.push((name.to_owned(), value.clone()));
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
            let rule = self.makefile.entry(source, at, target);
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

    /// Gives the recipe that was read to its targets.
    pub(super) fn close(&mut self) {
        let targets = std::mem::take(&mut self.open);
        let Some((recipe, beside)) = self.lines.take() else { return };
        if recipe.lines.is_empty() {
            return;
        }
        let (recipe, at) = (Arc::new(recipe), 0);
        for (target, _) in targets {
            let source = Arc::clone(&recipe.source);
            let rule = self.makefile.entry(&source, at, &target);
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
