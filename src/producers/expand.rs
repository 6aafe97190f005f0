//! make's variables, expanded where they are plain (GNU make manual, "How to Use Variables").
//!
//! What only a run knows becomes a hole: `$(shell …)`, names from the environment. Functions are in [`super::calls`] and
//! [`super::functions`].

use super::budget::Budget;
use super::functions;
use super::hole::{HOLE_TEXT, merge};
use super::variables::{Value, Variables};

/// Deeper than any Makefile that people wrote; a variable that names itself ends here.
const DEPTH: usize = 24;

/// A text with its variables expanded, and where in the source each part of it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Expanded {
    pub text: String,
    /// Where in `text` a part begins, where it is from, and whether it stands there letter by letter.
    parts: Vec<(usize, usize, bool)>,
}

impl Expanded {
    /// The offset in the source of an offset in the text.
    pub(super) fn source(&self, at: usize) -> usize {
        let part = self.parts.partition_point(|&(start, _, _)| start <= at).checked_sub(1);
        match part.and_then(|part| self.parts.get(part)) {
            Some(&(start, from, true)) => from + (at - start),
            Some(&(_, from, false)) => from,
            None => 0,
        }
    }
}

/// Expands texts in the scope of one target.
pub(super) struct Expander<'a> {
    pub(super) variables: &'a Variables,
    /// Automatic variables, arguments, loop variables, the command line's: the last one of a name wins.
    pub(super) locals: Vec<(String, String)>,
    budget: &'a Budget,
    depth: usize,
    /// What `$(eval NAME := …)` has set so far: in a target's recipe the lines after it see it.
    pub assigned: Vec<(String, String)>,
    /// The functions that became holes, as spelled: something may be lost in them.
    pub lost: Vec<String>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(variables: &'a Variables, locals: Vec<(String, String)>, budget: &'a Budget) -> Self {
        Self { variables, locals, budget, depth: 0, assigned: Vec::new(), lost: Vec::new() }
    }

    pub(super) fn expand(&mut self, text: &str) -> String {
        self.mapped(text, 0).text
    }

    /// Expands a text that begins at an offset of its source.
    pub(super) fn mapped(&mut self, text: &str, offset: usize) -> Expanded {
        let mut expanded = Expanded::default();
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'$', &text.as_bytes()[at..]) {
            let dollar = at + found;
            expanded.parts.push((expanded.text.len(), offset + at, true));
            expanded.text.push_str(&text[at..dollar]);
            expanded.parts.push((expanded.text.len(), offset + dollar, false));
            let (value, end) = self.dollar(text, dollar);
            expanded.text.push_str(&value);
            at = end;
        }
        expanded.parts.push((expanded.text.len(), offset + at, true));
        expanded.text.push_str(&text[at..]);
        self.budget.take(expanded.text.len());
        expanded
    }

    /// What a `$` and what follows it stand for, and where that ends.
    fn dollar(&mut self, text: &str, dollar: usize) -> (String, usize) {
        let rest = &text[dollar + 1..];
        let Some(first) = rest.chars().next() else { return (String::new(), text.len()) };
        let after = dollar + 1 + first.len_utf8();
        match first {
            '$' => ("$".to_owned(), after),
            '(' | '{' => match closing(rest) {
                Some(end) => (self.reference(&rest[1..end]), dollar + 1 + end + 1),
                None => (HOLE_TEXT.to_owned(), text.len()),
            },
            _ => (self.variable(&first.to_string()), after),
        }
    }

    fn reference(&mut self, inner: &str) -> String {
        if self.depth >= DEPTH || !self.budget.take(64 + inner.len()) {
            return HOLE_TEXT.to_owned();
        }
        self.depth += 1;
        let value = self.inner(inner);
        self.depth -= 1;
        value
    }

    fn inner(&mut self, inner: &str) -> String {
        if let Some((name, arguments)) = inner.split_once([' ', '\t'])
            && let Some(value) = self.function(name, arguments, inner)
        {
            return value;
        }
        let name = self.expand(inner);
        match name.split_once(':') {
            Some((name, rule)) => match rule.split_once('=') {
                Some((from, to)) => {
                    let value = self.variable(name);
                    if from.contains('%') {
                        functions::patsubst(&value, from, to)
                    } else {
                        functions::suffixes(&value, from, to)
                    }
                }
                None => HOLE_TEXT.to_owned(),
            },
            None => self.variable(&name),
        }
    }

    /// A variable's value; a hole where the Makefile doesn't say it.
    pub(super) fn variable(&mut self, name: &str) -> String {
        let named = |(known, _): &&(String, String)| known == name;
        if let Some((_, value)) = self.locals.iter().rev().find(named).or_else(|| self.assigned.iter().find(named)) {
            let value = value.clone();
            return if self.budget.take(value.len()) { value } else { HOLE_TEXT.to_owned() };
        }
        let variables = self.variables;
        match variables.find(name) {
            Some(variable) => {
                let mut values: Vec<String> = variable.values.iter().map(|value| self.value(value)).collect();
                if variable.perhaps {
                    values.push(String::new());
                }
                merge(&values)
            }
            _ => match name {
                "MAKE" => "make".into(),
                "CURDIR" => ".".into(),
                "RM" => "rm -f".into(),
                "SHELL" => "/bin/sh".into(),
                _ => HOLE_TEXT.to_owned(),
            },
        }
    }

    fn value(&mut self, value: &Value) -> String {
        if value.simple {
            return if self.budget.take(value.text.len()) { value.text.clone() } else { HOLE_TEXT.to_owned() };
        }
        if self.depth >= DEPTH || !self.budget.take(64) {
            return HOLE_TEXT.to_owned();
        }
        self.depth += 1;
        let text = self.expand(&value.text);
        self.depth -= 1;
        text
    }
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let (open, close) = if text.starts_with('(') { (b'(', b')') } else { (b'{', b'}') };
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The words of a list.
pub(super) fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// What the `%` of a pattern stands for in a name that matches it.
pub(super) fn stem<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('%') {
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after).filter(|stem| !stem.is_empty()),
        None => (pattern == name).then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hole::is_known;
    use super::super::variables::Set;
    use super::*;

    fn expand(sets: &[(&str, Set, &str, bool)], text: &str) -> String {
        let mut variables = Variables::default();
        for (name, how, value, conditional) in sets {
            variables.set(name, *how, (*value).to_owned(), *conditional);
        }
        Expander::new(&variables, vec![("@".into(), "image-x".into())], &Budget::new(1_000_000)).expand(text)
    }

    #[test]
    fn plain_variables_are_expanded_and_others_are_holes() {
        let sets = [
            ("NAME", Set::Simple, "api", false),
            ("NAMES", Set::Recursive, "$(NAME) web", false),
            ("line", Set::Recursive, "write $(1) to $(2)", false),
            ("MODE", Set::Recursive, "a", true),
            ("MODE", Set::Recursive, "ab", true),
            ("ONLY", Set::Recursive, "x", true),
            ("REG", Set::Default, "r.example", false),
            ("REG", Set::Default, "other", false),
            ("NAME2", Set::Recursive, "one", false),
            ("NAME2", Set::Append, "two", false),
        ];
        for (text, expected) in [
            ("images/$(NAME).tag", "images/api.tag"),
            ("${NAME}$$x$@", "api$ximage-x"),
            ("$(addprefix image-,$(NAMES))", "image-api image-web"),
            ("$(NAMES:%=image-%)", "image-api image-web"),
            ("$(NAMES:i=o)", "apo web"),
            ("$(NAMES:$(UNKNOWN)=o)", "\u{fffd}"),
            ("$(NAMES:%$(UNKNOWN)=%)", "\u{fffd}"),
            ("$(addsuffix $(UNKNOWN),x):$(addsuffix x,$(NAME)$(UNKNOWN)y)", "x\u{fffd}:api\u{fffd}yx"),
            ("$(foreach n,$(NAMES),<$(n)>)", "<api> <web>"),
            ("$(foreach v,$(shell x),<$(v)>)", "<\u{fffd}>"),
            ("$(call line,a,b)", "write a to b"),
            ("$(call settag,$(NAME))", "\u{fffd}"),
            ("$(MODE)", "a\u{fffd}"),
            ("$(ONLY)", "\u{fffd}"),
            ("$(REG)$(UNKNOWN)", "r.example\u{fffd}"),
            ("$(NAME2)", "one two"),
            ("$(shell cat x)", "\u{fffd}"),
            ("$(open", "\u{fffd}"),
            ("end$", "end"),
            ("$(patsubst v%,%,v1 w)", "1 w"),
            ("$(strip  a   b )", "a b"),
            ("$(if $(filter api,$(NAME)),yes,no)", "yes"),
            ("$(if $(filter web,$(NAME)),yes,no)$(if ,x)", "no"),
            ("$(if $(UNKNOWN),same one,same two)", "same \u{fffd}"),
            ("$(if x$(UNKNOWN),yes,no)", "yes"),
            ("$(or ,$(NAME),x)$(and $(NAME),,x)$(and a,b)", "apib"),
            ("$(or $(UNKNOWN),x)", "\u{fffd}"),
            ("$(eval T := $(subst image-,,$@))<$(T)>", "<x>"),
            ("$(eval T = $$(NAME))<$(T)>", "<\u{fffd}>"),
            ("$(eval T := a)$(eval T := b)<$(T)>", "<\u{fffd}>"),
            ("$(eval NAME := apt)<$(NAME)>", "<ap\u{fffd}>"),
            ("$(if $(UNKNOWN),$(eval T := a))<$(T)>", "<\u{fffd}>"),
            ("$(info x)$(warning $(NAME))", ""),
            ("$(wildcard *.tag)", "\u{fffd}"),
        ] {
            assert_eq!(expand(&sets, text), expected, "{text}");
        }
    }

    #[test]
    fn expansion_ends() {
        let sets = [("A", Set::Recursive, "$(B)$(B)$(B)", false), ("B", Set::Recursive, "$(A)$(A)$(A)", false)];
        let mut variables = Variables::default();
        for (name, how, value, _) in sets {
            variables.set(name, how, value.to_owned(), false);
        }
        let budget = Budget::new(100_000);
        let text = Expander::new(&variables, Vec::new(), &budget).expand("$(A)");
        assert!(budget.is_spent() && !is_known(&text) && text.len() < 200_000);
    }

    #[test]
    fn every_letter_knows_where_it_is_from() {
        let mut variables = Variables::default();
        variables.set("N", Set::Recursive, "long-name".into(), false);
        let budget = Budget::new(1000);
        let expanded = Expander::new(&variables, Vec::new(), &budget).mapped("a $(N) b", 10);
        assert_eq!(expanded.text, "a long-name b");
        assert_eq!((expanded.source(0), expanded.source(2), expanded.source(5)), (10, 12, 12));
        assert_eq!(expanded.source(expanded.text.len() - 1), 17);
    }
}
