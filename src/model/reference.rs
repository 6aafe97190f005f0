//! Docker's reference grammar, with the place of every part.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::digest::Digest;
use super::version::as_text;

const DOCKER_HUB: &str = "docker.io";
const TAG_LIMIT: usize = 128;

/// A repository whose host is known, in its normal form: `docker.io/library/busybox`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repository {
    host: String,
    path: String,
}

/// A tag: a word character, then at most 127 word characters, dots and dashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

/// A namespace under a registry that the pipeline owns, for example `ghcr.io/org/project`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix(Repository);

/// A reference and the places of its parts in the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub repository: Repository,
    pub tag: Option<Tag>,
    pub digest: Option<Digest>,
    pub spans: Spans,
}

/// Byte ranges of a reference's parts, without their separators.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Spans {
    /// Host and path as spelled.
    pub name: Range<usize>,
    pub tag: Option<Range<usize>>,
    pub digest: Option<Range<usize>>,
}

/// Why a text is not a reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    #[error("`{0}` is not a repository: {1}")]
    Repository(String, &'static str),
    #[error("`{0}` is not a tag: 1 to 128 letters, digits, `_`, `.` and `-`, not starting with `.` or `-`")]
    Tag(String),
    #[error(transparent)]
    Digest(#[from] super::digest::DigestError),
}

impl Repository {
    /// The registry's host, with its port where one is spelled.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The path below the host.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl FromStr for Repository {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let error = |why| ReferenceError::Repository(text.to_owned(), why);
        let (host, path) = match text.split_once('/') {
            Some((first, rest)) if first.contains(['.', ':']) || first == "localhost" => (first, rest),
            _ => (DOCKER_HUB, text),
        };
        if !is_host(host) {
            return Err(error("its host is not a name or address with an optional port"));
        }
        let host = if host == "index.docker.io" { DOCKER_HUB } else { host };
        if path.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(error("upper-case letters are not allowed in a path"));
        }
        if !path.split('/').all(is_component) {
            return Err(error(
                "a path is lower-case letters and digits, joined by `.`, `_`, `__` or dashes, in components joined by `/`",
            ));
        }
        let path = if host == DOCKER_HUB && !path.contains('/') { format!("library/{path}") } else { path.to_owned() };
        // Of the normal form, so that every repository can be told and read again.
        if host.len() + path.len() > 255 {
            return Err(error("it is longer than 255 characters"));
        }
        Ok(Self { host: host.to_owned(), path })
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if address.bytes().all(|b| b.is_ascii_hexdigit() || b == b':') => ("v6", port),
            _ => return false,
        },
        None => host.find(':').map_or((host, ""), |colon| host.split_at(colon)),
    };
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let port_ok = match port.strip_prefix(':') {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()),
        None => port.is_empty(),
    };
    port_ok && name.split('.').all(label)
}

/// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
fn is_component(component: &str) -> bool {
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = component.as_bytes();
    let ends_are_words = matches!((bytes.first(), bytes.last()), (Some(&a), Some(&b)) if word(a) && word(b));
    ends_are_words
        && component
            .split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            .all(|separator| matches!(separator, "" | "." | "_" | "__") || separator.bytes().all(|b| b == b'-'))
}

impl Tag {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Tag {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let valid = text.len() <= TAG_LIMIT
            && text.bytes().next().is_some_and(word)
            && text.bytes().all(|b| word(b) || matches!(b, b'.' | b'-'));
        valid.then(|| Self(text.to_owned())).ok_or_else(|| ReferenceError::Tag(text.to_owned()))
    }
}

impl Prefix {
    /// The namespace's path below its host.
    pub fn path(&self) -> &str {
        self.0.path()
    }

    /// Whether a repository lies under this prefix, by whole components.
    pub fn owns(&self, repository: &Repository) -> bool {
        let Repository { host, path } = &self.0;
        repository.host == *host
            && repository.path.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl FromStr for Prefix {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let has_host = text.split_once('/').is_some_and(|(host, _)| host.contains(['.', ':']) || host == "localhost");
        if !has_host {
            return Err(ReferenceError::Repository(
                text.to_owned(),
                "an owned prefix names its host and at least one component",
            ));
        }
        Ok(Self(text.parse()?))
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    /// Reads `[host/]path[:tag][@digest]`. The tag is split off the last path component
    /// only, so that `localhost:5000/x` keeps its port.
    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let (named, digest) = match text.find('@') {
            Some(at) => (&text[..at], Some(at + 1..text.len())),
            None => (text, None),
        };
        let last = named.rfind('/').map_or(0, |slash| slash + 1);
        let (name, tag) = match named[last..].find(':') {
            Some(colon) => (0..last + colon, Some(last + colon + 1..named.len())),
            None => (0..named.len(), None),
        };
        Ok(Self {
            repository: text[name.clone()].parse()?,
            tag: tag.clone().map(|span| text[span].parse()).transpose()?,
            digest: digest.clone().map(|span| text[span].parse()).transpose()?,
            spans: Spans { name, tag, digest },
        })
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.path)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.repository.fmt(f)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        self.digest.map_or(Ok(()), |digest| write!(f, "@{digest}"))
    }
}

as_text!(Repository, Tag, Prefix);

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn finds_the_host_as_docker_does() {
        for (text, normal) in [
            ("busybox", "docker.io/library/busybox"),
            ("alpine/k8s", "docker.io/alpine/k8s"),
            ("index.docker.io/a/b", "docker.io/a/b"),
            ("localhost/a", "localhost/a"),
            ("localhost:5000/x", "localhost:5000/x"),
            ("[::1]:5000/x", "[::1]:5000/x"),
            ("ghcr.io/org/project/x-y__z", "ghcr.io/org/project/x-y__z"),
        ] {
            assert_eq!(text.parse::<Repository>().unwrap().to_string(), normal);
        }
    }

    #[test]
    fn refuses_malformed_repositories() {
        for text in
            ["", "/", "a//b", "ghcr.io/Org/x", "a..b", "a___b", "-a", "a-", "ghcr.io/", "x y", "a/b:", "ghcr.io:x/y"]
        {
            assert!(text.parse::<Repository>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn splits_tag_and_digest_with_their_places() {
        let text = format!("localhost:5000/x:v1@sha256:{HEX}");
        let reference: Reference = text.parse().unwrap();
        assert_eq!(&text[reference.spans.name.clone()], "localhost:5000/x");
        assert_eq!(&text[reference.spans.tag.clone().unwrap()], "v1");
        assert_eq!(&text[reference.spans.digest.clone().unwrap()], format!("sha256:{HEX}"));
        assert_eq!(reference.to_string(), text);
        assert!("localhost:5000/x".parse::<Reference>().unwrap().tag.is_none());
    }

    #[test]
    fn limits_a_tag_to_128_characters() {
        assert!("a".repeat(128).parse::<Tag>().is_ok());
        for text in [&"a".repeat(129), "", ".a", "-a", "a b", "ä"] {
            assert!(text.parse::<Tag>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn owns_by_whole_components() {
        let prefix: Prefix = "ghcr.io/cozystack/cozystack".parse().unwrap();
        assert!(prefix.owns(&"ghcr.io/cozystack/cozystack/api".parse().unwrap()));
        assert!(!prefix.owns(&"ghcr.io/cozystack/cozystack-ui/api".parse().unwrap()));
        assert!(!prefix.owns(&"docker.io/cozystack/cozystack".parse().unwrap()));
        assert!("cozystack/cozystack".parse::<Prefix>().is_err());
    }
}
