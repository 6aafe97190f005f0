//! What an action on a forge expected, and what is there.

use crate::model::{Answer, Blob, Digest, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::Asset;
use crate::stage::There;
use crate::stage::record::File;

pub(super) type Done = Result<(), WriteError>;

pub(super) fn release(tag: &RefName) -> String {
    format!("release {}", tag.short())
}

pub(super) fn pull_from(head: &RefName) -> String {
    format!("pull request from {}", head.short())
}

/// What can't be absent, like a list of something that is there.
pub(super) fn found<T>(answer: Answer<T>, what: &str) -> Result<T, WriteError> {
    Ok(answer.there(what)?)
}

pub(super) fn lost(what: String, expected: &str, found: &str) -> WriteError {
    WriteError::Lost { what, expected: expected.to_owned(), found: found.to_owned() }
}

pub(super) fn unclear(unknown: Unknown) -> Unknown {
    Unknown { detail: format!("{}; whether it was written can't be known", unknown.detail), ..unknown }
}

/// Whether a text is the one that was planned on.
pub(super) fn unchanged(what: String, text: &str, expect: Digest) -> Done {
    let found = Digest::of(text.as_bytes());
    let show = |digest: Digest| format!("the text {}", digest.short());
    if found == expect { Ok(()) } else { Err(lost(what, &show(expect), &show(found))) }
}

/// Whether an asset is a file: by the forge's own digest of it, never by its size alone.
pub(super) fn is(asset: &Asset, blob: &Blob) -> bool {
    asset.complete && asset.digest == Some(blob.descriptor.digest) && asset.size == blob.descriptor.size
}

pub(super) fn expected(what: String, asset: Option<&Asset>, expect: There) -> Done {
    let found = match (asset, expect) {
        (None, _) => There::Nothing,
        (Some(asset), _) if !asset.complete => There::Half,
        (Some(Asset { digest: Some(digest), .. }), _) => There::Whole(*digest),
        // Its bytes were looked at when this was planned: a forge without digests says no more.
        (Some(_), There::Whole(digest)) => There::Whole(digest),
        (Some(_), _) => return Err(lost(what, &expect.to_string(), "a file")),
    };
    if found == expect { Ok(()) } else { Err(lost(what, &expect.to_string(), &found.to_string())) }
}

/// Whether the assets are these files and no others.
pub(super) fn these_alone(what: String, assets: &[Asset], files: &[File]) -> Done {
    let is = |asset: &Asset, file: &File| {
        let same = asset.name == file.name && asset.complete && asset.size == file.size;
        same && asset.digest.is_none_or(|digest| digest == file.sha256)
    };
    let other = assets.iter().find(|asset| !files.iter().any(|file| is(asset, file)));
    if other.is_none() && assets.len() == files.len() {
        return Ok(());
    }
    let found = other.map_or("fewer".to_owned(), |asset| format!("another {}", asset.name));
    Err(lost(what, &format!("its {} files", files.len()), &found))
}
