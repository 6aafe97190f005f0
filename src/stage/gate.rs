//! gate: everything later stages will need can be had. Looked at before the first write.

use futures_util::future::BoxFuture;

use super::retag::{Name, look, taken};
use super::{Plan, Refusal, Stage, World, chart, finalize, proof};
use crate::model::{Answer, CommitId, Unknown};
use crate::pipeline::RcTag;
use crate::promotion::PromotionError;
use crate::promotion::history::Merge;
use crate::tree::show;

pub struct Gate;

impl Stage for Gate {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let facts = world.facts;
    let content = world.promotion.content;
    let has = |tip: CommitId| world.store.is_ancestor(content, tip);
    let begun =
        facts.staging.map(has).transpose()?.unwrap_or(false) || facts.base.map(has).transpose()?.unwrap_or(false);
    let mut found = Findings::default();
    if begun {
        if !world.published()? {
            still_free(world, &mut found).await?;
        }
        if !found.refusals.is_empty() {
            return Ok(Plan::refuse(found.refusals));
        }
        return Ok(Plan::holds().note("passed when this promotion began").notes(moved(world)));
    }
    ancestry(world, &mut found)?;
    base(world, &mut found)?;
    git_names(world, &mut found)?;
    images(world, &mut found).await;
    artifact(world, &mut found).await?;
    let notes = found.notes;
    if !found.refusals.is_empty() {
        return Ok(Plan::refuse(found.refusals).notes(notes));
    }
    Ok(Plan::holds().notes(notes).note("no evidence of an end-to-end run is declared in the pipeline"))
}

#[derive(Default)]
struct Findings {
    refusals: Vec<Refusal>,
    notes: Vec<String>,
}

impl Findings {
    fn refuse(&mut self, refusal: impl Into<Refusal>) {
        self.refusals.push(refusal.into());
    }
}

/// What the candidate's branch has got since it was frozen, for people.
fn moved(world: &World<'_>) -> Option<String> {
    let branch = &world.facts.names.rc_branch;
    let frozen = world.promotion.candidate.rc_commit;
    let now = world.facts.listed(branch)?.peeled;
    (now != frozen).then(|| format!("{} has moved to {now} since; {frozen} is what is promoted", branch.short()))
}

/// The rc commit descends from what its tag names, and nothing but the root and allowed paths
/// changed in between (contract §4).
fn ancestry(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let (store, names) = (world.store, &world.facts.names);
    let candidate = &world.promotion.candidate;
    let Some(tag) = world.facts.listed(&names.rc_tag) else {
        found.refuse(
            Refusal::new(format!("the git tag {} does not exist", names.rc_tag.short()))
                .hint("tag the candidate: the tag says which commit was built and tested"),
        );
        return Ok(());
    };
    if !store.is_ancestor(tag.peeled, candidate.rc_commit)? {
        found.refuse(
            Refusal::new(format!("{} is not built on {}", names.rc_branch.short(), names.rc_tag.short()))
                .at([format!("{} is {}, {} is {}", names.rc_branch, candidate.rc_commit, names.rc_tag, tag.peeled)])
                .hint("find out which of the two was moved, and build the candidate again"),
        );
        return Ok(());
    }
    let history = world.history();
    let strays: Vec<String> = store
        .changed_paths(store.tree_of(tag.peeled)?, store.tree_of(candidate.rc_commit)?)?
        .into_iter()
        .filter(|path| !history.in_root(path) && !world.pipeline.is_allowed(path))
        .map(|path| show(&path))
        .collect();
    if !strays.is_empty() {
        found.refuse(
            Refusal::new(format!(
                "{} changes more than {} and allowed paths since {}",
                names.rc_branch.short(),
                world.pipeline.root,
                names.rc_tag.short()
            ))
            .at(strays)
            .hint("cut a candidate whose branch holds only what the build stamps"),
        );
    }
    Ok(())
}

