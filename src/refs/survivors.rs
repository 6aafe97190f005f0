//! The scan after the rewrite: wider than the rewrite, so that it doesn't share its blind spot.

use std::collections::BTreeSet;

use memchr::memmem::Finder;

use super::class::{any_candidate, version_line};
use super::comments::Comments;
use super::enumerate::in_charts;
use super::problem::{Lines, Problem, ProblemKind};
use super::shapes::Shapes;
use super::text::Scanner;
use super::{Spec, gzip};
use crate::model::{Rc, Repository, Stable, Tag};
use crate::tree::{Kind, Tree, below, show};
use crate::yaml::Yaml;

/// Finds what is left of a release candidate in image position, anywhere below the root:
/// enumerated or not, text or binary, inside gzip or not. Empty is good; each find names file
/// and line.
///
/// In image position is the candidate's tag as a whole token
/// - after `:` of an owned repository, or of one whose host is not spelled in the same place
///   (a template, a variable, the path of an owned prefix alone);
/// - as the `tag` of a map whose repository is owned or not spelled.
///
/// Not looked into: folders called `charts`, and Markdown (contract §3). Comments and mentions
/// elsewhere don't count, such as a module's version in `go.sum`, nor do third-party repositories.
/// The declared exclusions are the census's and lift nothing here.
///
/// Errors: what could not be listed, read or decompressed.
pub fn survivors(tree: &dyn Tree, spec: &Spec, rc: &Rc) -> Result<Vec<Problem>, Vec<Problem>> {
    scan(tree, spec, Wanted::One(*rc))
}

/// As [`survivors`], for every release candidate of a version: what a stable tree must not
/// have (contract §5, rule 2).
pub fn survivors_of(tree: &dyn Tree, spec: &Spec, stable: &Stable) -> Result<Vec<Problem>, Vec<Problem>> {
    scan(tree, spec, Wanted::Any(*stable))
}

/// What is looked for.
#[derive(Clone, Copy)]
enum Wanted {
    One(Rc),
    Any(Stable),
}

impl Wanted {
    /// What every wanted tag has in it.
    fn needle(&self) -> String {
        match self {
            Self::One(rc) => format!("v{rc}"),
            Self::Any(stable) => format!("v{stable}-rc."),
        }
    }

    fn is(&self, spec: &Spec, tag: &Tag) -> bool {
        match self {
            Self::One(rc) => version_line(spec, tag, rc),
            Self::Any(stable) => any_candidate(spec, tag, stable),
        }
    }
}

