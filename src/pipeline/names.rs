//! The names a pipeline gives: branches, tags, values; each alone, and no two alike.

use std::collections::BTreeMap;

use super::template::TemplateError;
use super::{Pipeline, Template};
use crate::model::git::GitNameError;
use crate::model::{Rc, RefName, Stable};

type Check = Result<(), String>;
type Make = fn(&str) -> Result<RefName, GitNameError>;

pub(super) const VERSION: &str = "{version}";
pub(super) const LINE: &str = "{line}";
pub(super) const N: &str = "{n}";
pub(super) const RC: &str = "{rc}";

/// A pipeline's name stands in trailers and messages.
pub(super) fn pipeline(text: &str) -> Check {
    let valid = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    valid.then_some(()).ok_or_else(|| {
        format!("`{}` is no name for a pipeline; expected letters, digits, `-`, `_` and `.`", text.escape_debug())
    })
}

pub(super) fn branch(text: &str) -> Check {
    if text.contains(['{', '}']) {
        return Err(format!("`{text}` has a placeholder; expected one branch that is always there, such as `main`"));
    }
    reference(text, text, RefName::branch)
}

pub(super) fn rc_branch(text: &str) -> Check {
    template(text, &[VERSION, N], &[LINE], "release-{version}-rc.{n}", RefName::branch)
}

pub(super) fn staging_branch(text: &str) -> Check {
    template(text, &[VERSION], &[LINE], "release-{version}", RefName::branch)
}

pub(super) fn line_branch(text: &str) -> Check {
    template(text, &[LINE], &[], "release-{line}", RefName::branch)
}

pub(super) fn rc_tag(text: &str) -> Check {
    template(text, &[VERSION, N], &[LINE], "v{version}-rc.{n}", RefName::tag)
}

pub(super) fn stable_tag(text: &str) -> Check {
    template(text, &[VERSION], &[LINE], "v{version}", RefName::tag)
}

/// A value stamped into the chart.
pub(super) fn stamp(text: &str) -> Check {
    placeholders(text, &[], &[VERSION, LINE], "v{version}").map(drop)
}

fn template(text: &str, needs: &[&str], may: &[&str], example: &str, make: Make) -> Check {
    let template = placeholders(text, needs, may, example)?;
    let sample = Rc { stable: Stable { major: 1, minor: 2, patch: 3 }, n: 4 };
    reference(text, &template.rc(&sample), make)
}

/// A template with all placeholders that it needs, once each, and none but those it may have besides.
pub(super) fn placeholders(text: &str, needs: &[&str], may: &[&str], example: &str) -> Result<Template, String> {
    let template: Template = text.parse().map_err(|error: TemplateError| {
        let known: Vec<_> = needs.iter().chain(may).map(|placeholder| format!("`{placeholder}`")).collect();
        match known.split_last() {
            Some((last, [])) => format!("{error}; expected {last}"),
            Some((last, others)) => format!("{error}; expected {} or {last}", others.join(", ")),
            None => error.to_string(),
        }
    })?;
    for placeholder in [VERSION, LINE, N, RC] {
        let needed = needs.contains(&placeholder);
        let why = match text.matches(placeholder).count() {
            0 if needed => "lacks",
            0 | 1 if needed || may.contains(&placeholder) => continue,
            0 => continue,
            1 => "can't have",
            _ => "repeats",
        };
        return Err(format!("`{text}` {why} `{placeholder}`; expected a name such as `{example}`"));
    }
    Ok(template)
}

fn reference(text: &str, name: &str, make: Make) -> Check {
    // git refuses these two for branches although they are fine as refs.
    if make(name).is_ok() && !name.starts_with('-') && name != "HEAD" {
        return Ok(());
    }
    let becomes = if text == name { String::new() } else { format!(" (as `{}`)", name.escape_debug()) };
    Err(format!("`{}`{becomes} is not a name git allows; expected one by git-check-ref-format", text.escape_debug()))
}

/// Two keys whose names are, for some version, the same, or such that git can't hold both.
pub(super) struct Clash {
    pub(super) key: String,
    pub(super) message: String,
}

