//! Looking at a tree as a promotion of it would.

use std::path::Path;

use anyhow::Context as _;

use super::{Finding, Preview, Source, Subject, Topic, Version, artifact, names, published, released};
use crate::archive::chart::Chart;
use crate::model::{self, Code, Rc, RefName, Refusal, Repository, Tag, Unknown};
use crate::pipeline::Pipeline;
use crate::port::forge::ForgeRead;
use crate::port::repository::Refs;
use crate::promotion::locate::base_of;
use crate::promotion::survey::{Survey, survey};
use crate::promotion::{Change, Names, PromotionError};
use crate::refs::{Class, candidates, edited};
use crate::stage::{Sight, base, chart};
use crate::tree::{Edited, Tree};

/// What is previewed, and through which doors.
pub struct Sought<'a> {
    pub pipeline: &'a Pipeline,
    /// A repository's root.
    pub tree: &'a dyn Tree,
    pub subject: Subject,
    /// The candidate; without one, what the tree's own tags say.
    pub rc: Option<Rc>,
    /// What the origin lists.
    pub refs: Result<&'a Refs, &'a Unknown>,
    /// The branch that the tree goes into, where there is one.
    pub base: Option<RefName>,
    pub sight: Sight<'a>,
    /// Who hosts releases; nobody on plain git, or where nobody is to be asked.
    pub forge: Option<&'a dyn ForgeRead>,
    /// Where the artifact is packed.
    pub spool: &'a Path,
}

/// What the tree itself says.
struct Local {
    survey: Survey,
    chart: Option<(Repository, Tag, Chart)>,
}

/// Looks at everything that can be looked at before there is a candidate.
///
/// # Errors
/// When the tree can't be read or there is no room. What registries and the origin don't answer is a value.
pub async fn look(sought: Sought<'_>) -> anyhow::Result<Preview> {
    let mut preview = Preview::of(sought.subject.clone());
    preview.findings.extend(conflicts(&sought.subject));
    let rc = version(&sought, &mut preview);
    let local = tokio::task::block_in_place(|| local(&sought, rc.as_ref(), &mut preview))?;
    let occurrences = &local.survey.references.occurrences;
    match &rc {
        Some(rc) => {
            let (sight, found) = (sought.sight, &mut preview.findings);
            let mut destinations = names::images(sight, rc.stable, &local.survey.images, found).await;
            found.extend(published::tags(sight, occurrences).await);
            let repository = &sought.pipeline.artifact.repository;
            destinations.extend(names::artifact(sight, repository, rc.stable, None, found).await);
            if let Some((repository, tag, _)) = &local.chart {
                destinations.push(names::chart(sight, repository, tag, found).await);
            }
            preview.destinations = destinations;
            let names = git(&sought, rc, &mut preview)?;
            if let Some(forge) = sought.forge {
                let release = released::release(forge, &names.git_tag, false, &mut preview.findings).await;
                preview.destinations.push(release);
            }
            preview.destinations.extend(released::aliases(sought.pipeline, local.survey.images.len()));
        }
        None => {
            let (findings, note) = published::digests(sought.sight, occurrences).await;
            preview.findings.extend(findings);
            preview.notes.push(note);
        }
    }
    let third = occurrences.iter().filter(|found| found.class == Class::ThirdParty).count();
    if third > 0 {
        preview.notes.push(format!("{third} third-party references are not looked up: a promotion never touches them"));
    }
    preview.notes.push(
        "what speaks for a candidate, and what protects the base, is looked at once there is one: sealift plan".into(),
    );
    preview.changes = local.survey.rewrite.iter().flat_map(|rewrite| &rewrite.files).map(Change::from).collect();
    Ok(preview.judged())
}

fn conflicts(subject: &Subject) -> Option<Finding> {
    let refusal = || {
        Refusal::new(Code::MergeConflict, "it can't be merged as it is: what is shown is its head alone")
            .at(&subject.conflicts)
            .hint("merge the base into it, or rebase it")
    };
    (!subject.conflicts.is_empty()).then(|| Finding::warning(Topic::Conflict, refusal()))
}

