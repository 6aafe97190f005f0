//! make's functions that decide, repeat, set or look around (GNU make manual, "Functions for Transforming Text").

use super::expand::{Expander, words};
use super::functions;
use super::hole::{HOLE, HOLE_TEXT, is_known, merge};
use super::lines::assignment;

/// More words than this are not looped over.
const WORDS: usize = 256;

/// Functions that look beyond the Makefile, or do what isn't followed: what they give is a hole.
const OPAQUE: &str = "wildcard realpath abspath shell origin flavor file value let intcmp guile";

impl Expander<'_> {
    pub(super) fn function(&mut self, name: &str, arguments: &str, whole: &str) -> Option<String> {
        if let Some(most) = functions::arity(name) {
            let values: Vec<String> = split(arguments, most).iter().map(|part| self.expand(part)).collect();
            return Some(functions::text(name, &values));
        }
        Some(match name {
            "foreach" => match &split(arguments, 3)[..] {
                [name, list, body] => self.foreach(name.trim(), list, body),
                _ => HOLE_TEXT.to_owned(),
            },
            "call" => {
                let mut values = split(arguments, usize::MAX).into_iter().map(|part| self.expand(part));
                let name = values.next().unwrap_or_default();
                let values = values.collect();
                self.call(name.trim(), values)
            }
            "if" => self.condition(&split(arguments, 3), whole),
            "or" | "and" => self.junction(name == "or", &split(arguments, usize::MAX)),
            "eval" => {
                self.eval(arguments, whole);
                String::new()
            }
            // They say something, and give nothing.
            "error" | "warning" | "info" => {
                self.expand(arguments);
                String::new()
            }
            _ if words(OPAQUE).contains(&name) => {
                self.lost.push(whole.to_owned());
                HOLE_TEXT.to_owned()
            }
            _ => return None,
        })
    }

    /// `$(if CONDITION,THEN,ELSE)`; where a run decides, what is common to both.
    fn condition(&mut self, parts: &[&str], whole: &str) -> String {
        let [condition, then, rest @ ..] = parts else { return HOLE_TEXT.to_owned() };
        let condition = self.expand(condition.trim());
        let otherwise = rest.first().copied().unwrap_or_default();
        match truth(&condition) {
            Some(true) => self.expand(then),
            Some(false) => self.expand(otherwise),
            None => {
                self.lost.push(whole.to_owned());
                let before = self.assigned.clone();
                let values = [self.expand(then), self.expand(otherwise)];
                for set in self.assigned.iter_mut().filter(|set| !before.contains(set)) {
                    set.1 = HOLE_TEXT.to_owned();
                }
                merge(&values)
            }
        }
    }

    /// `$(or …)`: the first that isn't empty. `$(and …)`: the last, if none is empty.
    fn junction(&mut self, any: bool, parts: &[&str]) -> String {
        let mut last = String::new();
        for part in parts {
            last = self.expand(part.trim());
            match truth(&last) {
                None => return HOLE_TEXT.to_owned(),
                Some(holds) if holds == any => return last,
                Some(_) => {}
            }
        }
        last
    }

    /// `$(eval …)` of one assignment; anything else makes what isn't followed.
    fn eval(&mut self, text: &str, whole: &str) {
        let text = self.expand(text);
        let set = (!text.contains('\n')).then(|| assignment(text.trim())).flatten();
        let Some((name, how, value)) = set.filter(|(name, ..)| is_known(name)) else {
            return self.lost.push(whole.to_owned());
        };
        let mut value = match how {
            ":=" => self.expand(value),
            "=" if !value.contains('$') => value.to_owned(),
            _ => HOLE_TEXT.to_owned(),
        };
        let known = self.assigned.iter().position(|(set, _)| set == name);
        // Whether this line or an earlier one was the last may hang on a condition around it.
        if known.is_some() || self.variables.find(name).is_some() {
            value = merge(&[self.variable(name), value]);
        }
        match known.and_then(|at| self.assigned.get_mut(at)) {
            Some(set) => set.1 = value,
            None => self.assigned.push((name.to_owned(), value)),
        }
    }

    fn foreach(&mut self, name: &str, list: &str, body: &str) -> String {
        let list = self.expand(list);
        let mut values: Vec<String> = words(&list).into_iter().map(str::to_owned).collect();
        // A word with a hole in it may be any number of words.
        if values.len() > WORDS || !is_known(&list) {
            values = vec![HOLE_TEXT.to_owned()];
        }
        let mut bodies = Vec::new();
        for value in values {
            self.locals.push((name.to_owned(), value));
            bodies.push(self.expand(body));
            self.locals.pop();
        }
        bodies.join(" ")
    }

    fn call(&mut self, name: &str, arguments: Vec<String>) -> String {
        let before = self.locals.len();
        self.locals.push(("0".into(), name.to_owned()));
        for number in 1..=9 {
            self.locals.push((number.to_string(), arguments.get(number - 1).cloned().unwrap_or_default()));
        }
        let value = self.variable(name);
        self.locals.truncate(before);
        value
    }
}

/// A function's arguments: so many at most, the last one with its commas.
fn split(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && parts.len() + 1 < most => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Whether a condition holds: whether it is anything but blank. `None`: a run knows.
fn truth(value: &str) -> Option<bool> {
    match value.trim() {
        "" => Some(false),
        text if text.chars().all(|c| c == HOLE || c.is_whitespace()) => None,
        _ => Some(true),
    }
}
