//! Scalars: the value, the bytes it was read from, and what YAML takes it for.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The value after escapes and folding.
    pub value: String,
    /// The bytes between the quotes; of a block scalar, its content.
    pub span: Range<usize>,
    pub style: Style,
    /// Whether another place of the file repeats this scalar by an alias.
    pub aliased: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Block,
}

impl Scalar {
    /// Whether the bytes are the value, so that a place in one is a place in the other.
    pub fn is_verbatim(&self, text: &str) -> bool {
        self.style != Style::Block && text.get(self.span.clone()) == Some(self.value.as_str())
    }

    /// Whether nothing is written at all.
    pub fn is_absent(&self) -> bool {
        self.style == Style::Plain && self.span.is_empty()
    }

    /// The value for messages and paths, in which nothing at all is `~`.
    pub fn shown(&self) -> &str {
        if self.is_absent() { "~" } else { &self.value }
    }

    /// YAML's core schema: nothing, `~` and three spellings of `null`.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(self.value.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Whether YAML reads this as a number, so that `1.10` may be rendered as `1.1`.
    pub fn is_number(&self) -> bool {
        self.style == Style::Plain && is_number(&self.value)
    }
}

/// Whether YAML 1.1 or 1.2 reads a plain scalar as a number.
pub fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let based = |prefix: &str, base| {
        unsigned
            .strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_digit(base) || c == '_'))
    };
    let decimal = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.contains(|c: char| c.is_ascii_digit())
        && unsigned.replace('_', "").parse::<f64>().is_ok();
    let word = matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN");
    decimal || word || based("0x", 16) || based("0o", 8) || based("0b", 2)
}

/// Whether YAML 1.1, which Helm reads, takes a plain scalar for a truth value.
pub fn is_boolean(text: &str) -> bool {
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false"];
    words.into_iter().any(|word| {
        let capital = word.char_indices().map(|(i, c)| if i == 0 { c.to_ascii_uppercase() } else { c });
        text == word || text == word.to_ascii_uppercase() || text.chars().eq(capital)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_boolean, is_number};
    use crate::yaml::Yaml;

    #[test]
    fn knows_nulls_and_numbers() {
        let find = |text: &str| Yaml::parse(text).unwrap().scalar(0).unwrap().clone();
        for text in ["~", "null", "NULL"] {
            assert!(find(text).is_null(), "{text}");
        }
        for text in ["1.10", "3", "1e3", "0x1f", ".5"] {
            assert!(find(text).is_number(), "{text}");
        }
        for text in ["'1.10'", "v1", "1.2.3", "nan", "infinity"] {
            assert!(!find(text).is_number(), "{text}");
        }
    }

    #[test]
    fn tells_truth_values_from_text() {
        for text in ["y", "N", "no", "No", "NO", "on", "OFF", "true", "False"] {
            assert!(is_boolean(text), "{text}");
        }
        for text in ["nO", "none", "yep", "0", "", "v1", "tRUE"] {
            assert!(!is_boolean(text), "{text}");
        }
    }

    #[test]
    fn tells_numbers_from_text() {
        for text in ["1", "-1", "1.20", "0644", "0x1f", "0o755", "1e3", "1_000", "0x1_0", ".5", "+.inf", ".nan"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["1.6.2", "v1", "1.x", "inf", "nan", ".", "-", "0x", "e1", "2026-09-15", "infinity", "0xg"] {
            assert!(!is_number(text), "{text}");
        }
    }
}
