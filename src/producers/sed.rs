//! What a sed script writes on a line (POSIX sed, with GNU's additions).

use std::borrow::Cow;
use std::ops::Range;

use super::budget::Budget;
use super::hole::is_known;
use super::key_path::Reach;
use super::pattern::{Pattern, compile};

/// A script of substitutions.
#[derive(Clone, Debug)]
pub(super) struct Script {
    substitutions: Vec<Substitution>,
    /// What else it does that changes lines and isn't followed.
    pub unread: Option<String>,
}

#[derive(Clone, Debug)]
struct Substitution {
    address: Address,
    pattern: Pattern,
    /// What it puts there, where that is plain text.
    replacement: Option<String>,
    /// `g`: every match on the line, not only the first.
    all: bool,
    /// Parts of the pattern are known to a run only.
    perhaps: bool,
}

#[derive(Clone, Debug)]
enum Address {
    Any,
    Line(usize),
    Match(Pattern),
    /// A range, the last line, all but…: it may be this line.
    Perhaps,
}

impl Script {
    /// Reads a script; `extended` is `-E`.
    pub(super) fn read(script: &str, extended: bool, budget: &Budget) -> Self {
        let mut read = Self { substitutions: Vec::new(), unread: None };
        let mut rest = script;
        loop {
            rest = rest.trim_start_matches([' ', '\t', ';', '\n']);
            if rest.is_empty() {
                return read;
            }
            match command(rest, extended, budget) {
                Some((substitution, after)) => {
                    read.substitutions.extend(substitution);
                    rest = after;
                }
                None => {
                    read.unread = Some(rest.chars().take(60).collect());
                    return read;
                }
            }
        }
    }

    /// Whether it writes a part of a line, which has a number and a text. Each substitution finds the line as those
    /// before it left it.
    pub(super) fn reaches(&self, number: usize, line: &str, part: &Range<usize>) -> Reach {
        let most = 2 * line.len() + 1000;
        let (mut line, mut part) = (Cow::Borrowed(line), part.clone());
        let mut reach = if self.unread.is_some() { Reach::Perhaps } else { Reach::No };
        let mut substitutions = self.substitutions.iter().peekable();
        while let Some(substitution) = substitutions.next() {
            let (is_sure, found) = substitution.found(number, &line);
            if found.iter().any(|found| found.start < part.end && part.start < found.end) {
                if is_sure {
                    return Reach::Yes;
                }
                reach = Reach::Perhaps;
            }
            if found.is_empty() || substitutions.peek().is_none() {
                continue;
            }
            match &substitution.replacement {
                Some(new) if is_sure && line.len() + found.len() * new.len() <= most => {
                    let (changed, at) = replaced(&line, &part, &found, new);
                    (line, part) = (Cow::Owned(changed), at);
                }
                // Those behind it may find what wasn't there, or not find what was.
                _ => return Reach::Perhaps,
            }
        }
        reach
    }
}

impl Substitution {
    /// What it replaces in a line, and whether that is sure.
    fn found(&self, number: usize, line: &str) -> (bool, Vec<Range<usize>>) {
        let is_here = match &self.address {
            Address::Line(wanted) => *wanted == number,
            Address::Match(pattern) => pattern.is_match(line),
            Address::Any | Address::Perhaps => true,
        };
        let most = match (is_here, self.all) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 1000,
        };
        let is_sure = !self.perhaps && !matches!(self.address, Address::Perhaps);
        (is_sure, self.pattern.found(line).take(most).collect())
    }
}

/// A line with another text in some places, and where a part of it stands then that none of them touches.
fn replaced(line: &str, part: &Range<usize>, places: &[Range<usize>], new: &str) -> (String, Range<usize>) {
    let (mut changed, mut at, mut start) = (String::with_capacity(line.len()), 0, part.start);
    for place in places {
        changed.push_str(&line[at..place.start]);
        changed.push_str(new);
        at = place.end;
        if place.end <= part.start {
            start = start + new.len() - place.len();
        }
    }
    changed.push_str(&line[at..]);
    (changed, start..start + part.len())
}

/// Reads the command that a text begins with: a substitution, or one that changes no part of a line.
fn command<'t>(text: &'t str, extended: bool, budget: &Budget) -> Option<(Option<Substitution>, &'t str)> {
    let (mut address, mut rest, mut perhaps) = (Address::Any, text, false);
    if let Some((first, after)) = one_address(rest, extended, budget)? {
        (address, rest) = (first, after.trim_start());
        if let Some(after) = rest.strip_prefix(',') {
            (_, rest) = one_address(after.trim_start(), extended, budget)??;
            address = Address::Perhaps;
        }
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('!') {
            (address, rest) = (Address::Perhaps, after.trim_start());
        }
    }
    match rest.chars().next()? {
        's' => {
            let delimiter = rest[1..].chars().next().filter(|c| *c != '\n' && *c != '\\')?;
            let body = &rest[1 + delimiter.len_utf8()..];
            let (pattern, after) = delimited(body, delimiter)?;
            let (new, after) = delimited(after, delimiter)?;
            let end = after.find([';', '\n', '}']).unwrap_or(after.len());
            let flags = after[..end].trim();
            if !flags.chars().all(|c| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M')) {
                return None;
            }
            perhaps |= !is_known(pattern) || flags.contains(|c: char| c.is_ascii_digit());
            let pattern = compile(pattern, delimiter, extended, flags.contains(['i', 'I']), budget)?;
            let all = flags.contains('g');
            let new = new.replace(&format!("\\{delimiter}"), &delimiter.to_string());
            let replacement = (is_known(&new) && !new.contains(['\\', '&', '\n'])).then_some(new);
            Some((Some(Substitution { address, pattern, replacement, all, perhaps }), &after[end..]))
        }
        // Lines are deleted, printed, or nothing: no part of one is written.
        'd' | 'p' | 'q' | '=' => {
            let after = rest[1..].trim_start_matches([' ', '\t']);
            (after.is_empty() || after.starts_with([';', '\n'])).then_some((None, after))
        }
        _ => None,
    }
}

