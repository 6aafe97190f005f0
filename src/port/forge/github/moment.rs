//! Times as GitHub spells them.

use serde::{Deserialize, Deserializer};

use crate::port::http::rfc3339;

/// `2026-11-29T10:00:00Z`: such times compare as texts. Fractions of a second, which GitHub itself
/// doesn't tell, are left out; any other spelling is refused.
#[derive(Debug)]
pub(super) struct Moment(pub String);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = whole(String::deserialize(deserializer)?);
        match rfc3339(&text) {
            Some(_) => Ok(Self(text)),
            None => Err(serde::de::Error::custom(format!("`{text}` is not a time as `2026-11-29T10:00:00Z`"))),
        }
    }
}

fn whole(text: String) -> String {
    let digits = |fraction: &str| !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((seconds, rest)) if rest.strip_suffix('Z').is_some_and(digits) => format!("{seconds}Z"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_spelled_in_one_way() {
        let read = |text: &str| serde_json::from_value::<Moment>(text.into()).map(|moment| moment.0).ok();
        let plain = "2026-11-29T10:00:00Z";
        for text in [plain, "2026-11-29T10:00:00.103Z", "2026-11-29T10:00:00.0Z"] {
            assert_eq!(read(text).as_deref(), Some(plain), "{text}");
        }
        for text in ["", "2026-11-29", "2026-11-29T10:00:00", "2026-11-29T10:00:00.Z", "2026-11-29T10:00:00.1+01:00"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
