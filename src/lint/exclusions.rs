//! The pipeline's `lint.exclude`: findings that are known and explained, by rule, file and line.
//!
//! They stand in the pipeline file, and not in comments beside what they excuse: a `.tag` file and a gzip
//! copy have no comments, tools that write YAML lose them, and a pull request is judged by its base's pipeline,
//! so that nobody excuses a line in the change that brings it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::finding::{Finding, Level, Suppressed, Suppression};
use super::rule::rule;
use super::subject::Subject;
use crate::pipeline::{Globs, LintExclusion};
use crate::tree::Tree as _;

/// What is left of findings, what is excluded, and which exclusions should go.
pub type Applied = (Vec<Finding>, Vec<Suppressed>, Vec<String>);

/// An exclusion, and whether it was needed.
struct Excuse<'a> {
    exclusion: &'a LintExclusion,
    globs: Globs,
    used: bool,
}

/// Takes the excluded findings out. What could not be looked at is never excluded; what explains findings of an
/// `idle` rule, which had nothing to go by, is not unused.
pub fn apply(subject: &Subject<'_>, findings: Vec<Finding>, idle: &BTreeSet<&str>) -> Applied {
    let ask = |exclusion| Excuse { exclusion, globs: Globs::only(&exclusion.path).unwrap_or_default(), used: false };
    let mut asked: Vec<Excuse<'_>> = subject.pipeline.lint.exclude.iter().map(ask).collect();
    let (mut left, mut excluded) = (Vec::new(), Vec::new());
    for finding in findings {
        let mut reason = None;
        // All that cover it are used, not only the first.
        for asked in asked.iter_mut().filter(|asked| asked.covers(subject, &finding)) {
            asked.used = true;
            reason = reason.or(Some(&asked.exclusion.reason));
        }
        match reason {
            Some(reason) => {
                excluded.push(Suppressed { by: Suppression::Exclusion, reason: reason.clone(), finding });
            }
            None => left.push(finding),
        }
    }
    let unused =
        asked.iter().filter(|asked| !asked.used && !idle.contains(asked.exclusion.rule.as_str())).map(|asked| {
            let LintExclusion { rule: id, path, .. } = asked.exclusion;
            let why = if rule(id).is_none() { "there is no such rule" } else { "it explains nothing" };
            format!("lint.exclude: {id} in {path}: {why}")
        });
    (left, excluded, unused.collect())
}

impl Excuse<'_> {
    fn covers(&self, subject: &Subject<'_>, finding: &Finding) -> bool {
        let LintExclusion { rule, line, .. } = self.exclusion;
        finding.level != Level::Unknown
            && rule == finding.rule
            && self.globs.matches(finding.place.file.as_bytes())
            && line.as_ref().is_none_or(|line| says(subject, finding, line))
    }
}

/// Whether the line of a finding has a text in it.
fn says(subject: &Subject<'_>, finding: &Finding, text: &str) -> bool {
    let place = &finding.place;
    let Some(span) = &place.span else { return false };
    // A rule may point into a file that holds no reference.
    let content = subject.content(&place.file).map(Cow::Borrowed);
    let Some(content) = content.or_else(|| subject.tree.read(place.file.as_bytes()).ok().map(Cow::Owned)) else {
        return false;
    };
    let (before, after) = content.split_at(span.start.min(content.len()));
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let end = memchr::memchr(b'\n', after).map_or(content.len(), |newline| before.len() + newline);
    memchr::memmem::find(content.get(start..end).unwrap_or_default(), text.as_bytes()).is_some()
}