/// Reads an address, if there is one. `None` is one that can't be read.
fn one_address<'t>(text: &'t str, extended: bool, budget: &Budget) -> Option<Option<(Address, &'t str)>> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return Some(Some((Address::Line(text[..digits].parse().ok()?), &text[digits..])));
    }
    if let Some(after) = text.strip_prefix('$') {
        return Some(Some((Address::Perhaps, after)));
    }
    let (delimiter, body) = match text.strip_prefix('/') {
        Some(body) => ('/', body),
        None => match text.strip_prefix('\\') {
            Some(body) => {
                let delimiter = body.chars().next()?;
                (delimiter, &body[delimiter.len_utf8()..])
            }
            None => return Some(None),
        },
    };
    let (pattern, after) = delimited(body, delimiter)?;
    let address = match is_known(pattern) {
        true => Address::Match(compile(pattern, delimiter, extended, false, budget)?),
        false => Address::Perhaps,
    };
    Some(Some((address, after)))
}

/// What stands before a delimiter, and what after it. A backslash hides one.
fn delimited(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let (mut escaped, mut bracket) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !bracket => escaped = true,
            _ if c == delimiter && !bracket => return Some((&text[..at], &text[at + c.len_utf8()..])),
            '[' => bracket = true,
            ']' if !text[..at].ends_with('[') && !text[..at].ends_with("[^") => bracket = false,
            _ => {}
        }
    }
    // A bracket that was none, in a replacement.
    let found = text.match_indices(delimiter).find(|(at, _)| !text[..*at].ends_with('\\'))?.0;
    Some((&text[..found], &text[found + delimiter.len_utf8()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "        - image: r.example/org/net:v1@sha256:aa # {{ x }}";

    fn reach(script: &str, extended: bool) -> Reach {
        let at = LINE.find("v1").unwrap();
        Script::read(script, extended, &Budget::new(10_000_000)).reaches(7, LINE, &(at..at + 12))
    }

    #[test]
    fn a_substitution_writes_what_it_matches() {
        for (script, expected) in [
            ("s|image: .*|image: X|", Reach::Yes),
            ("s|image: r\\.example/org/net:[^ ]*|image: X|", Reach::Yes),
            ("s/image: r.example\\/org\\/net:.*/X/", Reach::Yes),
            ("s#\\(image: \\).*@.*#\\1X#", Reach::Yes),
            ("s|\\(org/net\\):[^[:space:]]\\+|\\1:X|", Reach::Yes),
            ("s|namespace: .*|X|", Reach::No),
            ("s|r.example|X|", Reach::No),
            ("s|org/net|X|g", Reach::No),
            ("s|[a-z]|X|", Reach::No),
            ("s|[a-z]|X|g", Reach::Yes),
            ("/net/s|:v.*|X|", Reach::Yes),
            ("/web/ s|:v.*|X|", Reach::No),
            ("7s|:v.*|X|", Reach::Yes),
            ("8s|:v.*|X|", Reach::No),
            ("1,9s|:v.*|X|", Reach::Perhaps),
            ("$!s|:v.*|X|", Reach::Perhaps),
            ("/a/d; /b/d; s|:v.*|X|", Reach::Yes),
            ("s|a+v|X|", Reach::No),
            ("s|image: \u{fffd}/net:.*|X|", Reach::Perhaps),
            ("s|image: \u{fffd}/web:.*|X|", Reach::No),
            ("s|\\(.\\)\\1|X|", Reach::Perhaps),
            ("s|image|picture|; s|picture: .*|X|", Reach::Yes),
            ("s|image|picture|; s|image: .*|X|", Reach::No),
            ("s|image: r|a\u{fffd}|; s|.*v.*|X|", Reach::Perhaps),
            ("s|image|&s|; s|images: .*|X|", Reach::Perhaps),
            ("s/image: r/i\\/j/; s|i/j.*|X|", Reach::Yes),
            ("s|[a-z]\\+: ||; s|r.example/org/net||; s|^ *- :v1|X|", Reach::Yes),
            ("s|name|&s|; s|image: .*|X|", Reach::Yes),
            ("1,9s|image|x|; s|x: .*|X|", Reach::Perhaps),
            ("s|open", Reach::Perhaps),
            ("y/a/b/", Reach::Perhaps),
            ("/x/d", Reach::No),
            ("", Reach::No),
        ] {
            assert_eq!(reach(script, false), expected, "{script}");
        }
        assert_eq!(reach("s|(org/net):[^ ]+|\\1:X|", true), Reach::Yes);
        assert_eq!(reach("s|net:(v1|v2)@|X|", true), Reach::Perhaps, "the delimiter ends the pattern");
    }

    #[test]
    fn hostile_patterns_end() {
        let nested = format!("s|{}a{}|X|", "(".repeat(5000), ")*".repeat(5000));
        assert_eq!(reach(&nested, true), Reach::Perhaps);
        assert_eq!(reach("s|.{1000}{1000}{1000}|X|", true), Reach::Perhaps);
        assert_eq!(reach(&"s|m|mmmmmmmm|g;".repeat(2000), false), Reach::Perhaps, "a line that grows and grows");
    }
}
