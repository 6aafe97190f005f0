//! A refusal is a value, not an error: why not, where, and what to do.

use serde::Serialize;

use super::Unknown;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    pub message: String,
    /// `file:line`, a reference, a commit: where it shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// A command to run or one imperative sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Refusal {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), places: Vec::new(), hint: None }
    }

    pub fn at(mut self, places: impl IntoIterator<Item = impl ToString>) -> Self {
        self.places.extend(places.into_iter().map(|place| place.to_string()));
        self
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<Unknown> for Refusal {
    /// Unknown never authorises anything: it refuses.
    fn from(unknown: Unknown) -> Self {
        let hint = match unknown.status {
            Some(_) => "run the same command again when it answers",
            None => "see that it is there, whole and reachable, then run the same command again",
        };
        Self::new(format!("can't be known: {unknown}")).hint(hint)
    }
}
