//! The pull request that proposes a promotion.

use super::changelog::{self, Changelog};
use super::{Action, Code, Plan, Refusal, Step, Verdict, World, body};
use crate::model::{CommitId, Digest, Unknown};
use crate::pipeline::Proposal;
use crate::port::forge::{ForgeRead, Login, Pull, PullState};
use crate::promotion::history::{Merge, Pin};

/// What the pull request still needs.
pub struct Proposed {
    pub steps: Vec<Step>,
    pub notes: Vec<String>,
}

/// Looks at the pull requests from the staging branch, whose tip is `head`. `Err`: a wait, or
/// refusals.
pub async fn plan(
    world: &World<'_>,
    declared: &Proposal,
    pulls: &[Pull],
    pin: Pin,
    head: CommitId,
) -> anyhow::Result<Result<Proposed, Plan>> {
    let (staging, base) = (&world.facts.names.staging, &world.facts.names.base);
    let changelog = changelog::look(world, head)?;
    let text = body::pull(world, pin, head, &changelog)?;
    let mut notes: Vec<String> = changelog.note().into_iter().collect();
    let label = |there: Option<&Pull>| {
        let missing = !there.is_some_and(|pull| pull.has_label(&declared.label));
        missing.then(|| Action::LabelPull { head: staging.clone(), label: declared.label.clone() })
    };
    let steps = match open(pulls) {
        Some(pull) if pull.base != *base => return Ok(Err(elsewhere(world, pull).into())),
        Some(pull) => {
            if !pull.author.as_ref().is_some_and(|author| declared.is_author(author)) {
                notes.push(unheard(pull));
            }
            notes.push(format!("pull request {}", pull.url));
            let edit = (!body::holds(&pull.body, &text)).then(|| Action::EditPull {
                head: staging.clone(),
                body: body::merged(&pull.body, &text),
                expect: Digest::of(pull.body.as_bytes()),
            });
            vec![Step::new("pull request", edit), Step::new("label", label(Some(pull)))]
        }
        None => {
            match closed(world, pulls, pin).await? {
                Ok(None) => {}
                Ok(Some(pull)) => return Ok(Err(reopen(pull))),
                Err(unknown) => return Ok(Err(Refusal::from(unknown).into())),
            }
            let title = format!("Release v{}", world.promotion.candidate.rc.stable);
            let body = body::merged("", &text);
            let action = Action::OpenPull { head: staging.clone(), base: base.clone(), title, body };
            vec![Step::new("pull request", [action]), Step::new("label", label(None))]
        }
    };
    Ok(Ok(Proposed { steps, notes }))
}

/// Every pull request from the staging branch.
pub async fn from_staging(world: &World<'_>, forge: &dyn ForgeRead) -> Result<Vec<Pull>, Unknown> {
    let staging = &world.facts.names.staging;
    forge.pulls_from(staging).await.there(format!("the pull requests from {}", staging.short()))
}

/// The open one. A closed one is never used again by itself.
pub fn open(pulls: &[Pull]) -> Option<&Pull> {
    pulls.iter().find(|pull| pull.state == PullState::Open)
}

/// One that a person closed while it held this very promotion: their word, which sealift doesn't
/// go round by opening another. After a squash a second one is the way on, whatever became of the first.
async fn closed<'a>(
    world: &World<'_>,
    pulls: &'a [Pull],
    pin: Pin,
) -> anyhow::Result<Result<Option<&'a Pull>, Unknown>> {
    if matches!(world.facts.merge, Merge::Squashed { .. }) {
        return Ok(Ok(None));
    }
    for pull in pulls.iter().filter(|pull| pull.state == PullState::Closed) {
        if !world.store.contains(pull.head_commit)?
            && let Err(unknown) = fetched(world, pull).await?
        {
            return Ok(Err(unknown));
        }
        if world.store.is_ancestor(pin.commit, pull.head_commit)? {
            return Ok(Ok(Some(pull)));
        }
    }
    Ok(Ok(None))
}

