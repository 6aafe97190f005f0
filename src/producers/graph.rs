//! Targets as they run: what each one does, and which others it brings along.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::expand::Expander;
use super::hole::{Budget, HOLE_TEXT, is_known, shown};
use super::makefile::{Makefile, Recipe, Rule};
use super::shell::{Shell, State};
use super::source::{Found, Sources};
use super::stamp::{Call, Effect, effects, may_stamp};
use super::{Note, Place};
use crate::tree::Tree;

/// More targets than this are not followed, nor longer names and values of variables: those grow by themselves.
const TARGETS: usize = 50_000;
const LONGEST: usize = 500;

/// A target of the Makefile in a directory, with the variables that a command line gave it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node {
    pub directory: String,
    pub target: String,
    pub variables: Vec<(String, String)>,
}

impl Node {
    pub(super) fn new(directory: &str, target: &str) -> Self {
        Self { directory: directory.to_owned(), target: target.to_owned(), variables: Vec::new() }
    }
}

/// One thing that a target does, and where.
#[derive(Clone, Debug)]
pub(super) struct Act {
    pub place: Place,
    pub effect: Effect,
}

/// What a target does.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Where its rule begins; `None` where there is no such target.
    pub place: Option<Place>,
    pub acts: Vec<Act>,
    /// The targets it needs or runs, and where it says so.
    pub next: Vec<(Node, Place)>,
}

/// The Makefile of a directory.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Read(Arc<Makefile>),
    Absent,
    Unread(Note),
}

/// Every target that was looked at.
pub(super) struct Graph<'a> {
    pub sources: Sources<'a>,
    pub budget: &'a Budget,
    makefiles: BTreeMap<String, Slot>,
    runs: BTreeMap<Node, Arc<Run>>,
    /// Whether there were more targets than are followed.
    pub cut: bool,
}

impl<'a> Graph<'a> {
    pub(super) fn new(tree: &'a dyn Tree, budget: &'a Budget) -> Self {
        Self {
            sources: Sources::new(tree, budget),
            budget,
            makefiles: BTreeMap::new(),
            runs: BTreeMap::new(),
            cut: false,
        }
    }

    pub(super) fn makefile(&mut self, directory: &str) -> Slot {
        if let Some(slot) = self.makefiles.get(directory) {
            return slot.clone();
        }
        let slot = match self.sources.makefile(directory) {
            Found::File(source) => {
                Slot::Read(Arc::new(Makefile::read(directory, &source, &mut self.sources, self.budget)))
            }
            Found::Absent => Slot::Absent,
            Found::Unread(text) => {
                let file = if directory.is_empty() { "Makefile".to_owned() } else { format!("{directory}/Makefile") };
                Slot::Unread(Note { place: Place { file, line: 1, column: 1 }, text })
            }
        };
        self.makefiles.insert(directory.to_owned(), slot.clone());
        slot
    }

    /// Everything that running the targets runs, themselves included.
    pub(super) fn reach(&mut self, from: impl IntoIterator<Item = Node>) -> BTreeSet<Node> {
        let mut todo: Vec<Node> = from.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(node) = todo.pop() {
            if reached.contains(&node) {
                continue;
            }
            todo.extend(self.run(&node).next.iter().map(|(next, _)| next.clone()));
            reached.insert(node);
        }
        reached
    }

    /// What a target does.
    pub(super) fn run(&mut self, node: &Node) -> Arc<Run> {
        if let Some(run) = self.runs.get(node) {
            return Arc::clone(run);
        }
        if self.runs.len() >= TARGETS {
            self.cut = true;
            return Arc::default();
        }
        let run = match self.makefile(&node.directory) {
            Slot::Read(makefile) => self.read(&makefile, node),
            Slot::Absent | Slot::Unread(_) => Run::default(),
        };
        let run = Arc::new(run);
        self.runs.insert(node.clone(), Arc::clone(&run));
        run
    }

    fn read(&mut self, makefile: &Makefile, node: &Node) -> Run {
        let pattern = || makefile.patterns().find(|(pattern, _)| *pattern == node.target).map(|(_, rule)| rule.clone());
        let Some(mut rule) = makefile.rule(&node.target).or_else(pattern) else { return Run::default() };
        if node.target.contains('%') {
            rule.stem = Some(HOLE_TEXT.to_owned());
        }
        let locals = self.locals(makefile, &rule, node);
        let place = rule.source.place(rule.at);
        let needed = |name: &String| {
            let node =
                Node { directory: node.directory.clone(), target: name.clone(), variables: node.variables.clone() };
            (node, place.clone())
        };
        let mut run = Run {
            place: Some(place.clone()),
            acts: Vec::new(),
            next: rule
                .prerequisites
                .iter()
                .filter(|name| is_known(name) && name.len() <= LONGEST)
                .map(needed)
                .collect(),
        };
        let long = |name: &&String| name.len() > LONGEST;
        if let Some(name) = rule.prerequisites.iter().find(long) {
            let name: String = name.chars().take(80).collect();
            let effect = Effect::Unknown(format!("it needs `{name}…`: longer than any target that is followed"));
            run.acts.push(Act { place: place.clone(), effect });
        }
        if let Some(name) = rule.prerequisites.iter().find(|name| !is_known(name) && !name.contains('/')) {
            let effect =
                Effect::Unknown(format!("it needs `{}`: which target that is depends on the run", shown(name)));
            run.acts.push(Act { place: place.clone(), effect });
        }
        let mut expander = Expander::new(&makefile.variables, locals, self.budget);
        for recipe in &rule.recipes {
            self.recipe(makefile, recipe, &mut expander, node, &mut run);
        }
        run
    }