/// Compares all names of branches, all names of tags, and each job's, over a set of versions.
pub(super) fn clashes(pipeline: &Pipeline) -> Vec<Clash> {
    let branches = &pipeline.branches;
    let mut heads = vec![
        ("branches.rc".to_owned(), branches.rc.to_string()),
        ("branches.staging".to_owned(), branches.staging.to_string()),
        ("branches.line".to_owned(), branches.line.to_string()),
    ];
    heads.extend(branches.default.clone().map(|name| ("branches.default".to_owned(), name)));
    let mut tags = vec![
        ("tags.rc".to_owned(), pipeline.tags.rc.to_string()),
        ("tags.stable".to_owned(), pipeline.tags.stable.to_string()),
    ];
    let modules = pipeline.tags.modules.iter().enumerate();
    tags.extend(modules.map(|(position, module)| (format!("tags.modules.{position}"), module.to_string())));
    // Jobs of different sources may be called alike, but each must tell candidates apart.
    let jobs = pipeline.evidence.iter().enumerate();
    let jobs = jobs.map(|(position, source)| vec![(format!("evidence.{position}.job"), source.job.to_string())]);
    [heads, tags].into_iter().chain(jobs).flat_map(|names| clashes_among(&names)).collect()
}

fn clashes_among(names: &[(String, String)]) -> Vec<Clash> {
    let numbers = numbers(names.iter().map(|(_, text)| text.as_str()));
    let mut seen: BTreeMap<String, (&str, [u64; 4])> = BTreeMap::new();
    let mut clashes: Vec<Clash> = Vec::new();
    let mut report = |key: &str, other: &str, name: &str, how: &str| {
        if !clashes.iter().any(|clash| clash.key == key) {
            let message = match key == other {
                true => format!("`{name}` is the name of two versions; expected a separator between the placeholders"),
                false => format!("`{name}` {how} `{other}` of some version; expected names that always differ"),
            };
            clashes.push(Clash { key: key.to_owned(), message });
        }
    };
    for (key, text) in names {
        for (name, values) in fillings(text, &numbers) {
            match seen.get(&name) {
                Some((other, those)) if other != key || *those != values => report(key, other, &name, "is also"),
                Some(_) => {}
                None => {
                    seen.insert(name, (key, values));
                }
            }
        }
    }
    // A ref is a path: `a` and `a/b` can't both be there.
    for (name, (key, _)) in &seen {
        let parents = name.match_indices('/').filter_map(|(slash, _)| name.get(..slash));
        for (other, _) in parents.filter_map(|parent| seen.get(parent)) {
            report(key, other, name, "can't exist beside");
        }
    }
    clashes
}

/// Every name a template makes of the numbers; values it doesn't use count as 0.
pub(super) fn fillings(text: &str, numbers: &[u64]) -> Vec<(String, [u64; 4])> {
    let zero = [0];
    let text = &text.replace(RC, "{version}-rc.{n}");
    let version = text.contains(VERSION);
    let or_zero = |used: bool| if used { numbers } else { &zero };
    let (line, patch, n) = (or_zero(version || text.contains(LINE)), or_zero(version), or_zero(text.contains(N)));
    let mut names = Vec::new();
    for &major in line {
        for &minor in line {
            for &patch in patch {
                for &n in n {
                    let name = text
                        .replace(VERSION, &format!("{major}.{minor}.{patch}"))
                        .replace(LINE, &format!("{major}.{minor}"))
                        .replace(N, &n.to_string());
                    names.push((name, [major, minor, patch, n]));
                }
            }
        }
    }
    names
}

/// Numbers that show a clash: ones that run together (1 and 11), and those the names spell out.
pub(super) fn numbers<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u64> {
    let mut numbers = vec![1, 2, 11, 12];
    for digits in texts.flat_map(|text| text.split(|c: char| !c.is_ascii_digit())) {
        match digits.parse() {
            Ok(number) if !numbers.contains(&number) && numbers.len() < 8 => numbers.push(number),
            _ => {}
        }
    }
    numbers
}
