//! References in running text: in strings, arguments, manifests that are no YAML, binaries.
//!
//! Text is cut into words of the characters that references are made of. A word counts when
//! it has `@sha256:` in it, or begins with an owned prefix and has a tag: anything else is a
//! mention. Every byte is looked at a bounded number of times.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::model::{Digest, Prefix, Reference, Repository, Tag};

const DIGEST: &[u8] = b"sha256:";

/// A reference in text. Without a repository the text has a tag and a digest only, or the
/// repository is partly a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub word: Range<usize>,
    pub repository: Option<Repository>,
    pub tag: Option<Tag>,
    pub digest: Option<Digest>,
    pub name_span: Option<Range<usize>>,
    pub tag_span: Option<Range<usize>>,
    pub digest_span: Option<Range<usize>>,
}

/// A word that is meant as a reference and isn't one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub word: Range<usize>,
    pub message: String,
}

/// Finds references. Built once per specification.
pub(super) struct Scanner {
    digest: Finder<'static>,
    owned: Vec<(String, Finder<'static>)>,
}

impl Scanner {
    pub(super) fn new(owned: &[Prefix]) -> Self {
        let owned = owned.iter().map(|prefix| {
            let text = prefix.to_string();
            let finder = Finder::new(&text).into_owned();
            (text, finder)
        });
        Self { digest: Finder::new(DIGEST), owned: owned.collect() }
    }

    /// Every reference in the bytes, in order of place.
    pub(super) fn scan(&self, bytes: &[u8]) -> Vec<Result<Hit, Malformed>> {
        let pinned = self.digest.find_iter(bytes).filter(|&at| at > 0 && bytes[at - 1] == b'@');
        let mut places: Vec<usize> = pinned.collect();
        for (_, finder) in &self.owned {
            places.extend(finder.find_iter(bytes));
        }
        places.sort_unstable();
        let mut end = 0;
        let mut found = Vec::new();
        for place in places {
            if place < end {
                continue;
            }
            let start = bytes[end..place].iter().rposition(|&byte| !is_word(byte)).map_or(end, |i| end + i + 1);
            end = bytes[place..].iter().position(|&byte| !is_word(byte)).map_or(bytes.len(), |i| place + i);
            found.extend(self.word(bytes, start..end));
        }
        found
    }

    /// Every digest in the bytes, whatever stands before it, and every owned name: where each begins and ends.
    pub(super) fn mentions(&self, bytes: &[u8]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let hex = |from: usize| bytes[from..].iter().take(65).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let digests = self.digest.find_iter(bytes).map(|at| at..at + DIGEST.len() + hex(at + DIGEST.len()));
        let mut places: Vec<usize> = self.owned.iter().flat_map(|(_, finder)| finder.find_iter(bytes)).collect();
        places.sort_unstable();
        let (mut end, mut names) = (0, Vec::new());
        for place in places {
            if place < end {
                continue;
            }
            let start = bytes[end..place].iter().rposition(|&byte| !is_word(byte)).map_or(end, |i| end + i + 1);
            end = bytes[place..].iter().position(|&byte| !is_word(byte)).map_or(bytes.len(), |i| place + i);
            let Ok(word) = std::str::from_utf8(&bytes[start..end]) else { continue };
            let word = word.trim_end_matches(['.', ':', '-', '/', '_', '@']);
            let from = word.rfind("://").map_or(0, |at| at + 3);
            names.extend(self.owned(&word[from..]).map(|at| start + from + at..start + word.len()));
        }
        (digests.collect(), names)
    }

    /// Where the owned prefix begins that this text spells, if it does.
    pub(super) fn owned(&self, text: &str) -> Option<usize> {
        let starts = |(prefix, finder): &(String, Finder<'_>)| {
            let at = finder.find(text.as_bytes())?;
            let before = text[..at].chars().next_back();
            let after = text[at + prefix.len()..].chars().next();
            let begins = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '/' && c != '_' && c != '.');
            (begins && after.is_none_or(|c| matches!(c, '/' | ':' | '@'))).then_some(at)
        };
        self.owned.iter().find_map(starts)
    }

    fn word(&self, bytes: &[u8], mut range: Range<usize>) -> Option<Result<Hit, Malformed>> {
        let templated = range.start > 0 && matches!(bytes[range.start - 1], b'}' | b')');
        let mut text = std::str::from_utf8(&bytes[range.clone()]).ok()?;
        text = text.trim_end_matches(['.', ':', '-', '/', '_', '@']);
        range.end = range.start + text.len();
        if let Some(scheme) = text.rfind("://") {
            text = &text[scheme + 3..];
        }
        let owned = self.owned(text);
        if let Some(at) = owned {
            text = &text[at..];
        } else {
            // `${IMAGE:-repository:tag@…}` is a default, `{{ … }}:tag@…` a template.
            let default = text.rfind(":-").map_or(0, |at| at + 2);
            text = text[default..].trim_start_matches(['-', '.', '_']);
        }
        let partial = owned.is_none() && (templated || text.starts_with([':', '/']));
        range.start = range.end - text.len();
        let has_digest = text.contains("@sha256:");
        if owned.is_none() && !has_digest {
            return None;
        }
        let malformed = |message| Err(Malformed { word: range.clone(), message });
        match parse(text, partial) {
            Ok(hit) if hit.tag.is_none() && hit.digest.is_none() => None,
            Ok(hit) => Some(Ok(hit.shift(range.start))),
            Err(error) => Some(malformed(error)),
        }
    }
}

