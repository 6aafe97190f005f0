//! An entry of a table, and the fields as they were written.

use std::ops::Range;

use serde::Serialize;

use crate::model::Digest;

/// An override for the images of one name. At least one of the three others is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Compared with an image's name literally. It carries neither tag nor digest.
    pub name: String,
    /// Replaces the name.
    pub new_name: Option<String>,
    /// Replaces tag and digest; beside a digest it is a label.
    pub new_tag: Option<String>,
    /// Replaces tag and digest.
    pub digest: Option<Digest>,
    /// Where the entry begins, counted from 1.
    #[serde(skip)]
    pub line: usize,
    /// In characters, counted from 1.
    #[serde(skip)]
    pub column: usize,
}

/// The fields of an entry: there are no others.
pub(super) const FIELDS: [&str; 4] = ["name", "newName", "newTag", "digest"];

/// A field's text and its place.
pub(super) struct Field {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// An entry as it was written, in the order of [`FIELDS`]. An empty field is there, and counts as
/// if it weren't: that is how kustomize reads it.
#[derive(Default)]
pub(super) struct Written {
    pub(super) span: Range<usize>,
    pub(super) fields: [Option<Field>; 4],
}

impl Written {
    /// A field with something in it.
    fn field(&self, at: usize) -> Option<&Field> {
        self.fields[at].as_ref().filter(|field| !field.text.is_empty())
    }

    pub(super) fn name(&self) -> Option<&Field> {
        self.field(0)
    }

    pub(super) fn new_name(&self) -> Option<&Field> {
        self.field(1)
    }

    pub(super) fn new_tag(&self) -> Option<&Field> {
        self.field(2)
    }

    pub(super) fn digest(&self) -> Option<&Field> {
        self.field(3)
    }

    /// The entry, once it has been checked.
    pub(super) fn entry(&self, (line, column): (usize, usize)) -> Entry {
        let text = |field: Option<&Field>| field.map(|field| field.text.clone());
        Entry {
            name: text(self.name()).unwrap_or_default(),
            new_name: text(self.new_name()),
            new_tag: text(self.new_tag()),
            digest: self.digest().and_then(|field| field.text.parse().ok()),
            line,
            column,
        }
    }
}