/// The base carries what the pipeline says it must, and shares the candidate's history.
fn base(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let name = world.facts.names.base.short();
    let Some(base) = world.facts.base else {
        found.refuse(Refusal::new(format!("the branch {name} does not exist")).hint("create it, then run again"));
        return Ok(());
    };
    let tree = world.store.tree_of(base)?;
    for marker in &world.pipeline.base_requires {
        let file = world.store.file(tree, marker.file.as_bytes())?;
        let there = file.is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(&marker.contains));
        if !there {
            found.refuse(
                Refusal::new(format!("{name} does not carry this pipeline: `{}` is not in it", marker.contains))
                    .at([format!("{name}:{}", marker.file)])
                    .hint(format!("merge the pipeline into {name} first")),
            );
        }
    }
    if let Merge::Squashed { at } = world.facts.merge {
        found.notes.push(format!("{name} has the promotion's content as {at}: it was squashed or rebased"));
        return Ok(());
    }
    let drift = super::base::drift(world, world.promotion.candidate.rc_commit)?;
    found.refusals.extend(drift.refusals);
    found.notes.extend(drift.notes);
    Ok(())
}

/// The names that come last, once a promotion has begun: somebody may have taken one meanwhile, and
/// then no other public name may be written either.
async fn still_free(world: &World<'_>, found: &mut Findings) -> anyhow::Result<()> {
    let Some(merge) = world.facts.merged() else { return Ok(git_names(world, found)?) };
    let names = &world.facts.names;
    for name in names.module_tags.iter().chain([&names.git_tag]) {
        if let Err(refusal) = finalize::tag(world, name, merge)? {
            found.refuse(refusal);
        }
    }
    if let Err(refusal) = finalize::line(world, merge)? {
        found.refuse(refusal);
    }
    if let chart::Look::Refused(refusal) = chart::look(world, merge).await? {
        found.refuse(refusal);
    }
    Ok(())
}

/// Before the merge no git name of the release can be ours.
fn git_names(world: &World<'_>, found: &mut Findings) -> Result<(), PromotionError> {
    let names = &world.facts.names;
    for name in names.module_tags.iter().chain([&names.git_tag]) {
        if let Some(listed) = world.facts.listed(name) {
            found.refuse(finalize::foreign_tag(name, listed.peeled, "nothing is merged yet"));
        }
    }
    if let (Some(line), Some(base)) = (world.facts.listed(&names.line), world.facts.base)
        && !world.store.is_ancestor(line.peeled, base)?
    {
        found.refuse(
            Refusal::new(format!(
                "{} can't be fast-forwarded to a merge into {}",
                names.line.short(),
                names.base.short()
            ))
            .at([format!("{} at {}", names.line, line.peeled)])
            .hint("merge the line into the base, or promote into the line"),
        );
    }
    Ok(())
}

/// Every stable image name is free or ours, and every owned digest can be pulled by digest.
async fn images(world: &World<'_>, found: &mut Findings) {
    let wanted: Vec<_> = world
        .promotion
        .images
        .iter()
        .map(|image| (image.repository.clone(), image.tag.clone(), image.digest))
        .collect();
    if wanted.is_empty() {
        found.refuse(
            Refusal::new("the candidate has no owned image: there is nothing to promote")
                .hint("check `references.owned` in the pipeline: sealift refs list shows what is found"),
        );
    }
    let (count, before) = (wanted.len(), found.refusals.len());
    for ((repository, tag, digest), name) in look(world, wanted).await {
        match name {
            Name::Free(_) => {}
            Name::Right => {
                if let Answer::Unknown(unknown) = world.manifest(&repository, digest).await {
                    found.refuse(unknown);
                }
            }
            Name::Taken(other) => found.refuse(taken(world, &repository, &tag, digest, other)),
            Name::Unknown(unknown) => found.refuse(unknown),
            Name::Gone => found.refuse(
                Refusal::new(format!("{repository}@{digest} can't be pulled: it is not there"))
                    .at(places(world, &repository.to_string(), &digest.to_string()))
                    .hint("build and push the candidate again"),
            ),
        }
    }
    if found.refusals.len() == before {
        found.notes.push(format!("{count} images can be pulled by digest, and their stable tags are free or right"));
    }
}

