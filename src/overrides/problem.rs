//! What is wrong with a table, or with an image that an entry matches: the rule, the place, what to do.

use std::fmt;

use serde::Serialize;

use crate::model::line::clean;

macro_rules! rules {
    ($($rule:ident $id:literal $severity:ident,)*) => {
        /// Every rule by its id, which reports and `docs/overrides.md` use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($rule,)* }

        impl Rule {
            pub const ALL: &[Self] = &[$(Self::$rule,)*];

            pub fn id(self) -> &'static str {
                match self { $(Self::$rule => $id,)* }
            }

            pub fn severity(self) -> Severity {
                match self { $(Self::$rule => Severity::$severity,)* }
            }
        }
    };
}

rules! {
    Unreadable "unreadable" Error,
    NotAList "not-a-list" Error,
    AmbiguousKey "ambiguous-key" Error,
    TooMany "too-many" Error,
    NotAMap "not-a-map" Error,
    UnknownField "unknown-field" Error,
    RepeatedField "repeated-field" Error,
    NotAString "not-a-string" Error,
    TooLong "too-long" Error,
    NoName "no-name" Error,
    TaggedName "tagged-name" Error,
    RepeatedName "repeated-name" Error,
    NoChange "no-change" Error,
    MalformedDigest "malformed-digest" Error,
    DeepCascade "deep-cascade" Error,
    Unpins "unpins" Warning,
    Cascades "cascades" Warning,
    TaggedNewName "tagged-new-name" Warning,
    MalformedName "malformed-name" Warning,
    MalformedNewName "malformed-new-name" Warning,
    MalformedNewTag "malformed-new-tag" Warning,
    Empty "empty" Warning,
    Unmatched "unmatched" Warning,
    SharedImage "shared-image" Refusal,
    BlockScalar "block-scalar" Refusal,
    NotAReference "not-a-reference" Refusal,
    NoReferenceMade "no-reference-made" Refusal,
    Unproven "unproven" Refusal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The table can't be used.
    Error,
    /// The table can be used, and may not do what is meant.
    Warning,
    /// An image can't be rewritten safely, so nothing is.
    Refusal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub rule: Rule,
    /// The index of the entry it is about, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// The file as the user named it.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    pub message: String,
    /// One imperative sentence.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, help, .. } = self;
        write!(f, "{file}:{line}:{column}: {message} ({help})")
    }
}

impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// Characters of a value in a message.
const SHOWN: usize = 120;

/// A value for a message: on one line, without what a terminal obeys, and not at any length.
pub(super) fn shown(value: &str) -> String {
    let mut characters = value.chars();
    let start: String = characters.by_ref().take(SHOWN).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    format!("`{}{more}`", clean(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_safe_and_short() {
        assert_eq!(shown("a\n::error::\u{1b}[2J"), "`a\\n::error::\\u{1b}[2J`");
        assert_eq!(shown(&"é".repeat(200)), format!("`{}…`", "é".repeat(120)));
    }

    #[test]
    fn ids_are_distinct() {
        let ids: std::collections::BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
    }
}
