//! The pin: repository and digest of the packages artifact, in the installer's values.

use std::ops::Range;

use super::Spec;
use super::edit::{Edit, FileEdit, edit, same_apart_from, splice};
use super::problem::{Lines, Problem, ProblemKind};
use super::read::RefsError;
use super::storage::{utf8, yaml};
use crate::model::{Digest, Repository};
use crate::refs::Pair;
use crate::tree::Tree;
use crate::yaml::{Content, Scalar};

const URL: &str = "oci://";
const REFERENCE: &str = "digest=";

/// The one artifact pair of a file.
struct Found {
    key: String,
    url: Scalar,
    reference: Scalar,
}

/// The artifact pair that a file pins. `file` is a path in the repository.
///
/// Errors: a file that can't be read or isn't YAML, no pair or more than one, a pair that is
/// not `oci://<repository>` and `digest=sha256:…`.
pub fn pinned(tree: &dyn Tree, spec: &Spec, file: &str) -> Result<(Repository, Digest), RefsError> {
    let bytes = read(tree, file)?;
    parse(&bytes, &spec.pair, file).map_err(one)
}

/// Plans the pin of another artifact: the contents of the two scalars of the one artifact pair,
/// quotes kept, nothing else. The edited file is read again and must show the new pair and no
/// other difference. A file that has the pin already gives an edit without changes.
///
/// Errors: as [`pinned`], except that the pair may hold any other plain text; a pair spelled by
/// an alias, over several lines or with nothing in it.
pub fn pin(
    tree: &dyn Tree,
    spec: &Spec,
    file: &str,
    repository: &Repository,
    digest: &Digest,
) -> Result<FileEdit, RefsError> {
    let before = read(tree, file)?;
    plan(&before, &spec.pair, file, repository, digest).map_err(one)
}

/// A file's bytes with repository and digest of its one artifact pair replaced by `<repository>`
/// and `<digest>`: two files that are equal after it differ in their pins only. Nothing else is
/// normalised, not even the pair's quotes.
pub fn normalise_pin(bytes: &[u8], pair: &Pair) -> Result<Vec<u8>, Problem> {
    let file = "the artifact pair's file";
    parse(bytes, pair, file)?;
    let found = find(bytes, pair, file)?;
    let lines = Lines::new(bytes);
    let skip = |span: &Range<usize>, prefix: &str| span.start + prefix.len()..span.end;
    let mut edits = [
        edit(bytes, &lines, &found.key, skip(&found.url.span, URL), "<repository>".to_owned()),
        edit(bytes, &lines, &found.key, skip(&found.reference.span, REFERENCE), "<digest>".to_owned()),
    ];
    edits.sort_by_key(|edit| edit.span.start);
    splice(bytes, &edits)
        .map_err(|message| Problem::whole(file, message, "write the pair plainly").kind(ProblemKind::Edit))
}

fn plan(before: &[u8], pair: &Pair, file: &str, repository: &Repository, digest: &Digest) -> Result<FileEdit, Problem> {
    let found = find(before, pair, file)?;
    let lines = Lines::new(before);
    let mut edits = vec![
        edit(before, &lines, &found.key, found.url.span, format!("{URL}{repository}")),
        edit(before, &lines, &found.key, found.reference.span, format!("{REFERENCE}{digest}")),
    ];
    edits.retain(|edit| edit.old != edit.new);
    edits.sort_by_key(|edit| edit.span.start);
    let fail =
        |message: String| Problem::whole(file, message, "write the artifact pair plainly").kind(ProblemKind::Edit);
    let after = splice(before, &edits).map_err(fail)?;
    if parse(&after, pair, file)? != (repository.clone(), *digest) {
        return Err(fail("reading the pinned file again shows another pair".to_owned()));
    }
    same_apart_from(before, &after, &edits).map_err(|message| fail(message.to_owned()))?;
    let edits: Vec<Edit> = edits;
    Ok(FileEdit { path: file.to_owned(), before: before.to_vec(), after, edits })
}

fn parse(bytes: &[u8], pair: &Pair, file: &str) -> Result<(Repository, Digest), Problem> {
    let found = find(bytes, pair, file)?;
    let lines = Lines::new(bytes);
    let wrong = |scalar: &Scalar, message: String| {
        let help = format!("write `{}: {URL}<repository>` and `{}: {REFERENCE}sha256:…`", pair.url, pair.reference);
        Problem::at(ProblemKind::Malformed, file, (&lines, scalar.span.start), message, help)
    };
    let (url, reference) = (&found.url, &found.reference);
    let repository =
        url.value.strip_prefix(URL).ok_or_else(|| wrong(url, format!("`{}` is not `{URL}…`", url.value)))?;
    let repository = repository.parse().map_err(|error| wrong(url, format!("{error}")))?;
    let digest = reference.value.strip_prefix(REFERENCE);
    let digest = digest.ok_or_else(|| wrong(reference, format!("`{}` is not `{REFERENCE}…`", reference.value)))?;
    Ok((repository, digest.parse().map_err(|error| wrong(reference, format!("{error}")))?))
}

/// Finds the one map with both keys, and both as plainly spelled text.
fn find(bytes: &[u8], pair: &Pair, file: &str) -> Result<Found, Problem> {
    let text = utf8(file, bytes)?;
    let yaml = yaml(file, text)?;
    let lines = Lines::new(bytes);
    let keys = format!("`{}` and `{}`", pair.url, pair.reference);
    let mut found = Vec::new();
    for node in &yaml.nodes {
        let Content::Map(entries) = &node.content else { continue };
        let values = |name: &str| entries.iter().filter(|(key, _)| yaml.key(*key) == Some(name)).collect::<Vec<_>>();
        for (key, url) in values(&pair.url) {
            for (_, reference) in values(&pair.reference) {
                found.push((*key, *url, *reference));
            }
        }
    }
    let (key, url, reference) = match found.as_slice() {
        [one] => *one,
        [] => {
            let help = "check the artifact pair in the pipeline";
            return Err(Problem::whole(file, format!("no map has {keys}"), help).kind(ProblemKind::Malformed));
        }
        [_, (key, ..), ..] => {
            let place = (&lines, yaml.scalar(*key).map_or(0, |key| key.span.start));
            let message = format!("{keys} stand more than once in this file: which pair is meant is unknown");
            return Err(Problem::at(ProblemKind::Malformed, file, place, message, "keep one pair"));
        }
    };
    let plain = |id: usize| match &yaml.nodes[id].content {
        Content::Scalar(scalar) => {
            (scalar.is_verbatim(text) && !scalar.aliased && !scalar.is_absent()).then(|| scalar.clone())
        }
        _ => None,
    };
    match (plain(url), plain(reference)) {
        (Some(url), Some(reference)) => {
            let key = yaml.key(key).unwrap_or_default().to_owned();
            Ok(Found { key, url, reference })
        }
        _ => {
            let place = (&lines, yaml.scalar(key).map_or(0, |key| key.span.start));
            let message = format!("{keys} are not both text on one line, without escapes and aliases");
            Err(Problem::at(ProblemKind::Malformed, file, place, message, "write them plainly, in quotes"))
        }
    }
}

fn read(tree: &dyn Tree, file: &str) -> Result<Vec<u8>, RefsError> {
    let unreadable = |error: crate::tree::TreeError| {
        one(Problem::whole(
            file,
            format!("can't be read: {}", error.source),
            "check the installer's path in the pipeline",
        ))
    };
    tree.read(file.as_bytes()).map_err(unreadable)
}

fn one(problem: Problem) -> RefsError {
    RefsError { problems: vec![problem], references: Box::default() }
}
