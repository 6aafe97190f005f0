//! What each command would do to a reference, and why not.

use serde::Serialize;

use crate::lint::{Subject, divided_host};
use crate::model::{Rc, Stable, Tag, Version};
use crate::promotion::{self, Wanted};
use crate::refs::{self, Class, Occurrence, ProblemKind, Shape};

/// What one command would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// `promotion` (the text), `retag` (the registry), `mirror` (the host).
    pub of: &'static str,
    #[serde(flatten)]
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// From one text or name to another.
    Changes { from: String, to: String, why: String },
    /// Nothing.
    Nothing { why: String },
    /// It would be refused.
    Refused { why: String },
    /// What would come of it can't be said.
    Unknown { why: String },
}

/// The stable names that digests want: of all references, looked up once.
pub fn wanted<'s>(subject: &'s Subject<'_>) -> Wanted<'s> {
    match subject.version {
        Some(Version::Candidate(rc)) => promotion::wanted(&subject.spec, &subject.account.references.occurrences, &rc),
        _ => Wanted::new(),
    }
}

/// What of the tree was not read, where something depends on it; `None`: everything was.
fn unread(subject: &Subject<'_>) -> Option<String> {
    match subject.problems(ProblemKind::Unreadable).count() {
        0 => None,
        1 => Some("a file of the tree could not be read".to_owned()),
        n => Some(format!("{n} files of the tree could not be read")),
    }
}

pub fn all(subject: &Subject<'_>, wanted: &Wanted<'_>, found: &Occurrence) -> Vec<Effect> {
    let mut effects = vec![
        Effect { of: "promotion", change: text(subject, found) },
        Effect { of: "retag", change: name(subject, wanted, found) },
        Effect { of: "mirror", change: mirror(subject, found) },
    ];
    for effect in &mut effects {
        effect.change.shorten();
    }
    effects
}

impl Change {
    fn nothing(why: impl Into<String>) -> Self {
        Self::Nothing { why: why.into() }
    }

    fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown { why: why.into() }
    }

    fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into() }
    }

    /// A name may be as long as its file.
    fn shorten(&mut self) {
        const MOST: usize = 400;
        let (Self::Changes { why, .. } | Self::Nothing { why } | Self::Refused { why } | Self::Unknown { why }) = self;
        if let Some((end, _)) = why.char_indices().nth(MOST) {
            why.truncate(end);
            why.push('…');
        }
    }
}

const THIRD_PARTY: &str = "it is not owned";

/// What of a promotion's candidate the tree is.
enum Line {
    Candidate(Rc),
    Stable(Stable),
    None,
    /// Tags tell it, and not all of them were read.
    Unknown(String),
}

fn line(subject: &Subject<'_>) -> Line {
    if let Some(unread) = unread(subject).filter(|_| !subject.asked) {
        return Line::Unknown(format!("{unread}, and its tags may tell another version: name the candidate with --rc"));
    }
    match subject.version {
        Some(Version::Candidate(rc)) => Line::Candidate(rc),
        Some(Version::Stable(stable)) => Line::Stable(stable),
        None => Line::None,
    }
}

/// What the rewrite makes of the text.
fn text(subject: &Subject<'_>, found: &Occurrence) -> Change {
    match (found.class, line(subject)) {
        (Class::ThirdParty, _) => Change::nothing(THIRD_PARTY),
        (Class::PackagesArtifact, _) => Change::nothing(
            "the rewrite leaves it alone: the pin writes the candidate's digest, where it is the installer's",
        ),
        (Class::NoRepository, Line::Candidate(rc)) => match &found.tag {
            Some(tag) if refs::version_line(&subject.spec, tag, &rc) => Change::refused(
                "its tag is the candidate's, and without a repository it is never rewritten: it would survive the \
                 rewrite",
            ),
            _ => Change::nothing("without a repository it is never rewritten; its digest is guarded all the same"),
        },
        (Class::NoRepository, _) => {
            Change::nothing("without a repository it is never rewritten; its digest is guarded all the same")
        }
        (Class::ComponentVersioned | Class::VersionLine, Line::Unknown(why)) => Change::unknown(why),
        (Class::ComponentVersioned, _) => Change::nothing("its tag is not the candidate's: the text stays as it is"),
        (Class::VersionLine, _) if found.aliased => {
            Change::refused("its tag is shared by a YAML alias: changing it changes another place")
        }
        (Class::VersionLine, Line::Candidate(rc)) => {
            let stable = found.tag.as_ref().and_then(|tag| refs::with_stable(&subject.spec, tag, &rc));
            match (&found.tag, stable) {
                (Some(tag), Some(stable)) => {
                    let copy = found.copy_of.as_ref().map(|plain| format!(", in this copy of {plain} as there"));
                    let why = format!("the tag alone is replaced, and the digest stays{}", copy.unwrap_or_default());
                    Change::Changes { from: tag.to_string(), to: stable.to_string(), why }
                }
                _ => Change::nothing("it has no tag"),
            }
        }
        (Class::VersionLine, Line::Stable(stable)) => {
            Change::nothing(format!("the tree is at v{stable}, which is stable already"))
        }
        (Class::VersionLine, Line::None) => Change::nothing("no owned tag of the tree carries a version"),
    }
}

