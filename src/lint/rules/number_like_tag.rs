//! A tag that YAML doesn't read as text: charts get another one than is written.

use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::refs::{Occurrence, Shape};
use crate::yaml::Reading;

pub const RULE: Rule = Rule {
    id: "number-like-tag",
    level: Level::Error,
    what: "A `tag` without quotes beside a repository that YAML reads as a number, a truth value or a date, such as \
           `1.20`, `61e9540`, `0x10`, `1_0`, `no` or `2024-01-02`: what is rendered is another tag. Third-party ones, \
           too.",
    hint: "put the tag in quotes",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let found = subject.named().filter_map(|found| {
        let tag = found.tag.as_ref()?.as_str();
        let read_as = match Reading::of(tag) {
            Reading::Number(_) => "a number",
            Reading::Boolean(_) => "a truth value",
            Reading::Date => "a date",
            Reading::Null | Reading::Text => return None,
        };
        let message = format!("`tag: {tag}` is {read_as} to YAML");
        is_plain(subject, found)
            .then(|| Unplaced::of(found, Spot::tag(found), message).hint(format!("write `tag: \"{tag}\"`")))
    });
    found.collect()
}

/// Whether the tag is a whole YAML scalar that says nothing about being text: without quotes, without `!!str`.
fn is_plain(subject: &Subject<'_>, found: &Occurrence) -> bool {
    let own_key = matches!(found.shape, Shape::Split | Shape::SplitDigest | Shape::ImageDigest | Shape::GlobalRegistry);
    let (Some(span), Some(content), true) = (&found.spans.tag, subject.content(&found.file), own_key) else {
        return false;
    };
    let (before, after) = (content.get(..span.start).unwrap_or_default(), content.get(span.end..).unwrap_or_default());
    let said = before.trim_ascii_end();
    let quoted = before.ends_with(b"\"") || before.ends_with(b"'");
    !quoted && !said.ends_with(b"!!str") && !said.ends_with(b"!") && !after.starts_with(b"@")
}
