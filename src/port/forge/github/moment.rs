//! Times as GitHub spells them.

use serde::{Deserialize, Deserializer};

use crate::port::http::rfc3339;

/// `2026-11-29T10:00:00Z`, and no other spelling: such times compare as texts.
#[derive(Debug)]
pub(super) struct Moment(pub String);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match rfc3339(&text) {
            Some(_) => Ok(Self(text)),
            None => Err(serde::de::Error::custom(format!("`{text}` is not a time as `2026-11-29T10:00:00Z`"))),
        }
    }
}
