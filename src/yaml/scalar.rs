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
        let value = self.value.as_str();
        let digits = |text: &str, radix| !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
        self.style == Style::Plain
            && (value.bytes().any(|b| b.is_ascii_digit()) && value.parse::<f64>().is_ok()
                || value.strip_prefix("0x").is_some_and(|hex| digits(hex, 16))
                || value.strip_prefix("0o").is_some_and(|octal| digits(octal, 8)))
    }
}

#[cfg(test)]
mod tests {
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
}