/// What name the registry would get for the digest.
fn name(subject: &Subject<'_>, wanted: &Wanted<'_>, found: &Occurrence) -> Change {
    let repository = match (&found.repository, found.class) {
        (None, _) | (_, Class::NoRepository) => {
            return Change::nothing("the file doesn't say which repository it is of");
        }
        (_, Class::ThirdParty) => return Change::nothing(THIRD_PARTY),
        (Some(repository), _) => repository,
    };
    if found.class == Class::PackagesArtifact {
        return Change::nothing("what is pinned here is an earlier artifact: the candidate's own gets the stable tag");
    }
    if let Some(plain) = &found.copy_of {
        return Change::nothing(format!("it is a copy of {plain}, and no further image"));
    }
    let Some(digest) = found.digest else {
        return Change::refused("it has no digest: what it runs was never fixed");
    };
    let rc = match line(subject) {
        Line::Candidate(rc) => rc,
        Line::Stable(stable) => return Change::nothing(format!("the tree is at v{stable}, which is stable already")),
        Line::None => {
            return Change::unknown("no owned tag of the tree carries a version: name the candidate with --rc");
        }
        Line::Unknown(why) => return Change::unknown(why),
    };
    let stable = found.tag.as_ref().and_then(|tag| refs::with_stable(&subject.spec, tag, &rc));
    let stable: Option<Tag> = stable.or_else(|| format!("v{}", rc.stable).parse().ok());
    let Some(stable) = stable else { return Change::nothing("no stable tag can be made of the version") };
    let to = format!("{repository}:{stable}");
    let rivals = wanted.get(&(repository.clone(), stable)).map_or(1, std::collections::BTreeMap::len);
    if rivals > 1 {
        return Change::refused(format!("{rivals} digests of the tree want the name {to}"));
    }
    if let Some(unread) = unread(subject) {
        return Change::unknown(format!("{unread}, and may hold another digest that wants the name {to}"));
    }
    let why = match found.class {
        Class::VersionLine => "the digest gets its stable name, written once",
        _ => "the digest gets the stable name beside its own, written once; the text keeps its tag",
    };
    Change::Changes { from: digest.to_string(), to, why: why.to_owned() }
}

/// What a mirror would do: copy by digest, and rewrite the host in the same places.
fn mirror(subject: &Subject<'_>, found: &Occurrence) -> Change {
    let Some(repository) = &found.repository else {
        return Change::nothing("it has no host to rewrite, and nothing says which image it is");
    };
    let prefix = subject.spec.owned.iter().find(|prefix| prefix.owns(repository));
    let Some(prefix) = prefix.filter(|_| found.class != Class::ThirdParty) else {
        return Change::nothing("it is not owned: third-party images are never mirrored");
    };
    if found.class == Class::PackagesArtifact {
        return Change::nothing("the packages artifact is published anew of the rewritten tree, and not copied");
    }
    if found.digest.is_none() {
        return Change::refused("it has no digest: what would be copied is not fixed");
    }
    if divided_host(subject, found).is_some() {
        let where_to = if found.shape == Shape::GlobalRegistry { "address" } else { "registry" };
        return Change::refused(format!(
            "`{prefix}` is divided over two keys, so that no rewrite of hosts reaches it: write the whole name in one \
             key, or `{prefix}` as the whole value of `{where_to}` (lint: split-host)"
        ));
    }
    let whole = repository.to_string();
    let below = whole.strip_prefix(&prefix.to_string()).unwrap_or_default().to_owned();
    let why = match &found.copy_of {
        Some(plain) => format!("the host is rewritten in this copy of {plain}, too, and the image copied once"),
        None => "the image is copied by digest, and the host rewritten here".to_owned(),
    };
    Change::Changes { from: whole, to: format!("<mirror>{below}"), why }
}
