//! One image: its parts, and what the entries of a table make of it.

use super::entry::Entry;
use super::problem::{Rule, shown};
use super::table::Table;
use crate::model::Reference;

/// A reference's text in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    pub(super) name: &'t str,
    pub(super) tag: Option<&'t str>,
    pub(super) digest: Option<&'t str>,
}

/// What the entries of a table make of an image that one of them matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rewritten {
    pub(super) image: String,
    /// The entries that matched, in the order they applied.
    pub(super) entries: Vec<usize>,
    /// It was pinned by a digest, and is no more.
    pub(super) unpinned: bool,
}

/// Why a matching image is not rewritten.
pub(super) struct Unfit {
    pub(super) rule: Rule,
    pub(super) entry: usize,
    pub(super) message: String,
}

/// Splits `name[:tag][@digest]`. A tag is split off the last component only, so that a port stays.
pub(super) fn split(text: &str) -> Parts<'_> {
    let (named, digest) = text.split_once('@').map_or((text, None), |(named, digest)| (named, Some(digest)));
    let last = named.rfind('/').map_or(0, |slash| slash + 1);
    match named[last..].find(':') {
        Some(colon) => Parts { name: &named[..last + colon], tag: Some(&named[last + colon + 1..]), digest },
        None => Parts { name: named, tag: None, digest },
    }
}

impl Parts<'_> {
    /// Whether what follows the name is a tag and a digest, as kustomize has it: an empty one and
    /// a placeholder in braces are.
    fn follows(&self) -> bool {
        let word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.{}-".contains(&b));
        let algorithm = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        let digest = |text: &str| text.split_once(':').is_some_and(|(name, hex)| algorithm(name) && word(hex));
        self.tag.is_none_or(word) && self.digest.is_none_or(digest)
    }
}

/// Whether a text is a reference. Besides `sha256` the other algorithm that is registered may pin it
/// (image-spec, descriptor: registered algorithms).
fn is_reference(text: &str) -> bool {
    let lower_hex = |hex: &str| hex.len() == 128 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match text.split_once("@sha512:") {
        Some((named, hex)) => lower_hex(hex) && !named.contains('@') && named.parse::<Reference>().is_ok(),
        None => text.parse::<Reference>().is_ok(),
    }
}

impl Entry {
    /// A matching image, overridden. A digest replaces the tag that was pinned; a tag beside it is a
    /// label. Without either, tag and digest stay.
    fn rewrite(&self, parts: Parts<'_>) -> String {
        let mut image = self.new_name.as_deref().unwrap_or(parts.name).to_owned();
        let own = self.digest.map(|digest| digest.to_string());
        let (tag, digest) = match (&self.new_tag, &own) {
            (None, None) => (parts.tag, parts.digest),
            (tag, digest) => (tag.as_deref(), digest.as_deref()),
        };
        for (sign, part) in [(':', tag), ('@', digest)] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                image.push(sign);
                image.push_str(part);
            }
        }
        image
    }
}

impl Table {
    /// What the entries make of an image, one after the other; `None` where none matches.
    pub(super) fn rewrite(&self, image: &str) -> Result<Option<Rewritten>, Unfit> {
        let mut now = image.to_owned();
        let mut entries: Vec<usize> = Vec::new();
        loop {
            let parts = split(&now);
            let next = self.by_name.get(parts.name).filter(|&&entry| entries.last().is_none_or(|&last| last < entry));
            let Some((&entry, found)) = next.and_then(|index| Some((index, self.entries.get(*index)?))) else { break };
            if !parts.follows() {
                let message = format!("{} has the name of entry {entry} and is not an image reference", shown(&now));
                return Err(Unfit { rule: Rule::NotAReference, entry, message });
            }
            now = found.rewrite(parts);
            entries.push(entry);
        }
        let Some(&last) = entries.last() else { return Ok(None) };
        if !is_reference(&now) {
            let message = format!("{} would become {}, which is not an image reference", shown(image), shown(&now));
            return Err(Unfit { rule: Rule::NoReferenceMade, entry: last, message });
        }
        let unpinned = split(image).digest.is_some() && split(&now).digest.is_none();
        Ok(Some(Rewritten { image: now, entries, unpinned }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_off_tag_and_digest_and_leaves_a_port() {
        for (text, parts) in [
            ("nginx", ("nginx", None, None)),
            ("nginx:1", ("nginx", Some("1"), None)),
            ("h:5000/x", ("h:5000/x", None, None)),
            ("h:5000/x:1@sha256:ab", ("h:5000/x", Some("1"), Some("sha256:ab"))),
            ("[::1]:5000/x@d", ("[::1]:5000/x", None, Some("d"))),
            ("x:", ("x", Some(""), None)),
            ("x:1:2@a@b", ("x", Some("1:2"), Some("a@b"))),
            ("", ("", None, None)),
        ] {
            let (name, tag, digest) = parts;
            assert_eq!(split(text), Parts { name, tag, digest }, "{text}");
        }
    }

    #[test]
    fn knows_a_reference_by_either_algorithm() {
        let (short, long) = ("a".repeat(64), "b".repeat(128));
        for text in ["x", "h:5000/x:1", &format!("x:1@sha256:{short}"), &format!("x@sha512:{long}")] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["", "x:", "x:1:2", "X", "x@sha512:ab", &format!("x@sha256:{short}@sha512:{long}")] {
            assert!(!is_reference(text), "{text}");
        }
    }
}
