//! The keys whose value is a word, or a map that says more: `rc_tag`, `verify.rest`, `artifact.modes`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::definition::{ArchiveModes, RcTag, Rest, Stages};
use crate::archive::Modes;
use crate::model::version::FromText;

/// A value written as one word, or as a map read into `Full`.
trait Shorthand: Sized {
    type Full: for<'de> Deserialize<'de>;
    const WORD: &'static str;
    const EXPECTED: &'static str;

    fn word() -> Self;
    fn full(full: Self::Full) -> Self;
}

struct WordOrMap<T>(PhantomData<T>);

impl<'de, T: Shorthand> Visitor<'de> for WordOrMap<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        if text == T::WORD {
            return Ok(T::word());
        }
        Err(E::custom(format_args!("`{text}` is unknown, expected {}", T::EXPECTED)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::Full::deserialize(MapAccessDeserializer::new(map)).map(T::full)
    }
}

macro_rules! shorthand {
    ($($type:ty),*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(WordOrMap(PhantomData))
            }
        }

        #[cfg(test)]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let full = generator.subschema_for::<<$type as Shorthand>::Full>();
                schemars::json_schema!({ "anyOf": [{ "type": "string", "const": <$type as Shorthand>::WORD }, full] })
            }
        }
    )*};
}

shorthand!(RcTag, Rest, ArchiveModes);

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Optional {
    /// Why a candidate's artifact may lack its tag: reported with each one that does.
    optional: String,
}

impl Shorthand for RcTag {
    type Full = Optional;
    const WORD: &'static str = "required";
    const EXPECTED: &'static str = "`required` or `{optional: \"reason\"}`";

    fn word() -> Self {
        Self::Required
    }

    fn full(full: Optional) -> Self {
        Self::Optional(full.optional)
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Report {
    /// Why the rest may differ: printed with the differences.
    report: String,
}

impl Shorthand for Rest {
    type Full = Report;
    const WORD: &'static str = "refuse";
    const EXPECTED: &'static str = "`refuse` or `{report: \"reason\"}`";

    fn word() -> Self {
        Self::Refuse
    }

    fn full(full: Report) -> Self {
        Self::Report(full.report)
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Octals {
    /// Of files that can't be executed.
    #[cfg_attr(test, schemars(with = "String"))]
    file: Octal,
    /// Of files that can be executed.
    #[cfg_attr(test, schemars(with = "String"))]
    executable: Octal,
    /// Of directories.
    #[cfg_attr(test, schemars(with = "String"))]
    directory: Octal,
}

/// Permission bits as text: a number would be read as decimal by one YAML and octal by another.
struct Octal(u32);

/// Reads `0644`.
pub(super) fn octal(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('0').unwrap_or(text);
    u32::from_str_radix(digits, 8)
        .ok()
        .filter(|_| digits.len() == 3 && !digits.starts_with('+'))
        .ok_or_else(|| format!("`{text}` is not a mode; expected three octal digits after a 0, such as \"0644\""))
}

impl FromStr for Octal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        octal(text).map(Self)
    }
}

impl<'de> Deserialize<'de> for Octal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(FromText(PhantomData))
    }
}

impl Shorthand for ArchiveModes {
    type Full = Octals;
    const WORD: &'static str = "as-is";
    const EXPECTED: &'static str = "`as-is` or `{file: \"0644\", executable: \"0755\", directory: \"0755\"}`";

    fn word() -> Self {
        Self(Modes::AsIs)
    }

    fn full(full: Octals) -> Self {
        Self(Modes::Fixed { file: full.file.0, executable: full.executable.0, directory: full.directory.0 })
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}
