//! How far a count looks.

/// How far is looked, beyond the files with references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// As far as a promotion goes: folders called `charts` and Markdown are not looked into.
    Promotion,
    /// Into folders called `charts`, too: owned references in them are nothing to account for.
    Charts,
    /// Into every file, with an [`Item`](super::Item) for each place.
    Whole,
    /// As [`Scope::Charts`], but into this one file alone (its path in the repository), with its items.
    File(&'a [u8]),
}

impl Scope<'_> {
    /// Whether a file's places are listed.
    pub(super) fn lists(self, path: &[u8]) -> bool {
        match self {
            Self::Promotion | Self::Charts => false,
            Self::Whole => true,
            Self::File(asked) => asked == path,
        }
    }

    /// Whether a file outside of the enumeration is read.
    pub(super) fn reads(self, path: &[u8], vendored: bool, markdown: bool) -> bool {
        match self {
            Self::Promotion => !vendored && !markdown,
            Self::Charts => !markdown,
            Self::Whole => true,
            Self::File(asked) => asked == path,
        }
    }
}
