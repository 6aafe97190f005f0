//! Which tree a preview is of: a pull request's, a release's own, or one that was named.

use anyhow::Context as _;

use super::event::{Event, Goal, StageState, State};
use super::ports::{Looker, Settings};
use super::run::{could_not_look, looked, proven};
use crate::archive::chart::tag as chart_tag;
use crate::model::{Answer, CommitId, Rc, RefName, Stable, Unknown};
use crate::port::forge::{self, ForgeRead, Pull, PullState};
use crate::port::repository::{Listed, Merged};
use crate::preview::{
    self, Artifact, Finding, Outlook, Preview, PullRequest, Sought, Source, Subject, Topic, Version, names, released,
};
use crate::promotion::Change;
use crate::promotion::locate::Request;
use crate::stage::{Memory, STAGES, Sight};
use crate::tree::{GitTree, Tree, show};

/// What is to be previewed.
pub enum Asked<'a> {
    /// A pull request, by its number.
    Pull(u64),
    /// A repository's root, and what people call it.
    Tree(&'a dyn Tree, String),
}

/// Looks at what a promotion would do, and tells. `rc` is the candidate that it would be. A pull
/// request from a version's staging branch is that release itself: its plan is told, and its proof
/// against the prospective merge.
///
/// # Errors
/// When the pull request, the origin or the tree could not be looked at.
pub async fn preview(
    asked: &Asked<'_>,
    rc: Option<Rc>,
    look: &Looker<'_>,
    settings: &Settings<'_>,
) -> anyhow::Result<State> {
    let (preview, events) = match asked {
        Asked::Tree(tree, name) => {
            let refs = look.listed().await;
            let subject = Subject { tree: name.clone(), ..Subject::default() };
            (look_at(look, *tree, subject, rc, refs.as_ref(), None).await?, Vec::new())
        }
        Asked::Pull(number) => pull(*number, rc, look).await?,
    };
    let outlook = preview.outlook;
    settings.observer.event(&Event::Preview(Box::new(preview)));
    events.iter().for_each(|event| settings.observer.event(event));
    Ok(match outlook {
        Outlook::Clean => State::Holds,
        Outlook::Refused => State::Refused,
        Outlook::Unknown => State::Failed,
    })
}

async fn look_at(
    look: &Looker<'_>,
    tree: &dyn Tree,
    subject: Subject,
    rc: Option<Rc>,
    refs: Result<&crate::port::repository::Refs, &Unknown>,
    base: Option<RefName>,
) -> anyhow::Result<Preview> {
    let memory = Memory::new(look.spool.clone());
    let sight = Sight { registry: look.registry, memory: &memory, parallel: look.parallel };
    let spool = &look.spool;
    let (pipeline, forge) = (look.pipeline, look.forge);
    preview::look(Sought { pipeline, tree, subject, rc, refs, base, sight, forge, spool }).await
}

async fn pull(number: u64, rc: Option<Rc>, look: &Looker<'_>) -> anyhow::Result<(Preview, Vec<Event>)> {
    let pull = looked_up(number, look.forge).await?;
    let name = Pull::head_ref(number)?;
    let refs = look.refs(&[name.clone(), pull.base.clone()]).await?;
    let what = || format!("pull request #{number}");
    let Some(Listed { peeled: head, .. }) = refs.get(&name) else {
        return Err(Unknown::new(what(), format!("the origin does not list {name}")).into());
    };
    let Some(Listed { peeled: base, .. }) = refs.get(&pull.base) else {
        return Err(Unknown::new(what(), format!("its base {} does not exist", pull.base.short())).into());
    };
    let mut subject = subject(&pull, head, base);
    let state = match pull.state {
        PullState::Open => None,
        PullState::Closed => Some(format!("#{number} is closed")),
        PullState::Merged => Some(format!("#{number} is merged already")),
    };
    let release = look.pipeline.branches.staging.version_of(pull.head.short()).filter(|_| pull.from_here);
    let (mut preview, events) = match release {
        Some(version) => {
            subject.tree = format!("the staging branch {}, to be merged into {}", pull.head.short(), pull.base.short());
            release_of(version, subject, look).await?
        }
        None => {
            let merged = tokio::task::block_in_place(|| look.store.merge_trees(base, head))?;
            let tree = match merged {
                Merged::Tree(tree) => tree,
                Merged::Conflicts(paths) => {
                    subject.tree = format!("its head {head}");
                    subject.conflicts = paths.iter().map(|path| show(path)).collect();
                    look.store.tree_of(head)?
                }
            };
            let tree = GitTree::new(look.store.clone(), tree).named(format!("#{number}"));
            (look_at(look, &tree, subject, rc, Ok(&refs), Some(pull.base.clone())).await?, Vec::new())
        }
    };
    preview.notes.splice(..0, state);
    Ok((preview, events))
}

