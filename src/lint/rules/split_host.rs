//! A host divided over keys where a rewrite of hosts can't reach it: neither `<host>/` stands in one place, nor is
//! the host the whole of a key's value.

use std::collections::{BTreeMap, BTreeSet};

use crate::lint::host::divided_host;
use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::refs::{Occurrence, Shape};

pub const RULE: Rule = Rule {
    id: "split-host",
    level: Level::Error,
    what: "An owned prefix that is divided over two keys, such as `registry: ghcr.io` beside `repository: \
           org/project/image`: a mirror can't rewrite it.",
    hint: "write the whole name in `repository` with an empty `registry`, or the whole prefix as the value of its key",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let mut divided: BTreeMap<Spot, Vec<&Occurrence>> = BTreeMap::new();
    for found in subject.owned() {
        if let Some(spot) = divided_host(subject, found) {
            divided.entry(spot).or_default().push(found);
        }
    }
    let found = divided.into_iter().filter_map(|(spot, all)| {
        let (first, rest) = all.split_first()?;
        let repository = first.repository.as_ref()?;
        let prefix = subject.spec.owned.iter().find(|prefix| prefix.owns(repository))?.to_string();
        let whole = repository.to_string();
        let below = whole.strip_prefix(&prefix).unwrap_or(&whole).trim_start_matches('/');
        let key = if first.shape == Shape::GlobalRegistry { "address" } else { "registry" };
        let name = name_key(subject, first);
        let mut hint = format!("write `{key}: \"\"` and `{name}: {whole}`");
        if !below.is_empty() {
            hint.push_str(&format!(", or `{key}: {prefix}` and `{name}: {below}`"));
        }
        let message =
            format!("`{prefix}` of {} is divided over two keys: no rewrite of hosts reaches it", first.tagged());
        let others = rest.iter().map(|found| (Spot::tag(found), found.tagged()));
        let about: BTreeSet<String> =
            all.iter().filter_map(|found| Some(found.repository.as_ref()?.to_string())).collect();
        Some(Unplaced::at(spot, message).hint(hint).related(others).about(about))
    });
    found.collect()
}

/// The key that holds the name: some charts have it in `image`.
fn name_key(subject: &Subject<'_>, found: &Occurrence) -> &'static str {
    let span = found.spans.name.as_ref();
    let before = span.and_then(|span| subject.content(&found.file)?.get(..span.start)).unwrap_or_default();
    let key = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before).trim_ascii_end();
    if key.ends_with(b"image:") { "image" } else { "repository" }
}
