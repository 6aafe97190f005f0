//! The names a promotion would take, and where they stand.

use serde::Serialize;

use super::published::unpullable;
use super::{Finding, Topic};
use crate::model::{Answer, CommitId, Digest, Repository, Stable, Tag, Unknown};
use crate::port::repository::Refs;
use crate::promotion::{Image, Names};
use crate::stage::images::{self, Pulled};
use crate::stage::retag::{Name, artifact_taken, taken};
use crate::stage::{Sight, chart, finalize};

/// A name that becomes public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Destination {
    pub kind: Kind,
    pub name: String,
    /// What it would name, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// `file:line` of every reference to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    #[serde(flatten)]
    pub standing: Standing,
}

/// What the name is of, in the order in which names become public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Image,
    Artifact,
    Chart,
    ModuleTag,
    GitTag,
    Line,
    Release,
    Alias,
}

/// Where a name stands. Unknown is never free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum Standing {
    Free,
    /// It names what it should already.
    Right,
    /// It is moved forward, never back.
    Follows,
    /// It names something else: the version is spent.
    Taken {
        found: String,
    },
    /// The name is no matter: what it would name can't be pulled.
    Unpullable,
    Unknown {
        why: String,
    },
}

impl Destination {
    pub(super) fn new(kind: Kind, name: impl ToString, standing: Standing) -> Self {
        Self { kind, name: name.to_string(), value: None, sources: Vec::new(), standing }
    }

    fn naming(self, value: impl ToString) -> Self {
        Self { value: Some(value.to_string()), ..self }
    }
}

/// The stable names of images.
pub async fn images(
    sight: Sight<'_>,
    stable: Stable,
    images: &[Image],
    findings: &mut Vec<Finding>,
) -> Vec<Destination> {
    let mut destinations = Vec::new();
    for (image, (name, pulled)) in images.iter().zip(images::look(sight, images).await) {
        let Image { repository, tag, digest, sources } = image;
        let mut standing = match name {
            Name::Free(_) => Standing::Free,
            Name::Right => Standing::Right,
            Name::Gone => {
                findings.extend(unpullable(repository, *digest, sources, Pulled::Gone));
                Standing::Unpullable
            }
            Name::Taken(found) => {
                let refusal = taken(stable, repository, tag, *digest, found).at(sources);
                findings.push(Finding::refused(Topic::Name, refusal));
                Standing::Taken { found: found.to_string() }
            }
            Name::Unknown(unknown) => Standing::unknown(unknown, sources, findings),
        };
        let broken = pulled.map(|pulled| unpullable(repository, *digest, sources, pulled)).unwrap_or_default();
        if !broken.is_empty() {
            standing = Standing::Unpullable;
        }
        findings.extend(broken);
        let destination = Destination::new(Kind::Image, format!("{repository}:{tag}"), standing).naming(digest);
        destinations.push(Destination { sources: sources.clone(), ..destination });
    }
    destinations
}

/// The stable name of the packages artifact; `own` is the artifact's digest, once there is one.
pub async fn artifact(
    sight: Sight<'_>,
    repository: &Repository,
    stable: Stable,
    own: Option<Digest>,
    findings: &mut Vec<Finding>,
) -> Option<Destination> {
    // Three numbers are a tag.
    let tag: Tag = format!("v{stable}").parse().ok()?;
    let standing = match sight.tagged(repository, &tag).await {
        Answer::Absent => Standing::Free,
        Answer::Found(found) if Some(found.digest()) == own => Standing::Right,
        Answer::Found(found) => {
            let refusal = artifact_taken(stable, repository, &tag, found.digest());
            findings.push(Finding::refused(Topic::Name, refusal));
            Standing::Taken { found: found.digest().to_string() }
        }
        Answer::Unknown(unknown) => Standing::unknown(unknown, &[], findings),
    };
    let destination = Destination::new(Kind::Artifact, format!("{repository}:{tag}"), standing);
    Some(Destination { value: own.map(|digest| digest.to_string()), ..destination })
}

/// The chart's name, before any chart of that version can be ours.
pub async fn chart(sight: Sight<'_>, repository: &Repository, tag: &Tag, findings: &mut Vec<Finding>) -> Destination {
    let standing = match sight.tagged(repository, tag).await {
        Answer::Absent => Standing::Free,
        Answer::Found(found) => {
            let refusal = chart::foreign(repository, tag, "nothing is merged yet");
            findings.push(Finding::refused(Topic::Name, refusal));
            Standing::Taken { found: found.digest().to_string() }
        }
        Answer::Unknown(unknown) => Standing::unknown(unknown, &[], findings),
    };
    Destination::new(Kind::Chart, format!("{repository}:{tag}"), standing)
}

/// The git names; `merge` is the merge, once there is one: a name there is ours.
pub fn git(
    names: &Names,
    refs: Result<&Refs, &Unknown>,
    merge: Option<CommitId>,
    findings: &mut Vec<Finding>,
) -> Vec<Destination> {
    let tags = names.module_tags.iter().map(|name| (Kind::ModuleTag, name)).chain([(Kind::GitTag, &names.git_tag)]);
    let all: Vec<_> = tags.chain([(Kind::Line, &names.line)]).collect();
    let refs = match refs {
        Ok(refs) => refs,
        Err(unknown) => {
            findings.push(Finding::unknown(Topic::Name, unknown.clone()));
            let why = unknown.to_string();
            return all
                .into_iter()
                .map(|(k, n)| Destination::new(k, n, Standing::Unknown { why: why.clone() }))
                .collect();
        }
    };
    let look = |(kind, name): (Kind, &crate::model::RefName)| {
        let standing = match refs.get(name).map(|listed| listed.peeled) {
            None => Standing::Free,
            Some(_) if kind == Kind::Line => Standing::Follows,
            Some(found) if Some(found) == merge => Standing::Right,
            Some(found) => {
                let instead = merge.map_or("nothing is merged yet".into(), |merge| format!("the merge is {merge}"));
                let refusal = finalize::foreign_tag(name, found, &instead);
                findings.push(Finding::refused(Topic::Name, refusal));
                Standing::Taken { found: found.to_string() }
            }
        };
        Destination::new(kind, name, standing)
    };
    all.into_iter().map(look).collect()
}

impl Standing {
    pub(super) fn unknown(unknown: Unknown, sources: &[String], findings: &mut Vec<Finding>) -> Self {
        let why = unknown.to_string();
        let mut finding = Finding::unknown(Topic::Name, unknown);
        finding.refusal = finding.refusal.at(sources);
        findings.push(finding);
        Self::Unknown { why }
    }
}