async fn looked_up(number: u64, forge: Option<&dyn ForgeRead>) -> Result<Pull, Unknown> {
    let what = format!("pull request #{number}");
    match forge {
        None => Err(forge::none(&what)),
        Some(forge) => match forge.pull(number).await {
            Answer::Found(pull) => Ok(pull),
            Answer::Absent => Err(Unknown::new(what, "there is none")),
            Answer::Unknown(unknown) => Err(unknown),
        },
    }
}

fn subject(pull: &Pull, head: CommitId, base: CommitId) -> Subject {
    Subject {
        pull: Some(PullRequest {
            number: pull.number,
            url: pull.url.clone(),
            title: pull.title.clone(),
            head: pull.head.short().to_owned(),
            head_commit: head.to_string(),
            fork: !pull.from_here,
            base: pull.base.short().to_owned(),
            base_commit: base.to_string(),
        }),
        tree: format!("the prospective merge of {head} into {} at {base}", pull.base.short()),
        conflicts: Vec::new(),
    }
}

/// A release's own pull request: its plan, with the proof in place of the wait for the merge.
async fn release_of(version: Stable, subject: Subject, look: &Looker<'_>) -> anyhow::Result<(Preview, Vec<Event>)> {
    let mut preview = Preview::of(subject);
    let stable = format!("v{version}");
    let promotion = match look.promotion(&Request::Version(version)).await? {
        Ok(promotion) => promotion,
        Err(refusals) => {
            preview.version = Some(Version { rc: None, stable, source: Source::Release });
            preview.findings.extend(refusals.into_iter().map(|refusal| Finding::refused(Topic::Promotion, refusal)));
            return Ok((preview.judged(), Vec::new()));
        }
    };
    let memory = Memory::new(look.spool.clone());
    let facts = look.facts(&promotion, false).await?;
    let world = look.world(&promotion, &facts, &memory);
    let mut events = vec![Event::Goal(Box::new(Goal::of(&promotion, look.pipeline)))];
    let mut outlook = Outlook::Clean;
    for stage in STAGES {
        let plan = match stage.name() {
            "verify" => proven(&world).await,
            _ => looked(*stage, &world).await,
        };
        let plan = plan.with_context(|| could_not_look(*stage))?;
        let state = StageState::new(stage.name(), &plan.verdict, &plan.notes).marked(&facts);
        outlook = outlook.and(match state.state {
            State::Refused => Outlook::Refused,
            State::Failed | State::Interrupted => Outlook::Unknown,
            State::Holds | State::Work | State::Waiting => Outlook::Clean,
        });
        events.push(Event::Stage(state));
    }
    let rc = &promotion.candidate.rc;
    preview.version = Some(Version { rc: Some(format!("v{rc}")), stable, source: Source::Release });
    preview.changes = promotion.changes.iter().map(Change::clone).collect();
    let own = facts.pin.map(|pin| pin.artifact);
    preview.artifact = Some(Artifact {
        repository: look.pipeline.artifact.repository.to_string(),
        diff_id: promotion.diff_id,
        layer: None,
        digest: own,
    });
    // The stages have said what stands against any of them.
    let found = &mut Vec::new();
    let mut destinations = names::images(world.sight(), version, &promotion.images, found).await;
    let repository = &look.pipeline.artifact.repository;
    destinations.extend(names::artifact(world.sight(), repository, version, own, found).await);
    if let (Some(chart), None) = (&look.pipeline.chart, facts.merged()) {
        let tag = chart_tag(&version.to_string())?;
        destinations.push(names::chart(world.sight(), &chart.repository, &tag, found).await);
    }
    destinations.extend(names::git(&facts.names, Ok(&facts.refs), facts.merged(), found));
    if let Some(forge) = look.forge {
        destinations.push(released::release(forge, &facts.names.git_tag, facts.merged().is_some(), found).await);
    }
    destinations.extend(released::aliases(look.pipeline, promotion.images.len()));
    preview.destinations = destinations;
    let mut preview = preview.judged();
    preview.outlook = outlook;
    Ok((preview, events))
}
