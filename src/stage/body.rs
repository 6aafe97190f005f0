//! What stands in a pull request and in a release: rendered from facts, between two markers, so that
//! people's text around them survives.

use super::changelog::Changelog;
use super::{World, evidence};
use crate::model::CommitId;
use crate::model::markdown::{code, details, prose, table, unlinked};
use crate::promotion::history::Pin;
use crate::promotion::{Candidate, Evidence};

const BEGIN: &str = "<!-- sealift: what stands here is written by sealift -->";
const END: &str = "<!-- sealift: end -->";
/// GitHub refuses longer bodies (65,536 characters); people's own text needs room too.
const LIMIT: usize = 50_000;

/// The text with what is sealift's in the place of what was; where no place is marked, before it.
pub fn merged(text: &str, ours: &str) -> String {
    let marked = marked(ours);
    match marks(text) {
        Some((begin, end)) => format!("{}{marked}{}", &text[..begin], &text[end..]),
        None if text.trim().is_empty() => format!("{marked}\n"),
        None => format!("{marked}\n\n{text}"),
    }
}

/// Whether what is sealift's in a text is this, line ends aside: GitHub's own editor changes those.
pub fn holds(text: &str, ours: &str) -> bool {
    let Some((begin, end)) = marks(text) else { return false };
    let there = text[begin..end].replace("\r\n", "\n");
    there == marked(ours)
}

/// What is sealift's between its markers, where no text of people's can end it early.
fn marked(ours: &str) -> String {
    format!("{BEGIN}\n{}\n{END}", ours.trim().replace("<!-- sealift:", "<!-- "))
}

/// Whether a text has sealift's place in it.
pub fn is_marked(text: &str) -> bool {
    marks(text).is_some()
}

/// Where sealift's part begins and ends, its markers included.
fn marks(text: &str) -> Option<(usize, usize)> {
    let begin = text.find(BEGIN)?;
    let end = begin + text[begin..].find(END)? + END.len();
    Some((begin, end))
}

/// The pull request's part: what is proposed, what speaks for it, and what is left to do by hand.
pub fn pull(world: &World<'_>, pin: Pin, head: CommitId, changelog: &Changelog) -> anyhow::Result<String> {
    let candidate = &world.promotion.candidate;
    let stable = candidate.rc.stable;
    let people = world.history().people(world.promotion.content, head, world.facts.base)?;
    let commits: Vec<String> =
        people.iter().map(|commit| format!("- {} {}", code(&commit.id.short()), unlinked(commit.summary()))).collect();
    let mut text = format!(
        "This promotes **v{}** to **v{stable}**. Nothing is rebuilt: every digest is the candidate's.\n\n\
         **Merge it with a merge commit. Don't squash, don't rebase:** the release is made from these commits.\n\n{}\n",
        candidate.rc,
        facts(world, pin, &[("proven against", code(&head.to_string()))]),
    );
    text.push_str("### Left to do by hand\n\n");
    match changelog {
        Changelog::Undeclared => {}
        Changelog::Valid { path, .. } => text.push_str(&format!("- [x] changelog: {}\n", code(path))),
        Changelog::Missing(path) => {
            text.push_str(&format!("- [ ] write the changelog on this branch: {}\n", code(path)));
        }
        Changelog::Invalid { path, why } => {
            text.push_str(&format!("- [ ] mend the changelog: {} {}\n", code(path), prose(why)));
        }
    }
    if world.pipeline.proposal.as_ref().is_some_and(|proposal| proposal.checks_by_hand) {
        text.push_str("- [ ] start the checks: what opened this pull request starts none\n");
    }
    text.push_str("- [ ] review, and merge with a merge commit\n\n");
    if !commits.is_empty() {
        text.push_str(&details(&format!("Commits of people: {}", commits.len()), &commits.join("\n")));
    }
    let rows = world
        .promotion
        .images
        .iter()
        .map(|image| vec![code(&format!("{}:{}", image.repository, image.tag)), code(&image.digest.to_string())]);
    let tags = details(
        &format!("What will be tagged: {} images", world.promotion.images.len()),
        &table(&["tag", "digest"], rows),
    );
    let short = "The images are left out here: they are too many. `sealift plan` shows them.\n".to_owned();
    text.push_str(if text.len() + tags.len() < LIMIT { &tags } else { &short });
    Ok(text)
}

/// The release's part: the changelog, and what was promoted.
pub fn release(world: &World<'_>, pin: Pin, changelog: &Changelog, rest: &[String]) -> String {
    let candidate = &world.promotion.candidate;
    let said = match changelog {
        Changelog::Valid { text, .. } if text.len() < LIMIT => text.clone(),
        Changelog::Valid { path, .. } => format!("What changed is in {}.\n", code(path)),
        _ => own(candidate),
    };
    let rest: String = rest.iter().map(|note| format!("- {}\n", prose(note))).collect();
    let rest = if rest.is_empty() { rest } else { format!("\n{rest}") };
    let table = facts(world, pin, &[]);
    format!("{}\n\n{}", said.trim_end(), details("What this release is made of", &format!("{table}{rest}")))
}

/// What is said of a release without a changelog: no more than is recorded.
fn own(candidate: &Candidate) -> String {
    let (stable, rc) = (candidate.rc.stable, candidate.rc);
    match &candidate.evidence {
        Some(Evidence::Run(_)) => format!("v{stable} is v{rc}, which was tested from end to end.\n"),
        _ => format!("v{stable} is v{rc}: nothing was built again, and every digest is that candidate's.\n"),
    }
}

fn facts(world: &World<'_>, pin: Pin, more: &[(&str, String)]) -> String {
    let candidate = &world.promotion.candidate;
    let repository = &world.pipeline.artifact.repository;
    let mut rows = vec![
        ("candidate", code(&format!("v{}", candidate.rc))),
        ("candidate commit", code(&candidate.rc_commit.to_string())),
        ("candidate artifact", code(&format!("{repository}@{}", candidate.rc_artifact))),
        ("artifact", code(&format!("{repository}@{}", pin.artifact))),
        ("images", world.promotion.images.len().to_string()),
        ("evidence", spoken(world)),
    ];
    rows.extend(more.iter().cloned());
    table(&["", ""], rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]))
}

/// What speaks for the candidate, in one line.
fn spoken(world: &World<'_>) -> String {
    match &world.promotion.candidate.evidence {
        Some(Evidence::Run(url)) => format!("a green end-to-end run: {}", prose(url)),
        Some(Evidence::Skipped(reason)) => format!("**skipped**: {}", prose(reason)),
        None => evidence::nothing(&world.pipeline.evidence).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peoples_text_survives() {
        let first = merged("", "one");
        assert!(holds(&first, "one") && !holds(&first, "two"));
        let edited = format!("Before.\n\n{first}\nAfter.\n");
        let second = merged(&edited, "two");
        assert!(second.starts_with("Before.\n\n") && second.ends_with("\nAfter.\n"));
        assert!(holds(&second, "two") && !second.contains("one"));
        assert_eq!(merged(&second, "two"), second);
        let theirs = merged("All their own.", "one");
        assert!(theirs.ends_with("\n\nAll their own.") && holds(&theirs, "one"));
    }

    #[test]
    fn the_editor_of_the_forge_changes_line_ends_and_nothing_else() {
        let text = merged("", "one\ntwo").replace('\n', "\r\n");
        assert!(holds(&text, "one\ntwo"));
        assert!(!holds(BEGIN, "one"), "an end that people deleted");
    }
}
