//! The frozen goal of a promotion, and its spelling as trailers of the content commit.

use std::fmt;

use serde::Serialize;

use crate::model::{CommitId, Digest, Rc, RefName};

/// What is promoted: frozen once, never resolved again (contract §4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The pipeline's name.
    pub pipeline: String,
    pub rc: Rc,
    /// The tip of the candidate's branch at the moment of freezing.
    pub rc_commit: CommitId,
    /// The candidate's packages artifact.
    pub rc_artifact: Digest,
    /// The branch it is merged into.
    pub base: RefName,
    /// What says that it passed end to end; nothing where no such thing is declared, or none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What says that a candidate passed end to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The green run, by its address.
    Run(String),
    /// Nothing: a person let it pass, for this reason.
    Skipped(String),
}

/// Why a commit that names a candidate can't be read as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("trailer `{key}`: {why}")]
pub struct TrailerError {
    pub key: &'static str,
    pub why: String,
}

const PIPELINE: &str = "Sealift-Pipeline";
const RC: &str = "Sealift-Rc";
const RC_COMMIT: &str = "Sealift-Rc-Commit";
const RC_ARTIFACT: &str = "Sealift-Rc-Artifact";
const BASE: &str = "Sealift-Base";
const EVIDENCE: &str = "Sealift-Evidence";
const SKIPPED: &str = "Sealift-Evidence-Skipped";
/// On the pin commit: the candidate artifact it pins.
const ARTIFACT: &str = "Sealift-Artifact";

impl Candidate {
    /// The content commit's message.
    pub fn message(&self, signed_off_by: impl fmt::Display) -> String {
        format!(
            "release: v{stable} from v{rc}\n\n\
             The tags of the candidate's own images read v{stable}; every digest is the one that was tested.\n\n\
             {PIPELINE}: {pipeline}\n{RC}: v{rc}\n{RC_COMMIT}: {commit}\n{RC_ARTIFACT}: {artifact}\n{BASE}: {base}\n\
             {evidence}Signed-off-by: {signed_off_by}\n",
            stable = self.rc.stable,
            rc = self.rc,
            pipeline = self.pipeline,
            commit = self.rc_commit,
            artifact = self.rc_artifact,
            base = self.base.short(),
            evidence = match &self.evidence {
                Some(Evidence::Run(url)) => format!("{EVIDENCE}: {}\n", one_line(url)),
                Some(Evidence::Skipped(reason)) => format!("{SKIPPED}: {}\n", one_line(reason)),
                None => String::new(),
            },
        )
    }

    /// Reads the candidate out of a commit message; `None` where the message names none.
    pub fn from_message(message: &str) -> Option<Result<Self, TrailerError>> {
        trailer(message, RC)?;
        Some(Self::from_trailers(message))
    }

    fn from_trailers(message: &str) -> Result<Self, TrailerError> {
        let base = format!("refs/heads/{}", required(message, BASE)?);
        Ok(Self {
            pipeline: required(message, PIPELINE)?.to_owned(),
            rc: parsed(message, RC)?,
            rc_commit: parsed(message, RC_COMMIT)?,
            rc_artifact: parsed(message, RC_ARTIFACT)?,
            base: base.parse().map_err(|e| TrailerError { key: BASE, why: format!("{e}") })?,
            evidence: match (trailer(message, EVIDENCE), trailer(message, SKIPPED)) {
                (None, None) => None,
                (Some(url), None) => Some(Evidence::Run(url.to_owned())),
                (None, Some(reason)) => Some(Evidence::Skipped(reason.to_owned())),
                (Some(_), Some(_)) => {
                    return Err(TrailerError { key: SKIPPED, why: format!("stands beside `{EVIDENCE}`") });
                }
            },
        })
    }
}

/// A trailer ends at its line's end.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The pin commit's message.
pub fn pin_message(rc: &Rc, artifact: &Digest, signed_off_by: impl fmt::Display) -> String {
    format!(
        "release: pin the packages artifact of v{stable}\n\n\
         The installer names the artifact made of the parent commit.\n\n\
         {ARTIFACT}: {artifact}\nSigned-off-by: {signed_off_by}\n",
        stable = rc.stable,
    )
}

/// The artifact a pin commit's message names.
pub fn pinned_artifact(message: &str) -> Option<Digest> {
    trailer(message, ARTIFACT)?.parse().ok()
}

/// A trailer's value: from the last paragraph only, so that quoted text in a body is none.
fn trailer<'a>(message: &'a str, key: &str) -> Option<&'a str> {
    let last = message.trim_end().rsplit("\n\n").next()?;
    last.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

fn required<'a>(message: &'a str, key: &'static str) -> Result<&'a str, TrailerError> {
    trailer(message, key).ok_or_else(|| TrailerError { key, why: "is missing".into() })
}

fn parsed<T: std::str::FromStr<Err: fmt::Display>>(message: &str, key: &'static str) -> Result<T, TrailerError> {
    required(message, key)?.parse().map_err(|error| TrailerError { key, why: format!("{error}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate() -> Candidate {
        Candidate {
            pipeline: "demo".into(),
            rc: "1.6.2-rc.1".parse().unwrap(),
            rc_commit: "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
            rc_artifact: Digest::of(b"rc"),
            base: RefName::branch("release-1.6").unwrap(),
            evidence: None,
        }
    }

    #[test]
    fn evidence_is_frozen_with_it() {
        let run = Evidence::Run("https://example.org/runs/1".into());
        for evidence in [run, Evidence::Skipped("no runners this week".into())] {
            let candidate = Candidate { evidence: Some(evidence), ..candidate() };
            assert_eq!(Candidate::from_message(&candidate.message("x <x@y>")), Some(Ok(candidate)));
        }
        let lines =
            Candidate { evidence: Some(Evidence::Skipped("a\n\nSealift-Rc: v9.9.9-rc.1".into())), ..candidate() };
        let read = Candidate::from_message(&lines.message("x <x@y>")).unwrap().unwrap();
        assert_eq!(read.rc, candidate().rc);
        assert_eq!(read.evidence, Some(Evidence::Skipped("a Sealift-Rc: v9.9.9-rc.1".into())));
    }

    #[test]
    fn is_read_back_from_its_own_message() {
        let message = candidate().message("Bot <bot@example.org>");
        assert_eq!(Candidate::from_message(&message), Some(Ok(candidate())));
        assert_eq!(Candidate::from_message("fix: a bug\n\nSealift is nice\n"), None);
    }

    #[test]
    fn a_damaged_trailer_is_an_error_and_not_another_candidate() {
        let message = candidate().message("Bot <bot@example.org>");
        let damaged = message.replace("Sealift-Rc-Artifact: sha256:", "Sealift-Rc-Artifact: sha256:0");
        assert_eq!(Candidate::from_message(&damaged).unwrap().unwrap_err().key, RC_ARTIFACT);
        let missing = message.replace("Sealift-Base: release-1.6\n", "");
        assert_eq!(Candidate::from_message(&missing).unwrap().unwrap_err().key, BASE);
    }

    #[test]
    fn quoted_trailers_in_a_body_are_not_trailers() {
        let quoted = format!("docs: how it works\n\n{}\nThat was it.\n", candidate().message("x <x@y>"));
        assert_eq!(Candidate::from_message(&quoted), None);
    }

    #[test]
    fn the_pin_names_its_artifact() {
        let message = pin_message(&candidate().rc, &Digest::of(b"a"), "x <x@y>");
        assert_eq!(pinned_artifact(&message), Some(Digest::of(b"a")));
        assert_eq!(pinned_artifact(&candidate().message("x <x@y>")), None);
    }
}
