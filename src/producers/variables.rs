//! make's variables: every value that one may have.

use std::collections::HashMap;

use super::hole::HOLE_TEXT;

/// Of a variable that may have more values than this the rest are a hole.
const VALUES: usize = 8;

/// A variable: every value it may have, as spelled or, for `:=`, as expanded where it was set.
#[derive(Clone, Debug, Default)]
pub(super) struct Variable {
    pub values: Vec<Value>,
    /// Set under a condition only, so perhaps not at all.
    pub perhaps: bool,
    exported: bool,
}

/// One value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub text: String,
    /// Set by `:=`: expanded already.
    pub simple: bool,
}

/// How an assignment sets its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// `=`, and `define`.
    Recursive,
    /// `:=`
    Simple,
    /// `?=`
    Default,
    /// `+=`
    Append,
}

/// The variables of one Makefile with all that it includes.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    all: HashMap<String, Variable>,
    pub export_all: bool,
}

impl Variables {
    /// Sets a variable; under a condition it may have this value or the one before. Answers with how large
    /// it has become.
    pub(super) fn set(&mut self, name: &str, how: Set, text: String, conditional: bool) -> usize {
        let variable = self.all.entry(name.to_owned()).or_default();
        let known = !variable.values.is_empty();
        let value = Value { text, simple: how == Set::Simple };
        match how {
            Set::Append if !variable.values.is_empty() => {
                let before = if conditional { variable.values.clone() } else { Vec::new() };
                for old in &mut variable.values {
                    old.text.extend([" ", &value.text]);
                }
                variable.values.extend(before);
            }
            Set::Default if known && !variable.perhaps => {}
            _ if conditional || how == Set::Default && variable.perhaps => {
                variable.perhaps |= !known;
                // Both branches of a condition set it: then it is set.
                variable.perhaps &= variable.values.is_empty();
                variable.values.push(value);
            }
            _ => {
                variable.values = vec![value];
                variable.perhaps = false;
            }
        }
        if variable.values.len() > VALUES {
            variable.values.truncate(VALUES - 1);
            variable.values.push(Value { text: HOLE_TEXT.to_owned(), simple: true });
        }
        match conditional {
            true => variable.values.iter().map(|value| value.text.len()).sum(),
            false => 0,
        }
    }

    pub(super) fn export(&mut self, name: &str) {
        self.all.entry(name.to_owned()).or_default().exported = true;
    }

    /// A variable that is set.
    pub(super) fn find(&self, name: &str) -> Option<&Variable> {
        self.all.get(name).filter(|variable| !variable.values.is_empty())
    }

    pub(super) fn is_exported(&self, name: &str) -> bool {
        self.all.get(name).is_some_and(|variable| self.export_all || variable.exported)
    }
}