fn places(world: &World<'_>, repository: &str, digest: &str) -> Vec<String> {
    let image = |image: &&crate::promotion::Image| {
        image.repository.to_string() == repository && image.digest.to_string() == digest
    };
    world.promotion.images.iter().find(image).map(|image| image.sources.clone()).unwrap_or_default()
}

/// The rc artifact is what its own tag names, names the rc tag's commit, and holds the rc commit's
/// tree; the stable names of artifact and chart are free.
async fn artifact(world: &World<'_>, found: &mut Findings) -> anyhow::Result<()> {
    let repository = &world.pipeline.artifact.repository;
    let candidate = &world.promotion.candidate;
    let rc_tag = match format!("v{}", candidate.rc).parse() {
        Ok(tag) => tag,
        Err(error) => return Err(PromotionError::Name(format!("{error}")).into()),
    };
    match world.tagged(repository, &rc_tag).await {
        Answer::Found(manifest) if manifest.digest() == candidate.rc_artifact => {}
        Answer::Found(manifest) => found.refuse(
            Refusal::new(format!(
                "{repository}:{rc_tag} names {}, the candidate's installer pins {}",
                manifest.digest(),
                candidate.rc_artifact
            ))
            .hint("find out which of the two was tested; build the candidate again"),
        ),
        Answer::Unknown(unknown) => found.refuse(unknown),
        Answer::Absent => match &world.pipeline.artifact.rc_tag {
            RcTag::Optional(reason) => found.notes.push(format!("{repository}:{rc_tag} does not exist ({reason})")),
            RcTag::Required => found.refuse(Refusal::new(format!("{repository}:{rc_tag} does not exist")).hint(
                "push the candidate's artifact under its tag, or declare `artifact.rc_tag` optional with a reason",
            )),
        },
    }
    match world.manifest(repository, candidate.rc_artifact).await {
        Answer::Found(manifest) => {
            let revision = manifest.annotation("org.opencontainers.image.revision").unwrap_or_default();
            let tag = world.facts.listed(&world.facts.names.rc_tag);
            if !tag.is_some_and(|tag| revision.contains(&tag.peeled.to_string())) {
                found.refuse(
                    Refusal::new(format!(
                        "{repository}@{} was not built from {}",
                        candidate.rc_artifact,
                        world.facts.names.rc_tag.short()
                    ))
                    .at([format!("its revision is `{revision}`")])
                    .hint("build the candidate from its tag"),
                );
            }
        }
        Answer::Absent => found.refuse(
            Refusal::new(format!("{repository}@{} is not in the registry", candidate.rc_artifact))
                .hint("push the candidate's artifact again"),
        ),
        Answer::Unknown(unknown) => found.refuse(unknown),
    }
    if found.refusals.is_empty() {
        found.refusals.extend(proof::tested(world).await?);
    }
    match world.tagged(repository, &world.promotion.stable_tag).await {
        Answer::Found(other) => {
            let stable = candidate.rc.stable;
            found.refuse(
                Refusal::new(format!(
                    "v{stable} is spent: {repository}:{} already names {}",
                    world.promotion.stable_tag,
                    other.digest()
                ))
                .hint(format!("a published tag is never moved: release v{} instead", stable.next_patch())),
            );
        }
        Answer::Unknown(unknown) => found.refuse(unknown),
        Answer::Absent => {}
    }
    match chart::look(world, candidate.rc_commit).await {
        Ok(chart::Look::None | chart::Look::Free(_)) => {}
        Ok(chart::Look::Ours) => found.notes.push("the chart of this version is there already, with our files".into()),
        Ok(chart::Look::Refused(refusal)) => found.refuse(refusal),
        Err(error) => match error.downcast::<PromotionError>() {
            Ok(PromotionError::Refused(refusals)) => found.refusals.extend(refusals),
            Ok(error) => found.refuse(Unknown::new("the chart", error)),
            Err(error) => return Err(error),
        },
    }
    Ok(())
}
