//! Gzip copies and the plain sources that vouch for them.

use super::enumerate::{Enumeration, Storage};
use super::file::FileReading;
use super::problem::{Lines, Problem, ProblemKind};

/// What is wrong between a gzip copy and its plain source. A promotion takes the copy's references for the
/// source's, and refuses an owned image that only the copy names.
pub(super) fn stale(files: &[FileReading], enumeration: &Enumeration, path: &str) -> Option<Problem> {
    let find = |path: &str| files.iter().find(|read| read.file.path == path);
    let packed = find(path)?;
    let Storage::Gzip { copy_of } = &packed.file.storage else { return None };
    if let Some(plain) = find(copy_of) {
        let (packed, plain) = (packed.content(), plain.content());
        if packed == plain {
            return None;
        }
        let same = packed.iter().zip(plain).take_while(|(a, b)| a == b).count();
        let message = format!("its content is not that of {copy_of}, from here on");
        let place = (&Lines::new(packed), same.min(packed.len().saturating_sub(1)));
        let help = "make the copy again from its source";
        return Some(Problem::at(ProblemKind::StaleCopy, path, place, message, help));
    }
    // Of a source that is there and can't be read a problem tells already.
    let listed = enumeration.files.iter().any(|file| file.path == *copy_of);
    let message = format!("its plain source {copy_of} is not in the tree: nothing says what the copy should hold");
    let help = "put the source beside it, or declare the right one in the pipeline";
    (!listed).then(|| Problem::whole(path, message, help).kind(ProblemKind::StaleCopy))
}
