//! The rules for single texts: what a reason, a person, a place, a key, an alias, an address must be.

use super::{paths, shorthand};
use crate::model::{Prefix, Tag};
use crate::port::registry::Location;

fn filled(text: &str, expected: &str) -> Result<(), String> {
    match text {
        _ if text.trim().is_empty() => Err(format!("empty; expected {expected}")),
        _ if text.contains(char::is_control) => Err(format!("a control character or line break; expected {expected}")),
        _ => Ok(()),
    }
}

pub(super) fn reason(text: &str) -> Result<(), String> {
    filled(text.trim_end_matches('\n'), "the reason, in a sentence: it is shown wherever this exception is used")
}

/// The id of a rule of lint: which ones there are is lint's to say.
pub(super) fn word(text: &str) -> Result<(), String> {
    let fine = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    if fine { Ok(()) } else { Err(format!("`{text}` is no rule's id; expected one such as `bare-tag`")) }
}

pub(super) fn line(text: &str) -> Result<(), String> {
    filled(text, "text that stands in one line")
}

/// git's rules for an identity: what would break the header `name <email> time zone`.
pub(super) fn person(text: &str) -> Result<(), String> {
    filled(text, "a name or address")?;
    match text.contains(['<', '>']) {
        true => Err(format!("`{text}` has `<` or `>`; expected the bare name or address: git adds the brackets")),
        false if text.trim() != text => Err(format!("`{text}` has blanks around it; expected it without")),
        false => Ok(()),
    }
}

/// A registry path with its host spelled: nothing without a host is taken for a repository.
pub(super) fn place(text: &str) -> Result<(), String> {
    let named = |error: String| format!("{error}; expected host and path, such as `ghcr.io/org/project`");
    text.parse::<Prefix>().map(drop).map_err(|error| named(error.to_string()))
}

pub(super) fn tag_prefix(text: &str) -> Result<(), String> {
    match format!("{text}v1.2.3").parse::<Tag>() {
        Ok(_) if !text.is_empty() => Ok(()),
        _ => Err(format!("`{text}` begins no tag; expected letters, digits, `_`, `.` and `-`, such as `v1.30-`")),
    }
}

pub(super) fn gzip(text: &str) -> Result<(), String> {
    paths::path(text)?;
    text.ends_with(".gz").then_some(()).ok_or_else(|| format!("`{text}` is no gzip copy; expected a name in `.gz`"))
}

pub(super) fn mode(text: &str) -> Result<(), String> {
    shorthand::octal(text).map(drop)
}

pub(super) fn key(text: &str) -> Result<(), String> {
    filled(text, "the name of a key")?;
    let name = !text.contains(['.', ' ', ':']);
    name.then_some(())
        .ok_or_else(|| format!("`{text}` is no name of a key; expected the last name only, without the path to it"))
}

pub(super) fn key_path(text: &str) -> Result<(), String> {
    filled(text, "the dotted path of a key, such as `image.tag`")?;
    let names = text.split('.').all(|name| !name.is_empty() && !name.contains([' ', ':']));
    names.then_some(()).ok_or_else(|| format!("`{text}` is no path of a key; expected names joined by dots"))
}

/// Where a registry is, other than at `https://<host>`.
pub(super) fn location(text: &str) -> Result<(), String> {
    no_secrets(text)?;
    text.parse::<Location>().map(|_| ()).map_err(|error| error.to_string())
}

/// A tag that moves. One that reads as a version would be taken for a release.
pub(super) fn alias(text: &str) -> Result<(), String> {
    text.parse::<Tag>().map_err(|error| format!("{error}; expected a word such as `latest`"))?;
    let version = text.strip_prefix('v').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit());
    match version || text.starts_with("promotion-") {
        true => Err(format!("`{text}` reads as a fixed tag, and an alias moves; expected a word such as `latest`")),
        false => Ok(()),
    }
}

/// An address without credentials in it.
fn no_secrets(text: &str) -> Result<(), String> {
    let authority = text.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
    match authority.contains('@') {
        true => Err("a user or password in the address; expected it bare: credentials come from outside".into()),
        false => Ok(()),
    }
}

pub(super) fn url(text: &str) -> Result<(), String> {
    filled(text, "an address such as `https://github.com/org/project`")?;
    no_secrets(text)?;
    let web = text.starts_with("https://") || text.starts_with("http://");
    web.then_some(()).ok_or_else(|| "no web address; expected one such as `https://github.com/org/project`".into())
}

pub(super) fn origin(text: &str) -> Result<(), String> {
    const EXPECTED: &str = "`https://…`, `http://…`, `file:///…` or a path";
    filled(text, EXPECTED)?;
    no_secrets(text)?;
    let known = match text.split_once("://") {
        Some((scheme, rest)) => matches!(scheme, "https" | "http" | "file") && !rest.is_empty(),
        // `git@host:path` is ssh in disguise.
        None => !text.split('/').next().is_some_and(|first| first.contains(':')),
    };
    known.then_some(()).ok_or_else(|| format!("not an origin sealift can reach; expected {EXPECTED}"))
}
