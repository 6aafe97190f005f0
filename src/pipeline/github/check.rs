//! What must hold between the keys that only GitHub has, and the others.

use super::{Assets, EvidenceEvent, EvidenceSource, GitHubRepository};
use crate::pipeline::check::Checker;
use crate::pipeline::names::{self, N, RC, VERSION};
use crate::pipeline::{Forge, Pipeline, paths};

/// The keys that mean nothing elsewhere.
const KEYS: [&str; 3] = ["evidence", "proposal", "release"];

pub(in crate::pipeline) fn check(checker: &mut Checker<'_>, pipeline: &Pipeline) {
    if pipeline.forge == Forge::Git {
        for key in KEYS {
            checker.refuse_key(key, format!("needs `forge: github`; write that too, or leave `{key}` out"));
        }
        return;
    }
    if let Err(error) = pipeline.repository.parse::<GitHubRepository>() {
        checker.report("repository", error.to_string());
    }
    match &pipeline.proposal {
        None => checker
            .report("forge", "`github` needs a proposal's authors; expected `proposal: {authors: [\"name[bot]\"]}`"),
        Some(proposal) if proposal.authors.is_empty() => {
            let message = "empty: finalize would act on nobody's pull request; expected a login, such as `name[bot]`";
            checker.report("proposal.authors", message);
        }
        Some(_) => {}
    }
    for (position, source) in pipeline.evidence.iter().enumerate() {
        evidence(checker, &format!("evidence.{position}"), source);
    }
    changelog(checker, pipeline);
    assets(checker, &pipeline.release.assets);
}

fn evidence(checker: &mut Checker<'_>, key: &str, source: &EvidenceSource) {
    let branches = format!("{key}.branches");
    match source.event {
        EvidenceEvent::Push if !source.branches.is_empty() => {
            checker.report(&branches, "a pushed run counts by its commit, on any branch; leave `branches` out");
        }
        EvidenceEvent::Push => {}
        EvidenceEvent::WorkflowDispatch => {
            if source.branches.is_empty() {
                let message = "a dispatched run counts by its branch; expected the trusted ones, such as `[main]`";
                checker.report(&branches, message);
            }
            let job = &source.job;
            let tells = job.has(RC) || (job.has(VERSION) && job.has(N));
            if !tells {
                let message = format!(
                    "`{job}` doesn't tell which candidate a dispatched run was for; expected `{RC}` in it, or \
                     `{VERSION}` and `{N}`"
                );
                checker.report(&format!("{key}.job"), message);
            }
        }
    }
}

/// People write the changelog on the pull request, so they must be allowed to, for some version at least.
fn changelog(checker: &mut Checker<'_>, pipeline: &Pipeline) {
    let Some(changelog) = &pipeline.release.changelog else { return };
    let text = changelog.to_string();
    let texts = pipeline.allowed_paths.iter().map(String::as_str).chain([text.as_str()]);
    let names = names::fillings(&text, &names::numbers(texts));
    if !names.iter().any(|(path, _)| pipeline.is_allowed(path.as_bytes())) {
        let message = format!(
            "`{text}` is in none of `allowed_paths`; expected a path that people may change, or its glob there"
        );
        checker.report("release.changelog", message);
    }
}

fn assets(checker: &mut Checker<'_>, assets: &Assets) {
    for (position, name) in assets.copied.iter().enumerate() {
        let glob = assets.built.iter().find(|glob| paths::matcher(glob).is_ok_and(|glob| glob.is_match(name)));
        if let Some(glob) = glob {
            let message =
                format!("`{name}` is also built: `{glob}` matches it; expected each asset to have one source");
            checker.report(&format!("release.assets.copied.{position}"), message);
        }
    }
}