/// Which candidate this would be.
fn version(sought: &Sought<'_>, preview: &mut Preview) -> Option<Rc> {
    let spec = sought.pipeline.spec();
    let read = || match crate::refs::read(sought.tree, &spec, None) {
        Ok(references) => references,
        Err(error) => *error.references,
    };
    let references = tokio::task::block_in_place(read);
    let carried = candidates(&spec, &references.occurrences);
    preview.carried = carried.iter().map(|rc| format!("v{rc}")).collect();
    // A stray tag is no candidate: the tree's version is what most of its own tags carry.
    let most = references.version;
    let stray = |rc: &Rc| most != Some(model::Version::Candidate(*rc));
    if sought.rc.is_none() && carried.iter().any(stray) {
        let taken = most.map_or_else(|| "none".to_owned(), |version| format!("v{version}"));
        let refusal = Refusal::new(
            Code::MixedVersions,
            format!("its own tags carry other versions than {taken}, which most of them carry"),
        )
        .at(carried.iter().filter(|rc| stray(rc)).map(|rc| format!("v{rc}")))
        .hint("stamp what is stale, or name the candidate that is meant: sealift preview … vX.Y.Z-rc.N");
        preview.findings.push(Finding::warning(Topic::Rewrite, refusal));
    }
    let (rc, source) = match (sought.rc, most) {
        (Some(rc), _) => (rc, Source::Asked),
        (None, Some(model::Version::Candidate(rc))) => (rc, Source::Tree),
        (None, _) => return None,
    };
    preview.version = Some(Version { rc: Some(format!("v{rc}")), stable: format!("v{}", rc.stable), source });
    Some(rc)
}

/// All that the tree says without asking anybody.
fn local(sought: &Sought<'_>, rc: Option<&Rc>, preview: &mut Preview) -> anyhow::Result<Local> {
    let Sought { pipeline, tree, .. } = sought;
    let mut survey = survey(*tree, &pipeline.spec(), rc);
    let found = &mut preview.findings;
    found.extend(std::mem::take(&mut survey.faults).into_iter().map(Finding::from));
    preview.notes.append(&mut survey.notices);
    let after: Edited<'_> = match &survey.rewrite {
        Some(rewrite) => edited(*tree, &rewrite.files),
        None => Edited::new(*tree, []),
    };
    // A tree that can't be rewritten becomes nothing.
    if rc.is_none() || survey.rewrite.is_some() {
        preview.artifact =
            artifact::pack(pipeline, &after, sought.spool, found).context("the artifact can't be made")?;
    }
    let mut packed = None;
    if let Some(rc) = rc {
        match chart::pack_tree(pipeline, &after, &rc.stable) {
            Ok(chart) => packed = chart,
            Err(PromotionError::Refused(refusals)) => {
                found.extend(refusals.into_iter().map(|refusal| Finding::refused(Topic::Chart, refusal)));
            }
            Err(PromotionError::Chart(error)) => {
                found.push(Finding::refused(Topic::Chart, chart::unpackable(&error)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    for marker in &pipeline.base_requires {
        let path = marker.file.as_bytes();
        let file = tree.find(path)?.filter(|entry| entry.kind == crate::tree::Kind::File);
        let file = file.map(|_| tree.read(path)).transpose()?;
        let name = sought.base.as_ref().map_or("the tree", RefName::short);
        let unmarked = base::unmarked(marker, file.as_deref(), name);
        found.extend(unmarked.map(|refusal| Finding::refused(Topic::Base, refusal)));
    }
    Ok(Local { survey, chart: packed })
}

/// The git names, and whether the tree goes where they are made from.
fn git(sought: &Sought<'_>, rc: &Rc, preview: &mut Preview) -> anyhow::Result<Names> {
    let (found, line) = (&mut preview.findings, sought.pipeline.branches.line.stable(&rc.stable));
    let into = match sought.refs.map(|refs| base_of(sought.pipeline, refs, &rc.stable)) {
        Ok(Ok(into)) => into,
        Ok(Err(refusal)) => {
            found.push(Finding::refused(Topic::Base, refusal));
            RefName::branch(&line)?
        }
        // The names say so.
        Err(_) => RefName::branch(&line)?,
    };
    if let Some(base) = sought.base.as_ref().filter(|base| **base != into && sought.refs.is_ok()) {
        let (into, base) = (into.short(), base.short());
        preview.notes.push(format!("v{} is promoted into {into}; this goes into {base}", rc.stable));
    }
    let names = Names::with_base(sought.pipeline, rc, into)?;
    preview.destinations.extend(names::git(&names, sought.refs, None, found));
    Ok(names)
}
