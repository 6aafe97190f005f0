//! How a file stands to the tool, and why there may be nothing on a line.

use super::place::{PlaceError, Question};
use crate::lint::Subject;
use crate::model::Lines;
use crate::refs::{ProblemKind, Storage, in_charts};
use crate::tree::{Entry, Kind, Tree as _, below, show};

/// How a file stands.
pub enum Role {
    Holds(Storage),
    /// Below the root, and not among the files with references.
    Undeclared,
    Vendored,
    Markdown,
    Outside {
        root: String,
    },
}

impl Role {
    /// How a file of the subject's tree stands, by its path in the repository.
    pub fn of(subject: &Subject<'_>, file: &str) -> Result<Self, PlaceError> {
        let enumeration = &subject.account.references.enumeration;
        if let Some(found) = enumeration.files.iter().find(|found| found.path == file) {
            return Ok(Self::Holds(found.storage.clone()));
        }
        let known = enumeration.entries().iter().find(|entry| show(&entry.path) == file).cloned();
        let entry = match known {
            Some(entry) => Some(entry),
            None => subject.tree.find(file.as_bytes()).map_err(|error| PlaceError::Unreadable(error.to_string()))?,
        };
        match entry {
            None => Err(PlaceError::NoFile(file.to_owned())),
            Some(Entry { kind, .. }) if kind != Kind::File => Err(PlaceError::NotAFile(file.to_owned())),
            Some(entry) => Ok(Self::other(subject, &entry.path)),
        }
    }

    fn other(subject: &Subject<'_>, path: &[u8]) -> Self {
        let root = subject.spec.root.trim_matches('/');
        let root = if root == "." { "" } else { root };
        let Some(relative) = below(path, root.as_bytes()) else { return Self::Outside { root: root.to_owned() } };
        let name = String::from_utf8_lossy(relative).to_ascii_lowercase();
        if in_charts(relative) {
            Self::Vendored
        } else if name.ends_with(".md") || name.ends_with(".markdown") {
            Self::Markdown
        } else {
            Self::Undeclared
        }
    }

    /// The same in a few words.
    pub fn words(&self) -> String {
        match self {
            Self::Holds(Storage::Values) => "a file with references, read as YAML".to_owned(),
            Self::Holds(Storage::TagFile) => "a tag file: one reference and nothing else".to_owned(),
            Self::Holds(Storage::Text) => "a declared file, read as text".to_owned(),
            Self::Holds(Storage::Gzip { copy_of }) => format!("a declared gzip copy of {copy_of}"),
            Self::Undeclared => "not among the files with references: the census looks into it".to_owned(),
            Self::Vendored => "below a folder called `charts`: upstream's".to_owned(),
            Self::Markdown => "Markdown: prose".to_owned(),
            Self::Outside { root } => format!("outside of `{root}`, the folder of packages: nothing there is read"),
        }
    }

    /// Why there is nothing at a place.
    pub fn nothing(&self, subject: &Subject<'_>, asked: &Question, content: Option<&[u8]>) -> String {
        let place = if asked.line.is_some() { "the line" } else { "the file" };
        let text = asked.line.and_then(|line| {
            let content = content?;
            let lines = Lines::new(content);
            Some(lines.text(lines.offset(line, 1)?).into_owned())
        });
        let trimmed = text.as_deref().map(str::trim);
        let why = match (self, trimmed) {
            (Self::Outside { root }, _) => {
                return format!("the file is outside of `{root}`: nothing there is a reference of the tree's");
            }
            (_, Some("")) => return "the line is empty".to_owned(),
            (_, Some(text)) if text.starts_with('#') || text.starts_with("//") => {
                return "the line is a comment, with neither a digest nor an owned name in it".to_owned();
            }
            (Self::Holds(_), _) => "",
            (Self::Undeclared, _) => ", and the file is not among those with references",
            (Self::Vendored, _) => ", and what is below a folder called `charts` is upstream's",
            (Self::Markdown, _) => ", and Markdown is prose",
        };
        let mut unread = subject.account.problems.iter().chain(&subject.account.notices);
        match unread.find(|problem| {
            problem.file == asked.file && (problem.line == 0 || problem.kind == ProblemKind::Unreadable)
        }) {
            Some(problem) => format!("the file could not be looked into: {}", problem.message),
            None => {
                format!("{place} holds neither a digest nor an owned reference, nor a third-party one in a shape{why}")
            }
        }
    }
}
