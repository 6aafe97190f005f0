//! Image overrides: tables, what is made of manifests, how that compares with kustomize, hostile input.

mod apply;
mod commands;
mod docs;
mod hostile;
mod kustomize;
mod tables;

use sealift::overrides::{self, Applied, Key, Options, Problem, Table, TableError};

const HEX: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn read(text: impl AsRef<[u8]>) -> Result<Table, TableError> {
    overrides::read("table.yaml", text.as_ref(), &Key::default())
}

/// A table that is valid.
#[track_caller]
fn table(text: &str) -> Table {
    read(text).unwrap_or_else(|error| panic!("{error}"))
}

fn apply(table: &Table, text: impl AsRef<[u8]>) -> Result<Applied, Problem> {
    overrides::apply(table, "m.yaml", text.as_ref(), Options::default())
}

/// What comes out; where something is refused, the rules.
#[track_caller]
fn rewrite(table: &Table, text: &str) -> Result<String, Vec<&'static str>> {
    let applied = apply(table, text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    if !applied.refusals.is_empty() {
        return Err(applied.refusals.iter().map(|problem| problem.rule.id()).collect());
    }
    let mut out = Vec::new();
    overrides::write(text.as_bytes(), &applied.edits, &mut out).unwrap();
    Ok(String::from_utf8(out).unwrap())
}

fn rules(problems: &[Problem]) -> Vec<&'static str> {
    problems.iter().map(|problem| problem.rule.id()).collect()
}
