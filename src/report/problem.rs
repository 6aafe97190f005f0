//! An error as people read it: what is wrong, where, why, and what to do.

use super::paint::Paint;
use super::text::led;
use crate::stage::Refusal;

/// `error:`, its places, `caused by:` and `hint:` (design, errors).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    pub message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

impl Problem {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    pub fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// An error with the chain of its sources. A source without words, or whose words the error
    /// above it already ends with, is left out.
    pub fn from_error(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut problem = Self::new(error.to_string());
        let mut last = problem.message.clone();
        let mut source = error.source();
        while let Some(cause) = source {
            let words = cause.to_string();
            if !last.ends_with(&words) {
                problem.causes.push(words.clone());
            }
            last = words;
            source = cause.source();
        }
        problem
    }

    /// The lines of the error, as a command prints them on stderr.
    pub fn lines(&self, color: bool) -> Vec<String> {
        self.indented("", Paint(color))
    }

    /// The same of what is no error, and may not be meant.
    pub fn warning_lines(&self, color: bool) -> Vec<String> {
        let paint = Paint(color);
        self.led(&paint.warning("warning:"), "", paint)
    }

    pub(super) fn indented(&self, indent: &str, paint: Paint) -> Vec<String> {
        self.led(&paint.error("error:"), indent, paint)
    }

    /// The lines behind another word than `error:`.
    pub(super) fn led(&self, word: &str, indent: &str, paint: Paint) -> Vec<String> {
        let mut lines = led(&format!("{indent}{word} "), &self.message);
        lines.extend(self.places.iter().flat_map(|place| led(&format!("{indent}  at "), place)));
        lines.extend(self.causes.iter().flat_map(|cause| led(&format!("{indent}  caused by: "), cause)));
        lines.extend(self.hints.iter().flat_map(|hint| led(&format!("{indent}  {} ", paint.bold("hint:")), hint)));
        lines
    }
}

impl From<&Refusal> for Problem {
    fn from(refusal: &Refusal) -> Self {
        let Refusal { message, places, hint, code: _ } = refusal;
        Self {
            message: message.clone(),
            places: places.clone(),
            causes: Vec::new(),
            hints: hint.clone().into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("can't read pipelines/demo.yaml")]
    struct Outer(#[source] Middle);

    #[derive(Debug, thiserror::Error)]
    #[error("line 3: {0}")]
    struct Middle(#[source] std::num::ParseIntError);

    #[test]
    fn shows_each_cause_once() {
        let cause = "x".parse::<u8>().unwrap_err();
        let problem = Problem::from_error(&Outer(Middle(cause))).hint("sealift check pipelines/demo.yaml");
        assert_eq!(
            problem.lines(false),
            [
                "error: can't read pipelines/demo.yaml",
                "  caused by: line 3: invalid digit found in string",
                "  hint: sealift check pipelines/demo.yaml",
            ]
        );
        assert!(problem.lines(true)[0].starts_with("\u{1b}["));
    }
}
