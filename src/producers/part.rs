//! The part of a reference that decides what runs, and whether a stamp writes it.

use std::ops::Range;

use super::budget::Budget;
use super::hole::{is_known, shown};
use super::key_path::{KeyPath, Reach};
use super::stamp::How;
use super::stamps::Stamp;
use crate::pipeline::Pipeline;
use crate::refs::{Occurrence, Shape};
use crate::tree::Tree;

/// A larger file is not looked into for what sed would do to it.
const LARGEST: u64 = 64 << 20;

/// A file's content and the starts of its lines, where a stamp goes by lines.
pub(super) struct Content(Option<(Vec<u8>, Vec<usize>)>);

impl Content {
    pub(super) fn read(tree: &dyn Tree, file: &str, stamps: &[&Stamp]) -> Self {
        let by_lines = stamps.iter().any(|stamp| matches!(stamp.how, How::Sed(_)));
        let small = || matches!(tree.find(file.as_bytes()), Ok(Some(entry)) if entry.size <= LARGEST);
        let bytes = (by_lines && small()).then(|| tree.read(file.as_bytes()).ok()).flatten();
        Self(bytes.map(|bytes| {
            let starts = memchr::memchr_iter(b'\n', &bytes).map(|newline| newline + 1);
            let starts = std::iter::once(0).chain(starts).collect();
            (bytes, starts)
        }))
    }

    /// The line that holds a range: its number, its text, and the range in it.
    pub(super) fn line(&self, range: &Range<usize>) -> Option<(usize, &str, Range<usize>)> {
        let (bytes, starts) = self.0.as_ref()?;
        let number = starts.partition_point(|&start| start <= range.start);
        let start = *starts.get(number.checked_sub(1)?)?;
        let end = starts.get(number).map_or(bytes.len(), |next| next - 1);
        let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
        Some((number, text, range.start - start..range.end - start))
    }
}

/// The part of a reference that decides what runs: its digest, failing that its tag.
pub(super) struct Part {
    /// The dotted path of its scalar.
    pub key: String,
    /// The tag's, where the digest has one of its own.
    beside: Option<String>,
    span: Option<Range<usize>>,
    in_yaml: bool,
    is_file: bool,
}

impl Part {
    pub(super) fn of(found: &Occurrence, pipeline: &Pipeline) -> Self {
        let child = |name: &str| if found.key.is_empty() { name.to_owned() } else { format!("{}.{name}", found.key) };
        let spans = &found.spans;
        let apart = match (&spans.tag, &spans.digest) {
            (Some(tag), Some(digest)) => tag.end + 1 != digest.start,
            (None, Some(_)) => true,
            _ => false,
        };
        let key = match found.shape {
            Shape::String | Shape::Argument | Shape::File | Shape::Text => found.key.clone(),
            Shape::ArtifactPair => child(&pipeline.installer.ref_key),
            _ if apart => child("digest"),
            _ => child("tag"),
        };
        Self {
            beside: (apart && key.ends_with("digest") && spans.tag.is_some()).then(|| child("tag")),
            key,
            span: spans.digest.clone().or(spans.tag.clone()),
            in_yaml: !matches!(found.shape, Shape::File) && !found.key.starts_with("line "),
            is_file: found.shape == Shape::File,
        }
    }

    pub(super) fn reached(&self, stamp: &Stamp, content: &Content, budget: &Budget) -> Reach {
        let reach = match &stamp.how {
            How::Keys(paths) if self.in_yaml => {
                budget.take(8 * paths.len());
                paths.iter().map(|path| path.reaches(&self.key)).max().unwrap_or(Reach::No)
            }
            How::Sed(script) => match self.span.as_ref().and_then(|span| content.line(span)) {
                Some((number, line, part)) if budget.take(line.len()) => script.reaches(number, line, &part),
                _ => Reach::Perhaps,
            },
            How::Whole(_) if self.is_file => Reach::Yes,
            How::Keys(_) | How::Whole(_) | How::Unread(_) => Reach::Perhaps,
        };
        // A file with a hole in its name may be this one.
        if is_known(&stamp.file) { reach } else { reach.min(Reach::Perhaps) }
    }

    /// Whether a stamp writes the tag that stands beside a digest of its own.
    pub(super) fn is_beside(&self, stamp: &Stamp) -> bool {
        match (&self.beside, &stamp.how) {
            (Some(tag), How::Keys(paths)) => stamp.reached && paths.iter().any(|path| path.reaches(tag) == Reach::Yes),
            _ => false,
        }
    }

    /// What a stamp writes, for people.
    pub(super) fn what(&self, stamp: &Stamp, found: &Occurrence) -> String {
        match &stamp.how {
            How::Keys(paths) => {
                let path = paths.iter().find(|path| path.reaches(&self.key) != Reach::No);
                format!("`{}` of {}, by yq", path.map_or(String::new(), KeyPath::show), found.file)
            }
            How::Sed(_) => format!("line {} of {}, by sed", found.line, found.file),
            How::Whole(by) => format!("{}, by {by}", shown(&stamp.file)),
            How::Unread(_) => found.file.clone(),
        }
    }

    /// Why it isn't known whether a stamp writes this.
    pub(super) fn doubt(&self, stamp: &Stamp) -> String {
        let file = shown(&stamp.file);
        match &stamp.how {
            _ if !is_known(&stamp.file) => format!("writes {file}: which file that is depends on the run"),
            How::Keys(_) => format!("writes keys of {file} that depend on the run"),
            How::Sed(script) => match &script.unread {
                Some(rest) => format!("edits {file} with sed, and `{}` is more than is read", shown(rest)),
                None => format!("edits lines of {file} that depend on the run"),
            },
            How::Whole(by) => format!("writes all of {file} ({by}): what in it is stamped can't be read"),
            How::Unread(why) => format!("writes {file}: {why}"),
        }
    }
}