fn scan(tree: &dyn Tree, spec: &Spec, wanted: Wanted) -> Result<Vec<Problem>, Vec<Problem>> {
    let root = spec.root();
    let look =
        |path: &[u8], message: String| Problem::whole(show(path), message, "make it readable: it must be looked into");
    let entries = tree.entries_under(root.as_bytes()).map_err(|e| vec![look(root.as_bytes(), e.source.to_string())])?;
    let needle = wanted.needle();
    let scan = Scan { spec, wanted, needle: Finder::new(&needle), scanner: Scanner::new(&spec.owned) };
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for entry in entries {
        let relative = below(&entry.path, root.as_bytes()).unwrap_or(&entry.path);
        if entry.kind != Kind::File || in_charts(relative) || is_markdown(relative) {
            continue;
        }
        match read_content(tree, &entry.path) {
            Ok(content) => found.extend(scan.file(&entry.path, &content)),
            Err(message) => problems.push(look(&entry.path, message)),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// A file's content, decompressed when it begins as gzip does.
pub(super) fn read_content(tree: &dyn Tree, path: &[u8]) -> Result<Vec<u8>, String> {
    let bytes = tree.read(path).map_err(|error| format!("can't be read: {}", error.source))?;
    if gzip::is_gzip(&bytes) {
        return gzip::decompress(&bytes).map_err(|error| format!("can't be decompressed: {error}"));
    }
    Ok(bytes)
}

pub(super) fn is_markdown(path: &[u8]) -> bool {
    has_extension(path, &[b"md", b"markdown"])
}

/// Whether a file's name says YAML, or JSON, which YAML holds.
pub(super) fn is_yaml(path: &[u8]) -> bool {
    has_extension(path, &[b"yaml", b"yml", b"json"])
}

fn has_extension(path: &[u8], extensions: &[&[u8]]) -> bool {
    let dot = path.iter().rposition(|&byte| byte == b'.');
    dot.is_some_and(|dot| extensions.iter().any(|extension| path[dot + 1..].eq_ignore_ascii_case(extension)))
}

struct Scan<'a> {
    spec: &'a Spec,
    wanted: Wanted,
    needle: Finder<'a>,
    scanner: Scanner,
}

impl Scan<'_> {
    fn file(&self, path: &[u8], content: &[u8]) -> Vec<Problem> {
        let places: Vec<usize> = self.needle.find_iter(content).collect();
        if places.is_empty() {
            return Vec::new();
        }
        let text = std::str::from_utf8(content).ok().filter(|_| is_yaml(path));
        let parsed = text.and_then(|text| Yaml::parse(text).ok().map(|yaml| (text, yaml)));
        let mut left: BTreeSet<usize> = match &parsed {
            Some((text, yaml)) => self.shaped(text, yaml),
            None => BTreeSet::new(),
        };
        let scalars = parsed.as_ref().map(|(_, yaml)| Scalars::of(yaml));
        let mut comments = Comments::new(content);
        for place in places {
            let Some(start) = self.tag(content, place) else { continue };
            let outside = match &scalars {
                Some(scalars) => !scalars.cover(place),
                None => comments.covers(place),
            };
            let lone = || parsed.is_none() && is_tag_value(content, start);
            if !outside && (self.after_repository(content, start) || lone()) {
                left.insert(start);
            }
        }
        let lines = Lines::new(content);
        let report = |start: usize| {
            let message = format!("a reference to a release candidate survives the rewrite: {}", lines.excerpt(start));
            let help = "declare the file in the pipeline, or spell repository and tag together";
            Problem::at(ProblemKind::Edit, show(path), (&lines, start), message, help)
        };
        left.into_iter().map(report).collect()
    }

    /// Places of tags that shapes of a YAML file bind to an owned or unknown repository.
    fn shaped(&self, text: &str, yaml: &Yaml) -> BTreeSet<usize> {
        let ours = |repository: &Option<Repository>| repository.as_ref().is_none_or(|r| self.spec.owns(r));
        let found = Shapes::read(text, yaml, &self.scanner, self.spec).found.into_iter();
        found
            .filter(|found| ours(&found.repository))
            .filter(|found| found.tag.as_ref().is_some_and(|tag| self.wanted.is(self.spec, tag)))
            .filter_map(|found| Some(found.spans.tag?.start))
            .collect()
    }

    /// Where the whole token around a find begins, when it is a wanted tag.
    fn tag(&self, content: &[u8], place: usize) -> Option<usize> {
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        // Longer than any tag (128) is no tag; without the bound long words would be read over and over.
        let back = content[..place].iter().rev().take(129).take_while(|byte| inside(byte)).count();
        let (start, ahead) = (place - back, content[place..].iter().take(130).take_while(|byte| inside(byte)).count());
        let end = place + ahead;
        let token = std::str::from_utf8(content.get(start..end)?).ok()?;
        // The full stop of a sentence is no part of a tag.
        let tag: Tag = token.trim_end_matches('.').parse().ok()?;
        self.wanted.is(self.spec, &tag).then_some(start)
    }

    /// Whether a tag stands after `:` of an owned repository, or of one whose host isn't spelled here.
    fn after_repository(&self, content: &[u8], tag: usize) -> bool {
        let Some(colon) = tag.checked_sub(1).filter(|&at| content[at] == b':') else { return false };
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b':');
        // No repository is longer than 255 characters; a scheme may stand before it.
        let start = colon - content[..colon].iter().rev().take(300).take_while(|byte| inside(byte)).count();
        let Ok(word) = std::str::from_utf8(&content[start..colon]) else { return false };
        let name = word.rsplit_once("://").map_or(word, |(_, name)| name);
        let name = self.scanner.owned(name).map_or(name, |at| &name[at..]);
        let templated = start > 0 && matches!(content[start - 1], b'}' | b')' | b'$') || name.starts_with('/');
        let path_of_ours = || {
            let begins = |rest: &str| rest.is_empty() || rest.starts_with('/');
            self.spec.owned.iter().any(|prefix| name.strip_prefix(prefix.path()).is_some_and(begins))
        };
        templated || name.parse().is_ok_and(|repository| self.spec.owns(&repository)) || path_of_ours()
    }
}

/// Whether a tag stands as the value of a key `tag` on its line, in text that no parser reads.
fn is_tag_value(content: &[u8], tag: usize) -> bool {
    let start = memchr::memrchr(b'\n', &content[..tag]).map_or(0, |newline| newline + 1);
    let Ok(before) = std::str::from_utf8(&content[start..tag]) else { return false };
    let quotes = |c: char| c == '"' || c == '\'';
    let key = before.trim_end_matches(quotes).trim_end().strip_suffix(':');
    key.is_some_and(|key| {
        let name = key.trim_end().trim_end_matches(quotes);
        let word = name.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').next();
        word == Some("tag")
    })
}

/// The bytes of a YAML file's scalars: what is outside is a comment or structure.
pub(super) struct Scalars(Vec<std::ops::Range<usize>>);

impl Scalars {
    pub(super) fn of(yaml: &Yaml) -> Self {
        let mut spans: Vec<_> = yaml.scalars().map(|scalar| scalar.span.clone()).collect();
        spans.sort_by_key(|span| span.start);
        Self(spans)
    }

    pub(super) fn cover(&self, place: usize) -> bool {
        let after = self.0.partition_point(|span| span.start <= place);
        after.checked_sub(1).and_then(|i| self.0.get(i)).is_some_and(|span| place < span.end)
    }
}
