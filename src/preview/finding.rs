//! What was found, how much it weighs, and what it is about.

use serde::Serialize;

use crate::model::{Refusal, Unknown};
use crate::promotion::survey::{Fault, FaultKind};

/// What would become of a promotion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outlook {
    /// Nothing was found that a promotion would refuse.
    #[default]
    Clean,
    /// Something was.
    Refused,
    /// Something could not be looked at, which is never fine.
    Unknown,
}

/// How much a finding weighs; the heaviest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A promotion would refuse it.
    Refusal,
    /// It could not be looked at, and a promotion must.
    Unknown,
    /// Worth a look; a promotion takes it.
    Warning,
}

/// What a finding is about, in the order people read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    Conflict,
    Promotion,
    Collision,
    Unclaimed,
    Unreadable,
    Unpinned,
    Copy,
    Rewrite,
    Survivor,
    Name,
    Unpullable,
    Unpublished,
    Chart,
    Artifact,
    Base,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub level: Level,
    pub topic: Topic,
    #[serde(flatten)]
    pub refusal: Refusal,
}

impl Outlook {
    pub fn of(findings: &[Finding]) -> Self {
        let any = |level| findings.iter().any(|finding| finding.level == level);
        if any(Level::Refusal) {
            Self::Refused
        } else if any(Level::Unknown) {
            Self::Unknown
        } else {
            Self::Clean
        }
    }

    /// What two looks at one thing say together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Refused, _) | (_, Self::Refused) => Self::Refused,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Clean, Self::Clean) => Self::Clean,
        }
    }
}

impl Finding {
    pub fn refused(topic: Topic, refusal: Refusal) -> Self {
        Self { level: Level::Refusal, topic, refusal }
    }

    pub fn unknown(topic: Topic, unknown: Unknown) -> Self {
        Self { level: Level::Unknown, topic, refusal: unknown.into() }
    }

    pub fn warning(topic: Topic, refusal: Refusal) -> Self {
        Self { level: Level::Warning, topic, refusal }
    }
}

impl From<Fault> for Finding {
    fn from(fault: Fault) -> Self {
        let topic = match fault.kind {
            FaultKind::Unreadable => Topic::Unreadable,
            FaultKind::Unclaimed => Topic::Unclaimed,
            FaultKind::Unpinned => Topic::Unpinned,
            FaultKind::Collision => Topic::Collision,
            FaultKind::Copy => Topic::Copy,
            FaultKind::Rewrite => Topic::Rewrite,
            FaultKind::Survivor => Topic::Survivor,
        };
        Self::refused(topic, fault.refusal)
    }
}
