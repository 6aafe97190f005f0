//! The rules for single texts that GitHub sets: logins, labels, files of workflows, jobs, assets.

use super::Assets;
use crate::pipeline::names::{self, LINE, N, RC, VERSION};
use crate::pipeline::{paths, rules};

type Check = Result<(), String>;

/// The name of a user or an organisation. One with `_` is managed by an enterprise.
pub(super) fn is_account(text: &str) -> bool {
    let characters = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    (1..=39).contains(&text.len()) && characters && !text.starts_with('-')
}

/// A user's or an app's login.
pub(in crate::pipeline) fn login(text: &str) -> Check {
    is_account(text.strip_suffix("[bot]").unwrap_or(text)).then_some(()).ok_or_else(|| {
        format!("`{}` is no login; expected one such as `octocat`, or an app's: `name[bot]`", text.escape_debug())
    })
}

/// A label. Lists of labels are joined by commas.
pub(in crate::pipeline) fn label(text: &str) -> Check {
    rules::line(text)?;
    let wrong = text.trim() != text || text.contains(',') || text.chars().count() > 50;
    (!wrong).then_some(()).ok_or_else(|| {
        format!("`{text}` is no label; expected 50 characters at most, no comma, no blanks around, such as `release`")
    })
}

/// The file of a workflow, by its name alone.
pub(in crate::pipeline) fn workflow(text: &str) -> Check {
    let stem = text.strip_suffix(".yaml").or_else(|| text.strip_suffix(".yml")).unwrap_or_default();
    (!stem.is_empty() && text.chars().all(is_asset_character)).then_some(()).ok_or_else(|| {
        let text = text.escape_debug();
        format!("`{text}` is no workflow's file; expected its name in `.github/workflows`, such as `e2e.yaml`")
    })
}

/// The name of a job.
pub(in crate::pipeline) fn job(text: &str) -> Check {
    rules::line(text)?;
    if text.trim() != text {
        return Err(format!("`{text}` has blanks around it; expected the job's name as GitHub shows it"));
    }
    names::placeholders(text, &[], &[VERSION, N, RC], "E2E {rc}").map(drop)
}

/// The path of a changelog.
pub(in crate::pipeline) fn changelog(text: &str) -> Check {
    paths::path(text)?;
    names::placeholders(text, &[VERSION], &[LINE], "docs/changelogs/v{version}.md").map(drop)
}

fn is_asset_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// The name of a release's asset: one that GitHub keeps as it is, and that isn't sealift's own.
/// GitHub renames an asset with other characters, or with a dot at an end:
/// <https://docs.github.com/en/rest/releases/assets#upload-a-release-asset>.
///
/// # Errors
/// Why it can't be one, and what is expected.
pub fn asset_name(text: &str) -> Result<(), String> {
    if text.eq_ignore_ascii_case(Assets::RECORD) {
        return Err(format!("`{text}` is sealift's own record of the assets; expected another name, or leave it out"));
    }
    let kept = !text.is_empty() && text.chars().all(is_asset_character) && text.trim_matches('.') == text;
    kept.then_some(()).ok_or_else(|| {
        let text = text.escape_debug();
        format!("`{text}` would be renamed by GitHub; expected letters, digits, `-`, `_`, and `.` except at the ends")
    })
}

/// A glob of names of assets.
pub(in crate::pipeline) fn asset_glob(text: &str) -> Check {
    let glob = paths::matcher(text)?;
    let expected = "expected a glob of file names, such as `tool-*.tar.gz`";
    if text.is_empty() || !text.chars().all(|c| is_asset_character(c) || "*?[]!^{},".contains(c)) {
        let text = text.escape_debug();
        return Err(format!(
            "`{text}` matches no asset: their names are letters, digits, `-`, `_` and `.`; {expected}"
        ));
    }
    match glob.is_match(Assets::RECORD) {
        true => Err(format!("`{text}` matches `{}`, sealift's own record of the assets; {expected}", Assets::RECORD)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_a_users_or_an_apps() {
        for text in ["octocat", "cozystack-ci[bot]", "Octo-Cat_acme", "a"] {
            assert_eq!(login(text), Ok(()), "{text}");
        }
        for text in ["", "@octocat", "[bot]", "octo cat", "-octo", "octo[bot][bot]", "octo[Bot]", "ö", &"a".repeat(40)]
        {
            assert!(login(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_asset_keeps_its_name() {
        for text in ["checksums.txt", "a_b-1.2.3.tar.gz", "SHA256SUMS"] {
            assert_eq!(asset_name(text), Ok(()), "{text}");
        }
        for text in ["", "a b", "a+b", "a/b", ".a", "a.", "ü", "a\n", "sealift.json", "Sealift.json"] {
            assert!(asset_name(text).is_err(), "{text}");
        }
    }
}
