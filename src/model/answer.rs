//! What a look at the world can answer: found, absent, or unknown (contract §4).

use std::fmt;

/// The answer to a read. Unknown is neither absent nor permission: it never
/// authorises a write and never means empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    Found(T),
    /// Proven absent, by the rules of the port that says so.
    Absent,
    Unknown(Unknown),
}

/// Why an answer could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What was looked at, in the words of the user: `ghcr.io/org/x:v1.6.2`, `refs/heads/main`.
    pub what: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// The server's or the system's own words, without secrets.
    pub detail: String,
}

impl<T> Answer<T> {
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// `Ok(Some)` when found, `Ok(None)` when proven absent.
    pub fn known(self) -> Result<Option<T>, Unknown> {
        match self {
            Self::Found(value) => Ok(Some(value)),
            Self::Absent => Ok(None),
            Self::Unknown(unknown) => Err(unknown),
        }
    }

    /// Of something that can't be absent, such as a list of what belongs to a thing that is there.
    ///
    /// # Errors
    /// Unknown, and absent too: the thing has gone meanwhile, or isn't shown any more.
    pub fn there(self, what: impl fmt::Display) -> Result<T, Unknown> {
        self.known()?.ok_or_else(|| Unknown::new(what, "it must be there, and is not found"))
    }
}

/// The opposite of [`Answer::known`].
impl<T> From<Result<Option<T>, Unknown>> for Answer<T> {
    fn from(known: Result<Option<T>, Unknown>) -> Self {
        match known {
            Ok(Some(value)) => Self::Found(value),
            Ok(None) => Self::Absent,
            Err(unknown) => Self::Unknown(unknown),
        }
    }
}

impl Unknown {
    pub fn new(what: impl fmt::Display, detail: impl fmt::Display) -> Self {
        Self { what: what.to_string(), status: None, detail: detail.to_string() }
    }

    pub fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.what)?;
        match self.status {
            Some(status) if self.detail.is_empty() => write!(f, "the server answered {status}"),
            Some(status) => write!(f, "the server answered {status}: {}", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

impl std::error::Error for Unknown {}
