//! Whether anyone may pull, without credentials.

use crate::model::{Answer, Manifest, Unknown};

/// Whether anyone may pull from a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Public {
    Yes,
    /// Only with credentials: without, this is the answer.
    Refused(String),
    Unknown(Unknown),
}

impl Public {
    /// 401 and 403 refuse; hosts also hide what is private behind "not there". Anything else is no answer.
    pub(super) fn of(answer: Answer<Manifest>) -> Self {
        match answer {
            Answer::Found(_) => Self::Yes,
            Answer::Absent => Self::Refused("it is said not to be there".to_owned()),
            Answer::Unknown(why) if matches!(why.status, Some(401 | 403)) => Self::Refused(why.to_string()),
            Answer::Unknown(why) => Self::Unknown(why),
        }
    }
}
