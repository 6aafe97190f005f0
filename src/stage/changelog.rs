//! The changelog of a version: a file that people write on the staging branch.

use super::World;
use crate::model::{CommitId, Stable};
use crate::port::repository::StoreError;

/// What a look at a changelog found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changelog {
    /// The pipeline declares none.
    Undeclared,
    Missing(String),
    /// It can't be shown to people as it is.
    Invalid {
        path: String,
        why: String,
    },
    Valid {
        path: String,
        text: String,
    },
}

/// The changelog as it is at a commit.
pub fn look(world: &World<'_>, commit: CommitId) -> Result<Changelog, StoreError> {
    let Some(template) = &world.pipeline.release.changelog else { return Ok(Changelog::Undeclared) };
    let version = world.promotion.candidate.rc.stable;
    let path = template.stable(&version);
    let Some(bytes) = world.store.file(world.store.tree_of(commit)?, path.as_bytes())? else {
        return Ok(Changelog::Missing(path));
    };
    Ok(match valid(&bytes, &version) {
        Ok(text) => Changelog::Valid { path, text },
        Err(why) => Changelog::Invalid { path, why: why.to_owned() },
    })
}

impl Changelog {
    /// A line for people, where there is something to mend.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Undeclared | Self::Valid { .. } => None,
            Self::Missing(path) => Some(format!("there is no changelog: {path} is not there")),
            Self::Invalid { path, why } => Some(format!("the changelog counts as missing: {path} {why}")),
        }
    }
}

/// A changelog's text, or why it isn't one: its first heading names the version, something
/// follows, and it goes on to its end.
fn valid(bytes: &[u8], version: &Stable) -> Result<String, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not text (UTF-8)")?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Err("is blank");
    }
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty() || is_comment(line));
    let heading = lines.next().filter(|line| line.starts_with('#')).ok_or("does not begin with a heading")?;
    if !names(heading, version) {
        return Err("has another version in its heading");
    }
    let prose = |line: &str| !line.trim().is_empty() && !line.starts_with('#') && !is_comment(line);
    if !lines.any(prose) {
        return Err("has nothing below its heading");
    }
    let count = |what: &str| text.matches(what).count();
    let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count();
    let open = fences % 2 == 1 || count("<!--") > count("-->") || count("<details") > count("</details>");
    if open || !text.ends_with('\n') {
        return Err("is truncated: it ends inside a line, a code block, a comment or a folded part");
    }
    Ok(text)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("<!--") && line.trim_end().ends_with("-->")
}

/// Whether a heading has the version as a word of its own: `1.6.2`, `v1.6.2`, `[1.6.2]`.
fn names(heading: &str, version: &Stable) -> bool {
    let version = version.to_string();
    let word = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    heading.split(|c| !word(c)).any(|found| found.strip_prefix('v').unwrap_or(found) == version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Result<String, &'static str> {
        valid(text.as_bytes(), &"1.6.2".parse().unwrap())
    }

    #[test]
    fn a_changelog_names_its_version_and_says_something() {
        for text in [
            "# v1.6.2\n\n- a fix\n",
            "<!-- from main -->\n\n## [1.6.2] (2026-01-02)\n\nText.\n",
            "\u{feff}# Cozystack v1.6.2: small fixes\r\n\r\ntext\r\n",
            "# 1.6.2\n\n```sh\nls\n```\n",
        ] {
            assert!(judged(text).is_ok(), "{text}: {:?}", judged(text));
        }
        assert_eq!(judged("# v1.6.2\r\n\r\na\r\n").unwrap(), "# v1.6.2\n\na\n");
    }

    #[test]
    fn what_is_blank_truncated_or_anothers_counts_as_missing() {
        for (text, why) in [
            ("", "blank"),
            ("\n  \n", "blank"),
            ("- a fix\n", "heading"),
            ("# v1.6.20\n\na\n", "another version"),
            ("# v11.6.2\n\na\n", "another version"),
            ("# v1.6.2-rc.1\n\na\n", "another version"),
            ("# v1.6.2\n", "nothing below"),
            ("# v1.6.2\n\n## Fixes\n<!-- none -->\n", "nothing below"),
            ("# v1.6.2\n\n- a fi", "truncated"),
            ("# v1.6.2\n\n```sh\nls\n", "truncated"),
            ("# v1.6.2\n\n<details>\na\n", "truncated"),
            ("# v1.6.2\n\na <!-- b\n", "truncated"),
        ] {
            assert!(judged(text).unwrap_err().contains(why), "{text}: {:?}", judged(text));
        }
        assert!(valid(b"# v1.6.2\n\n\xff\n", &"1.6.2".parse().unwrap()).is_err());
    }
}
