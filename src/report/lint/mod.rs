//! What lint found, as people and machines read it: the words that every form of it shares.

mod annotations;
mod human;
pub(super) mod markdown;
pub mod sarif;

use super::text::count;
use crate::lint::{Control, Level, Lint, NotApplicable, Suppression, Verdict};

/// How it looks, in a few words.
fn verdict(lint: &Lint) -> &'static str {
    match lint.verdict {
        Verdict::Clean if lint.findings.is_empty() => "nothing is found",
        Verdict::Clean => "nothing that fails is found",
        Verdict::Failed => "something is wrong",
        Verdict::Unknown => "not everything could be looked at",
    }
}

/// `2 errors, 1 warning`; every level that there is one of.
fn counts(lint: &Lint) -> String {
    let levels = [
        (Level::Unknown, "unknown"),
        (Level::Error, "error"),
        (Level::Warning, "warning"),
        (Level::Info, "information"),
    ];
    let one = |(level, word): (Level, &str)| match (lint.count(level), level) {
        (0, _) => None,
        (n, Level::Unknown | Level::Info) => Some(format!("{n} {word}")),
        (n, _) => Some(count(n, word)),
    };
    let found: Vec<String> = levels.into_iter().filter_map(one).collect();
    if found.is_empty() { "no findings".to_owned() } else { found.join(", ") }
}

/// What was looked at, so that nothing found is a fact about something.
fn looked_at(lint: &Lint) -> String {
    let version = match lint.version {
        Some(version) if lint.version_asked => format!("v{version}, as asked"),
        Some(version) => format!("v{version}, which most owned tags carry"),
        None => "no version: no owned tag carries one".to_owned(),
    };
    format!("{} in {}; {version}", count(lint.references, "reference"), count(lint.files, "file"))
}

/// Rules that had nothing to go by, those with one reason in a line.
fn idle(lint: &Lint) -> Vec<String> {
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for NotApplicable { rule, why } in &lint.not_applicable {
        match by_reason.iter_mut().find(|(known, _)| known == why) {
            Some((_, rules)) => rules.push(rule),
            None => by_reason.push((why, vec![rule])),
        }
    }
    let line = |(why, rules): (&str, Vec<&str>)| match rules.as_slice() {
        [rule] => format!("{rule} does not apply: {why}"),
        rules => format!("{} do not apply: {why}", rules.join(", ")),
    };
    by_reason.into_iter().map(line).collect()
}

/// What registries were asked, and the control of each host, each in a line.
fn asked(lint: &Lint) -> Vec<String> {
    let Some(looked) = &lint.registry else { return Vec::new() };
    let parts = [
        (looked.tags, "tag", "tags"),
        (looked.digests, "digest", "digests"),
        (looked.manifests, "manifest of an index", "manifests of indexes"),
        (looked.repositories, "repository without credentials", "repositories without credentials"),
    ];
    let all = parts.map(|(n, one, many)| format!("{n} {}", if n == 1 { one } else { many }));
    std::iter::once(format!("asked for {}", all.join(", "))).chain(looked.controls.iter().map(control)).collect()
}

fn control(control: &Control) -> String {
    let Control { host, third_party, reference, digest, why, .. } = control;
    let of = if *third_party { "third-party references at " } else { "" };
    match (reference, digest, why) {
        (Some(reference), Some(digest), _) if reference.ends_with(&digest.to_string()) => {
            format!("control of {of}{host}: {reference} answers")
        }
        (Some(reference), Some(digest), _) => format!("control of {of}{host}: {reference} answers with {digest}"),
        (reference, _, why) => {
            let name = reference.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
            let why = why.as_deref().unwrap_or("nothing answers there");
            format!("no control of {of}{host}: {name}{why}; what is absent there is unknown")
        }
    }
}

/// What counts for nothing, if there is any.
fn suppressed(lint: &Lint) -> Option<String> {
    let by = |by: Suppression| lint.suppressed.iter().filter(|suppressed| suppressed.by == by).count();
    let (excluded, known) = (by(Suppression::Exclusion), by(Suppression::Baseline));
    let parts = [(excluded, "excluded by the pipeline"), (known, "known by the baseline")];
    let parts: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, how)| format!("{n} {how}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
