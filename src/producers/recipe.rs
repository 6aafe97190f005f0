//! One target as it runs: its needs, its recipe's commands, and the runs of make among them.

use super::Place;
use super::command::State;
use super::expand::Expander;
use super::graph::{Act, Graph, Node, Run, Slot};
use super::hole::{HOLE_TEXT, is_known, shown};
use super::makefile::{Makefile, Recipe, Rule};
use super::shell::Shell;
use super::stamp::{Call, Effect, effects, may_stamp};

/// Longer names and values of variables are not followed: they grow by themselves.
const LONGEST: usize = 500;

impl Graph<'_> {
    pub(super) fn read(&mut self, makefile: &Makefile, node: &Node) -> Run {
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
        let mut unread = None;
        if targets.is_empty() {
            match self.makefile(&directory) {
                Slot::Read(makefile) => {
                    targets.extend(makefile.first.clone());
                    unread = makefile.notes.first().filter(|_| targets.is_empty()).map(Act::unknown);
                }
                Slot::Absent => {}
                Slot::Unread(note) => unread = Some(Act::unknown(&note)),
            }
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
        acts.extend(unread);
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