    /// make's automatic variables, the target's own, and the command line's.
    fn locals(&self, makefile: &Makefile, rule: &Rule, node: &Node) -> Vec<(String, String)> {
        let target = node.target.replace('%', HOLE_TEXT);
        let mut locals: Vec<(String, String)> = vec![
            ("@".into(), target),
            ("*".into(), rule.stem.clone().unwrap_or_else(|| HOLE_TEXT.to_owned())),
            ("<".into(), rule.prerequisites.first().cloned().unwrap_or_default()),
            ("^".into(), rule.prerequisites.join(" ")),
        ];
        for (name, value) in &rule.assigned {
            let value = Expander::new(&makefile.variables, locals.clone(), self.budget).expand(value);
            locals.push((name.clone(), value));
        }
        locals.extend(node.variables.iter().cloned());
        locals
    }

    fn recipe(
        &mut self,
        makefile: &Makefile,
        recipe: &Recipe,
        expander: &mut Expander<'_>,
        node: &Node,
        run: &mut Run,
    ) {
        let whole = match (&recipe.lines[..], makefile.one_shell) {
            ([first, .., last], true) => Some(first.start..last.end),
            _ => None,
        };
        for line in whole.as_slice().iter().chain(recipe.lines.iter().filter(|_| whole.is_none())) {
            let raw = recipe.source.text.get(line.clone()).unwrap_or_default();
            let expanded = expander.mapped(raw, line.start);
            for lost in std::mem::take(&mut expander.lost).iter().filter(|lost| may_stamp(lost)) {
                let text: String = lost.chars().take(80).collect();
                let effect = Effect::Unknown(format!("`$({})`: what that does depends on the run", shown(&text)));
                run.acts.push(Act { place: recipe.source.place(line.start), effect });
            }
            let variables = &makefile.variables;
            let budget = self.budget;
            let scope = &mut *expander;
            let mut environment = |name: &str| {
                let given = node.variables.iter().any(|(known, _)| known == name);
                match given || variables.is_exported(name) {
                    true => scope.variable(name),
                    false => HOLE_TEXT.to_owned(),
                }
            };
            for (start, script) in scripts(&expanded.text, makefile.one_shell) {
                let mut shell = Shell::new(budget, &mut environment);
                shell.run(script, &mut State::new(&node.directory));
                if shell.is_cut() {
                    let effect = Effect::Unknown("it runs more commands, or deeper ones, than are read".to_owned());
                    run.acts.push(Act { place: recipe.source.place(line.start), effect });
                }
                for command in shell.commands {
                    let place = recipe.source.place(expanded.source(start + command.at));
                    for effect in effects(&command, budget) {
                        match effect {
                            Effect::Make(call) => self.call(call, node, &place, run),
                            effect => run.acts.push(Act { place: place.clone(), effect }),
                        }
                    }
                }
            }
        }
    }

    /// Follows a run of make as far as it is known.
    fn call(&mut self, call: Call, node: &Node, place: &Place, run: &mut Run) {
        let Call { directory, mut targets, variables, file } = call;
        let Run { acts, next, .. } = run;
        let mut unknown = |text: String| acts.push(Act { place: place.clone(), effect: Effect::Unknown(text) });
        let Some(directory) = directory else { return unknown("make runs outside of the repository".to_owned()) };
        if let Some(file) = file {
            return unknown(format!("make runs with the Makefile `{}`", shown(&file)));
        }
        if !is_known(&directory) {
            return unknown(format!(
                "make runs in `{}`: which directory that is depends on the run",
                shown(&directory)
            ));
        }
        if targets.is_empty()
            && let Slot::Read(makefile) = self.makefile(&directory)
        {
            targets.extend(makefile.first.clone());
        }
        for target in targets {
            if !is_known(&target) || target.len() > LONGEST {
                let target: String = target.chars().take(80).collect();
                unknown(format!("make runs `{}`: which target that is depends on the run", shown(&target)));
                continue;
            }
            let mut all = if directory == node.directory { node.variables.clone() } else { Vec::new() };
            for (name, value) in &variables {
                let value = if value.len() > LONGEST { HOLE_TEXT } else { value };
                all.retain(|(known, _)| known != name);
                all.push((name.clone(), value.to_owned()));
            }
            next.push((Node { directory: directory.clone(), target, variables: all }, place.clone()));
        }
    }

    /// Every target that was looked at, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Node, &Run)> {
        self.runs.iter().map(|(node, run)| (node, run.as_ref()))
    }

    /// Counts: targets looked at, and files read.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.runs.len(), self.sources.count())
    }
}

/// The scripts in an expanded recipe line, and where they begin: a line's end that came with a variable ends
/// a script, but with `.ONESHELL`. Without make's prefixes.
fn scripts(text: &str, one_shell: bool) -> Vec<(usize, &str)> {
    let ends = text.match_indices('\n').map(|(newline, _)| newline);
    let ends = ends.filter(|&newline| !one_shell && !text[..newline].trim_end_matches('\r').ends_with('\\'));
    let (mut scripts, mut start) = (Vec::new(), 0);
    for end in ends.chain([text.len()]) {
        let script = text[start..end].trim_start_matches(['@', '+', '-', ' ', '\t']);
        scripts.push((end - script.len(), script));
        start = end + 1;
    }
    scripts
}
