//! The shapes a reference has inside YAML (contract §2). Everything is bound per map: the
//! tag of one map never meets the digest of another.
//!
//! To add a shape: a variant of [`Shape`], and a place where a map or a scalar turns into it here.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use serde::Serialize;

use super::text::{self, Hit, Scanner};
use super::yaml::{Id, Node, Scalar, Style, Yaml};
use super::{Pair, Spec};
use crate::model::{Digest, Repository, Tag};

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

/// Something odd at a byte offset. A notice doesn't keep anybody from going on.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub message: String,
    pub help: &'static str,
    pub notice: bool,
}

const WRITE_PLAINLY: &str = "write it on one line, without escapes";
const FIX_SPELLING: &str = "correct the spelling, or exclude the line with a reason";

pub(super) struct Shapes<'a> {
    text: &'a str,
    yaml: &'a Yaml,
    scanner: &'a Scanner,
    pair: &'a Pair,
    owned: Vec<String>,
    pub found: Vec<Found>,
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
        let mut shapes = Self { text, yaml, scanner, pair: &spec.pair, owned, found: Vec::new(), faults: Vec::new() };
        for &document in &yaml.documents {
            shapes.node(document, &mut Vec::new(), Above::default());
        }
        shapes
    }

    fn node(&mut self, id: Id, path: &mut Vec<String>, above: Above) {
        match &self.yaml.nodes[id] {
            Node::Scalar(scalar) => self.string(scalar, &path.join("."), above),
            Node::Alias(_) => {}
            Node::Sequence(items) => {
                for (i, &item) in items.iter().enumerate() {
                    path.push(i.to_string());
                    self.node(item, path, Above { address: None, ..above });
                    path.pop();
                }
            }
            Node::Map(entries) => self.map(entries, path, above),
        }
    }

    fn map(&mut self, entries: &'a [(Id, Id)], path: &mut Vec<String>, above: Above) {
        let before = self.found.len();
        let twice = self.duplicates(entries);
        let claimed = self.bind(entries, &path.join("."), above.address);
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
                self.faults.push(Fault { at, message, help: "remove one of the two", notice: false });
            }
        }
    }

    fn path(&self, entries: &[(Id, Id)], keys: &[&str]) -> Option<Id> {
        let (first, rest) = keys.split_first()?;
        let value = self.yaml.get(entries, first)?;
        if rest.is_empty() { Some(value) } else { self.path(self.yaml.map(value)?, rest) }
    }

    /// The scalar under a key, unless it is null or empty.
    fn filled(&self, entries: &[(Id, Id)], key: &str) -> Option<(Id, &'a Scalar)> {
        let id = self.yaml.get(entries, key)?;
        self.yaml.scalar(id).filter(|scalar| !scalar.is_null() && !scalar.value.is_empty()).map(|scalar| (id, scalar))
    }

    /// Reads a map as one reference. Answers with the values that are parts of it and must
    /// not be read again as strings.
    fn bind(&mut self, entries: &'a [(Id, Id)], key: &str, address: Option<Id>) -> Vec<Id> {
        if let Some(claimed) = self.bind_pair(entries, key) {
            return claimed;
        }
        let tag = self.filled(entries, "tag");
        let digest = self.filled(entries, "digest");
        if tag.is_none() && digest.is_none() && self.yaml.get(entries, "tag").is_none() {
            return Vec::new();
        }
        let plain =
            |found: &(Id, &Scalar)| !found.1.value.contains('@') && !last_component(&found.1.value).contains(':');
        let repository = self.filled(entries, "repository").filter(plain);
        let image = self.filled(entries, "image").filter(plain);
        let in_tag = tag.and_then(|(_, scalar)| scalar.value.split_once('@'));
        let pinned = digest.is_some_and(|(_, scalar)| scalar.value.contains(':')) || in_tag.is_some();
        if pinned && repository.is_some() && image.is_some() {
            let at = repository.map_or(0, |(_, scalar)| scalar.span.start);
            let message =
                format!("`{key}` has both `repository` and `image` beside a digest: which one is meant is unknown");
            self.faults.push(Fault { at, message, help: "keep the repository in one of the two", notice: false });
            return [repository, image, tag, digest].into_iter().flatten().map(|(id, _)| id).collect();
        }
        let from_image = repository.is_none() && image.is_some();
        let name = repository.or(image);
        let registry = self.filled(entries, "registry");
        let odd_registry =
            registry.is_none() && self.yaml.get(entries, "registry").is_some_and(|id| self.yaml.scalar(id).is_none());
        let global =
            address.filter(|_| registry.is_none()).and_then(|id| self.yaml.scalar(id)).filter(|s| !s.value.is_empty());
        let host = registry.map(|(_, scalar)| scalar).or(global);
        let spelled = name.map(|(_, name)| match host {
            Some(host) => format!("{}/{}", host.value.trim_end_matches('/'), name.value),
            None => name.value.clone(),
        });
        let owned =
            spelled.as_ref().is_some_and(|text| self.owned.iter().any(|prefix| text.starts_with(prefix.as_str())));
        if name.is_none() && tag.is_none() {
            // A digest alone is no reference; the census asks what it is.
            return Vec::new();
        }
        if !pinned && !owned && (name.is_none() || tag.is_none()) {
            // A tag alone, of a chart's default image or of something else altogether.
            self.lone_tag(tag, key);
            return Vec::new();
        }
        let strict = pinned || owned;
        let shape = match (in_tag.is_some(), name.is_some()) {
            (_, false) => Shape::TagOnly,
            _ if global.is_some() => Shape::GlobalRegistry,
            (true, _) if registry.is_some() => Shape::DigestInTagRegistry,
            (true, _) => Shape::DigestInTag,
            _ if digest.is_none() => Shape::Split,
            _ if from_image => Shape::ImageDigest,
            _ => Shape::SplitDigest,
        };
        let mut found = Found {
            key: key.to_owned(),
            shape,
            repository: None,
            tag: None,
            digest: None,
            spans: super::Spans::default(),
            aliased: tag.is_some_and(|(_, scalar)| scalar.aliased),
        };
        if let (Some(spelled), Some((_, name))) = (&spelled, name) {
            if odd_registry {
                self.notice(
                    name.span.start,
                    format!("`{key}.registry` is no text: the host is unknown"),
                    "write the host as text",
                );
            } else {
                match spelled.parse() {
                    Ok(repository) => found.repository = Some(repository),
                    Err(error) if strict => self.fault(name.span.start, format!("{error}")),
                    Err(_) => return Vec::new(),
                }
            }
            found.spans.name = Some(name.span.clone());
            found.spans.host = match host {
                Some(host) => Some(host.span.clone()),
                None => host_span(self.text.as_bytes(), Some(&name.span), found.repository.as_ref()),
            };
        }
        self.take_tag(&mut found, entries, tag.map(|(_, scalar)| scalar), strict);
        self.take_digest(&mut found, digest.map(|(_, scalar)| scalar));
        let parts = [name, registry, tag, digest].into_iter().flatten();
        for (_, scalar) in parts.clone() {
            if strict && !scalar.is_verbatim(self.text) {
                self.faults.push(Fault {
                    at: scalar.span.start,
                    message: format!(
                        "a part of the reference at `{key}` is spelled with escapes or over several lines"
                    ),
                    help: WRITE_PLAINLY,
                    notice: false,
                });
            }
        }
        self.found.push(found);
        parts.map(|(id, _)| id).collect()
    }

    fn take_tag(&mut self, found: &mut Found, entries: &[(Id, Id)], tag: Option<&Scalar>, strict: bool) {
        let Some(scalar) = tag else {
            if let Some(id) = self.yaml.get(entries, "tag").filter(|&id| self.yaml.scalar(id).is_none()) {
                let at = self.start(id).or(found.spans.name.as_ref().map(|span| span.start)).unwrap_or(0);
                self.notice(
                    at,
                    format!("`{}.tag` is no text: the reference has no tag", found.key),
                    "write the tag as text",
                );
            }
            return;
        };
        let (tag, digest) = match scalar.value.split_once('@') {
            Some((tag, digest)) => (tag, Some(digest)),
            None => (scalar.value.as_str(), None),
        };
        let start = scalar.span.start;
        if scalar.is_number() {
            self.notice(start, format!("`{}.tag: {tag}` is a number to YAML", found.key), "put the tag in quotes");
        }
        if !tag.is_empty() {
            match tag.parse() {
                Ok(tag) => {
                    found.tag = Some(tag);
                    found.spans.tag = Some(start..start + scalar.value.split('@').next().map_or(0, str::len));
                }
                Err(error) if strict => self.fault(start, format!("{error}")),
                Err(_) => {}
            }
        }
        if let Some(digest) = digest {
            let start = start + tag.len() + 1;
            match digest.parse() {
                Ok(parsed) => {
                    found.digest = Some(parsed);
                    found.spans.digest = Some(start..start + digest.len());
                }
                Err(error) => self.fault(start, format!("{error}")),
            }
        }
    }

    fn take_digest(&mut self, found: &mut Found, digest: Option<&Scalar>) {
        let Some(scalar) = digest else { return };
        match scalar.value.parse::<Digest>() {
            Ok(parsed) if found.digest.is_some_and(|other| other != parsed) => {
                let message = format!("`{}` has two digests that differ: in its tag and in `digest`", found.key);
                self.faults.push(Fault { at: scalar.span.start, message, help: "keep one of the two", notice: false });
            }
            Ok(parsed) => {
                found.digest = Some(parsed);
                found.spans.digest.get_or_insert(scalar.span.clone());
            }
            Err(error) => self.fault(scalar.span.start, format!("{error}")),
        }
    }

    /// A tag with neither repository nor digest is no reference; the scan for survivors asks for it.
    fn lone_tag(&mut self, tag: Option<(Id, &Scalar)>, key: &str) {
        let Some((_, scalar)) = tag.filter(|(_, scalar)| scalar.is_verbatim(self.text)) else { return };
        if let Ok(tag) = scalar.value.parse() {
            self.found.push(Found {
                key: key.to_owned(),
                shape: Shape::TagOnly,
                repository: None,
                tag: Some(tag),
                digest: None,
                spans: super::Spans { tag: Some(scalar.span.clone()), ..Default::default() },
                aliased: scalar.aliased,
            });
        }
    }

    /// The packages artifact's pair of keys.
    fn bind_pair(&mut self, entries: &'a [(Id, Id)], key: &str) -> Option<Vec<Id>> {
        let (url_id, url) = self.filled(entries, &self.pair.url)?;
        let (reference_id, reference) = self.filled(entries, &self.pair.reference)?;
        let spelled = reference.value.strip_prefix("digest=");
        let Some(repository) = url.value.strip_prefix("oci://") else {
            if spelled.is_some() {
                self.fault(url.span.start, format!("`{}` is not `oci://` and a repository", url.value));
            }
            return spelled.map(|_| vec![url_id, reference_id]);
        };
        let at = |scalar: &Scalar, skip: usize| Some(scalar.span.start + skip..scalar.span.end);
        let mut found = Found {
            key: key.to_owned(),
            shape: Shape::ArtifactPair,
            repository: None,
            tag: None,
            digest: None,
            spans: super::Spans { name: at(url, "oci://".len()), ..Default::default() },
            aliased: url.aliased || reference.aliased,
        };
        match repository.parse() {
            Ok(repository) => found.repository = Some(repository),
            Err(error) => self.fault(url.span.start, format!("{error}")),
        }
        if let Some(digest) = spelled {
            found.spans.digest = at(reference, "digest=".len());
            match digest.parse() {
                Ok(digest) => found.digest = Some(digest),
                Err(error) => self.fault(reference.span.start, format!("{error}")),
            }
        } else if let Some(tag) = reference.value.strip_prefix("tag=").and_then(|tag| tag.parse().ok()) {
            found.spans.tag = at(reference, "tag=".len());
            found.tag = Some(tag);
        }
        for scalar in [url, reference] {
            if !scalar.is_verbatim(self.text) {
                let message = format!("the artifact pair at `{key}` is spelled with escapes or over several lines");
                self.faults.push(Fault { at: scalar.span.start, message, help: WRITE_PLAINLY, notice: false });
            }
        }
        self.found.push(found);
        Some(vec![url_id, reference_id])
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
            self.fault(scalar.span.start + bad.word.start, bad.message);
        }
        if raw != scalar.value {
            let value = self.scanner.scan(scalar.value.as_bytes()).into_iter().filter_map(Result::ok);
            let value: Vec<Hit> = value.collect();
            if !value.iter().map(Hit::says).eq(hits.iter().map(Hit::says)) {
                let message = format!("a reference in `{key}` is spelled with escapes or over several lines");
                self.faults.push(Fault { at: scalar.span.start, message, help: WRITE_PLAINLY, notice: false });
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

    fn start(&self, id: Id) -> Option<usize> {
        match self.yaml.nodes.get(id)? {
            Node::Scalar(scalar) => Some(scalar.span.start),
            Node::Map(entries) => self.start(entries.first()?.0),
            Node::Sequence(items) => self.start(*items.first()?),
            Node::Alias(_) => None,
        }
    }

    fn fault(&mut self, at: usize, message: String) {
        self.faults.push(Fault { at, message, help: FIX_SPELLING, notice: false });
    }

    fn notice(&mut self, at: usize, message: String, help: &'static str) {
        self.faults.push(Fault { at, message, help, notice: true });
    }
}

fn last_component(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
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
fn host_span(bytes: &[u8], name: Option<&Range<usize>>, repository: Option<&Repository>) -> Option<Range<usize>> {
    let (name, host) = (name?, repository?.host());
    let span = name.start..name.start + host.len();
    (span.end < name.end && bytes.get(span.clone())? == host.as_bytes()).then_some(span)
}
