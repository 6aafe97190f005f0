//! Paths of keys, and whether writing one writes a reference.

use super::hole::{is_known, matches, shown};

/// A path that an expression writes: everything below it is written too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyPath {
    pub(super) steps: Vec<Step>,
    /// Behind a `select`, so perhaps not written.
    pub(super) perhaps: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A key, or a position in a list; perhaps with a hole.
    Key(String),
    /// `[]` or `*`: each.
    Each,
    /// Which one is computed.
    Unknown,
}

/// Whether a write reaches a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    No,
    Perhaps,
    Yes,
}

impl KeyPath {
    /// Whether writing this path writes a dotted one, as references spell theirs.
    pub(super) fn reaches(&self, key: &str) -> Reach {
        if self.steps.is_empty() {
            return Reach::Perhaps;
        }
        let mut rest = Some(key);
        let mut reach = if self.perhaps { Reach::Perhaps } else { Reach::Yes };
        for step in &self.steps {
            let Some(left) = rest else { return Reach::No };
            match step {
                // Names with dots in them are joined like others, so the longest fit is looked for first.
                Step::Key(name) if is_known(name) => match left.strip_prefix(name.as_str()) {
                    Some("") => rest = None,
                    Some(after) if after.starts_with('.') => rest = Some(&after[1..]),
                    _ => return Reach::No,
                },
                Step::Key(pattern) => {
                    let (first, after) = split(left);
                    if !matches(pattern, first, false) {
                        return Reach::No;
                    }
                    reach = Reach::Perhaps;
                    rest = after;
                }
                Step::Each => rest = split(left).1,
                Step::Unknown => {
                    reach = Reach::Perhaps;
                    rest = split(left).1;
                }
            }
        }
        reach
    }

    /// As yq spells it, holes as `…`.
    pub(super) fn show(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            match step {
                Step::Key(name) => text.extend([".", name]),
                Step::Each => text.push_str("[]"),
                Step::Unknown => text.push_str("[…]"),
            }
        }
        if text.is_empty() { ".".to_owned() } else { shown(&text) }
    }
}

fn split(key: &str) -> (&str, Option<&str>) {
    match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    }
}
