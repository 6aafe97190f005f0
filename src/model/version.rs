//! The two kinds of version a promotion knows: `X.Y.Z-rc.N` and `X.Y.Z`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A stable version `X.Y.Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stable {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
}

/// A release candidate `X.Y.Z-rc.N` of a stable version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rc {
    pub stable: Stable,
    pub n: u64,
}

/// A version of either kind, in the order of releases: a candidate comes before its stable version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    Candidate(Rc),
    Stable(Stable),
}

/// Why a text is not a version. Versions reach file contents, ref names and tags,
/// so anything but the exact form is refused before the first write (contract §3).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not {expected}: digits without leading zeros, no white space, nothing before or after (a leading `v` is fine)"
)]
pub struct VersionError {
    pub text: String,
    pub expected: &'static str,
}

impl Stable {
    /// The maintenance line `X.Y` this version belongs to.
    pub fn line(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// The version to cut when this one is spent.
    pub fn next_patch(&self) -> Self {
        Self { patch: self.patch + 1, ..*self }
    }
}

impl Version {
    /// The stable version that it is, or becomes.
    pub fn stable(&self) -> Stable {
        match self {
            Self::Candidate(rc) => rc.stable,
            Self::Stable(stable) => *stable,
        }
    }

    /// Whether it stands in the place of a version that nobody has given yet.
    pub fn is_placeholder(&self) -> bool {
        *self == Self::Stable(Stable { major: 0, minor: 0, patch: 0 })
    }

    fn key(&self) -> (Stable, bool, u64) {
        match self {
            Self::Candidate(rc) => (rc.stable, false, rc.n),
            Self::Stable(stable) => (*stable, true, 0),
        }
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn number(text: &str) -> Option<u64> {
    let canonical =
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    canonical.then(|| text.parse().ok()).flatten()
}

fn stable(text: &str) -> Option<Stable> {
    let mut parts = text.split('.').map(number);
    let version = Stable { major: parts.next()??, minor: parts.next()??, patch: parts.next()?? };
    parts.next().is_none().then_some(version)
}

impl FromStr for Stable {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        stable(text.strip_prefix('v').unwrap_or(text))
            .ok_or_else(|| VersionError { text: text.to_owned(), expected: "a stable version X.Y.Z" })
    }
}

impl FromStr for Rc {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let parse = |text: &str| {
            let (left, n) = text.split_once("-rc.")?;
            Some(Self { stable: stable(left)?, n: number(n)? })
        };
        parse(text.strip_prefix('v').unwrap_or(text))
            .ok_or_else(|| VersionError { text: text.to_owned(), expected: "a release candidate X.Y.Z-rc.N" })
    }
}

impl fmt::Display for Stable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Display for Rc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-rc.{}", self.stable, self.n)
    }
}

/// Reads text inside a visitor: an error raised there carries its line and column in YAML.
pub(crate) struct FromText<T>(pub(crate) std::marker::PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> serde::de::Visitor<'_> for FromText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::model::version::FromText(std::marker::PhantomData))
            }
        }
    )*};
}
pub(crate) use as_text;

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Candidate(rc) => rc.fmt(f),
            Self::Stable(stable) => stable.fmt(f),
        }
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        text.parse().map(Self::Candidate).or_else(|_| text.parse().map(Self::Stable))
    }
}

as_text!(Stable, Rc, Version);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_kinds() {
        let rc: Rc = "v1.6.2-rc.10".parse().unwrap();
        assert_eq!(rc.to_string(), "1.6.2-rc.10");
        assert_eq!(rc.stable, "1.6.2".parse().unwrap());
        assert_eq!(rc.stable.line(), "1.6");
        assert_eq!(rc.stable.next_patch().to_string(), "1.6.3");
        assert!("1.6.2-rc.9".parse::<Rc>().unwrap() < rc);
    }

    #[test]
    fn a_candidate_comes_before_its_release() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        let order = ["1.5.9", "1.6.0-rc.9", "1.6.0-rc.10", "1.6.0", "1.6.1-rc.1"];
        assert!(order.windows(2).all(|two| version(two[0]) < version(two[1])));
        assert_eq!(version("v1.6.0-rc.9").to_string(), "1.6.0-rc.9");
        assert!(version("0.0.0").is_placeholder() && !version("0.0.0-rc.1").is_placeholder());
    }

    #[test]
    fn refuses_anything_that_could_reach_a_name_or_a_file() {
        for text in [
            "",
            "v",
            "1.6",
            "1.6.2.3",
            "01.6.2",
            "1.6.2 ",
            " 1.6.2",
            "1.6.x",
            "1.6.2-rc.1",
            "1.6.2\n",
            "vv1.6.2",
            "+1.6.2",
            "1.6.99999999999999999999",
        ] {
            assert!(text.parse::<Stable>().is_err(), "{text:?}");
        }
        for text in
            ["1.6.2", "1.6.2-rc.", "1.6.2-rc.01", "1.6.2-rc.1; rm -rf /", "1.6.2-rc1", "1.6.2-rc.1-rc.2", "$(id)-rc.1"]
        {
            assert!(text.parse::<Rc>().is_err(), "{text:?}");
        }
    }
}
