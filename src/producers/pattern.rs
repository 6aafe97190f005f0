//! POSIX regular expressions, basic and extended, in an engine that promises an end.

use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::budget::Budget;
use super::hole::HOLE;

/// What a compiled pattern may take, and what compiling one costs of the budget.
const PATTERN: usize = 1 << 18;
const COMPILING: usize = 20_000;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn is_match(&self, line: &str) -> bool {
        self.0.is_match(line)
    }

    /// The places in a line that it matches, one after the other.
    pub(super) fn found<'l>(&'l self, line: &'l str) -> impl Iterator<Item = Range<usize>> + 'l {
        self.0.find_iter(line).map(|found| found.range())
    }
}

pub(super) fn compile(
    pattern: &str,
    delimiter: char,
    extended: bool,
    any_case: bool,
    budget: &Budget,
) -> Option<Pattern> {
    if pattern.is_empty() || !budget.take(COMPILING) {
        return None;
    }
    let pattern = translate(pattern, delimiter, extended)?;
    Regex::builder()
        .syntax(syntax::Config::new().case_insensitive(any_case))
        .configure(Regex::config().nfa_size_limit(Some(PATTERN)).onepass(false).hybrid_cache_capacity(PATTERN))
        .build(&pattern)
        .ok()
        .map(Pattern)
}

/// A POSIX regular expression, basic or extended, in the spelling of the engine. A hole is anything.
fn translate(pattern: &str, delimiter: char, extended: bool) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            HOLE => out.push_str(".*"),
            '\\' => {
                let next = rest.chars().next()?;
                rest = &rest[next.len_utf8()..];
                match next {
                    _ if next == delimiter && !next.is_alphanumeric() => literal(next, &mut out),
                    // Back references are beyond an engine that promises an end.
                    '1'..='9' => return None,
                    '(' | ')' | '{' | '}' | '|' | '+' | '?' if !extended => out.push(next),
                    'n' => out.push_str("\\n"),
                    't' => out.push_str("\\t"),
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' | '<' | '>' => out.extend(['\\', next]),
                    _ if next.is_alphanumeric() => return None,
                    _ => literal(next, &mut out),
                }
            }
            '[' => rest = bracket(rest, &mut out)?,
            '*' if out.is_empty() || out == "^" || out.ends_with('(') && !out.ends_with("\\(") => out.push_str("\\*"),
            '(' | ')' | '{' | '}' | '|' | '+' | '?' if !extended => literal(c, &mut out),
            '^' | '$' if !extended && !anchors(c, pattern, rest, &out) => literal(c, &mut out),
            _ => match c {
                '.' | '*' | '^' | '$' | '(' | ')' | '{' | '}' | '|' | '+' | '?' => out.push(c),
                _ => literal(c, &mut out),
            },
        }
    }
    Some(out)
}

/// Whether a `^` or `$` of a basic expression is an anchor: at its ends only.
fn anchors(c: char, pattern: &str, rest: &str, out: &str) -> bool {
    match c {
        '^' => out.is_empty() || out.ends_with('('),
        _ => rest.is_empty() || rest.starts_with("\\)") || pattern.is_empty(),
    }
}

fn literal(c: char, out: &mut String) {
    // `\<` would be the beginning of a word.
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
        out.push('\\');
    }
    out.push(c);
}

/// Translates a bracket expression, its opening bracket read; answers with what comes after it.
fn bracket<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    out.push('[');
    let mut rest = text;
    if let Some(after) = rest.strip_prefix('^') {
        out.push('^');
        rest = after;
    }
    let mut first = true;
    loop {
        let c = rest.chars().next()?;
        if let Some(class) = rest.strip_prefix("[:") {
            let end = class.find(":]")?;
            out.push_str(&rest[..end + 4]);
            rest = &class[end + 2..];
            first = false;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            ']' if !first => {
                out.push(']');
                return Some(rest);
            }
            HOLE => return None,
            '-' if !first && !rest.starts_with(']') => out.push('-'),
            _ => literal(c, out),
        }
        first = false;
    }
}
