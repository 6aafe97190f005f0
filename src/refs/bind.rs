//! Maps that are references: split ones, and the packages artifact's pair.

use super::Spans;
use super::shapes::{Found, Shape, Shapes, host_span};
use crate::model::Digest;
use crate::yaml::{Id, Scalar};

type Entries<'a> = &'a [(Id, Id)];

/// The values of a map that together may be a reference.
#[derive(Clone, Copy)]
struct Parts<'a> {
    /// `repository`, or else `image` where it holds a repository only.
    name: Option<(Id, &'a Scalar)>,
    from_image: bool,
    registry: Option<(Id, &'a Scalar)>,
    /// `global.registry.address`, where the map has no registry of its own.
    global: Option<&'a Scalar>,
    tag: Option<(Id, &'a Scalar)>,
    digest: Option<(Id, &'a Scalar)>,
}

impl<'a> Parts<'a> {
    fn host(&self) -> Option<&'a Scalar> {
        self.registry.map(|(_, scalar)| scalar).or(self.global)
    }

    fn digest_in_tag(&self) -> Option<&'a str> {
        Some(self.tag?.1.value.split_once('@')?.1)
    }

    /// Whether the map is meant to name a digest. Without a name beside it, only what begins
    /// as a digest does counts: `tag` and `digest` are common words.
    fn is_pinned(&self) -> bool {
        let meant = |text: &str| self.name.is_some() || text.starts_with("sha");
        self.digest.is_some_and(|(_, scalar)| meant(&scalar.value)) || self.digest_in_tag().is_some_and(meant)
    }

    /// The repository as charts put it together.
    fn spelled(&self) -> Option<String> {
        let (_, name) = self.name?;
        let name = without_scheme(&name.value);
        Some(match self.host() {
            Some(host) => format!("{}/{name}", host.value.trim_end_matches('/')),
            None => name.to_owned(),
        })
    }

    fn shape(&self) -> Shape {
        match (self.name, self.digest_in_tag()) {
            (None, _) => Shape::TagOnly,
            _ if self.global.is_some() => Shape::GlobalRegistry,
            (_, Some(_)) if self.registry.is_some() => Shape::DigestInTagRegistry,
            (_, Some(_)) => Shape::DigestInTag,
            _ if self.digest.is_none() => Shape::Split,
            _ if self.from_image => Shape::ImageDigest,
            _ => Shape::SplitDigest,
        }
    }

    fn ids(&self) -> Vec<Id> {
        [self.name, self.registry, self.tag, self.digest].into_iter().flatten().map(|(id, _)| id).collect()
    }
}

fn without_scheme(name: &str) -> &str {
    name.strip_prefix("oci://").unwrap_or(name)
}

/// Whether a scalar is a repository's name and not a whole reference.
fn is_name(found: &(Id, &Scalar)) -> bool {
    let name = without_scheme(&found.1.value);
    !name.contains('@') && !name.rsplit('/').next().is_some_and(|last| last.contains(':'))
}

impl<'a> Shapes<'a> {
    /// Reads a map as one reference. Answers with the values that are parts of it and must
    /// not be read again as strings.
    pub(super) fn bind(&mut self, entries: Entries<'a>, key: &str, address: Option<Id>) -> Vec<Id> {
        if let Some(claimed) = self.bind_pair(entries, key) {
            return claimed;
        }
        let (tag, digest) = (self.filled(entries, "tag"), self.filled(entries, "digest"));
        if tag.is_none() && digest.is_none() && self.yaml.get(entries, "tag").is_none() {
            return Vec::new();
        }
        let repository = self.filled(entries, "repository").filter(is_name);
        let image = self.filled(entries, "image").filter(is_name);
        let registry = self.filled(entries, "registry");
        let global = address.filter(|_| registry.is_none()).and_then(|id| self.yaml.scalar(id));
        let parts = Parts {
            name: repository.or(image),
            from_image: repository.is_none(),
            registry,
            global: global.filter(|address| !address.value.is_empty()),
            tag,
            digest,
        };
        let owned = parts.spelled().is_some_and(|name| self.spells_owned(&name));
        let strict = parts.is_pinned() || owned;
        if let (true, Some((_, repository)), Some((id, _))) = (strict, repository, image) {
            let message = format!("`{key}` has both `repository` and `image`: which one is meant is unknown");
            let claimed = [parts.ids(), vec![id]].concat();
            let about = claimed.iter().filter_map(|&id| Some(self.yaml.scalar(id)?.span.clone()));
            self.fault(repository.span.start, about.collect(), message);
            return claimed;
        }
        match (parts.name, tag) {
            // A digest alone is no reference; the census asks what it is.
            (None, None) => Vec::new(),
            // A tag alone, of a chart's default image or of something else altogether.
            (None, Some(_)) | (Some(_), None) if !strict => {
                self.lone_tag(tag, key);
                Vec::new()
            }
            _ => self.bind_parts(parts, entries, key, strict),
        }
    }

    fn bind_parts(&mut self, parts: Parts<'a>, entries: Entries<'a>, key: &str, strict: bool) -> Vec<Id> {
        let mut found = Found {
            key: key.to_owned(),
            shape: parts.shape(),
            repository: None,
            tag: None,
            digest: None,
            spans: Spans::default(),
            aliased: parts.tag.is_some_and(|(_, scalar)| scalar.aliased),
        };
        if let (Some((_, name)), Some(spelled)) = (parts.name, parts.spelled()) {
            let registry = self.yaml.get(entries, "registry");
            match spelled.parse() {
                _ if registry.is_some_and(|id| self.yaml.scalar(id).is_none()) => {
                    let message = format!("`{key}.registry` is no text: the host is unknown");
                    self.notice(name.span.start, message, "write the host as text");
                }
                Ok(repository) => found.repository = Some(repository),
                Err(error) if strict => self.fault_of(name, format!("{error}")),
                Err(_) => return Vec::new(),
            }
            let scheme = name.value.len() - without_scheme(&name.value).len();
            let span = name.span.start + scheme..name.span.end;
            found.spans.host = match parts.host() {
                Some(host) => Some(host.span.clone()),
                None => host_span(self.text.as_bytes(), Some(&span), found.repository.as_ref()),
            };
            found.spans.name = Some(span);
        }
        self.take_tag(&mut found, entries, parts.tag.map(|(_, scalar)| scalar), strict);
        self.take_digest(&mut found, parts.digest.map(|(_, scalar)| scalar));
        if strict {
            let scalars = [parts.name, parts.registry, parts.tag, parts.digest];
            let scalars: Vec<&Scalar> = scalars.into_iter().flatten().map(|(_, scalar)| scalar).collect();
            self.plainly(&scalars, &format!("a part of the reference at `{key}`"));
        }
        self.found.push(found);
        parts.ids()
    }

    fn take_tag(&mut self, found: &mut Found, entries: Entries<'a>, tag: Option<&Scalar>, strict: bool) {
        let Some(scalar) = tag else {
            if let Some(id) = self.yaml.get(entries, "tag").filter(|&id| self.yaml.scalar(id).is_none()) {
                let name = found.spans.name.as_ref().map(|span| span.start);
                let message = format!("`{}.tag` is no text: the reference has no tag", found.key);
                self.notice(self.start(id).or(name).unwrap_or(0), message, "write the tag as text");
            }
            return;
        };
        let (tag, digest) = match scalar.value.split_once('@') {
            Some((tag, digest)) => (tag, Some(digest)),
            None => (scalar.value.as_str(), None),
        };
        let start = scalar.span.start;
        let end = start + tag.len();
        if strict && scalar.is_number() {
            self.notice(start, format!("`{}.tag: {tag}` is a number to YAML", found.key), "put the tag in quotes");
        }
        if !tag.is_empty() {
            match tag.parse() {
                Ok(parsed) => (found.tag, found.spans.tag) = (Some(parsed), Some(start..end)),
                Err(error) if strict => {
                    let part = start..end;
                    self.fault(start, vec![part], format!("{error}"));
                }
                Err(_) => {}
            }
        }
        if let Some(digest) = digest {
            match digest.parse() {
                Ok(parsed) => {
                    (found.digest, found.spans.digest) = (Some(parsed), Some(end + 1..end + 1 + digest.len()));
                }
                Err(error) => {
                    let part = end + 1..scalar.span.end;
                    self.fault(part.start, vec![part], format!("{error}"));
                }
            }
        }
    }

    fn take_digest(&mut self, found: &mut Found, digest: Option<&Scalar>) {
        let Some(scalar) = digest else { return };
        match scalar.value.parse::<Digest>() {
            Ok(_) if found.digest.is_some() => {
                let message = format!("`{}` has two digests: in its tag and in `digest`", found.key);
                self.fault_of(scalar, message);
            }
            Ok(parsed) => (found.digest, found.spans.digest) = (Some(parsed), Some(scalar.span.clone())),
            Err(error) => self.fault_of(scalar, format!("{error}")),
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
                spans: Spans { tag: Some(scalar.span.clone()), ..Default::default() },
                aliased: scalar.aliased,
            });
        }
    }

    /// The packages artifact's pair of keys.
    fn bind_pair(&mut self, entries: Entries<'a>, key: &str) -> Option<Vec<Id>> {
        let (url_id, url) = self.filled(entries, &self.pair.url)?;
        let (reference_id, reference) = self.filled(entries, &self.pair.reference)?;
        let digest = reference.value.strip_prefix("digest=");
        let Some(repository) = url.value.strip_prefix("oci://") else {
            if digest.is_some() {
                let about = vec![url.span.clone(), reference.span.clone()];
                self.fault(url.span.start, about, format!("`{}` is not `oci://` and a repository", url.value));
            }
            return digest.map(|_| vec![url_id, reference_id]);
        };
        let after = |scalar: &Scalar, prefix: &str| Some(scalar.span.start + prefix.len()..scalar.span.end);
        let mut found = Found {
            key: key.to_owned(),
            shape: Shape::ArtifactPair,
            repository: None,
            tag: None,
            digest: None,
            spans: Spans { name: after(url, "oci://"), ..Default::default() },
            aliased: url.aliased || reference.aliased,
        };
        match repository.parse() {
            Ok(repository) => found.repository = Some(repository),
            Err(error) => self.fault_of(url, format!("{error}")),
        }
        found.spans.host = host_span(self.text.as_bytes(), found.spans.name.as_ref(), found.repository.as_ref());
        if let Some(digest) = digest {
            found.spans.digest = after(reference, "digest=");
            match digest.parse() {
                Ok(digest) => found.digest = Some(digest),
                Err(error) => self.fault_of(reference, format!("{error}")),
            }
        } else if let Some(tag) = reference.value.strip_prefix("tag=").and_then(|tag| tag.parse().ok()) {
            (found.tag, found.spans.tag) = (Some(tag), after(reference, "tag="));
        }
        self.plainly(&[url, reference], &format!("the artifact pair at `{key}`"));
        self.found.push(found);
        Some(vec![url_id, reference_id])
    }
}