/// The characters of references. Brackets are not among them: in text they are far more often
/// a list's than an IPv6 address's.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b':' | b'@')
}

/// Reads a whole text as a reference. `partial` says that the repository's beginning is missing.
///
/// A name without `/` and without a tag, before a digest, is a tag without a repository and
/// never a name on Docker Hub (contract §1).
pub(super) fn parse(text: &str, partial: bool) -> Result<Hit, String> {
    let named = text.split_once('@').map_or(text, |(named, _)| named);
    let bare = named.len() < text.len() && !named.contains(['/', ':']);
    if !partial && !bare {
        let reference: Reference =
            text.parse().map_err(|error: crate::model::reference::ReferenceError| error.to_string())?;
        let spans = reference.spans;
        return Ok(Hit {
            word: 0..text.len(),
            repository: Some(reference.repository),
            tag: reference.tag,
            digest: reference.digest,
            name_span: Some(spans.name),
            tag_span: spans.tag,
            digest_span: spans.digest,
        });
    }
    let tag_start = named.rfind([':', '/']).map_or(0, |at| at + 1);
    let has_tag = tag_start < named.len() && (bare || named[..tag_start].ends_with(':'));
    let tag_span = has_tag.then_some(tag_start..named.len());
    let digest_span = (named.len() < text.len()).then_some(named.len() + 1..text.len());
    let tag = tag_span.clone().map(|span| text[span].parse()).transpose();
    let digest = digest_span.clone().map(|span| text[span].parse()).transpose();
    Ok(Hit {
        word: 0..text.len(),
        repository: None,
        tag: tag.map_err(|error: crate::model::reference::ReferenceError| error.to_string())?,
        digest: digest.map_err(|error: crate::model::digest::DigestError| error.to_string())?,
        name_span: None,
        tag_span,
        digest_span,
    })
}

impl Hit {
    pub(super) fn shift(mut self, by: usize) -> Self {
        let move_by = |span: &mut Range<usize>| *span = span.start + by..span.end + by;
        move_by(&mut self.word);
        [&mut self.name_span, &mut self.tag_span, &mut self.digest_span].into_iter().flatten().for_each(move_by);
        self
    }

    /// What it says, apart from where.
    pub(super) fn says(&self) -> (Option<&Repository>, Option<&Tag>, Option<&Digest>) {
        (self.repository.as_ref(), self.tag.as_ref(), self.digest.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn scan(text: &str) -> Vec<Result<String, String>> {
        let scanner = Scanner::new(&["ghcr.io/org/own".parse().unwrap()]);
        let show = |hit: Hit| {
            let part = |span: Option<Range<usize>>| span.map_or("-", |span| &text[span]).to_owned();
            let repository = hit.repository.map_or("-".into(), |r| r.to_string());
            let digest = part(hit.digest_span).replace(HEX, "HEX");
            format!("{repository} {} {digest}", part(hit.tag_span))
        };
        scanner.scan(text.as_bytes()).into_iter().map(|found| found.map(show).map_err(|bad| bad.message)).collect()
    }

    #[test]
    fn finds_what_is_pinned_and_what_is_owned() {
        for (text, expected) in [
            ("--image=ghcr.io/org/own/a:v1@sha256:HEX,", vec!["ghcr.io/org/own/a v1 sha256:HEX"]),
            ("x [alpine/k8s:1@sha256:HEX] y", vec!["docker.io/alpine/k8s 1 sha256:HEX"]),
            ("oci://ghcr.io/org/own/a:v1.", vec!["ghcr.io/org/own/a v1 -"]),
            (
                "${I:-ghcr.io/org/own/a:v1} ${I:-b:2@sha256:HEX}",
                vec!["ghcr.io/org/own/a v1 -", "docker.io/library/b 2 sha256:HEX"],
            ),
            ("v1.6.0@sha256:HEX", vec!["- v1.6.0 sha256:HEX"]),
            ("{{ .r }}/a:v1@sha256:HEX {{ .r }}:v2@sha256:HEX", vec!["- v1 sha256:HEX", "- v2 sha256:HEX"]),
            ("mirror.io/ghcr.io/org/own/a:v1 ghcr.io/org/own-ui/a:v1 xghcr.io/org/own/a:v1", vec![]),
            ("a ghcr.io/org/own build, ghcr.io/org/own/a and ghcr.io/org/own/a:", vec![]),
            ("mirror.io/ghcr.io/org/own/a@sha256:HEX", vec!["mirror.io/ghcr.io/org/own/a - sha256:HEX"]),
            ("sha256:HEX digest=sha256:HEX", vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|e| Ok(e.to_owned())).collect();
            assert_eq!(scan(&text.replace("HEX", HEX)), expected, "{text}");
        }
    }

    #[test]
    fn names_what_is_malformed() {
        for text in ["ghcr.io/org/own/A:v1", "x/Y:1@sha256:HEX", "x/y:1@sha256:abc", "ghcr.io/org/own/a@sha512:0"] {
            let found = scan(&text.replace("HEX", HEX));
            assert!(matches!(found.as_slice(), [Err(_)]), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_long_word_is_read_once() {
        let text = "ghcr.io/org/own/".repeat(200_000);
        assert!(scan(&text).len() <= 1);
    }
}
