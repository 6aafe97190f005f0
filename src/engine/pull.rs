//! Which promotion a merged pull request proposed: what a workflow that runs when one is closed needs.

use super::ports::Looker;
use crate::model::{Answer, Code, Refusal, Stable, Unknown};
use crate::port::forge::{Pull, PullState};

/// What a pull request stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// The promotion of this version: finalize it.
    Promotion(Stable),
    /// A promotion that isn't merged: it is a person's turn, for this reason.
    Unmerged(String),
    /// No promotion: there is nothing to do, for this reason.
    Nothing(String),
    /// A promotion's branch, from somebody whom the pipeline doesn't trust.
    Refused(Refusal),
}

/// Reads a pull request. By hand, with a version, neither label nor author counts: only the merge does.
///
/// # Errors
/// When it could not be looked at.
pub async fn proposed_by(number: u64, look: &Looker<'_>) -> anyhow::Result<Proposed> {
    let (Some(forge), Some(declared)) = (look.forge, &look.pipeline.proposal) else {
        return Err(crate::port::forge::none(&format!("pull request #{number}")).into());
    };
    let pull = match forge.pull(number).await {
        Answer::Found(pull) => pull,
        Answer::Absent => return Err(Unknown::new(format!("pull request #{number}"), "there is none").into()),
        Answer::Unknown(unknown) => return Err(unknown.into()),
    };
    let Some(version) = look.pipeline.branches.staging.version_of(pull.head.short()) else {
        return Ok(Proposed::Nothing(format!("{} comes from {}: it is no release", pull.url, pull.head.short())));
    };
    let unmerged = |why: &str| Ok(Proposed::Unmerged(format!("{} {why}", pull.url)));
    match pull.state {
        PullState::Open => return unmerged("is open"),
        PullState::Closed => return unmerged("was closed without a merge"),
        PullState::Merged => {}
    }
    let distrust = if !pull.from_here {
        Some("comes from another repository".to_owned())
    } else if !pull.has_label(&declared.label) {
        Some(format!("has no label `{}`", declared.label))
    } else if !pull.author.as_ref().is_some_and(|author| declared.is_author(author)) {
        Some(format!("was opened by {}", author(&pull)))
    } else {
        None
    };
    Ok(match distrust {
        None => Proposed::Promotion(version),
        Some(why) => Proposed::Refused(
            Refusal::new(
                Code::ForeignPullRequest,
                format!("a pull request from {} starts a finalization only as sealift opens it", pull.head.short()),
            )
            .at([format!("{} {why}", pull.url)])
            .hint(format!("look at what was merged; if it is right, finalize by hand: sealift resume v{version}")),
        ),
    })
}

fn author(pull: &Pull) -> &str {
    pull.author.as_deref().unwrap_or("a deleted account")
}
