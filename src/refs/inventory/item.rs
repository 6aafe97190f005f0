//! One place of a file, and who claims it.

use std::ops::Range;

use serde::Serialize;

use crate::refs::class::Class;
use crate::refs::shapes::Shape;

/// Characters of a text that an item repeats.
const TEXT: usize = 320;

/// One place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The path in the repository.
    pub file: String,
    /// In a packed archive, the path there; inside of another archive behind ` > `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Counted from 1; of a packed file, in what is unpacked.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// In bytes of what the line is counted in.
    #[serde(skip)]
    pub span: Range<usize>,
    pub what: What,
    /// As it is spelled; what was put together, as it comes out.
    pub text: String,
    pub claim: Claim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A name with a tag, a digest, or both.
    Reference,
    /// A digest without a name.
    Digest,
    /// An owned name without tag and digest.
    Name,
    /// Meant as a reference, and none.
    Malformed,
}

/// Who claims a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Claim {
    /// A shape, in a file with references.
    Shape { shape: Shape, class: Class },
    /// The pipeline, with a reason.
    Exclusion { reason: String },
    /// Its class: it is not owned, and stands where nothing is moved.
    ThirdParty,
    /// Upstream: it stands in a folder called `charts`, or in a packed chart.
    Vendored,
    /// Prose: it stands in Markdown.
    Prose,
    /// It pulls nothing: a comment, a name alone, a digest alone.
    Mention { why: &'static str },
    /// Nobody, and the census refuses it.
    Unclaimed,
    /// Nobody, and no promotion sees it: it takes a wider look to find it.
    Overlooked { why: &'static str },
}

impl Claim {
    /// The kind, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Shape { .. } => "shape",
            Self::Exclusion { .. } => "exclusion",
            Self::ThirdParty => "third-party",
            Self::Vendored => "vendored",
            Self::Prose => "prose",
            Self::Mention { .. } => "mention",
            Self::Unclaimed => "unclaimed",
            Self::Overlooked { .. } => "overlooked",
        }
    }
}

/// The beginning of a text, as much as an item repeats.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
