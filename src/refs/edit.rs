//! Byte-exact edits, and the proof that an edit did what was planned and nothing else.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Serialize;

use super::enumerate::Storage;
use super::file::FileReading;
use super::problem::{Lines, Problem, ProblemKind};
use super::shapes::Found;
use super::storage::read_file;
use super::text::Scanner;
use super::{Spec, gzip};
use crate::tree::{Edited, Tree};
use crate::yaml::{Content, Style, Yaml};

/// One replaced span of a file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// Counted from 1, in the content (of a gzip copy: the decompressed one).
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub key: String,
    pub old: String,
    pub new: String,
    #[serde(skip)]
    pub span: Range<usize>,
}

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The path in the repository.
    pub path: String,
    /// The file's bytes as they were read: what an edit expects to find.
    pub before: Vec<u8>,
    pub after: Vec<u8>,
    /// In order of place.
    pub edits: Vec<Edit>,
}

impl FileEdit {
    /// How many lines differ.
    pub fn lines(&self) -> usize {
        self.edits.iter().map(|edit| edit.line).collect::<BTreeSet<_>>().len()
    }
}

/// A tree as edits would leave it, without writing them.
pub fn edited<'a>(tree: &'a dyn Tree, edits: &[FileEdit]) -> Edited<'a> {
    Edited::new(tree, edits.iter().map(|edit| (edit.path.clone().into_bytes(), edit.after.clone())))
}

/// Replaces spans of a content. Edits must be in order and apart from each other, and find
/// what they expect.
pub(super) fn splice(content: &[u8], edits: &[Edit]) -> Result<Vec<u8>, String> {
    let mut after = Vec::with_capacity(content.len());
    let mut at = 0;
    for edit in edits {
        let expected = content.get(edit.span.clone());
        if edit.span.start < at || expected != Some(edit.old.as_bytes()) {
            return Err(format!("`{}` is not where it was read", edit.old));
        }
        after.extend_from_slice(&content[at..edit.span.start]);
        after.extend_from_slice(edit.new.as_bytes());
        at = edit.span.end;
    }
    after.extend_from_slice(&content[at..]);
    Ok(after)
}

/// Applies edits to a file as read, reads the result again and requires that the references
/// are `expected` (those of before, with the planned differences) and everything else is as
/// it was. A gzip copy is packed again and the packed bytes are what is read.
pub(super) fn edit_file(
    read: &FileReading,
    edits: Vec<Edit>,
    expected: &[Found],
    scanner: &Scanner,
    spec: &Spec,
) -> Result<FileEdit, Problem> {
    let problem = |message: String| {
        let first = edits.first();
        Problem {
            kind: ProblemKind::Edit,
            file: read.file.path.clone(),
            line: first.map_or(0, |edit| edit.line),
            column: first.map_or(0, |edit| edit.column),
            at: first.map(|edit| edit.span.start),
            message,
            help: "write the references of this file plainly, one to a line".to_owned(),
        }
    };
    let content = splice(read.content(), &edits).map_err(problem)?;
    let after = match read.file.storage {
        Storage::Gzip { .. } => gzip::compress(&content).map_err(|error| problem(error.to_string()))?,
        _ => content.clone(),
    };
    let (again, faults) = read_file(&read.file, after, scanner, spec)?;
    if let Some(fault) = faults.iter().find(|fault| fault.kind != ProblemKind::Notice) {
        return Err(problem(format!("after the edit: {}", fault.message)));
    }
    if again.content() != content || !again.found.iter().map(says).eq(expected.iter().map(says)) {
        return Err(problem("reading the edited file again shows another difference than planned".to_owned()));
    }
    if read.file.storage == Storage::Values {
        same_apart_from(read.content(), &content, &edits).map_err(|message| problem(message.to_owned()))?;
    }
    Ok(FileEdit { path: read.file.path.clone(), before: read.bytes.clone(), after: again.bytes, edits })
}

fn says(found: &Found) -> impl PartialEq {
    (found.key.clone(), found.shape, found.repository.clone(), found.tag.clone(), found.digest)
}

/// Requires that two YAML files differ in scalars that edits touch, and in those as planned.
pub(super) fn same_apart_from(before: &[u8], after: &[u8], edits: &[Edit]) -> Result<(), &'static str> {
    let parse = |bytes| std::str::from_utf8(bytes).ok().and_then(|text| Yaml::parse(text).ok());
    let (Some(old), Some(new)) = (parse(before), parse(after)) else {
        return Err("the edited file is no longer YAML");
    };
    if old.nodes.len() != new.nodes.len() || old.documents != new.documents {
        return Err("the edit changes the structure of the file");
    }
    for (old, new) in old.nodes.iter().zip(&new.nodes) {
        let same = match (&old.content, &new.content) {
            (Content::Scalar(a), Content::Scalar(b)) => {
                let inside: Vec<Edit> = within(edits, &a.span);
                let planned = match inside.as_slice() {
                    [] => a.value == b.value,
                    _ if a.style == Style::Block => true,
                    inside => splice(a.value.as_bytes(), inside).is_ok_and(|value| value == b.value.as_bytes()),
                };
                a.style == b.style && planned
            }
            (a, b) => a == b,
        };
        if !same {
            return Err("the edit changes more than the planned values");
        }
    }
    Ok(())
}

