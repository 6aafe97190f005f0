//! Writing edits into a directory: the one place here that writes.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::edit::FileEdit;
use crate::port::whole::{self, NewFile, TogetherError};

/// Why edits were not written.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Nothing was written.
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    /// Nothing was written, or it was put back.
    #[error("{path}: can't be written: {source}; every file is as it was")]
    Write { path: String, source: io::Error },
    /// Some files are new and some are old; it says which, and what to do.
    #[error(transparent)]
    Partly(TogetherError),
    /// Nothing was written.
    #[error("{path}: the file has changed since it was read: run again on the tree as it is now")]
    Changed { path: String },
    /// Nothing was written.
    #[error("{path}: {what}: a link is never followed")]
    Link { path: String, what: &'static str },
}

/// Writes edits into a directory that is the repository's root; answers with how many files
/// were written: all of them or none. Every file is checked before the first is written: it must
/// be a regular file on a path without links, and hold the bytes that the edit was planned on (or
/// already those it leads to, so that an interrupted run can be repeated). All new contents are on
/// the disk before the first file is replaced, each as a whole by a rename: a crash leaves the old
/// file or the new one.
///
/// # Errors
/// Nothing was written, but for [`ApplyError::Partly`].
pub fn apply_to_directory(directory: &Path, edits: &[FileEdit]) -> Result<usize, ApplyError> {
    let mut todo = Vec::new();
    for edit in edits {
        let failed = |source| ApplyError::Io { path: edit.path.clone(), source };
        let place = locate(directory, &edit.path)?;
        let found = std::fs::read(&place).map_err(failed)?;
        if found == edit.after {
            continue;
        }
        if found != edit.before {
            return Err(ApplyError::Changed { path: edit.path.clone() });
        }
        todo.push((place, edit));
    }
    let ready = |(place, edit): &(PathBuf, &FileEdit)| {
        let mut file = NewFile::instead_of(place)?;
        file.write_all(&edit.after)?;
        file.ready()
    };
    let mut files = Vec::with_capacity(todo.len());
    for one in &todo {
        files.push(ready(one).map_err(|source| ApplyError::Write { path: one.1.path.clone(), source })?);
    }
    whole::appear_together(files).map_err(|error| match error {
        TogetherError::AsBefore { place, source } => {
            let edit = todo.iter().find(|(known, _)| *known == place);
            let path = edit.map_or_else(|| place.display().to_string(), |(_, edit)| edit.path.clone());
            ApplyError::Write { path, source }
        }
        partly @ TogetherError::Partly { .. } => ApplyError::Partly(partly),
    })?;
    Ok(todo.len())
}

fn locate(directory: &Path, path: &str) -> Result<PathBuf, ApplyError> {
    let failed = |source| ApplyError::Io { path: path.to_owned(), source };
    let mut place = directory.to_owned();
    let mut components = path.split('/').peekable();
    while let Some(component) = components.next() {
        if matches!(component, "" | "." | "..") {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a path inside a tree")));
        }
        place.push(component);
        let metadata = place.symlink_metadata().map_err(failed)?;
        let last = components.peek().is_none();
        if metadata.is_symlink() {
            let what = if last { "it is a symbolic link" } else { "a folder on its path is a symbolic link" };
            return Err(ApplyError::Link { path: path.to_owned(), what });
        }
        if last && !metadata.is_file() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
    }
    Ok(place)
}
