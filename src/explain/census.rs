//! The census as people read it: every place, who claims it, and how many of each kind.

use std::collections::BTreeMap;

use serde::Serialize;

use super::word;
use crate::model::Rc;
use crate::pipeline::Pipeline;
use crate::refs::{self, Claim, Excluded, Item, Problem, ProblemKind, Scope};
use crate::tree::Tree;

/// The whole account of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Census {
    pub verdict: Completeness,
    /// Which tree it was, in words.
    pub tree: String,
    /// How many files with references were read, and how many entries the tree's root has below it.
    pub files: usize,
    pub entries: usize,
    /// How many places a shape claims.
    pub claimed: usize,
    /// What a declared exclusion explains.
    pub excluded: Vec<Excluded>,
    /// Paths of exclusions that explain nothing.
    pub unused: Vec<String>,
    /// By kind of claim, and within it by shape and class, or by the reason.
    pub counts: Vec<Count>,
    /// Every place, by file.
    pub rows: Vec<Row>,
    /// What is refused: what could not be looked at, what is malformed, what nobody claims.
    pub problems: Vec<Problem>,
    /// Odd things that cost nothing.
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completeness {
    /// Everything that must be claimed is.
    Complete,
    /// Something isn't, or is malformed.
    Incomplete,
    /// Nothing of that is known, and something could not be looked at.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    pub kind: &'static str,
    /// What of that kind: `string, version-line`.
    pub of: String,
    pub places: usize,
}

/// A place, with its kind and what of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub item: Item,
    pub kind: &'static str,
    pub of: String,
}

impl Census {
    /// Takes the census of a tree. Every file below the root is read once, charts and Markdown too. With `strict`
    /// what is overlooked is refused as what is unclaimed.
    pub fn of(pipeline: &Pipeline, tree: &dyn Tree, name: String, rc: Option<&Rc>, strict: bool) -> Self {
        let spec = pipeline.spec();
        let account = refs::account(tree, &spec, rc, Scope::Whole);
        let rows: Vec<Row> = account.items.into_iter().map(row).collect();
        let mut counts: BTreeMap<(usize, &'static str, String), usize> = BTreeMap::new();
        for row in &rows {
            *counts.entry((order(&row.item.claim), row.kind, row.of.clone())).or_default() += 1;
        }
        let counts = counts.into_iter().map(|((_, kind, of), places)| Count { kind, of, places }).collect();
        let references = &account.references;
        let notes = references.notices.iter().chain(&account.notices).map(ToString::to_string);
        let overlooked = strict && rows.iter().any(|row| matches!(row.item.claim, Claim::Overlooked { .. }));
        Self {
            verdict: Completeness::of(&account.problems, overlooked),
            tree: name,
            files: references.enumeration.files.len(),
            entries: references.enumeration.entries().len(),
            claimed: rows.iter().filter(|row| matches!(row.item.claim, Claim::Shape { .. })).count(),
            excluded: account.excluded,
            unused: account.unused.iter().map(|exclusion| exclusion.path.clone()).collect(),
            counts,
            rows,
            problems: account.problems,
            notes: notes.collect(),
        }
    }

    /// How many places there are of a kind.
    pub fn places(&self, kind: &str) -> usize {
        self.rows.iter().filter(|row| row.kind == kind).count()
    }
}

impl Row {
    /// `file:line:column`, with the file inside of a packed one.
    pub fn place(&self) -> String {
        let Item { file, member, line, column, .. } = &self.item;
        let member = member.as_ref().map(|member| format!(" > {member}")).unwrap_or_default();
        format!("{file}{member}:{line}:{column}")
    }
}

impl Completeness {
    fn of(problems: &[Problem], overlooked: bool) -> Self {
        if overlooked || problems.iter().any(|problem| problem.kind != ProblemKind::Unreadable) {
            Self::Incomplete
        } else if problems.is_empty() {
            Self::Complete
        } else {
            Self::Unknown
        }
    }
}

fn row(item: Item) -> Row {
    let of = match &item.claim {
        Claim::Shape { shape, class } => format!("{}, {}", word(shape), word(class)),
        Claim::Exclusion { reason } => reason.clone(),
        Claim::Mention { why } | Claim::Overlooked { why } => (*why).to_owned(),
        Claim::ThirdParty => "in a file without declared references".to_owned(),
        Claim::Vendored => "upstream's charts".to_owned(),
        Claim::Prose => "Markdown".to_owned(),
        Claim::Unclaimed => "nobody claims it".to_owned(),
    };
    Row { kind: item.claim.kind(), of, item }
}

/// What matters most comes last, where a table is read.
fn order(claim: &Claim) -> usize {
    match claim {
        Claim::Shape { .. } => 0,
        Claim::Exclusion { .. } => 1,
        Claim::ThirdParty => 2,
        Claim::Vendored => 3,
        Claim::Prose => 4,
        Claim::Mention { .. } => 5,
        Claim::Overlooked { .. } => 6,
        Claim::Unclaimed => 7,
    }
}