/// The edits inside a span, relative to its start.
fn within(edits: &[Edit], span: &Range<usize>) -> Vec<Edit> {
    let from = edits.partition_point(|edit| edit.span.start < span.start);
    let inside = edits[from..].iter().take_while(|edit| edit.span.end <= span.end);
    inside.map(|edit| Edit { span: edit.span.start - span.start..edit.span.end - span.start, ..edit.clone() }).collect()
}

/// An edit of a span that was read from a content.
pub(super) fn edit(content: &[u8], lines: &Lines<'_>, key: &str, span: Range<usize>, new: String) -> Edit {
    let (line, column) = lines.place(span.start);
    let old = String::from_utf8_lossy(content.get(span.clone()).unwrap_or_default()).into_owned();
    Edit { line, column, key: key.to_owned(), old, new, span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refs::File;
    use crate::refs::read::tests::spec;

    fn plan(text: &str, old: &str, new: &str) -> Vec<Edit> {
        let lines = Lines::new(text.as_bytes());
        let places = text.match_indices(old).map(|(at, _)| at..at + old.len());
        places.map(|span| edit(text.as_bytes(), &lines, "k", span, new.to_owned())).collect()
    }

    #[test]
    fn splices_only_what_it_finds_and_in_order() {
        let edits = plan("a1 b1", "1", "22");
        assert_eq!(splice(b"a1 b1", &edits).unwrap(), b"a22 b22");
        assert!(splice(b"a1 b2", &edits).is_err(), "other bytes");
        assert!(splice(b"a1", &edits).is_err(), "past the end");
        let backwards: Vec<_> = edits.iter().rev().cloned().collect();
        assert!(splice(b"a1 b1", &backwards).is_err());
        let twice = [edits[0].clone(), edits[0].clone()];
        assert!(splice(b"a1 b1", &twice).is_err());
    }

    #[test]
    fn a_difference_beside_the_plan_is_seen() {
        let before = "a: v1 # c\nb: 'v1'\nc: [x, {d: y}]\n";
        let edits = &plan(before, "v1", "v2")[..1];
        let same = |after: &str| same_apart_from(before.as_bytes(), after.as_bytes(), edits);
        assert_eq!(same(&before.replacen("v1", "v2", 1)), Ok(()));
        for after in [
            "a: v3 # c\nb: 'v1'\nc: [x, {d: y}]\n",
            "a: v2 # c\nb: 'v2'\nc: [x, {d: y}]\n",
            "a: v2 # c\nb: v1\nc: [x, {d: y}]\n",
            "a: 'v2' # c\nb: 'v1'\nc: [x, {d: y}]\n",
            "a: v2 # c\nb: 'v1'\nc: [x, [d, y]]\n",
            "a: v2 # c\nb: 'v1'\nc: [x, {d: y}, z]\n",
            "a: v2 # c\nb: 'v1'\n---\nc: [x, {d: y}]\n",
            "a: v2 # c\nb: [\n",
        ] {
            assert!(same(after).is_err(), "{after}");
        }
    }

    #[test]
    fn reading_again_must_show_what_was_planned() {
        let text = "a: ghcr.io/org/own/a:v1\nb: ghcr.io/org/own/b:v1\n";
        let (spec, scanner) = (spec(), Scanner::new(&spec().owned));
        for storage in [Storage::Values, Storage::Text] {
            let file = File { path: "packages/a/b/values.yaml".into(), storage };
            let (read, _) = read_file(&file, text.as_bytes().to_vec(), &scanner, &spec).unwrap();
            let try_plan = |edits: Vec<Edit>, tags: [&str; 2]| {
                let mut expected = read.found.clone();
                for (found, tag) in expected.iter_mut().zip(tags) {
                    found.tag = Some(tag.parse().unwrap());
                }
                edit_file(&read, edits, &expected, &scanner, &spec)
            };
            let edits = plan(text, "v1", "v2");
            assert!(try_plan(edits.clone(), ["v2", "v2"]).is_ok());
            assert!(try_plan(edits.clone(), ["v2", "v1"]).is_err(), "changes more than planned");
            assert!(try_plan(edits[..1].to_vec(), ["v2", "v2"]).is_err(), "changes less than planned");
            let broken = plan(text, "v1", "V:1");
            assert!(try_plan(broken, ["v2", "v2"]).is_err(), "is no reference any more");
        }
    }
}
