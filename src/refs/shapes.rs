//! The shapes a reference has inside YAML (contract §2). Everything is bound per map: the
//! tag of one map never meets the digest of another.
//!
//! To add a shape: a variant of [`Shape`], and a place where a map (`bind.rs`) or a scalar
//! (here) turns into it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use serde::Serialize;

use super::problem::ProblemKind;
use super::text::{self, Hit, Scanner};
use super::{Pair, Spec};
use crate::model::{Digest, Repository, Tag};
use crate::yaml::{Content, Id, Scalar, Style, Yaml};

/// How a reference is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Shape {
    /// A whole scalar: `repo:tag@sha256:…`.
    #[serde(rename = "string")]
    String,
    /// Inside a longer string: `--image=repo:tag@sha256:…`.
    #[serde(rename = "argument")]
    Argument,
    /// `{[registry], repository, tag}` without a digest; owned ones only.
    #[serde(rename = "split")]
    Split,
    /// `{[registry], repository, tag, digest}`.
    #[serde(rename = "split+digest")]
    SplitDigest,
    /// `{[registry], image: <repository>, tag, digest}`.
    #[serde(rename = "image+digest")]
    ImageDigest,
    /// `{repository, tag: <tag>@sha256:…}`.
    #[serde(rename = "digest-in-tag")]
    DigestInTag,
    /// `{registry, repository, tag: <tag>@sha256:…}`.
    #[serde(rename = "digest-in-tag+registry")]
    DigestInTagRegistry,
    /// `global.registry.address` and `global.images.<name>.{repository, tag}`.
    #[serde(rename = "global-registry")]
    GlobalRegistry,
    /// The packages artifact: `<url>: oci://<repo>` and `<reference>: digest=sha256:…`.
    #[serde(rename = "artifact-pair")]
    ArtifactPair,
    /// `tag: <tag>@sha256:…` with no repository beside it.
    #[serde(rename = "tag-only")]
    TagOnly,
    /// The one line of a `.tag` file.
    #[serde(rename = "file")]
    File,
    /// In text that is not read as YAML.
    #[serde(rename = "text")]
    Text,
}

/// A reference as its file spells it, before anything is known of its class.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub key: String,
    pub shape: Shape,
    pub repository: Option<Repository>,
    pub tag: Option<Tag>,
    pub digest: Option<Digest>,
    pub spans: super::Spans,
    /// The tag's bytes are shared with another place of the file by a YAML alias.
    pub aliased: bool,
}

/// Something wrong at a byte offset. A notice doesn't keep anybody from going on.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub kind: ProblemKind,
    pub at: usize,
    /// What of the file it tells of: the census needn't tell of a digest in there again.
    pub about: Vec<Range<usize>>,
    pub message: String,
    pub help: &'static str,
}

const WRITE_PLAINLY: &str = "write it on one line, without escapes";
pub(super) const FIX_SPELLING: &str = "correct the spelling, or exclude the line with a reason";

pub(super) struct Shapes<'a> {
    pub text: &'a str,
    pub yaml: &'a Yaml,
    scanner: &'a Scanner,
    pub pair: &'a Pair,
    owned: Vec<String>,
    pub found: Vec<Found>,
    /// Owned images with neither tag nor digest.
    pub untagged: Vec<Found>,
    pub faults: Vec<Fault>,
}

/// What a map takes from the maps above it.
#[derive(Clone, Copy, Default)]
struct Above {
    /// Under `global.images`: the node of `global.registry.address`.
    address: Option<Id>,
    /// Where the first of the duplicate keys above begins that leads here.
    duplicate: Option<usize>,
}

impl<'a> Shapes<'a> {
    /// Reads every document of a file.
    pub(super) fn read(text: &'a str, yaml: &'a Yaml, scanner: &'a Scanner, spec: &'a Spec) -> Self {
        let owned = spec.owned.iter().map(ToString::to_string).collect();
        let (found, untagged, faults) = (Vec::new(), Vec::new(), Vec::new());
        let mut shapes = Self { text, yaml, scanner, pair: &spec.pair, owned, found, untagged, faults };
        for &document in &yaml.documents {
            shapes.node(document, &mut Vec::new(), Above::default());
        }
        shapes
    }

