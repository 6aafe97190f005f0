//! Lint: what is wrong with the references of a tree, rule by rule, before it is ever a candidate.
//!
//! A [`Subject`] is what was read and looked up; every [`Rule`] looks at it and yields findings; a [`Lint`] is
//! what is left of them after exclusions and a baseline, with its verdict. Rules read and look nothing up by
//! themselves: what one needs beyond the tree's references comes into the subject beforehand.
//!
//! To add a rule: one file in `rules`, one line in [`RULES`], a row in `docs/lint.md`.

mod asked;
pub mod baseline;
mod exclusions;
mod finding;
mod host;
mod locate;
mod rule;
mod rules;
mod subject;

use std::collections::BTreeSet;

use serde::Serialize;

pub use asked::{Answers, Asking, Control, Looked, Public};
pub use baseline::{Baseline, BaselineError};
pub use finding::{Excerpt, Finding, Level, Place, Related, Suppressed, Suppression};
pub use host::divided_host;
pub use rule::{Checked, RULES, Rule, Spot, Unplaced, rule};
pub use subject::Subject;

use crate::model::Version;
use crate::refs::ProblemKind;

/// What lint found in a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    pub verdict: Verdict,
    /// Which tree it was, in words.
    pub tree: String,
    /// The version of the tree's version line; `None` where its tags carry none.
    pub version: Option<Version>,
    /// Whether somebody named the version, or the tags told it.
    pub version_asked: bool,
    /// Findings at this level or above fail; unknown ones always do.
    pub fail_on: Level,
    /// The heaviest first, then by place.
    pub findings: Vec<Finding>,
    /// What an exclusion or the baseline explains: it counts for nothing.
    pub suppressed: Vec<Suppressed>,
    pub not_applicable: Vec<NotApplicable>,
    /// What registries were asked; `None`: nothing, and rules that go by it judged nothing.
    pub registry: Option<Looked>,
    /// What should go: exclusions that explain nothing, entries of the baseline that nothing is found for.
    pub left_over: Vec<String>,
    /// Odd things in the tree that cost nothing.
    pub notes: Vec<String>,
    /// How many files with references were read, and how many references are in them.
    pub files: usize,
    pub references: usize,
}

/// What is to be made of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing that fails.
    Clean,
    /// Something that fails.
    Failed,
    /// Nothing that fails, and something that could not be looked at.
    Unknown,
}

/// A rule that had nothing to go by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotApplicable {
    pub rule: &'static str,
    pub why: String,
}

/// How findings are judged.
#[derive(Clone, Copy, Debug)]
pub struct Judging<'a> {
    pub fail_on: Level,
    pub baseline: Option<&'a Baseline>,
}

impl Lint {
    /// Runs every rule over a subject, and judges.
    pub fn of(subject: &Subject<'_>, judging: Judging<'_>) -> Self {
        let (mut findings, mut not_applicable, mut idle) = (Vec::new(), Vec::new(), BTreeSet::new());
        for rule in RULES {
            let Checked { found, not_applicable: why, asked } = (rule.check)(subject);
            idle.extend((!asked || why.is_some()).then_some(rule.id));
            findings.extend(locate::all(subject, rule, &found));
            not_applicable.extend(why.map(|why| NotApplicable { rule: rule.id, why }));
        }
        let order = |a: &Finding, b: &Finding| {
            let key = |f: &Finding| (f.level, f.place.line, f.place.column);
            let place = a.place.file.cmp(&b.place.file);
            a.level.cmp(&b.level).then(place).then_with(|| key(a).cmp(&key(b)))
        };
        findings.sort_by(order);
        let (findings, mut suppressed, mut left_over) = exclusions::apply(subject, findings, &idle);
        let findings = match judging.baseline {
            None => findings,
            Some(baseline) => {
                let unknown = findings.iter().filter(|finding| finding.level == Level::Unknown);
                let unseen: BTreeSet<String> = unknown.map(|finding| finding.place.file.clone()).collect();
                let any = !subject.account.references.enumeration.files.is_empty();
                let known = baseline.apply(findings, &idle, |file| any && !unseen.contains(file));
                suppressed.extend(known.suppressed);
                left_over.extend(known.stale);
                known.findings
            }
        };
        let account = &subject.account;
        let unused = account.unused.iter().map(|e| format!("references.exclude: {} explains nothing", e.path));
        left_over.extend(unused);
        let unused = subject.producers.unused.iter();
        left_over.extend(unused.map(|entry| format!("producers[{}]: {}: {}", entry.entry, entry.file, entry.why)));
        Self {
            verdict: Verdict::of(&findings, judging.fail_on),
            tree: subject.name.clone(),
            version: subject.version,
            version_asked: subject.asked,
            fail_on: judging.fail_on,
            findings,
            suppressed,
            not_applicable,
            registry: subject.registry.as_ref().map(Answers::looked),
            left_over,
            notes: notes(subject),
            files: account.references.enumeration.files.len(),
            references: account.references.occurrences.len() + account.references.unpinned.len(),
        }
    }

    /// How many findings there are at a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}

/// Odd things, each in a line.
fn notes(subject: &Subject<'_>) -> Vec<String> {
    // Of stale copies a rule tells.
    let notices = subject.account.references.notices.iter().filter(|notice| notice.kind != ProblemKind::StaleCopy);
    let notices = notices.chain(&subject.account.notices).map(ToString::to_string);
    let producers = subject.producers.notes.iter().map(ToString::to_string);
    notices.chain(producers).chain(subject.registry.iter().flat_map(Answers::notes)).collect()
}

impl Verdict {
    fn of(findings: &[Finding], fail_on: Level) -> Self {
        if findings.iter().any(|finding| finding.level != Level::Unknown && finding.level <= fail_on) {
            Self::Failed
        } else if findings.iter().any(|finding| finding.level == Level::Unknown) {
            Self::Unknown
        } else {
            Self::Clean
        }
    }
}
