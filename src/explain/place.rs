//! The place that is asked for: a file, or a line of it.

use crate::model::Lines;

/// A place as people type it: `FILE`, `FILE:LINE`, or `FILE:LINE:COLUMN` as reports print it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The path in the repository.
    pub file: String,
    /// From 1.
    pub line: Option<usize>,
}

/// Why there is nothing at a place that could be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("{0}: the tree has no such file")]
    NoFile(String),
    #[error("{0}: it is no file")]
    NotAFile(String),
    #[error("{file}: there is no line {line}: it has {lines}")]
    NoLine { file: String, line: usize, lines: usize },
    #[error("{0}")]
    Unreadable(String),
}

impl PlaceError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFile(_) => "name a file by its path in the repository, such as packages/a/b/values.yaml",
            Self::NotAFile(_) => "name a file: a folder and a link hold no references",
            Self::NoLine { .. } => "count lines from 1, in a gzip copy those of what is in it",
            Self::Unreadable(_) => "make it readable",
        }
    }

    /// Whether it is the words that are wrong, and not the world.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Unreadable(_))
    }
}

impl Question {
    /// A text as a place. `exists` tells files: a name may itself end as a line does.
    pub fn parse(text: &str, exists: impl Fn(&str) -> bool) -> Self {
        let text = text.strip_prefix("./").unwrap_or(text);
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let whole = || Self { file: text.to_owned(), line: None };
        if exists(text) {
            return whole();
        }
        let Some((front, last)) = text.rsplit_once(':') else { return whole() };
        let Some(last) = number(last) else { return whole() };
        match front.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
            Some((file, line)) if !exists(front) => Self { file: file.to_owned(), line: Some(line) },
            _ => Self { file: front.to_owned(), line: Some(last) },
        }
    }

    /// Whether the content has the line; of a file that isn't read no line is known.
    pub(super) fn check(&self, content: &[u8], read: bool) -> Result<(), PlaceError> {
        let Some(line) = self.line else { return Ok(()) };
        let text = content.strip_suffix(b"\n").unwrap_or(content);
        let lines = Lines::new(text).number(text.len());
        match line {
            0 => Err(PlaceError::NoLine { file: self.file.clone(), line, lines }),
            _ if read && line > lines => Err(PlaceError::NoLine { file: self.file.clone(), line, lines }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_what_reports_print() {
        let parse = |text: &str| {
            let Question { file, line } = Question::parse(text, |file| ["a/b.yaml", "a:7", "c:7:1"].contains(&file));
            (file, line)
        };
        for (text, file, line) in [
            ("a/b.yaml", "a/b.yaml", None),
            ("./a/b.yaml:3", "a/b.yaml", Some(3)),
            ("a/b.yaml:3:14", "a/b.yaml", Some(3)),
            ("a:7", "a:7", None),
            ("a:7:2", "a:7", Some(2)),
            ("c:7:1", "c:7:1", None),
            ("a/b.yaml:x", "a/b.yaml:x", None),
            ("a/b.yaml:+3", "a/b.yaml:+3", None),
            ("a/b.yaml:0", "a/b.yaml", Some(0)),
        ] {
            assert_eq!(parse(text), (file.to_owned(), line), "{text}");
        }
    }

    #[test]
    fn a_line_is_one_of_the_files() {
        let asked = |line| Question { file: "f".into(), line: Some(line) };
        assert!(asked(1).check(b"a\nb\n", true).is_ok() && asked(2).check(b"a\nb\n", true).is_ok());
        for (line, content) in [(0, "a\n"), (3, "a\nb\n"), (3, "a\nb"), (2, "")] {
            let error = asked(line).check(content.as_bytes(), true).unwrap_err();
            assert!(error.is_usage() && !error.hint().is_empty(), "{error}");
        }
    }
}