    fn node(&mut self, id: Id, path: &mut Vec<String>, above: Above) {
        match &self.yaml.nodes[id].content {
            Content::Scalar(scalar) => self.string(scalar, &path.join("."), above),
            Content::Alias(_) => {}
            Content::Sequence(items) => {
                for (i, &item) in items.iter().enumerate() {
                    path.push(i.to_string());
                    self.node(item, path, Above { address: None, ..above });
                    path.pop();
                }
            }
            Content::Map(entries) => self.map(entries, path, above),
        }
    }

    fn map(&mut self, entries: &'a [(Id, Id)], path: &mut Vec<String>, above: Above) {
        let before = self.found.len();
        let twice = self.duplicates(entries);
        let key = path.join(".");
        let claimed = self.bind(entries, &key, above.address);
        self.note_untagged(entries, &key);
        let parts = ["registry", "repository", "image", "tag", "digest", &self.pair.url, &self.pair.reference];
        let duplicate = parts.iter().find_map(|part| twice.get(part).copied());
        self.warn_of_duplicate(before, Above { duplicate: above.duplicate.or(duplicate), ..above });
        let depth = path.len();
        let is = |name: &str, back: usize| depth >= back && path[depth - back] == name;
        // Only `global.images.<name>` takes the host of `global.registry.address`.
        let address = if is("images", 1) && is("global", 2) { above.address } else { None };
        let global = if is("global", 1) { self.path(entries, &["registry", "address"]) } else { None };
        for &(key, value) in entries {
            if claimed.contains(&value) {
                continue;
            }
            let name = self.yaml.key(key).unwrap_or("?");
            let duplicate = above.duplicate.or_else(|| twice.get(name).copied());
            let address = if global.is_some() && name == "images" { global } else { address };
            path.push(name.to_owned());
            self.node(value, path, Above { address, duplicate });
            path.pop();
        }
    }

