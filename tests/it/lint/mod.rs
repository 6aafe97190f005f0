//! Lint: each rule with its faults and near misses, what excuses a finding, every form of the report, real trees,
//! and hostile ones.

mod asked;
mod baseline;
mod command;
mod documented;
mod excluded;
mod golden;
mod hostile;
mod producers;
mod reads;
mod rules;
mod sarif;

use sealift::lint::{Baseline, Finding, Judging, Level, Lint, Place, Subject, Verdict};
use sealift::model::Digest;
use sealift::pipeline::{self, Pipeline};
use sealift::tree::{MemTree, Tree};

use crate::support::pipelines::Text;

const OWN: &str = "registry.example/org/own";
const VALUES: &str = "packages/a/x/values.yaml";

/// A pipeline file; `more` are further keys.
fn pipeline_text(more: &str) -> String {
    let more = format!("aliases: {{images: [released]}}\n{more}");
    Text {
        text: "{path: system/net/daemonset.yml}",
        gzip: "system/provider/components",
        more: &more,
        ..Text::default()
    }
    .build()
}

fn pipeline(more: &str) -> Pipeline {
    pipeline::parse("test.yaml", &pipeline_text(more)).unwrap_or_else(|error| panic!("{error}"))
}

/// `OWN`, `RC` and `D1` to `D9` stand for what every test needs.
fn fill(text: &str) -> String {
    let mut text = text.replace("OWN", OWN).replace("RC", "v2.3.0-rc.1");
    for n in 1..=9 {
        text = text.replace(&format!("D{n}"), &Digest::of(&[n]).to_string());
    }
    text
}

/// A tree whose version line is at `v2.3.0-rc.1`, with nothing wrong.
fn good() -> MemTree {
    let mut tree = MemTree::new("test");
    tree.put("packages/a/good/values.yaml", 0o644, fill("a: OWN/good-a:RC@D1\nb: OWN/good-b:RC@D2\n"));
    tree
}

/// The same with files of the test's.
fn tree(files: &[(&str, &str)]) -> MemTree {
    let mut tree = good();
    for (path, text) in files {
        tree.put(path, 0o644, fill(text));
    }
    tree
}

fn lint_by(pipeline: &Pipeline, tree: &dyn Tree, baseline: Option<&Baseline>) -> Lint {
    let subject = Subject::read(pipeline, tree, tree.describe(), None);
    Lint::of(&subject, Judging { fail_on: Level::Error, baseline })
}

fn lint(tree: &dyn Tree) -> Lint {
    lint_by(&pipeline(""), tree, None)
}

/// As the tree of a named candidate.
fn lint_as(tree: &dyn Tree, rc: &str) -> Lint {
    let pipeline = pipeline("");
    let subject = Subject::read(&pipeline, tree, tree.describe(), Some(&rc.parse().unwrap()));
    Lint::of(&subject, Judging { fail_on: Level::Error, baseline: None })
}

/// `rule level file:line what is marked`
fn shown(finding: &Finding) -> String {
    let Place { file, line, excerpt, .. } = &finding.place;
    let marked = excerpt.as_ref().map_or("", |excerpt| &excerpt.marked);
    format!("{} {} {file}:{line} {marked}", finding.rule, finding.level.name())
}

fn all(lint: &Lint) -> Vec<String> {
    let mut found: Vec<String> = lint.findings.iter().map(shown).collect();
    found.sort();
    found
}