/// Brings the head of a pull request whose branch has gone, or has moved since.
async fn fetched(world: &World<'_>, pull: &Pull) -> anyhow::Result<Result<(), Unknown>> {
    let what = || format!("what #{} held when it was closed", pull.number);
    let name = Pull::head_ref(pull.number)?;
    if world.facts.listed(&name).is_none() {
        return Ok(Err(Unknown::new(what(), format!("the origin does not list {name}"))));
    }
    if let Err(unknown) = world.origin.fetch(&[name]).await {
        return Ok(Err(unknown));
    }
    Ok(match world.store.contains(pull.head_commit)? {
        true => Ok(()),
        false => Err(Unknown::new(what(), format!("the origin does not have {}", pull.head_commit))),
    })
}

fn reopen(pull: &Pull) -> Plan {
    let message = format!("{} was closed without a merge: reopen it, or take the promotion back", pull.url);
    let mut plan = Plan::wait("pull-request", message);
    if let Verdict::Wait(wait) = &mut plan.verdict {
        wait.commands = vec![format!("gh pr reopen {}", pull.number)];
    }
    plan
}

fn elsewhere(world: &World<'_>, pull: &Pull) -> Refusal {
    let base = world.facts.names.base.short();
    Refusal::new(
        Code::PullRequestElsewhere,
        format!("the open pull request #{} goes into {}, not into {base}", pull.number, pull.base.short()),
    )
    .at([&pull.url])
    .hint(format!("close it, or change its base: gh pr edit {} --base {base}", pull.number))
}

fn unheard(pull: &Pull) -> String {
    let author = pull.author.as_deref().unwrap_or("a deleted account");
    format!(
        "{} was opened by {author}, who is not in `proposal.authors`: its merge starts no finalization, resume by hand",
        pull.url
    )
}

/// Whether this credential may open what finalization will trust; nothing is said where it can't
/// write at all, since then it opens nothing.
pub async fn credential(world: &World<'_>, forge: &dyn ForgeRead, declared: &Proposal) -> Result<Vec<String>, Refusal> {
    let hosted = forge.repository().await.there("the repository")?;
    if !hosted.push {
        return Ok(vec!["this credential may not write: what it may do is not judged".into()]);
    }
    let Some(login) = forge.viewer().await.known()? else {
        return Err(Unknown::new("the credential", "the forge does not say whose it is").into());
    };
    if login.is_workflow_token() && !declared.checks_by_hand {
        return Err(Refusal::new(Code::NoChecks, "a pull request that is opened with GITHUB_TOKEN starts no checks")
            .hint(
                "use a GitHub App (--github-app-id, --github-app-key-file) or a person's token, or declare \
             `proposal.checks_by_hand: true`",
            ));
    }
    starts(world, &login)?;
    if !declared.is_author(&login.0) {
        return Err(Refusal::new(
            Code::AuthorNotTrusted,
            format!("finalization would not trust a pull request of {}", login.0),
        )
        .at([format!("proposal.authors: {}", declared.authors.join(", "))])
        .hint("use the credential of one of them, or add this one to `proposal.authors`"));
    }
    Ok(Vec::new())
}

/// Whether a tag that this credential pushes starts the workflow that must begin then.
fn starts(world: &World<'_>, login: &Login) -> Result<(), Refusal> {
    match &world.pipeline.release.starts {
        Some(workflow) if login.is_workflow_token() => {
            let what = format!("a tag that is pushed with GITHUB_TOKEN starts no workflow, and {workflow} must start");
            Err(Refusal::new(Code::WorkflowNotStarted, what)
                .at([format!("release.starts: {workflow}")])
                .hint("use a GitHub App (--github-app-id, --github-app-key-file) or a person's token"))
        }
        _ => Ok(()),
    }
}

/// The same question once the promotion is merged and its tag is still to be pushed.
pub async fn finisher(world: &World<'_>, forge: &dyn ForgeRead) -> Result<(), Refusal> {
    let tagged = world.facts.listed(&world.facts.names.git_tag).is_some();
    if tagged || world.facts.merged().is_none() || world.pipeline.release.starts.is_none() {
        return Ok(());
    }
    let push = forge.repository().await.known()?.is_some_and(|hosted| hosted.push);
    match forge.viewer().await.known()? {
        Some(login) if push => starts(world, &login),
        _ => Ok(()),
    }
}

/// A line for people about a changelog that finalize would not take.
pub fn at_merge(changelog: &Changelog) -> Option<String> {
    changelog.note().map(|note| format!("{note}; the release's text is sealift's own"))
}
