//! Writing edits into a directory: the one place here that writes.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::edit::FileEdit;

/// Why edits were not written.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    /// Nothing was written.
    #[error("{path}: the file has changed since it was read: run again on the tree as it is now")]
    Changed { path: String },
    /// Nothing was written.
    #[error("{path}: {what}: a link is never followed")]
    Link { path: String, what: &'static str },
}

/// Writes edits into a directory that is the repository's root; answers with how many files
/// were written. Every file is checked before the first is written: it must be a regular file
/// on a path without links, and hold the bytes that the edit was planned on (or already those
/// it leads to, so that an interrupted run can be repeated). Each file is replaced as a whole
/// by a rename, with its permissions, after its bytes have reached the disk: a crash leaves
/// the old file or the new one.
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
    for (place, edit) in &todo {
        replace(place, &edit.after).map_err(|source| ApplyError::Io { path: edit.path.clone(), source })?;
    }
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

/// Replaces a file as a whole by a rename, with its permissions, after its bytes have reached the
/// disk: a crash leaves the old file or the new one.
pub fn replace(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = place.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let folder = folder.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a path of a file"))?;
    let permissions = place.symlink_metadata()?.permissions();
    let mut file = tempfile::Builder::new().prefix(".sealift-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(place).map_err(|error| error.error)?;
    std::fs::File::open(folder)?.sync_all()
}
