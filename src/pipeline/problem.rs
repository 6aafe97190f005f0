//! What is wrong in a pipeline file, and the place where it is.

use std::fmt;
use std::ops::Range;

/// One thing that is wrong: where, what, and what is expected instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file as the user named it.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    pub message: String,
    /// The line itself and the width to underline; absent where showing it could show a secret.
    excerpt: Option<(String, usize)>,
}

/// Lines longer than this are not shown: the place says enough.
const EXCERPT_LIMIT: usize = 160;

impl Problem {
    /// The same problem without its source line.
    pub(super) fn without_excerpt(self) -> Self {
        Self { excerpt: None, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let Some((text, width)) = &self.excerpt else { return Ok(()) };
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands below its character.
        let indent: String = text.chars().take(self.column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "\n {number} | {text}\n {margin} | {indent}{}", "^".repeat((*width).max(1)))
    }
}

/// A file's name and text: turns byte offsets into places.
pub(super) struct Source<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
}

impl Source<'_> {
    /// A problem at a byte range.
    pub(super) fn problem(&self, span: &Range<usize>, message: impl Into<String>) -> Problem {
        let start = span.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or_default();
        let begin = before.rfind('\n').map_or(0, |newline| newline + 1);
        let width = self.text.get(span.clone()).map_or(1, |marked| marked.lines().next().unwrap_or("").chars().count());
        let column = before.get(begin..).unwrap_or_default().chars().count() + 1;
        self.build(before.matches('\n').count() + 1, column, width, message.into())
    }

    fn build(&self, line: usize, column: usize, width: usize, message: String) -> Problem {
        let text = self.text.split('\n').nth(line - 1).unwrap_or("").trim_end();
        let secret = text.split_once("://").is_some_and(|(_, rest)| rest.contains('@'));
        let garbles = text.chars().any(|c| c.is_control() && c != '\t');
        let showable = !text.is_empty() && text.len() <= EXCERPT_LIMIT && !secret && !garbles;
        let excerpt = showable.then(|| (text.to_owned(), width));
        Problem { file: self.name.to_owned(), line, column, message, excerpt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_characters_not_bytes() {
        let source = Source { name: "p.yaml", text: "a: 1\nß: \"ü\" x\n" };
        let problem = source.problem(&(14..15), "no");
        assert_eq!((problem.line, problem.column), (2, 8));
        assert_eq!(problem.to_string(), "p.yaml:2:8: no\n 2 | ß: \"ü\" x\n   |        ^");
    }

    #[test]
    fn shows_no_line_that_would_garble_a_terminal() {
        let source = Source { name: "p.yaml", text: "a: \u{1b}[31m\n" };
        assert_eq!(source.problem(&(3..4), "no").to_string(), "p.yaml:1:4: no");
    }

    #[test]
    fn shows_no_line_that_may_hold_a_password() {
        let source = Source { name: "p.yaml", text: "a: https://u:p@h/\n" };
        assert_eq!(source.problem(&(0..1), "no").to_string(), "p.yaml:1:1: no");
    }
}