    /// Keys that stand more than once in a map, and where the first of each begins.
    fn duplicates(&self, entries: &[(Id, Id)]) -> HashMap<&'a str, usize> {
        let mut first: HashMap<&str, usize> = HashMap::new();
        let mut twice = HashMap::new();
        for &(key, _) in entries {
            let Some(scalar) = self.yaml.scalar(key) else { continue };
            match first.entry(scalar.value.as_str()) {
                Entry::Occupied(known) => _ = twice.insert(*known.key(), *known.get()),
                Entry::Vacant(free) => _ = free.insert(scalar.span.start),
            }
        }
        twice
    }

    /// A reference below duplicate keys: readers disagree about which one counts.
    fn warn_of_duplicate(&mut self, before: usize, above: Above) {
        if let (Some(at), true) = (above.duplicate, self.found.len() > before) {
            let known = self.faults.iter().any(|fault| fault.at == at);
            if !known {
                let message = "this key stands twice in its map, and references depend on which one counts".to_owned();
                let (kind, about) = (ProblemKind::Malformed, Vec::new());
                self.faults.push(Fault { kind, at, about, message, help: "remove one of the two" });
            }
        }
    }

    fn path(&self, entries: &[(Id, Id)], keys: &[&str]) -> Option<Id> {
        let (first, rest) = keys.split_first()?;
        let value = self.yaml.get(entries, first)?;
        if rest.is_empty() { Some(value) } else { self.path(self.yaml.map(value)?, rest) }
    }

    /// The scalar under a key, unless it is null or empty.
    pub(super) fn filled(&self, entries: &[(Id, Id)], key: &str) -> Option<(Id, &'a Scalar)> {
        let id = self.yaml.get(entries, key)?;
        self.yaml.scalar(id).filter(|scalar| !scalar.is_null() && !scalar.value.is_empty()).map(|scalar| (id, scalar))
    }

    /// References in a scalar that is no part of a map's shape.
    fn string(&mut self, scalar: &'a Scalar, key: &str, above: Above) {
        let Some(raw) = self.text.get(scalar.span.clone()) else { return };
        let (mut hits, mut malformed) = (Vec::new(), Vec::new());
        match text::parse(raw, false) {
            Ok(hit) if hit.digest.is_some() => hits.push(hit),
            _ => self.scanner.scan(raw.as_bytes()).into_iter().for_each(|found| match found {
                Ok(hit) => hits.push(hit),
                Err(bad) => malformed.push(bad),
            }),
        }
        for bad in malformed {
            let word = scalar.span.start + bad.word.start..scalar.span.start + bad.word.end;
            self.fault(word.start, vec![word], bad.message);
        }
        if raw != scalar.value {
            let value = self.scanner.scan(scalar.value.as_bytes()).into_iter().filter_map(Result::ok);
            let value: Vec<Hit> = value.collect();
            if !value.iter().map(Hit::says).eq(hits.iter().map(Hit::says)) {
                let message = format!("a reference in `{key}` is spelled with escapes or over several lines");
                let (kind, at, about) = (ProblemKind::Malformed, scalar.span.start, vec![scalar.span.clone()]);
                self.faults.push(Fault { kind, at, about, message, help: WRITE_PLAINLY });
                return;
            }
        }
        let before = self.found.len();
        for hit in hits {
            let whole = hit.word == (0..raw.len());
            let shape = match scalar.style {
                Style::Block => Shape::Text,
                _ if hit.repository.is_none() => Shape::TagOnly,
                _ if whole => Shape::String,
                _ => Shape::Argument,
            };
            let found = Found::from_hit(hit.shift(scalar.span.start), shape, key.to_owned(), self.text.as_bytes());
            self.found.push(Found { aliased: scalar.aliased, ..found });
        }
        self.warn_of_duplicate(before, above);
    }

    pub(super) fn start(&self, id: Id) -> Option<usize> {
        match &self.yaml.nodes.get(id)?.content {
            Content::Scalar(scalar) => Some(scalar.span.start),
            Content::Map(entries) => self.start(entries.first()?.0),
            Content::Sequence(items) => self.start(*items.first()?),
            Content::Alias(_) => None,
        }
    }

    /// Whether a repository as spelled begins with an owned prefix, well-formed or not.
    pub(super) fn spells_owned(&self, name: &str) -> bool {
        let begins = |prefix: &String| {
            name.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
        };
        self.owned.iter().any(begins)
    }

    pub(super) fn plainly(&mut self, scalars: &[&Scalar], what: &str) {
        for scalar in scalars.iter().filter(|scalar| !scalar.is_verbatim(self.text)) {
            let message = format!("{what} is spelled with escapes or over several lines");
            let (kind, at, about) = (ProblemKind::Malformed, scalar.span.start, vec![scalar.span.clone()]);
            self.faults.push(Fault { kind, at, about, message, help: WRITE_PLAINLY });
        }
    }

    pub(super) fn fault(&mut self, at: usize, about: Vec<Range<usize>>, message: String) {
        self.faults.push(Fault { kind: ProblemKind::Malformed, at, about, message, help: FIX_SPELLING });
    }

    /// The same of a whole scalar.
    pub(super) fn fault_of(&mut self, scalar: &Scalar, message: String) {
        self.fault(scalar.span.start, vec![scalar.span.clone()], message);
    }

    pub(super) fn notice(&mut self, at: usize, message: String, help: &'static str) {
        self.faults.push(Fault { kind: ProblemKind::Notice, at, about: Vec::new(), message, help });
    }
}

impl Found {
    /// `bytes` are what the hit's spans point into.
    pub(super) fn from_hit(hit: Hit, shape: Shape, key: String, bytes: &[u8]) -> Self {
        let host = host_span(bytes, hit.name_span.as_ref(), hit.repository.as_ref());
        let spans = super::Spans { host, name: hit.name_span, tag: hit.tag_span, digest: hit.digest_span };
        Self { key, shape, repository: hit.repository, tag: hit.tag, digest: hit.digest, spans, aliased: false }
    }
}

/// The host's bytes, where the name spells it.
pub(super) fn host_span(
    bytes: &[u8],
    name: Option<&Range<usize>>,
    repository: Option<&Repository>,
) -> Option<Range<usize>> {
    let (name, host) = (name?, repository?.host());
    let span = name.start..name.start + host.len();
    (span.end < name.end && bytes.get(span.clone())? == host.as_bytes()).then_some(span)
}
