//! Files without their references: what is left once every reference's bytes are masked out, and where two of
//! them part.

use std::ops::Range;

use serde::Serialize;

use super::Spans;
use super::file::FileReading;

/// How two files differ in more than references.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// The first differing line, counted from 1; of a gzip copy, in its content.
    pub line: usize,
    /// That line here; `None` where the file has ended.
    pub here: Option<String>,
    /// That line in the other tree.
    pub there: Option<String>,
    /// Whether the references are equal all the same, so that nothing is left behind.
    pub same_references: bool,
}

/// Bytes of a reference that are spelled together.
pub(super) struct Slot {
    pub span: Range<usize>,
    pub key: String,
    /// The packages artifact's: masked, and left as it is.
    pub artifact: bool,
}

/// The bytes of a reference's parts, those in one where only `:` or `@` stands between them.
pub(super) fn spelled_together(spans: &Spans, content: &[u8]) -> Vec<Range<usize>> {
    let parts = [&spans.host, &spans.name, &spans.tag, &spans.digest];
    let mut parts: Vec<Range<usize>> = parts.into_iter().flatten().cloned().collect();
    parts.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut together: Vec<Range<usize>> = Vec::new();
    for span in parts {
        let joined = |last: &Range<usize>| {
            span.start < last.end || matches!(content.get(last.end..span.start), Some(b":" | b"@"))
        };
        match together.last_mut().filter(|last| joined(last)) {
            Some(last) => last.end = last.end.max(span.end),
            None => together.push(span),
        }
    }
    together
}

/// A content with its slots masked, without what is a file's own spelling. No two different
/// contents have one mask, however they are spelled: a zero byte of the content stays apart from
/// a slot.
pub(super) fn mask(content: &[u8], slots: &[Slot]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(content.len());
    let mut at = if content.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for slot in slots {
        spell(content, at..slot.span.start, &mut masked);
        masked.extend([0, 0]);
        at = slot.span.end;
    }
    spell(content, at..content.len(), &mut masked);
    if masked.last() == Some(&b'\n') {
        masked.pop();
    }
    masked
}

/// Adds text to a mask: line ends are `\n`.
fn spell(content: &[u8], span: Range<usize>, masked: &mut Vec<u8>) {
    for (i, &byte) in content.iter().enumerate().take(span.end).skip(span.start) {
        match byte {
            b'\r' if content.get(i + 1) == Some(&b'\n') => {}
            0 => masked.extend([0, 1]),
            _ => masked.push(byte),
        }
    }
}

pub(super) fn drift(
    here: &FileReading,
    other: &FileReading,
    mine: &[u8],
    others: &[u8],
    same_references: bool,
) -> Drift {
    let lines = |mask: &[u8]| mask.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (mine, others) = (lines(mine), lines(others));
    let equal = mine.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let excerpt = |read: &FileReading, lines: &[Vec<u8>]| -> Option<String> {
        let line = read.content().split(|&byte| byte == b'\n').nth(equal).filter(|_| equal < lines.len())?;
        Some(String::from_utf8_lossy(line).trim().chars().take(160).collect())
    };
    Drift { line: equal + 1, here: excerpt(here, &mine), there: excerpt(other, &others), same_references }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(spans: impl IntoIterator<Item = Range<usize>>) -> Vec<Slot> {
        spans.into_iter().map(|span| Slot { span, key: String::new(), artifact: false }).collect()
    }

    #[test]
    fn parts_that_only_a_separator_parts_are_spelled_together() {
        let content = b"ghcr.io/a/b:v1@sha256:00, v1";
        let spans = Spans { host: Some(0..7), name: Some(0..11), tag: Some(12..14), digest: Some(15..24) };
        assert_eq!(spelled_together(&spans, content), std::slice::from_ref(&(0..24)));
        let split = Spans { tag: Some(26..28), ..spans };
        assert_eq!(spelled_together(&split, content), [0..11, 15..24, 26..28]);
    }

    #[test]
    fn a_mask_keeps_all_but_slots_and_spelling() {
        let at = |span| slots([span]);
        assert_eq!(mask(b"a: v1\nb\n", &at(3..5)), b"a: \0\0\nb");
        assert_eq!(mask(b"a: v1\r\nb", &at(3..5)), b"a: \0\0\nb");
        assert_eq!(mask(b"\xef\xbb\xbfa: v1\nb", &at(6..8)), b"a: \0\0\nb");
        assert_ne!(mask(b"a: \0\0", &[]), mask(b"a: v1", &at(3..5)));
        assert_ne!(mask(b"a\n\n", &[]), mask(b"a\n", &[]));
        assert_ne!(mask(b"a\rb", &[]), mask(b"ab", &[]));
    }
}
