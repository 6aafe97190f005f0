//! What is packed into an unpacked gzip: the files of a tar, such as a chart's, and of archives in it.

use std::borrow::Cow;

use crate::refs::gzip;
use crate::tree::show;

/// Files of an archive that are looked into, over all of its archives.
const FILES: usize = 20_000;
/// Archives inside of archives are opened this deep: a chart has its dependencies packed in `charts/`.
const DEPTH: usize = 3;
/// Bytes that are unpacked of archives inside of an archive, all together.
const BYTES: u64 = 256 << 20;

/// A text to look at.
pub(super) struct Part<'a> {
    /// The path in the archive; `None` for what is no archive.
    pub member: Option<String>,
    /// Where it begins in the content it was taken from, where it is no further archive's.
    pub offset: Option<usize>,
    pub content: Cow<'a, [u8]>,
}

/// The parts of a content: itself, unless it is a tar. What of a tar can't be read as one (it is cut, it lies
/// about its sizes, it has too many files) is left as it is, in one piece: it is looked into in any case.
pub(super) fn parts(content: &[u8]) -> Vec<Part<'_>> {
    let mut bounds = Bounds { files: FILES, bytes: BYTES };
    if is_tar(content)
        && let Some(parts) = members(content, &mut bounds, DEPTH)
    {
        return parts;
    }
    vec![Part { member: None, offset: Some(0), content: Cow::Borrowed(content) }]
}

struct Bounds {
    files: usize,
    bytes: u64,
}

/// The magic of POSIX and GNU headers (pax, "ustar Interchange Format").
fn is_tar(content: &[u8]) -> bool {
    content.get(257..262) == Some(b"ustar")
}

fn members<'a>(content: &'a [u8], bounds: &mut Bounds, depth: usize) -> Option<Vec<Part<'a>>> {
    let mut parts = Vec::new();
    let mut archive = tar::Archive::new(content);
    for entry in archive.entries().ok()? {
        let entry = entry.ok()?;
        bounds.files = bounds.files.checked_sub(1)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = show(&entry.path_bytes());
        let start = usize::try_from(entry.raw_file_position()).ok()?;
        let end = start.checked_add(usize::try_from(entry.size()).ok()?)?;
        let bytes = content.get(start..end)?;
        match inner(bytes, bounds, depth) {
            Some(inner) => parts.extend(inner.into_iter().map(|part| Part {
                member: Some(part.member.map_or_else(|| path.clone(), |member| format!("{path} > {member}"))),
                offset: None,
                content: part.content,
            })),
            None => parts.push(Part { member: Some(path), offset: Some(start), content: Cow::Borrowed(bytes) }),
        }
    }
    Some(parts)
}

/// What is in a packed file of an archive; `None` for one that isn't, or is more than is unpacked.
fn inner(bytes: &[u8], bounds: &mut Bounds, depth: usize) -> Option<Vec<Part<'static>>> {
    let deeper = depth.checked_sub(1).filter(|_| gzip::is_gzip(bytes))?;
    let content = gzip::decompress_within(bytes, bounds.bytes).ok()??;
    bounds.bytes = bounds.bytes.saturating_sub(content.len() as u64);
    let owned = |part: Part<'_>| Part { content: Cow::Owned(part.content.into_owned()), ..part };
    let parts = is_tar(&content).then(|| members(&content, bounds, deeper)).flatten();
    let parts = parts.map(|parts| parts.into_iter().map(owned).collect());
    Some(parts.unwrap_or_else(|| vec![Part { member: None, offset: None, content: Cow::Owned(content) }]))
}
