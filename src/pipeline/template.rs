//! Names with a version in them: `release-{version}-rc.{n}`.

use std::fmt;
use std::str::FromStr;

use crate::model::version::as_text;
use crate::model::{Rc, Stable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A name with placeholders: `{version}` is `X.Y.Z`, `{line}` is `X.Y`, `{n}` the
/// candidate's number, `{rc}` is `X.Y.Z-rc.N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(String);

/// Why a text is not a template. Which placeholders are expected depends on the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("`{text}`: unknown placeholder `{{{name}}}`")]
    Unknown { text: String, name: String },
    #[error("`{0}`: a brace without its other half")]
    Brace(String),
}

impl Template {
    /// A template of our own, known to be right.
    pub(super) fn known(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The name for a candidate.
    pub fn rc(&self, rc: &Rc) -> String {
        self.stable(&rc.stable).replace("{n}", &rc.n.to_string()).replace("{rc}", &rc.to_string())
    }

    /// The name for a stable version.
    pub fn stable(&self, version: &Stable) -> String {
        self.0.replace("{version}", &version.to_string()).replace("{line}", &version.line())
    }

    /// Whether a placeholder occurs.
    pub fn has(&self, placeholder: &str) -> bool {
        self.0.contains(placeholder)
    }

    /// The stable version a name was made for: the inverse of [`Template::stable`].
    pub fn version_of(&self, name: &str) -> Option<Stable> {
        let (version, _) = self.read(name)?;
        version.filter(|version| self.stable(version) == name)
    }

    /// The candidate a name was made for: the inverse of [`Template::rc`].
    pub fn rc_of(&self, name: &str) -> Option<Rc> {
        let (version, n) = self.read(name)?;
        let rc = Rc { stable: version?, n: n? };
        (self.rc(&rc) == name).then_some(rc)
    }

    /// What stands where the placeholders are: runs of digits and dots.
    fn read(&self, name: &str) -> Option<(Option<Stable>, Option<u64>)> {
        let (mut version, mut n) = (None, None);
        let spelled = self.0.replace("{rc}", "{version}-rc.{n}");
        let (mut template, mut name) = (spelled.as_str(), name);
        while let Some((literal, rest)) = template.split_once('{') {
            let (placeholder, after) = rest.split_once('}')?;
            name = name.strip_prefix(literal)?;
            let end = name.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(name.len());
            let value = name[..end].trim_end_matches('.');
            match placeholder {
                "version" => version = Some(value.parse().ok()?),
                "n" => n = Some(value.parse().ok()?),
                _ => {}
            }
            (template, name) = (after, &name[value.len()..]);
        }
        (template == name).then_some((version, n))
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let mut parts = text.split('{');
        let before = parts.next().unwrap_or_default();
        if before.contains('}') {
            return Err(TemplateError::Brace(text.to_owned()));
        }
        for part in parts {
            match part.split_once('}') {
                Some(("version" | "line" | "n" | "rc", rest)) if !rest.contains('}') => {}
                Some((name, rest)) if !rest.contains('}') => {
                    return Err(TemplateError::Unknown { text: text.to_owned(), name: name.to_owned() });
                }
                _ => return Err(TemplateError::Brace(text.to_owned())),
            }
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(Template);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_and_recognises_names() {
        let rc: Rc = "1.6.2-rc.3".parse().unwrap();
        let template: Template = "release-{version}-rc.{n}".parse().unwrap();
        assert_eq!(template.rc(&rc), "release-1.6.2-rc.3");
        let staging: Template = "release-{version}".parse().unwrap();
        assert_eq!(staging.version_of("release-1.6.2"), Some(rc.stable));
        assert_eq!(staging.version_of("release-1.6.2-rc.3"), None);
        assert_eq!(staging.version_of("release-v1.6.2"), None);
        assert_eq!(template.rc_of("release-1.6.2-rc.3"), Some(rc));
        assert_eq!(template.rc_of("release-1.6.2-rc.3x"), None);
        assert_eq!(template.rc_of("release-1.6.2"), None);
        let job: Template = "E2E {rc}".parse().unwrap();
        assert_eq!(job.rc(&rc), "E2E 1.6.2-rc.3");
        assert_eq!(job.rc_of("E2E 1.6.2-rc.3"), Some(rc));
        assert_eq!(job.rc_of("E2E 1.6.2"), None);
        for text in ["{foo}", "{version", "version}", "{version}}", "{{version}}", "{}", "}{"] {
            assert!(text.parse::<Template>().is_err(), "{text}");
        }
    }
}
