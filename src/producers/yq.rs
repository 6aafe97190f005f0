//! Which keys a yq expression writes (yq v4's manual, "Assign" and "Traverse").

use super::brackets::{assignment, closing, split_at};
use super::hole::HOLE;
use super::key_path::{KeyPath, Step};

/// An expression that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Nested expressions, and paths of one: what people write is far below.
const DEPTH: usize = 16;
const PATHS: usize = 1000;

/// The paths that an expression writes. `environment` gives what `strenv(NAME)` reads.
pub(super) fn writes(expression: &str, environment: &dyn Fn(&str) -> String) -> Result<Vec<KeyPath>, Unreadable> {
    let mut reader = Reader { environment, written: Vec::new() };
    reader.pipe(expression, &[KeyPath { steps: Vec::new(), perhaps: false }], 0)?;
    Ok(reader.written)
}

struct Reader<'a> {
    environment: &'a dyn Fn(&str) -> String,
    written: Vec<KeyPath>,
}

impl Reader<'_> {
    /// Reads an expression in the context of paths; answers with what it leads to.
    fn pipe(&mut self, text: &str, context: &[KeyPath], depth: usize) -> Result<Vec<KeyPath>, Unreadable> {
        if depth > DEPTH || context.len() > PATHS {
            return Err(Unreadable);
        }
        let mut context = context.to_vec();
        for part in split_at(text, b'|') {
            let mut next: Vec<KeyPath> = Vec::new();
            for part in split_at(part, b',') {
                next.extend(self.part(part.trim(), &context, depth)?);
            }
            next.dedup();
            if next.len() > PATHS {
                return Err(Unreadable);
            }
            context = next;
        }
        Ok(context)
    }

    fn part(&mut self, text: &str, context: &[KeyPath], depth: usize) -> Result<Vec<KeyPath>, Unreadable> {
        if let Some((left, _)) = assignment(text) {
            let paths = self.paths(left.trim(), context, depth + 1)?;
            self.written.extend(paths);
            return if self.written.len() > PATHS { Err(Unreadable) } else { Ok(context.to_vec()) };
        }
        let call = |name: &str| text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')');
        if call("del").is_some() || text.is_empty() {
            return Ok(context.to_vec());
        }
        if call("select").is_some() {
            return Ok(context.iter().map(|path| KeyPath { perhaps: true, ..path.clone() }).collect());
        }
        if let Some(arguments) = call("with") {
            let [at, rest @ ..] = &split_at(arguments, b';')[..] else { return Err(Unreadable) };
            let at = self.paths(at.trim(), context, depth + 1)?;
            for update in rest {
                self.pipe(update, &at, depth + 1)?;
            }
            return Ok(context.to_vec());
        }
        self.paths(text, context, depth + 1)
    }

    /// Where a path leads from each path of the context.
    fn paths(&mut self, text: &str, context: &[KeyPath], depth: usize) -> Result<Vec<KeyPath>, Unreadable> {
        let mut paths;
        let mut rest;
        if let Some(inner) = text.strip_prefix('(') {
            let close = closing(text).ok_or(Unreadable)?;
            let before = self.written.len();
            paths = self.pipe(&inner[..close - 1], context, depth + 1)?;
            if self.written.len() > before {
                // `(.a = 1)`: the context goes on.
                paths = context.to_vec();
            }
            rest = text[close + 1..].trim_start();
        } else {
            paths = context.to_vec();
            rest = text;
            if !rest.starts_with(['.', '[']) {
                return Err(Unreadable);
            }
            if rest.starts_with("..") {
                return Err(Unreadable);
            }
        }
        while !rest.is_empty() {
            let (step, after) = self.step(rest)?;
            if let Some(step) = step {
                paths.iter_mut().for_each(|path| path.steps.push(step.clone()));
            }
            rest = after.trim_start();
        }
        Ok(paths)
    }

    /// The step that a text begins with, and what comes after it.
    fn step<'t>(&self, text: &'t str) -> Result<(Option<Step>, &'t str), Unreadable> {
        if let Some(rest) = text.strip_prefix('?') {
            return Ok((None, rest));
        }
        if text.starts_with('[') {
            let close = closing(text).ok_or(Unreadable)?;
            return Ok((Some(self.index(text[1..close].trim())), &text[close + 1..]));
        }
        let rest = text.strip_prefix('.').ok_or(Unreadable)?;
        match rest.chars().next() {
            None => Ok((None, rest)),
            Some('[') => Ok((None, rest)),
            Some('*') => Ok((Some(Step::Each), &rest[1..])),
            Some('"') => {
                let close = rest[1..].find('"').ok_or(Unreadable)? + 1;
                Ok((Some(Step::Key(rest[1..close].to_owned())), &rest[close + 1..]))
            }
            Some(_) => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | HOLE)));
                let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
                if name.is_empty() { Err(Unreadable) } else { Ok((Some(Step::Key(name.to_owned())), after)) }
            }
        }
    }

    fn index(&self, text: &str) -> Step {
        let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let call = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        match (text, quoted) {
            ("", _) => Step::Each,
            (_, Some(name)) if !name.contains(['"', '\\']) => Step::Key(name.to_owned()),
            _ if text.bytes().all(|b| b.is_ascii_digit()) => Step::Key(text.to_owned()),
            _ => match call("strenv").or(call("env")) {
                Some(name) => Step::Key((self.environment)(name.trim())),
                None => Step::Unknown,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::key_path::Reach;
    use super::*;

    fn read(expression: &str) -> Option<Vec<String>> {
        let environment = |name: &str| if name == "KEY" { "api".to_owned() } else { HOLE.to_string() };
        let written = writes(expression, &environment).ok()?;
        let show = |path: &KeyPath| format!("{}{}", path.show(), if path.perhaps { " perhaps" } else { "" });
        Some(written.iter().map(show).collect())
    }

    #[test]
    fn assignments_name_what_they_write() {
        for (expression, expected) in [
            (".api.image = strenv(IMAGE)", vec![".api.image"]),
            (".a.tag = strenv(T) | .a.digest = strenv(D)", vec![".a.tag", ".a.digest"]),
            (".a = \"x | .b = y\" | .c |= \"z\"", vec![".a", ".c"]),
            (".args[0] = \"--image=\" + .a.repository", vec![".args.0"]),
            (".\"keycloak-operator\".image.tag = env(T)", vec![".keycloak-operator.image.tag"]),
            (".[\"a.b\"].c = 1, .d=2", vec![".a.b.c", ".d"]),
            ("(.a, .b).tag = 1", vec![".a.tag", ".b.tag"]),
            (".images[].tag = 1", vec![".images[].tag"]),
            (".a | .b = 1 | .c = 2", vec![".a.b", ".a.c"]),
            ("(.list[] | select(.name == \"x\") | .image) = 1", vec![".list[].image perhaps"]),
            (".list[] |= select(.x) ", vec![".list[]"]),
            ("with(.a.b; .c = 1 | .d = 2)", vec![".a.b.c", ".a.b.d"]),
            (".[strenv(KEY)].image = 1", vec![".api.image"]),
            (".[strenv(OTHER)].image = 1", vec![".….image"]),
            (".[.x].image = 1", vec!["[…].image"]),
            (".a *=n {\"b\": 1} | .e += 1", vec![".a", ".e"]),
            ("del(.a) | .b = 1", vec![".b"]),
            (".a.b", vec![]),
            ("", vec![]),
            (". *= load(\"x\")", vec!["."]),
        ] {
            assert_eq!(read(expression), Some(expected.into_iter().map(str::to_owned).collect()), "{expression}");
        }
        for expression in [
            "... comments=\"\"",
            "eval(strenv(X))",
            ".a as $x | .b = $x",
            ".a == 1",
            "sort_keys(..)",
            "(.a = 1",
            "a = 1",
        ] {
            assert_eq!(read(expression), None, "{expression}");
        }
    }

    #[test]
    fn a_write_reaches_what_is_below_it() {
        let reaches = |expression: &str, key: &str| writes(expression, &|_| HOLE.to_string()).unwrap()[0].reaches(key);
        for (expression, key, expected) in [
            (".a.tag = 1", "a.tag", Reach::Yes),
            (".a = 1", "a.tag", Reach::Yes),
            (".a.tag = 1", "a.tagged", Reach::No),
            (".a.tag = 1", "a", Reach::No),
            (".a[].tag = 1", "a.0.tag", Reach::Yes),
            (".\"a.b\".tag = 1", "a.b.tag", Reach::Yes),
            (".[strenv(X)].tag = 1", "a.tag", Reach::Perhaps),
            (".x-\u{fffd}.tag = 1", "x-1.tag", Reach::Perhaps),
            (".x-\u{fffd}.tag = 1", "y-1.tag", Reach::No),
            (". = 1", "a", Reach::Perhaps),
            ("(.a[] | select(.b)).tag = 1", "a.0.tag", Reach::Perhaps),
        ] {
            assert_eq!(reaches(expression, key), expected, "{expression} {key}");
        }
    }

    #[test]
    fn deep_expressions_end() {
        assert_eq!(read(&"(".repeat(100_000)), None);
        assert_eq!(read(&format!("{}.a{} = 1", "(".repeat(100), ")".repeat(100))), None);
        let many = format!("{} = 1", ["(.a, .b)"; 30].join(" | "));
        assert!(read(&many).is_none_or(|paths| paths.len() <= PATHS));
    }
}
