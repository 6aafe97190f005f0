//! Releases and their assets.

use std::fmt;

use crate::model::Digest;

/// A forge's own number of a release: for looking it up, never for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseId(pub u64);

/// A forge's own number of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(pub u64);

/// A release, published or a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    pub id: ReleaseId,
    /// The git tag's name; an orphaned draft's is `untagged-…`.
    pub tag: String,
    /// The title.
    pub name: String,
    pub body: String,
    pub draft: bool,
    pub prerelease: bool,
    /// Where people see it.
    pub url: String,
    /// When it was published, as the forge spells it (RFC 3339, UTC); a draft never was.
    pub published_at: Option<String>,
}

/// Every release that the credential sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    pub all: Vec<Release>,
    /// Whether drafts are among them: without the right to push they are not visible, not absent.
    pub drafts_visible: bool,
}

impl Releases {
    /// The drafts of a tag: by the tag, and the orphaned ones by their name (GitHub calls a draft
    /// whose tag is gone `untagged-…`).
    pub fn drafts<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Release> {
        let orphaned = move |release: &Release| release.tag.starts_with("untagged-") && release.name == tag;
        self.all.iter().filter(move |release| release.draft && (release.tag == tag || orphaned(release)))
    }

    /// The published release of a tag.
    pub fn published(&self, tag: &str) -> Option<&Release> {
        self.all.iter().find(|release| !release.draft && release.tag == tag)
    }
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    pub id: AssetId,
    pub name: String,
    pub size: u64,
    /// What the forge hashed; older assets have none.
    pub digest: Option<Digest>,
    /// Whether the upload came to its end.
    pub complete: bool,
}

/// A draft to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRelease {
    pub tag: String,
    pub name: String,
    pub body: String,
    /// The branch or commit a tag would be made at, were the draft published without one.
    pub target: String,
}

/// What to change of a release; `None` leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseEdit {
    pub tag: Option<String>,
    pub name: Option<String>,
    pub body: Option<String>,
    /// `Some(false)` publishes.
    pub draft: Option<bool>,
    pub prerelease: Option<bool>,
    pub latest: Option<Latest>,
}

/// Whether a release becomes the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latest {
    Yes,
    No,
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
