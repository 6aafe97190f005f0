//! finalize: chart, module tags, git tag, line, release, then the aliases. On plain git the tag is
//! the release, hence after the line. Public names come last, and each is written once.

use futures_util::future::BoxFuture;

use super::{Action, Code, Plan, Refusal, Stage, Step, World, alias, chart, release};
use crate::model::{CommitId, RefName};

pub struct Finalize;

impl Stage for Finalize {
    fn name(&self) -> &'static str {
        "finalize"
    }

    fn plan<'a>(&'a self, world: &'a World<'a>) -> BoxFuture<'a, anyhow::Result<Plan>> {
        Box::pin(plan(world))
    }
}

async fn plan(world: &World<'_>) -> anyhow::Result<Plan> {
    let Some(merge) = world.facts.merged() else { return Ok(preview(world)) };
    let (mut steps, mut refusals) = (Vec::new(), Vec::new());
    match chart::look(world, merge).await? {
        chart::Look::None | chart::Look::Ours => {}
        chart::Look::Free(step) => steps.push(step),
        chart::Look::Refused(refusal) => refusals.push(refusal),
    }
    let mut tags = Step::new("module tags", []);
    for name in &world.facts.names.module_tags {
        match tag(world, name, merge)? {
            Ok(Some(action)) => tags.actions.push(action),
            Ok(None) => {}
            Err(refusal) => refusals.push(refusal),
        }
    }
    steps.push(tags);
    let mut last = Vec::new();
    match line(world, merge)? {
        Ok(action) => last.push(Step::new("line", action)),
        Err(refusal) => refusals.push(refusal),
    }
    match tag(world, &world.facts.names.git_tag, merge)? {
        Ok(action) => last.push(Step::new("git tag", action)),
        Err(refusal) => refusals.push(refusal),
    }
    if !refusals.is_empty() {
        return Ok(Plan::refuse(refusals));
    }
    let mut notes = Vec::new();
    if let (Some(forge), Some(pin)) = (world.forge, world.facts.pin) {
        // There the release is a thing of its own, and the line needs not wait for its tag.
        last.reverse();
        let releases = match release::all(forge).await {
            Ok(releases) => releases,
            Err(unknown) => return Ok(Refusal::from(unknown).into()),
        };
        let published = match release::plan(world, forge, &releases, pin, merge).await? {
            Ok(published) => published,
            Err(plan) => return Ok(plan),
        };
        last.extend(published.steps);
        notes.extend(published.notes);
        if world.facts.listed(&world.facts.names.git_tag).is_some() {
            notes.extend(release::started(world, forge, merge).await);
        }
    }
    steps.extend(last);
    let (aliases, more) = alias::steps(world, merge).await?;
    steps.extend(aliases);
    Ok(Plan::act(steps).notes(notes).notes(more))
}

/// Before the merge its commit can't be named; what will be made can.
fn preview(world: &World<'_>) -> Plan {
    let names = &world.facts.names;
    let chart = world
        .pipeline
        .chart
        .as_ref()
        .map(|c| format!("chart {}:{}", c.repository, world.promotion.candidate.rc.stable));
    let tags = names.module_tags.iter().chain([&names.git_tag]).map(|tag| format!("git tag {}", tag.short()));
    Plan::wait("merge", "the public names come last, at the merge")
        .notes(chart)
        .notes(tags)
        .note(format!("line {} at the merge", names.line.short()))
}

/// A git tag at the merge, written once, compared after peeling.
pub fn tag(world: &World<'_>, name: &RefName, merge: CommitId) -> anyhow::Result<Result<Option<Action>, Refusal>> {
    Ok(match world.facts.listed(name) {
        Some(listed) if listed.peeled == merge => Ok(None),
        Some(listed) => Err(foreign_tag(name, listed.peeled, &format!("the merge is {merge}"))),
        None => {
            let target = world.promotion.git_tag(world.pipeline, name, merge)?;
            Ok(Some(Action::CreateRef { name: name.clone(), target }))
        }
    })
}

pub fn foreign_tag(name: &RefName, found: CommitId, instead: &str) -> Refusal {
    Refusal::new(Code::GitTagTaken, format!("the git tag {} exists and is not this release's", name.short()))
        .at([format!("{name} at {found}; {instead}")])
        .hint("a published tag is never moved: find out who pushed it, delete it there, or release the next version")
}

/// The line holds when it contains the merge; it is created or fast-forwarded, never forced.
pub fn line(world: &World<'_>, merge: CommitId) -> anyhow::Result<Result<Option<Action>, Refusal>> {
    let name = &world.facts.names.line;
    let Some(listed) = world.facts.listed(name) else {
        return Ok(Ok(Some(Action::CreateRef { name: name.clone(), target: merge })));
    };
    if world.store.is_ancestor(merge, listed.id)? {
        return Ok(Ok(None));
    }
    if world.store.is_ancestor(listed.id, merge)? {
        return Ok(Ok(Some(Action::UpdateRef { name: name.clone(), expect: listed.id, target: merge })));
    }
    Ok(Err(Refusal::new(
        Code::LineDiverged,
        format!("{} has diverged: it can't be fast-forwarded to the merge", name.short()),
    )
    .at([format!("{name} at {}; the merge is {merge}", listed.id)])
    .hint(format!("merge {merge} into {} by hand, then run sealift again", name.short()))))
}
