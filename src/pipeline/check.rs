//! What must hold between the keys of a pipeline.

use super::outline::{nearest, place_of_key, spell};
use super::problem::{Problem, Source};
use super::{Pipeline, github, names, overlay, paths, producers};
use crate::model::Repository;
use crate::yaml::Yaml;

/// The stages, in the one order there is.
pub const STAGES: [&str; 10] =
    ["gate", "rewrite", "commit", "push", "pin", "propose", "wait", "verify", "retag", "finalize"];

/// Collects problems at the places of keys.
pub(super) struct Checker<'a> {
    source: &'a Source<'a>,
    yaml: &'a Yaml,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    pub(super) fn report(&mut self, path: &str, message: impl Into<String>) {
        let message = format!("{}: {}", spell(path), message.into());
        self.problems.push(self.source.problem(&nearest(self.yaml, path), message));
    }

    /// Reports a key of the pipeline itself, if it is there.
    pub(super) fn refuse_key(&mut self, key: &str, message: impl Into<String>) {
        if let Some(place) = place_of_key(self.yaml, key) {
            self.problems.push(self.source.problem(&place, format!("{key}: {}", message.into())));
        }
    }
}

/// Everything that is wrong between keys that are each right.
pub(super) fn check(source: &Source<'_>, yaml: &Yaml, pipeline: &Pipeline) -> Vec<Problem> {
    let mut checker = Checker { source, yaml, problems: Vec::new() };
    owned(&mut checker, pipeline);
    files(&mut checker, pipeline);
    github::check(&mut checker, pipeline);
    overlay::check(&mut checker, &pipeline.overlay);
    producers::check(&mut checker, pipeline);
    for clash in names::clashes(pipeline) {
        checker.report(&clash.key, clash.message);
    }
    if let Some(stages) = &pipeline.stages {
        order(&mut checker, &stages.0);
    }
    checker.problems
}

fn owned(checker: &mut Checker<'_>, pipeline: &Pipeline) {
    let owned = &pipeline.references.owned;
    if owned.is_empty() {
        checker.report("references.owned", "nothing is owned; expected a prefix such as `ghcr.io/org/project`");
        return;
    }
    let prefixes = owned.iter().map(|prefix| format!("`{prefix}`")).collect::<Vec<_>>().join(", ");
    let mut cover = |key: &str, repository: &Repository| {
        if !owned.iter().any(|prefix| prefix.owns(repository)) {
            checker.report(key, format!("`{repository}` is not owned; expected a repository under {prefixes}"));
        }
    };
    let artifact = &pipeline.artifact.repository;
    cover("artifact.repository", artifact);
    let Some(chart) = &pipeline.chart else { return };
    cover("chart.repository", &chart.repository);
    if chart.repository == *artifact {
        checker.report("chart.repository", "the packages artifact's own repository; expected another one");
    }
}

fn files(checker: &mut Checker<'_>, pipeline: &Pipeline) {
    let root = &pipeline.root;
    for (position, glob) in pipeline.allowed_paths.iter().enumerate() {
        if paths::reaches(glob, root) {
            let message = format!("`{glob}` reaches into `{root}`; expected paths outside, such as `docs/**`");
            checker.report(&format!("allowed_paths.{position}"), message);
        }
    }

    let values = &pipeline.installer.values;
    let matched = |globs: &[String]| globs.iter().any(|glob| paths::matcher(glob).is_ok_and(|m| m.is_match(values)));
    let references = &pipeline.references;
    if !matched(&references.values) {
        let globs = references.values.join("`, `");
        let message = format!("`{values}` is none of `references.values`; expected a file matched by `{globs}`");
        checker.report("installer.values", message);
    }
    let installer = &pipeline.installer;
    if installer.url_key == installer.ref_key {
        checker.report("installer.ref_key", "the same key as `url_key`; expected the key that holds the digest");
    }

    let wild = |glob: &str| !glob.contains(char::is_alphanumeric);
    for (position, glob) in pipeline.artifact.rc_only.iter().enumerate() {
        if wild(glob) || matched(std::slice::from_ref(glob)) {
            let message = format!("`{glob}` hides what is promoted; expected the few files that only a candidate has");
            checker.report(&format!("artifact.rc_only.{position}"), message);
        }
    }
    for (position, exclusion) in references.exclude.iter().enumerate() {
        if wild(&exclusion.path) && exclusion.line.is_none() {
            let message = format!("`{}` excludes every file; expected a narrower glob, or a `line`", exclusion.path);
            checker.report(&format!("references.exclude.{position}.path"), message);
        }
    }
    for (position, exclusion) in pipeline.lint.exclude.iter().enumerate() {
        if wild(&exclusion.path) && exclusion.line.is_none() {
            let message = format!("`{}` excludes every file; expected a narrower glob, or a `line`", exclusion.path);
            checker.report(&format!("lint.exclude.{position}.path"), message);
        }
    }
    for (position, copy) in references.gzip.iter().enumerate() {
        if copy.path == copy.plain {
            checker.report(&format!("references.gzip.{position}.plain"), "the copy itself; expected its plain source");
        }
    }
}

/// A pipeline may spell its stages out, but there is one order.
fn order(checker: &mut Checker<'_>, given: &[String]) {
    let all = STAGES.join(", ");
    let place = |stage: &str| STAGES.iter().position(|known| *known == stage);
    let mut last: Option<usize> = None;
    for (position, stage) in given.iter().enumerate() {
        let key = format!("stages.{position}");
        match (place(stage), last) {
            (None, _) => checker.report(&key, format!("unknown stage `{stage}`; expected {all}")),
            (Some(here), Some(before)) if here < before => {
                let message = format!("`{stage}` is misplaced: it comes before `{}`; expected {all}", STAGES[before]);
                checker.report(&key, message);
            }
            (Some(here), _) => last = Some(here),
        }
    }
    let missing: Vec<_> = STAGES.into_iter().filter(|stage| !given.iter().any(|name| name == stage)).collect();
    if !missing.is_empty() {
        let message = format!("`{}` missing; expected {all}, or no `stages` at all", missing.join("`, `"));
        checker.report("stages", message);
    }
}
